// Which waiting jobs may start now, and why does each other job wait? Each pass decides about all
// jobs of a namespace: no verdict outlives its reasons.

import { memoize } from '../core/memoize.ts';
import { isOfUser, LEDGER } from './order/bounds.ts';
import { demandsOf, freeQuotaOf } from './order/demands.ts';
import type { Demand, FreeQuota, Lack } from './order/free-quota.ts';
import { goesBefore, inOrder } from './order/in-order.ts';
import { Reservations } from './order/reservations.ts';
import type { Holding } from './order/when-free.ts';
import { Victims } from './preemption/victims.ts';
import { largerThanResourceQuota, whyNeverIn } from './quota/never.ts';
import type { RoomReason } from './reasons.ts';
import type { Waits } from './why.ts';
import type { Named, NamespaceWorld, Queue, WaitingJob } from './world.ts';

export type AdmissionPass = {
  /** All waiting jobs in their order: first the jobs for which other jobs end. */
  readonly order: readonly WaitingJob[];
  /** In the order of `order`. */
  readonly admitted: readonly WaitingJob[];
  /** Why each job that was not admitted waits, by UID. */
  readonly waiting: ReadonlyMap<string, Waits>;
  /** The waiting jobs for which room is kept. */
  readonly keepers: readonly WaitingJob[];
  /** UID of a job that has to end -> the job that takes its place. */
  readonly preempted: ReadonlyMap<string, WaitingJob>;
};

/** The resources that a job occupies, and the latest time at which it frees them. */
export type InUse = Holding & { readonly uid: string };

/** The most jobs of a queue for which room is kept: the first ones that wait for room. */
const KEEPERS_OF_QUEUE = 2;

/**
 * `inUse` returns the jobs in use, with the times at which they end. It is called only if these
 * times can matter.
 */
export function admit(
  world: NamespaceWorld,
  inUse: () => readonly InUse[] = () => [],
): AdmissionPass {
  const pass = new Pass(world, inUse);
  const { made, making, others } = turnsOf(world);
  for (const job of making) pass.keepWhatIsMade(job);
  for (const job of world.returning) pass.returns(job);
  const order = [...made, ...making, ...others];
  for (const job of order) pass.turn(job);
  const { admitted, waiting, keepers, preempted } = pass;
  return { order, admitted, waiting, keepers, preempted };
}

/** The result of checking one job. Without a reason to wait, the job starts once there is room. */
type Read =
  | { readonly queue: Queue; readonly demands: readonly Demand[]; readonly why: undefined }
  | { readonly queue: Queue | undefined; readonly demands: readonly Demand[]; readonly why: Waits };

class Pass {
  readonly #world: NamespaceWorld;
  readonly #queues: ReadonlyMap<string, { readonly queue: Queue; readonly read: Reader }>;
  readonly #freeQuota: FreeQuota;
  readonly #reservations: Reservations;
  readonly #victims: Victims;
  /** The number of jobs for which room is kept, by queue. */
  readonly #keeping = new Map<string, number>();
  /** The room that ending jobs leave, kept for the job for which they end, by UID. */
  readonly #made = new Map<string, Kept>();
  /** The first waiting job of each queue with StrictFIFO. */
  readonly #strictHeads = new Map<string, WaitingJob>();
  /** The name of an admitted gang whose ranks do not all run yet. */
  #starting: string | undefined;
  readonly admitted: WaitingJob[] = [];
  readonly waiting = new Map<string, Waits>();
  readonly keepers: WaitingJob[] = [];

