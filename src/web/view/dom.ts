// How are elements created and changed, and which parts do several views share?
import type { Tone } from '../model/blocks.ts';
import { cutParts } from '../model/words.ts';

type Child = Node | string | undefined;
type Attributes = Readonly<Record<string, string | undefined>>;

/**
 * `h('p.quiet.note', { role: 'status' }, 'text')`: a tag with classes, attributes, children. Every
 * text becomes a text node, whatever it contains.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  selector: Tag | `${Tag}.${string}`,
  ...parts: readonly (Attributes | Child)[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = selector.split('.');
  // The tag is the part of a selector before the first dot.
  const element = document.createElement(tag as Tag);
  element.classList.add(...classes);
  for (const part of parts) {
    if (typeof part === 'object' && !(part instanceof Node)) setAttributes(element, part);
    else if (part !== undefined) element.append(part);
  }
  return element;
}

/** An unchanged text is not written: a screen reader would read it again. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A name whose middle is cut for lack of space. The document keeps all of it. */
export function setCutText(element: Element, name: string): void {
  if (element.textContent === name && element.childElementCount > 0) return;
  const [start, end] = cutParts(name);
  element.classList.add('cut');
  element.replaceChildren(h('span.cut-start', start), h('span.cut-end', end));
}

/** Sets these attributes, and removes the undefined ones. */
export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

export type KeptElement<T> = { readonly element: HTMLElement; show(item: T): void };

/** A list whose entries keep their elements, and so the focus, while their keys are present. */
export function keyedList<T, Kept extends KeptElement<T>>(
  parent: HTMLElement,
  keyOf: (item: T) => string,
  make: (item: T) => Kept,
) {
  const kept = new Map<string, Kept>();
  return {
    kept: kept as ReadonlyMap<string, Kept>,
    show: (items: readonly T[]): void => {
      const keys = new Set(items.map(keyOf));
      for (const [key, { element }] of kept) {
        if (keys.has(key)) continue;
        element.remove();
        kept.delete(key);
      }
      let next = parent.firstElementChild;
      for (const item of items) {
        const entry = kept.get(keyOf(item)) ?? make(item);
        kept.set(keyOf(item), entry);
        entry.show(item);
        if (entry.element === next) next = next.nextElementSibling;
        else parent.insertBefore(entry.element, next);
      }
    },
  };
}

/** Shown beside the colour, which not every user can see. */
const signs: Readonly<Record<Tone, string>> = {
  good: '✓',
  busy: '…',
  bad: '!',
  away: '○',
  quiet: '–',
};

export function badge(): { readonly element: HTMLElement; show(tone: Tone, word: string): void } {
  const sign = h('span.sign', { 'aria-hidden': 'true' });
  const text = h('span.word');
  const element = h('span.badge', sign, text);
  return {
    element,
    show: (tone, word) => {
      setAttributes(element, { 'data-tone': tone });
      setText(sign, signs[tone]);
      setText(text, word);
    },
  };
}

/** The part of an element that its bar fills, 0 to 1. */
export const fill = (element: HTMLElement, part: number): void =>
  element.style.setProperty('--fill', `${100 * part}%`);

export function meter(): { readonly element: HTMLElement; show(part: number): void } {
  const bar = h('div');
  return {
    element: h('div.meter', { 'aria-hidden': 'true' }, bar),
    show: (part) => fill(bar, part),
  };
}

export function closeButton(onClick: () => void): HTMLElement {
  const button = h('button.plain.dismiss', { type: 'button', 'aria-label': 'Close' }, '×');
  button.addEventListener('click', onClick);
  return button;
}

/** Of several requests in quick succession, only the last one is made, or waited for. */
export class Latest {
  #abort = new AbortController();
  #timer: number | undefined;

  run(waitMs: number, task: (signal: AbortSignal) => Promise<void>): void {
    this.cancel();
    const { signal } = this.#abort;
    this.#timer = window.setTimeout(() => void task(signal), waitMs);
  }

  cancel(): void {
    window.clearTimeout(this.#timer);
    this.#abort.abort();
    this.#abort = new AbortController();
  }
}
