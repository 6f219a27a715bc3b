// Which item has the lowest rank? A binary heap.

export class MinHeap<T> {
  readonly #rankOf: (item: T) => number;
  readonly #items: T[] = [];

  constructor(rankOf: (item: T) => number) {
    this.#rankOf = rankOf;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    let at = this.#items.push(item) - 1;
    while (at > 0 && this.#isBefore(at, (at - 1) >> 1)) at = this.#swap(at, (at - 1) >> 1);
  }

  /** Takes the first away. */
  take(): void {
    const last = this.#items.pop();
    if (last === undefined || this.#items.length === 0) return;
    this.#items[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(child, at)) return;
      at = this.#swap(at, child);
    }
  }

  clear(): void {
    this.#items.length = 0;
  }

  /** Nothing beyond the end comes before anything. */
  #isBefore(a: number, b: number): boolean {
    const [one, other] = [this.#items[a], this.#items[b]];
    return one !== undefined && other !== undefined && this.#rankOf(one) < this.#rankOf(other);
  }

  /** Returns where the first of them is now. */
  #swap(a: number, b: number): number {
    const [one, other] = [this.#items[a], this.#items[b]];
    if (one === undefined || other === undefined) return b;
    this.#items[a] = other;
    this.#items[b] = one;
    return b;
  }
}
