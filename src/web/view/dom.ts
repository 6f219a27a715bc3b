// How are elements made? Every text becomes a text node, whatever stands in it.

export type Child = Node | string | undefined;
type Given = Readonly<Record<string, string | undefined>>;

/** Attributes by name; one that is undefined is left out. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: Given = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** What says the same is not said again: a screen reader would. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function mark(element: Element, attributes: Given): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

export type KeptElement<T> = { readonly element: HTMLElement; show(item: T): void };

/**
 * A list of which each entry keeps its element, and with it the focus, for as long as its key is
 * there.
 */
export class KeyedList<T> {
  readonly kept = new Map<string, KeptElement<T>>();
  readonly #parent: HTMLElement;
  readonly #keyOf: (item: T) => string;
  readonly #make: (item: T) => KeptElement<T>;

  constructor(parent: HTMLElement, keyOf: (item: T) => string, make: (item: T) => KeptElement<T>) {
    this.#parent = parent;
    this.#keyOf = keyOf;
    this.#make = make;
  }

  show(items: readonly T[]): void {
    const keys = new Set(items.map(this.#keyOf));
    for (const [key, { element }] of this.kept) {
      if (keys.has(key)) continue;
      element.remove();
      this.kept.delete(key);
    }
    let next = this.#parent.firstElementChild;
    for (const item of items) {
      const key = this.#keyOf(item);
      const kept = this.kept.get(key) ?? this.#make(item);
      this.kept.set(key, kept);
      kept.show(item);
      if (kept.element === next) next = next.nextElementSibling;
      else this.#parent.insertBefore(kept.element, next);
    }
  }
}
