// How much quota is free, and how much of it is kept for jobs that go first?
import type { WaitingJob } from '../world.ts';

/**
 * An amount that a job needs of one bound: the quota of a queue, a ResourceQuota, or the ledger's
 * size.
 */
export type Demand = {
  /** The resource and the bound in one string. */
  readonly key: string;
  readonly bound: string;
  readonly resource: string;
  /** Above 0. */
  readonly amount: bigint;
};

export type Lack = { readonly demand: Demand; readonly free: bigint };

/** The most jobs whose start is known: a tenant may have thousands of queues. */
export const MOST_KEEPERS = 100;

type Keeper = Pick<WaitingJob, 'name' | 'uid'>;
/**
 * `now`: the amount kept of what is free now. `all`: also of what is free once others have ended.
 */
type Kept = { readonly now: bigint; readonly all: bigint; readonly by: readonly Keeper[] };

type Change = {
  readonly coming: ((key: string) => bigint) | undefined;
  readonly sign: bigint;
};

export const demandFor = (bound: string, resource: string, amount: bigint): Demand => ({
  key: keyOf(bound, resource),
  bound,
  resource,
  amount,
});

/** A resource has no space. */
const keyOf = (bound: string, resource: string): string => `${resource} ${bound}`;

/** The free amounts under each bound. A bound does not limit a resource that it does not name. */
export class FreeQuota {
  readonly #free = new Map<string, bigint>();
  /** The free amounts at the beginning. */
  readonly #opened = new Map<string, bigint>();
  /** The free amounts if no job had anything. */
  readonly #most = new Map<string, bigint>();
  readonly #kept = new Map<string, Kept>();

  /** `most` is the free amount if no job had anything; omitted if only jobs use the bound. */
  open(bound: string, resource: string, amount: bigint, most?: bigint): void {
    this.#free.set(keyOf(bound, resource), amount);
    this.#opened.set(keyOf(bound, resource), amount);
    if (most !== undefined) this.#most.set(keyOf(bound, resource), most);
  }

  /**
   * False: the missing amount is used by something other than jobs, such as the pods of a
   * Deployment.
   */
  mayBecomeFree(demands: readonly Demand[]): boolean {
    return demands.every(({ key, amount }) => amount <= (this.#most.get(key) ?? amount));
  }

  /** Undefined: no bound limits it. */
  free(key: string): bigint | undefined {
    return this.#free.get(key);
  }

  /** The demands that exceed the free amounts; undefined: none does. */
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

  /** The first job for which so much is kept that the rest is not enough for these demands. */
  keeper(demands: readonly Demand[]): Keeper | undefined {
    for (const demand of demands) {
      const [first] = this.#keepersOf(demand);
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** All such jobs, or more than MOST_KEEPERS, and then none of them is examined. */
  keepers(demands: readonly Demand[]): readonly Keeper[] {
    return demands.flatMap((demand) => this.#keepersOf(demand));
  }

  #keepersOf({ key, amount }: Demand): readonly Keeper[] {
    const kept = this.#kept.get(key);
    const free = this.#free.get(key);
    if (kept === undefined || free === undefined) return [];
    return amount > free - kept.now ? kept.by : [];
  }

  /**
   * The amount that is free and not kept: now, and at most after the jobs that hold `ending` of it
   * have ended. A bound may count ended jobs for a while. Undefined: there is no limit.
   */
  beyondKept(
    key: string,
    { ending, staying }: { readonly ending: bigint; readonly staying: bigint },
  ): { readonly now: bigint; readonly most: bigint } | undefined {
    const free = this.#free.get(key);
    if (free === undefined) return undefined;
    const kept = this.#kept.get(key) ?? { now: 0n, all: 0n };
    const then = free + ending - kept.all;
    const all = this.#most.get(key);
    const taken = (this.#opened.get(key) ?? free) - free;
    const most = all === undefined ? then : all - staying - taken - kept.all;
    return { now: free - kept.now, most: most > then ? most : then };
  }

  take(demands: readonly Demand[]): void {
    for (const { key, amount } of demands) {
      const free = this.#free.get(key);
      if (free !== undefined) this.#free.set(key, free - amount);
    }
  }

  /** `coming` is the amount of each demand that jobs ending for the keeper hold. */
  keep(demands: readonly Demand[], keeper: Keeper, coming?: (key: string) => bigint): void {
    const isFull = (by: readonly Keeper[]): boolean => by.length > MOST_KEEPERS;
    this.#change(demands, { coming, sign: 1n }, (by) => (isFull(by) ? by : [...by, keeper]));
  }

  /** Reverts a call of `keep` with the same arguments. */
  giveUp(demands: readonly Demand[], { uid }: Keeper, coming?: (key: string) => bigint): void {
    const others = (by: readonly Keeper[]) => by.filter((it) => it.uid !== uid);
    this.#change(demands, { coming, sign: -1n }, others);
  }

  #change(
    demands: readonly Demand[],
    { coming, sign }: Change,
    keepersAfter: (by: readonly Keeper[]) => readonly Keeper[],
  ): void {
    for (const { key, amount } of demands) {
      const { now, all, by } = this.#kept.get(key) ?? { now: 0n, all: 0n, by: [] };
      const least = amount - (coming?.(key) ?? 0n);
      this.#kept.set(key, {
        now: now + sign * (least > 0n ? least : 0n),
        all: all + sign * amount,
        by: keepersAfter(by),
      });
    }
  }
}
