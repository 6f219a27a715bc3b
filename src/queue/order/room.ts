// How much room is there, and how much of it is kept for jobs that go first?

/** Some of what one bound gives: the quota of a queue, a ResourceQuota, or the ledger's size. */
export type Need = {
  /** Bound and resource in one. */
  readonly key: string;
  readonly bound: string;
  readonly resource: string;
  /** Above 0. */
  readonly amount: bigint;
};

export type Lack = Need & { readonly free: bigint };

type Kept = { readonly amount: bigint; readonly by: string };

export const needFor = (bound: string, resource: string, amount: bigint): Need => ({
  key: keyOf(bound, resource),
  bound,
  resource,
  amount,
});

const keyOf = (bound: string, resource: string): string => `${bound}/${resource}`;

/** A bound that was not opened for a resource has no end. */
export class Room {
  readonly #free = new Map<string, bigint>();
  readonly #kept = new Map<string, Kept>();

  open(bound: string, resource: string, amount: bigint): void {
    this.#free.set(keyOf(bound, resource), amount);
  }

  /** What is needed beyond what is free; undefined: nothing. */
  lacks(needs: readonly Need[]): readonly Lack[] | undefined {
    let lacks: Lack[] | undefined;
    for (const need of needs) {
      const free = this.#free.get(need.key);
      if (free !== undefined && need.amount > free) {
        lacks ??= [];
        lacks.push({ ...need, free });
      }
    }
    return lacks;
  }

  /** For whom some of what is needed is kept, so that the rest is not enough. */
  keeper(needs: readonly Need[]): string | undefined {
    for (const { key, amount } of needs) {
      const kept = this.#kept.get(key);
      if (kept === undefined) continue;
      const free = this.#free.get(key);
      if (free !== undefined && amount > free - kept.amount) return kept.by;
    }
    return undefined;
  }

  take(needs: readonly Need[]): void {
    for (const { key, amount } of needs) {
      const free = this.#free.get(key);
      if (free !== undefined) this.#free.set(key, free - amount);
    }
  }

  keep(needs: readonly Need[], name: string): void {
    for (const { key, amount: more } of needs) {
      const { amount, by } = this.#kept.get(key) ?? { amount: 0n, by: name };
      this.#kept.set(key, { amount: amount + more, by });
    }
  }
}
