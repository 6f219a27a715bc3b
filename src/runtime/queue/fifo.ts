// Who came first? A queue in order of arrival.

/** Not Array.shift: it moves all items that follow, and ten thousand may wait. */
export class Fifo<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  add(item: T): void {
    this.#items.push(item);
  }

  clear(): void {
    this.#items = [];
    this.#taken = 0;
  }

  take(): T | undefined {
    const { first } = this;
    if (this.length > 0) this.#taken += 1;
    if (this.#taken > 64 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return first;
  }
}
