// Which jobs of lower priority end so that a waiting job can start? No job ends in vain: once these
// jobs have ended, the whole waiting job has room.
import type { Demand, FreeQuota } from '../order/free-quota.ts';
import type { Named, RunningJob, WaitingJob } from '../world.ts';
import { fewest } from './fewest.ts';

/** The resources that a job in use occupies. */
type Held = { readonly uid: string; readonly holds: readonly Demand[] };

/**
 * The most jobs in each pass that look for others to end: thousands may wait, and thousands run.
 */
const MOST_SEARCHES = 100;

type Around = {
  readonly running: readonly RunningJob[];
  /** UIDs of the jobs that are ending: their resources are free soon. */
  readonly ending: ReadonlySet<string>;
  /** Called only if a job may take the place of another. */
  readonly inUse: () => readonly Held[];
};

/** `holds` has the amounts by key. */
type Candidate = { readonly job: RunningJob; readonly holds: ReadonlyMap<string, bigint> };
type Totals = { readonly ending: bigint; readonly staying: bigint };

export class Victims {
  readonly #freeQuota: FreeQuota;
  readonly #around: Around;
  /** The lowest priority of the running jobs of each queue. */
  readonly #lowest = new Map<string, number>();
  #searches = 0;
  /** The resources of each job in use, by UID. */
  #holds: ReadonlyMap<string, readonly Demand[]> | undefined;
  /** The held amounts of each key. */
  #totals: Map<string, Totals> | undefined;
  /** The jobs of each queue that may end; the first to end comes first. */
  #candidates: Map<string, readonly Candidate[]> | undefined;
  /** UID of a job that ends -> the job that takes its place. */
  readonly preempted = new Map<string, WaitingJob>();

  constructor(freeQuota: FreeQuota, around: Around) {
    this.#freeQuota = freeQuota;
    this.#around = around;
    for (const { queue, priority } of around.running)
      this.#lowest.set(queue, Math.min(priority, this.#lowest.get(queue) ?? priority));
  }

  /** The jobs that now end for this job. Empty: it has to wait. */
  endFor(job: WaitingJob, demands: readonly Demand[]): readonly Named[] {
    if ((this.#lowest.get(job.queue) ?? job.priority) >= job.priority) return [];
    if (this.#searches >= MOST_SEARCHES || !this.#freeQuota.mayBecomeFree(demands)) return [];
    this.#searches += 1;
    const victims = this.#enoughFor(job, demands) ?? [];
    if (victims.length > 0) this.#end(victims, job);
    return victims.map((it) => it.job);
  }

  /** The amounts that these jobs leave, by key. */
  holdsOf(jobs: readonly Named[]): (key: string) => bigint {
    const holds = jobs.flatMap(({ uid }) => this.#holdsByUid().get(uid) ?? []);
    return (key) =>
      holds.reduce((sum, demand) => (demand.key === key ? sum + demand.amount : sum), 0n);
  }

  #end(victims: readonly Candidate[], by: WaitingJob): void {
    const left = this.#candidatesIn(by.queue).filter((it) => !victims.includes(it));
    this.#candidates?.set(by.queue, left);
    for (const { job, holds } of victims) {
      this.preempted.set(job.uid, by);
      for (const [key, amount] of holds) {
        const { ending, staying } = this.#totalsOf(key);
        this.#totals?.set(key, { ending: ending + amount, staying: staying - amount });
      }
    }
  }

  #enoughFor(
    { queue, priority }: WaitingJob,
    demands: readonly Demand[],
  ): readonly Candidate[] | undefined {
    const { now, lacking } = this.#roomFor(demands);
    if (lacking.size === 0) return [];
    const candidates = this.#candidatesIn(queue);
    const higher = candidates.findIndex(({ job }) => job.priority >= priority);
    const victims = fewest(higher < 0 ? candidates : candidates.slice(0, higher), lacking);
    // Amounts that other ending jobs leave do not count: those jobs may end later than the job's
    // own victims.
    const isEnough = demands.every(({ key, amount }) => {
      const free = now.get(key);
      const freed = victims?.map((it) => it.holds.get(key) ?? 0n) ?? [];
      return free === undefined || freed.reduce((sum, it) => sum + it, free) >= amount;
    });
    return isEnough ? victims : undefined;
  }

  /** `lacking` is missing even after all ending jobs have ended. */
  #roomFor(demands: readonly Demand[]) {
    const now = new Map<string, bigint>();
    const lacking = new Map<string, bigint>();
    for (const { key, amount } of demands) {
      const beyond = this.#freeQuota.beyondKept(key, this.#totalsOf(key));
      if (beyond === undefined) continue;
      now.set(key, beyond.now);
      if (amount > beyond.most) lacking.set(key, amount - beyond.most);
    }
    return { now, lacking };
  }

  #holdsByUid(): ReadonlyMap<string, readonly Demand[]> {
    this.#holds ??= new Map(this.#around.inUse().map(({ uid, holds }) => [uid, holds]));
    return this.#holds;
  }

  #totalsOf(key: string): Totals {
    this.#totals ??= totalsIn(this.#holdsByUid(), this.#around.ending);
    return this.#totals.get(key) ?? { ending: 0n, staying: 0n };
  }

  #candidatesIn(queue: string): readonly Candidate[] {
    this.#candidates ??= Map.groupBy(
      [...this.#around.running].sort(firstToEnd).map((job) => ({
        job,
        holds: new Map(
          (this.#holdsByUid().get(job.uid) ?? []).map(({ key, amount }) => [key, amount]),
        ),
      })),
      ({ job }) => job.queue,
    );
    return this.#candidates.get(queue) ?? [];
  }
}

function totalsIn(
  holds: ReadonlyMap<string, readonly Demand[]>,
  isEnding: ReadonlySet<string>,
): Map<string, Totals> {
  const totals = new Map<string, Totals>();
  for (const [uid, demands] of holds)
    for (const { key, amount } of demands) {
      const { ending, staying } = totals.get(key) ?? { ending: 0n, staying: 0n };
      totals.set(
        key,
        isEnding.has(uid)
          ? { ending: ending + amount, staying }
          : { ending, staying: staying + amount },
      );
    }
  return totals;
}

/** The job with the lowest priority ends first; among equals, the youngest. */
const firstToEnd = (a: RunningJob, b: RunningJob): number =>
  a.priority - b.priority || b.sinceMs - a.sinceMs || (a.name < b.name ? -1 : 1);
