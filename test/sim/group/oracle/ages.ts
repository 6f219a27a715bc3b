// For how long has something been so without a break?

export class Ages {
  readonly #since = new Map<string, number>();

  /** In milliseconds; undefined: it is not so. */
  of(what: string, isSo: boolean, now: number): number | undefined {
    if (!isSo) {
      this.#since.delete(what);
      return undefined;
    }
    const since = this.#since.get(what) ?? now;
    this.#since.set(what, since);
    return now - since;
  }

  /** Of all that is so now; what is not among them is so no more. */
  ofAll(present: Iterable<string>, now: number): ReadonlyMap<string, number> {
    const kept = new Set(present);
    for (const what of [...this.#since.keys()]) if (!kept.has(what)) this.#since.delete(what);
    return new Map([...kept].map((what) => [what, this.of(what, true, now) ?? 0]));
  }

  /** In milliseconds, as far as it was so when it was last asked. */
  lasting(what: string, now: number): number {
    return now - (this.#since.get(what) ?? now);
  }

  forget(): void {
    this.#since.clear();
  }
}
