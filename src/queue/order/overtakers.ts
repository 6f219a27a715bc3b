// Which jobs that come later may start before this one, and how long may they delay it?
import type { WaitingJob } from '../world.ts';
import type { Demand } from './free-quota.ts';
import type { Holding, Until } from './when-free.ts';

/** Jobs with the same demands, deadline and end. */
type Kind = {
  readonly demands: readonly Demand[];
  readonly deadlineSeconds: number | undefined;
  readonly endsInMs: number;
  count: number;
  /** The name of the job that was added last. */
  name: string;
};

type Turn = {
  /** The time from which room is kept for the job. */
  readonly kept: Until;
  /** The job waits neither for the end of a pause, nor for another job of its queue to start. */
  readonly waitsOnlyForRoom: boolean;
};

/** With more kinds there is no estimate: a tenant may submit thousands of different jobs. */
const MOST_KINDS = 200;

const kindOf = (
  { queue, deadlineSeconds, endsInMs }: WaitingJob,
  demands: readonly Demand[],
): string =>
  `${queue} ${deadlineSeconds} ${endsInMs} ${demands.map(({ key, amount }) => `${key} ${amount}`).join(' ')}`;

export class Overtakers {
  readonly #kinds = new Map<string, Kind>();
  readonly #startsInMs: number;
  #areTooMany = false;

  constructor(startsInMs: number) {
    this.#startsInMs = startsInMs;
  }

  add(job: WaitingJob, demands: readonly Demand[]): void {
    if (this.#areTooMany) return;
    const { deadlineSeconds, endsInMs, name } = job;
    const key = kindOf(job, demands);
    const kind = this.#kinds.get(key) ?? { demands, deadlineSeconds, endsInMs, count: 0, name };
    kind.count += 1;
    kind.name = name;
    this.#kinds.set(key, kind);
    this.#areTooMany = this.#kinds.size > MOST_KINDS;
  }

  /** Removes a job whose own turn has come. */
  remove(job: WaitingJob, demands: readonly Demand[]): void {
    const kind = this.#kinds.get(kindOf(job, demands));
    if (kind !== undefined) kind.count -= 1;
  }

  /**
   * The resources that overtakers may occupy of those that a job needs; undefined: there are too
   * many kinds. No overtaker takes room that is kept for the job.
   */
  of(demands: readonly Demand[], { kept, waitsOnlyForRoom }: Turn): readonly Holding[] | undefined {
    if ('ms' in kept && kept.ms === 0) return [];
    if (this.#areTooMany) return undefined;
    return [...this.#kinds.values()]
      .filter((kind) => kind.count > 0 && (!waitsOnlyForRoom || asksForLess(kind, demands)))
      .map(({ demands: own, count, ...kind }) => ({
        holds: own.map((demand) => ({ ...demand, amount: demand.amount * BigInt(count) })),
        until: this.#untilOf(kept, kind),
      }));
  }

  #untilOf(
    kept: Until,
    { deadlineSeconds, endsInMs, name }: Omit<Kind, 'count' | 'demands'>,
  ): Until {
    if ('unknown' in kept) return kept;
    return deadlineSeconds === undefined
      ? { unknown: `job ${name}, which may start first, has no deadline` }
      : { ms: kept.ms + this.#startsInMs + deadlineSeconds * 1000 + endsInMs };
  }
}

/**
 * The kind needs less of some resource. Otherwise the job itself, which waits only for room, would
 * start first.
 */
const asksForLess = ({ demands: own }: Kind, demands: readonly Demand[]): boolean =>
  demands.some(({ key, amount }) => amount > (own.find((it) => it.key === key)?.amount ?? 0n));
