// Which work may begin? One of each group is under way, and a few in all.

type Waiter = {
  readonly owner: object;
  readonly go: () => void;
  readonly abandon: (error: Error) => void;
};

/** Guarantees: one work of a group at a time, in order of arrival; waiting groups take turns. */
export class FairSemaphore {
  /** In all groups together. */
  readonly #most: number;
  readonly #holders = new Set<string>();
  /** By group, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** How many of this group wait. */
  waitingOf(group: string): number {
    return this.#waiting.get(group)?.length ?? 0;
  }

  async acquire(group: string, owner: object): Promise<void> {
    if (this.#mayAcquire(group)) {
      this.#holders.add(group);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(group) ?? [];
    waiters.push({ owner, go: resolve, abandon: reject });
    this.#waiting.set(group, waiters);
    await promise;
  }

  release(group: string): void {
    this.#holders.delete(group);
    for (const [next, waiters] of this.#waiting) {
      if (this.#holders.size >= this.#most) return;
      if (!this.#mayAcquire(next)) continue;
      const waiter = waiters.shift();
      this.#waiting.delete(next);
      if (waiters.length > 0) this.#waiting.set(next, waiters);
      this.#holders.add(next);
      waiter?.go();
    }
  }

  /** Rejects what this owner waits with. */
  abandon(owner: object, error: Error): void {
    for (const [group, waiters] of [...this.#waiting]) {
      const others = waiters.filter((it) => it.owner !== owner);
      if (others.length > 0) this.#waiting.set(group, others);
      else this.#waiting.delete(group);
      for (const it of waiters) if (it.owner === owner) it.abandon(error);
    }
  }

  #mayAcquire(group: string): boolean {
    return this.#holders.size < this.#most && !this.#holders.has(group);
  }
}
