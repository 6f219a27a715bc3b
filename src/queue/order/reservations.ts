// When does each job for which room is kept start at the latest? A job that ends by then may use
// the room meanwhile: it delays none of these jobs.
import type { WaitingJob } from '../world.ts';
import { type Demand, type FreeQuota, MOST_KEEPERS } from './free-quota.ts';
import { holdingFrom } from './holding.ts';
import { type Holding, type Until, whenFree } from './when-free.ts';

type Reservation = {
  readonly job: WaitingJob;
  readonly demands: readonly Demand[];
  /** Free amounts of the resources that the job needs, when the reservation was made. */
  readonly free: ReadonlyMap<string, bigint>;
  /** The number of jobs that this pass had admitted by then. */
  readonly begun: number;
  starts?: Until;
};

export class Reservations {
  readonly #freeQuota: FreeQuota;
  /** Called only when a job might use kept room. */
  readonly #inUse: () => readonly Holding[];
  readonly #startsInMs: number;
  /** Jobs that this pass admits. */
  readonly #begun: Holding[] = [];
  /** In the order of the jobs. */
  readonly #all: Reservation[] = [];
  readonly #indexOf = new Map<string, number>();

  constructor(freeQuota: FreeQuota, inUse: () => readonly Holding[], startsInMs: number) {
    this.#freeQuota = freeQuota;
    this.#inUse = inUse;
    this.#startsInMs = startsInMs;
  }

  begins(job: WaitingJob, demands: readonly Demand[]): void {
    this.#begun.push(this.#holding(job, demands, { ms: 0 }));
  }

  add(job: WaitingJob, demands: readonly Demand[]): void {
    if (this.#all.length >= MOST_KEEPERS) return;
    this.#indexOf.set(job.uid, this.#all.length);
    const bounded = demands.filter(({ key }) => this.#freeQuota.free(key) !== undefined);
    const free = new Map(bounded.map(({ key }) => [key, this.#freeQuota.free(key) ?? 0n]));
    this.#all.push({ job, demands: bounded, free, begun: this.#begun.length });
  }

  /** The job, if it starts now, ends before each of these jobs has to start. */
  endsBefore(job: WaitingJob, keepers: readonly Pick<WaitingJob, 'uid'>[]): boolean {
    const { until } = this.#holding(job, [], { ms: 0 });
    if ('unknown' in until) return false;
    return keepers.every(({ uid }) => {
      const starts = this.#startsAt(this.#indexOf.get(uid) ?? -1);
      return starts !== undefined && 'ms' in starts && until.ms <= starts.ms;
    });
  }

  #startsAt(at: number): Until | undefined {
    const own = this.#all[at];
    if (own === undefined) return undefined;
    own.starts ??= this.#whenFree(own, at);
    return own.starts;
  }

  /** Assumes that the jobs before it have started, and have ended at their latest times. */
  #whenFree({ demands, free, begun }: Reservation, at: number): Until {
    const left = new Map(free);
    const before = this.#all.slice(0, at).map((ahead, index) => {
      for (const { key, amount } of ahead.demands) {
        const amountLeft = left.get(key);
        if (amountLeft !== undefined) left.set(key, amountLeft - amount);
      }
      return this.#holding(ahead.job, ahead.demands, this.#startsAt(index) ?? { ms: 0 });
    });
    const held = [...this.#inUse(), ...this.#begun.slice(0, begun), ...before];
    return whenFree(demands, left, held, 0);
  }

  #holding(job: WaitingJob, demands: readonly Demand[], starts: Until): Holding {
    return holdingFrom(job, demands, { starts, startsInMs: this.#startsInMs });
  }
}
