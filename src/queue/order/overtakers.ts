// Which jobs that come later may start before this one, and until when may they hold it up?
import type { WaitingJob } from '../world.ts';
import type { Demand } from './room.ts';
import type { Holding, Until } from './when-free.ts';

/** Jobs with the same demands and deadline. */
type Kind = {
  readonly demands: readonly Demand[];
  readonly deadlineSeconds: number | undefined;
  count: number;
  /** The name of the job that was added last. */
  name: string;
};

/** With more kinds there is no estimate: a tenant may make each of thousands of jobs different. */
const MOST_KINDS = 200;

const kindOf = ({ queue, deadlineSeconds }: WaitingJob, demands: readonly Demand[]): string =>
  `${queue} ${deadlineSeconds} ${demands.map(({ key, amount }) => `${key} ${amount}`).join(' ')}`;

export class Overtakers {
  readonly #kinds = new Map<string, Kind>();
  #areTooMany = false;

  add(job: WaitingJob, demands: readonly Demand[]): void {
    if (this.#areTooMany) return;
    const { deadlineSeconds, name } = job;
    const key = kindOf(job, demands);
    const kind = this.#kinds.get(key) ?? { demands, deadlineSeconds, count: 0, name };
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
   * What overtakers may hold of what the job needs; undefined: there are too many kinds. From
   * `kept` on, room is kept for the job, and no overtaker takes any of it.
   */
  of(job: WaitingJob, demands: readonly Demand[], kept: Until): readonly Holding[] | undefined {
    if ('ms' in kept && kept.ms === 0) return [];
    if (this.#areTooMany) return undefined;
    return [...this.#kinds.values()]
      .filter((kind) => kind.count > 0 && (job.backsOffForMs > 0 || mayPass(kind, demands)))
      .map(({ demands: own, count, deadlineSeconds, name }) => ({
        holds: own.map((demand) => ({ ...demand, amount: demand.amount * BigInt(count) })),
        until: untilOf(kept, deadlineSeconds, name),
      }));
  }
}

/** It needs less of something than the job: otherwise the job itself would start before it. */
const mayPass = ({ demands: own }: Kind, demands: readonly Demand[]): boolean =>
  demands.some(({ key, amount }) => amount > (own.find((it) => it.key === key)?.amount ?? 0n));

function untilOf(kept: Until, deadlineSeconds: number | undefined, name: string): Until {
  if ('unknown' in kept) return kept;
  return deadlineSeconds === undefined
    ? { unknown: `job ${name}, which may start first, has no deadline` }
    : { ms: kept.ms + deadlineSeconds * 1000 };
}
