// Which work of which group is under way? One of a group, and a few in all.

type Waiter = {
  readonly owner: object;
  readonly go: () => void;
  readonly abandon: (error: Error) => void;
};

/** Guarantees: one work of a group at a time, in order of arrival; waiting groups take turns. */
export class Lane {
  /** In all groups together. */
  readonly #most: number;
  readonly #inside = new Set<string>();
  /** By group, in the order of their turns. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(most: number) {
    this.#most = most;
  }

  /** How many wait to enter. */
  waitingOf(group: string): number {
    return this.#waiting.get(group)?.length ?? 0;
  }

  async enter(group: string, owner: object): Promise<void> {
    if (this.#mayEnter(group)) {
      this.#inside.add(group);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiters = this.#waiting.get(group) ?? [];
    waiters.push({ owner, go: resolve, abandon: reject });
    this.#waiting.set(group, waiters);
    await promise;
  }

  leave(group: string): void {
    this.#inside.delete(group);
    for (const [next, waiters] of this.#waiting) {
      if (this.#inside.size >= this.#most) return;
      if (!this.#mayEnter(next)) continue;
      const waiter = waiters.shift();
      this.#waiting.delete(next);
      if (waiters.length > 0) this.#waiting.set(next, waiters);
      this.#inside.add(next);
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

  #mayEnter(group: string): boolean {
    return this.#inside.size < this.#most && !this.#inside.has(group);
  }
}
