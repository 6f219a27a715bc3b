// Which jobs that come later may start before this one, and until when may they hold it up?
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
  /** From when on room is kept for the job. */
  readonly kept: Until;
  /** Not for a pause, and not for another job of its queue to start. */
  readonly waitsOnlyForRoom: boolean;
};

/** With more kinds there is no estimate: a tenant may make each of thousands of jobs different. */
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

  /** Called when the job's own turn has come. */
  remove(job: WaitingJob, demands: readonly Demand[]): void {
    const kind = this.#kinds.get(kindOf(job, demands));
    if (kind !== undefined) kind.count -= 1;
  }

  /**
   * What overtakers may hold of what a job needs; undefined: there are too many kinds. None of them
   * takes any of the room that is kept for the job.
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

/** Of something: else the job itself, which waits only for room, would start before it. */
const asksForLess = ({ demands: own }: Kind, demands: readonly Demand[]): boolean =>
  demands.some(({ key, amount }) => amount > (own.find((it) => it.key === key)?.amount ?? 0n));
