// How much room is there, and how much of it is kept for jobs that go first?

/** Some of what one bound gives: the quota of a queue, a ResourceQuota, or the ledger's size. */
export type Demand = {
  /** The bound and the resource in one string. */
  readonly key: string;
  readonly bound: string;
  readonly resource: string;
  /** Above 0. */
  readonly amount: bigint;
};

export type Lack = { readonly demand: Demand; readonly free: bigint };

type Kept = { readonly amount: bigint; readonly by: string };

export const demandFor = (bound: string, resource: string, amount: bigint): Demand => ({
  key: keyOf(bound, resource),
  bound,
  resource,
  amount,
});

const keyOf = (bound: string, resource: string): string => `${bound}/${resource}`;

/** What is free under each bound. A bound that does not name a resource does not limit it. */
export class Room {
  readonly #free = new Map<string, bigint>();
  readonly #kept = new Map<string, Kept>();

  open(bound: string, resource: string, amount: bigint): void {
    this.#free.set(keyOf(bound, resource), amount);
  }

  /** Undefined: there is no limit. */
  free(key: string): bigint | undefined {
    return this.#free.get(key);
  }

  /** What is needed beyond what is free; undefined: nothing. */
  lacks(demands: readonly Demand[]): readonly Lack[] | undefined {
    let lacks: Lack[] | undefined;
    for (const demand of demands) {
      const free = this.#free.get(demand.key);
      if (free !== undefined && demand.amount > free) {
        lacks ??= [];
        lacks.push({ demand, free });
      }
    }
    return lacks;
  }

  /** The job for which so much of a demand is kept that the rest is not enough. */
  keeper(demands: readonly Demand[]): string | undefined {
    for (const { key, amount } of demands) {
      const kept = this.#kept.get(key);
      if (kept === undefined) continue;
      const free = this.#free.get(key);
      if (free !== undefined && amount > free - kept.amount) return kept.by;
    }
    return undefined;
  }

  take(demands: readonly Demand[]): void {
    for (const { key, amount } of demands) {
      const free = this.#free.get(key);
      if (free !== undefined) this.#free.set(key, free - amount);
    }
  }

  keep(demands: readonly Demand[], name: string): void {
    for (const { key, amount: more } of demands) {
      const { amount, by } = this.#kept.get(key) ?? { amount: 0n, by: name };
      this.#kept.set(key, { amount: amount + more, by });
    }
  }
}