  constructor(world: NamespaceWorld, inUse: () => readonly InUse[]) {
    this.#world = world;
    this.#queues = new Map(
      world.queues.map((queue) => [queue.name, { queue, read: readerOf(queue) }]),
    );
    this.#freeQuota = freeQuotaOf(world);
    this.#reservations = new Reservations(this.#freeQuota, inUse, world.startsInMs);
    this.#victims = new Victims(this.#freeQuota, { ...world, inUse });
    this.#starting = world.starting;
  }

  get preempted(): AdmissionPass['preempted'] {
    return this.#victims.preempted;
  }

  /** Keeps the room that ending jobs leave for the job for which they end. */
  keepWhatIsMade(job: WaitingJob): void {
    const read = this.#read(job);
    if (read.why !== undefined) return;
    const coming = this.#victims.holdsOf(this.#world.endingFor.get(job.uid) ?? []);
    this.#made.set(job.uid, [read.demands, job, coming]);
    this.#freeQuota.keep(read.demands, job, coming);
  }

  /** A returning job leads its queue like a job that backs off, since it soon backs off. */
  returns(job: WaitingJob): void {
    const { queue, demands, why } = this.#read(job);
    const mayStart = why === undefined || why.reason === 'BackingOff';
    if (mayStart && !this.#isCapped(demands)) this.#leads(job, queue);
  }

  turn(job: WaitingJob): void {
    const read = this.#read(job);
    if (read.why !== undefined) {
      this.waiting.set(job.uid, read.why);
      if (read.why.reason === 'BackingOff' && !this.#isCapped(read.demands))
        this.#leads(job, read.queue);
      return;
    }
    const made = this.#made.get(job.uid);
    if (made !== undefined) this.#freeQuota.giveUp(...made);
    const waits = this.#whyItWaits(job, read.demands);
    if (waits === undefined) this.#admit(job, read.demands);
    else this.#waits(job, read, waits);
  }

  #read(job: WaitingJob): Read {
    const { blocked, resourceQuotas } = this.#world;
    const found = this.#queues.get(job.queue);
    if (found === undefined)
      return { queue: undefined, demands: [], why: queueMissing(job, blocked.get(job.queue)) };
    const { queue } = found;
    const { never, demands } = found.read(job);
    const why = never ?? largerThanResourceQuota(job, resourceQuotas) ?? whyNotYet(job, queue);
    return why === undefined ? { queue, demands, why } : { queue, demands, why };
  }

  #whyItWaits(job: WaitingJob, demands: readonly Demand[]): Waits | undefined {
    const freeQuota = this.#freeQuota;
    return (
      whyNoRoom(freeQuota.lacks(demands)) ??
      whyBehindStrict(job, this.#strictHeads.get(job.queue)) ??
      whyBehind(job, { freeQuota, demands, reservations: this.#reservations }) ??
      whyAnotherStarts(job, this.#starting)
    );
  }

  #admit(job: WaitingJob, demands: readonly Demand[]): void {
    if (job.gang !== undefined) this.#starting ??= job.name;
    this.#freeQuota.take(demands);
    this.#reservations.begins(job, demands);
    this.admitted.push(job);
  }

  #waits(
    job: WaitingJob,
    { queue, demands }: { readonly queue: Queue; readonly demands: readonly Demand[] },
    waits: Waits,
  ): void {
    const told = this.#world.endingFor.get(job.uid) ?? [];
    const isDue = told.length === 0 && mayPreempt(job, queue, waits);
    const ending = isDue ? this.#victims.endFor(job, demands) : told;
    this.waiting.set(job.uid, ending.length === 0 ? waits : makingRoom(ending));
    if (ending.length > 0) {
      this.#leads(job, queue);
      this.#keep(job, demands, this.#victims.holdsOf(ending));
      return;
    }
    // Other jobs may start while the user of this job is at the limit.
    if (waits.reason === 'MaxPerUser') return;
    this.#leads(job, queue);
    // A queue keeps room only for its first waiting jobs, and only room that ending jobs can free.
    const ofQueue = this.#keeping.get(job.queue) ?? 0;
    if (ofQueue >= KEEPERS_OF_QUEUE || !this.#freeQuota.mayBecomeFree(demands)) return;
    this.#reservations.add(job, demands);
    this.#keep(job, demands);
    this.#keeping.set(job.queue, ofQueue + 1);
  }

  /** The user of the job is at the limit of maxPerUser. */
  #isCapped(demands: readonly Demand[]): boolean {
    return this.#freeQuota.lacks(demands)?.some(({ demand }) => isOfUser(demand.bound)) === true;
  }

  #keep(...[job, demands, coming]: [WaitingJob, readonly Demand[], Coming?]): void {
    this.#freeQuota.keep(demands, job, coming);
    this.keepers.push(job);
  }

  /** With StrictFIFO, no job of the queue passes its first waiting job. */
  #leads(job: WaitingJob, queue: Queue | undefined): void {
    if (queue?.strategy !== 'StrictFIFO') return;
    const head = this.#strictHeads.get(job.queue);
    if (head === undefined || goesBefore(job, head)) this.#strictHeads.set(job.queue, job);
  }
}

