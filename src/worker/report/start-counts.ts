// How often was each stream of this worker started, and how often because it had ended by itself?
type Counts = { readonly starts: number; readonly restarts: number };

export class StartCounts {
  readonly #byStream = new Map<string, Counts>();
  #total: Counts = { starts: 0, restarts: 0 };

  started(stream: string, isRestart: boolean): void {
    this.#byStream.set(stream, plus(this.of(stream), isRestart));
    this.#total = plus(this.#total, isRestart);
  }

  forget(stream: string): void {
    this.#byStream.delete(stream);
  }

  of(stream: string): Counts {
    return this.#byStream.get(stream) ?? { starts: 0, restarts: 0 };
  }

  /** Includes the streams that were forgotten. */
  get total(): Counts {
    return this.#total;
  }
}

const plus = ({ starts, restarts }: Counts, isRestart: boolean): Counts => ({
  starts: starts + 1,
  restarts: restarts + (isRestart ? 1 : 0),
});
