// Which streams of one worker fail? Counted from how its processes end, by the promise to users: a
// stream fails that ended by itself three times within five minutes, until it has run for a minute.
const ENDS = 3;
const ENDS_COUNT_FOR_MS = 5 * 60_000;
const WELL_AFTER_MS = 60_000;

type Trouble = {
  readonly ends: readonly number[];
  isFailing: boolean;
  /** Of the process that runs now. */
  startedAt: number | undefined;
};

export class Troubles {
  readonly #troubles = new Map<string, Trouble>();

  started(stream: string, at: number): void {
    const trouble = this.#troubles.get(stream);
    if (trouble !== undefined) trouble.startedAt = at;
  }

  /** By itself. */
  ended(stream: string, at: number): void {
    const before = this.#fresh(stream, at);
    const ends = [...(this.#troubles.get(stream)?.ends ?? []), at].slice(-ENDS);
    const [first = at] = ends;
    const isOften = ends.length === ENDS && at - first <= ENDS_COUNT_FOR_MS;
    this.#troubles.set(stream, {
      ends,
      isFailing: isOften || before?.isFailing === true,
      startedAt: undefined,
    });
  }

  /** It is not this worker's any more, or begins anew. */
  forget(stream: string): void {
    this.#troubles.delete(stream);
  }

  isFailing(stream: string, at: number): boolean {
    return this.#fresh(stream, at)?.isFailing === true;
  }

  /** It runs, and would be well again without another end. */
  isRecovering(stream: string, at: number): boolean {
    const trouble = this.#fresh(stream, at);
    return trouble?.isFailing === true && trouble.startedAt !== undefined;
  }

  /** Undefined: it is well. */
  #fresh(stream: string, at: number): Trouble | undefined {
    const trouble = this.#troubles.get(stream);
    const { startedAt } = trouble ?? {};
    return startedAt !== undefined && at - startedAt >= WELL_AFTER_MS ? undefined : trouble;
  }
}