type Coming = (key: string) => bigint;
type Kept = readonly [demands: readonly Demand[], job: WaitingJob, coming: Coming];

/** First the jobs for which others have ended, then those for which others end, then the rest. */
function turnsOf({ waiting, endingFor }: NamespaceWorld) {
  const turns = Map.groupBy(inOrder(waiting), ({ uid }) => {
    const ending = endingFor.get(uid);
    if (ending === undefined) return 'others';
    return ending.length === 0 ? 'made' : 'making';
  });
  const of = (turn: 'made' | 'making' | 'others') => turns.get(turn) ?? [];
  return { made: of('made'), making: of('making'), others: of('others') };
}

/** Other jobs end only for a job that would then start: it waits for nothing but room. */
const mayPreempt = (job: WaitingJob, queue: Queue, waits: Waits): boolean =>
  queue.preempts &&
  job.hasTimedOut !== true &&
  job.timesNeverBegun === undefined &&
  !('isStrict' in waits);

/** Memoised, since the result depends only on the job and the queue. */
const readerOf = memoize((queue: Queue) =>
  memoize((job: WaitingJob) => ({ never: whyNeverIn(job, queue), demands: demandsOf(job) })),
);
type Reader = ReturnType<typeof readerOf>;

function queueMissing({ queue }: WaitingJob, why: string | undefined): Waits {
  if (why !== undefined)
    return { reason: 'QueueBlocked', message: `SwarmQueue ${queue} admits nothing: ${why}` };
  return { reason: 'QueueNotFound', message: `there is no SwarmQueue ${queue}` };
}

function whyNotYet(
  { backsOffForMs, timesNeverBegun }: WaitingJob,
  queue: Queue,
): Waits | undefined {
  if (queue.isPaused)
    return { reason: 'QueuePaused', message: `SwarmQueue ${queue.name} is paused` };
  if (backsOffForMs <= 0) return undefined;
  if (timesNeverBegun !== undefined)
    return {
      reason: 'NeverBegins',
      message: `it was admitted ${timesNeverBegun} times in a row and did not begin; the next try follows a pause`,
    };
  const seconds = Math.ceil(backsOffForMs / 1000);
  return {
    reason: 'BackingOff',
    message: `its last attempt has ended; the next is in ${seconds} s`,
  };
}

function whyNoRoom(lacks: readonly Lack[] | undefined): Waits | undefined {
  if (lacks === undefined) return undefined;
  const ofUser = lacks.filter(({ demand }) => isOfUser(demand.bound));
  if (ofUser.length > 0) return { reason: 'MaxPerUser', lacks: ofUser };
  return { reason: roomReasonOf(lacks[0]?.demand.bound ?? ''), lacks };
}

function roomReasonOf(bound: string): RoomReason {
  if (bound === LEDGER) return 'LedgerFull';
  return bound.startsWith('ResourceQuota ') ? 'ResourceQuotaLacks' : 'WaitingForQuota';
}

const makingRoom = (jobs: readonly Named[]): Waits => ({
  reason: 'MakingRoom',
  ending: jobs.map(({ name }) => name),
});

const whyBehindStrict = (job: WaitingJob, head: WaitingJob | undefined): Waits | undefined =>
  head === undefined || goesBefore(job, head)
    ? undefined
    : { reason: 'BehindHead', head: head.name, isStrict: true };

/**
 * Without this rule, gangs that fit the nodes only one at a time would each hold a part of the
 * nodes and time out, for ever. A gang whose start did not time out waits for no other gang, so
 * that a gang that fits no node stops no other.
 */
const whyAnotherStarts = ({ gang }: WaitingJob, starting: string | undefined): Waits | undefined =>
  gang === 'TimedOut' && starting !== undefined ? { reason: 'AnotherStarts', starting } : undefined;

/** A job may use kept room if it ends before that room is needed. */
function whyBehind(
  job: WaitingJob,
  { freeQuota, demands, reservations }: Beside,
): Waits | undefined {
  const first = freeQuota.keeper(demands);
  if (first === undefined) return undefined;
  if (job.deadlineSeconds !== undefined && reservations.endsBefore(job, freeQuota.keepers(demands)))
    return undefined;
  return { reason: 'BehindHead', head: first.name };
}

type Beside = {
  readonly freeQuota: FreeQuota;
  readonly demands: readonly Demand[];
  readonly reservations: Reservations;
};
