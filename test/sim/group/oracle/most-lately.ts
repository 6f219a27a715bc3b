// How many were there at most, within the last while?

type Note = { readonly count: number; readonly at: number };

export class MostLately {
  readonly #withinMs: number;
  readonly #notes = new Map<string, readonly Note[]>();

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  note(what: string, count: number, at: number): void {
    const notes = this.#lately(what, at);
    if (notes.at(-1)?.count !== count) this.#notes.set(what, [...notes, { count, at }]);
  }

  /** 0, where nothing is noted. */
  most(what: string, now: number): number {
    return Math.max(0, ...this.#lately(what, now).map(({ count }) => count));
  }

  /** With the one that stood when the while began. */
  #lately(what: string, now: number): readonly Note[] {
    const notes = this.#notes.get(what) ?? [];
    const first = notes.findLastIndex(({ at }) => now - at >= this.#withinMs);
    return notes.slice(Math.max(0, first));
  }
}
