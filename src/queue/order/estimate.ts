// By when will each waiting job have started, if no other job is submitted? The estimate assumes
// that each running job, and each job that may go first, lasts until its deadline. Bounded work.

import type { AdmissionPass } from '../admit.ts';
import type { Waits } from '../why.ts';
import type { NamespaceWorld, WaitingJob } from '../world.ts';
import { isOfUser, LEDGER } from './bounds.ts';
import { demandsOf, freeQuotaOf } from './demands.ts';
import type { Demand, FreeQuota } from './free-quota.ts';
import { holdingFrom } from './holding.ts';
import { Overtakers } from './overtakers.ts';
import { type Holding, type Until, whenFree } from './when-free.ts';

/**
 * The most jobs with an estimate: of the queue, or of all queues that wait for the same resources.
 */
export const MOST_ESTIMATED = 100;

/** Jobs that wait for these reasons start once other jobs have ended, or after a pause. */
const WAITS: ReadonlySet<string | undefined> = new Set([
  'AnotherStarts',
  'BackingOff',
  'BehindHead',
  'LedgerFull',
  'MakingRoom',
  'MaxPerUser',
  'NeverBegins',
  'ResourceQuotaLacks',
  'WaitingForQuota',
]);

export const waitsForRoom = (waits: Waits | undefined): boolean => WAITS.has(waits?.reason);

/**
 * The estimates for the jobs of one queue, by UID. `inUse` omits the jobs that this pass admits.
 */
export function estimateStarts(
  asked: string,
  facts: NamespaceWorld,
  { order, admitted, waiting }: AdmissionPass,
  inUse: readonly Holding[],
): ReadonlyMap<string, Until> {
  const all = order.filter(({ uid }) => waitsForRoom(waiting.get(uid)));
  const freeQuota = freeQuotaOf(facts);
  for (const job of admitted) freeQuota.take(demandsOf(job));
  const isLedgerFull = all.some(({ uid }) => waiting.get(uid)?.reason === 'LedgerFull');
  const scarce = scarceIn(all, freeQuota, isLedgerFull);
  const strict = new Set(
    facts.queues.flatMap(({ name, strategy }) => (strategy === 'StrictFIFO' ? [name] : [])),
  );
  const { startsInMs } = facts;
  const begun = admitted.map((job) =>
    holdingFrom(job, demandsOf(job), { starts: { ms: 0 }, startsInMs }),
  );
  const areTogether = [...scarce.values()].some(isShared);
  const jobs = areTogether ? all : all.filter(({ queue }) => queue === asked);
  const mayPreempt = [...new Set(jobs.map(({ queue }) => queue))].some(preemptsIn(facts));
  return estimatesIn({
    ...{ jobs, freeQuota, scarce, strict, startsInMs, mayPreempt, inUse: [...inUse, ...begun] },
  });
}

/** A preempted job waits again, and may go before jobs that wait now. */
const preemptsIn =
  ({ queues, waiting, running, endingFor }: NamespaceWorld) =>
  (queue: string): boolean => {
    if (queues.find(({ name }) => name === queue)?.preempts !== true) return false;
    const own = [...running, ...waiting].filter((job) => job.queue === queue);
    const priorities = new Set(own.map(({ priority }) => priority));
    return priorities.size > 1 || waiting.some(({ uid }) => endingFor.has(uid));
  };

/** Queues compete only for a ResourceQuota or the ledger: each queue has a quota of its own. */
const isShared = ({ bound }: Demand): boolean =>
  bound === LEDGER || bound.startsWith('ResourceQuota ');

/**
 * The demands that cannot all be met at once: jobs wait for no others. The ledger has room for
 * thousands of jobs, so it counts only once a job waits for it.
 */
function scarceIn(
  jobs: readonly WaitingJob[],
  freeQuota: FreeQuota,
  isLedgerFull: boolean,
): ReadonlyMap<string, Demand> {
  const totals = new Map<string, bigint>();
  const scarce = new Map<string, Demand>();
  for (const job of jobs)
    for (const demand of demandsOf(job)) {
      const free = freeQuota.free(demand.key);
      if (free === undefined || (demand.bound === LEDGER && !isLedgerFull)) continue;
      const total = (totals.get(demand.key) ?? 0n) + demand.amount;
      totals.set(demand.key, total);
      if (total > free) scarce.set(demand.key, demand);
    }
  return scarce;
}

type Line = {
  /** Sorted by the order of admission. */
  readonly jobs: readonly WaitingJob[];
  readonly freeQuota: FreeQuota;
  readonly scarce: ReadonlyMap<string, Demand>;
  /** The names of the queues with StrictFIFO. */
  readonly strict: ReadonlySet<string>;
  readonly startsInMs: number;
  /** Jobs may have to end for jobs of higher priority. */
  readonly mayPreempt: boolean;
  readonly inUse: readonly Holding[];
};

/** A job that goes first, and the time by which it has started. */
type Ahead = { readonly job: WaitingJob; readonly isFirst: boolean; readonly starts: Until };

function estimatesIn({
  jobs,
  freeQuota,
  scarce,
  strict,
  startsInMs,
  mayPreempt,
  inUse,
}: Line): ReadonlyMap<string, Until> {
  const demandsIn = (job: WaitingJob) => demandsOf(job).filter(({ key }) => scarce.has(key));
  const free = new Map([...scarce.keys()].map((key) => [key, freeQuota.free(key) ?? 0n]));
  const take = (into: Map<string, bigint>, demands: readonly Demand[]): void => {
    for (const { key, amount } of demands) into.set(key, (into.get(key) ?? 0n) - amount);
  };
  const later = new Overtakers(startsInMs);
  for (const job of jobs) later.add(job, demandsIn(job));
  const ahead: Ahead[] = [];
  const held = [...inUse];
  for (const job of jobs.slice(0, MOST_ESTIMATED)) {
    const demands = demandsIn(job);
    later.remove(job, demands);
    const passing = later.of(demands, {
      kept: keptFrom(job, ahead, strict),
      waitsOnlyForRoom: job.backsOffForMs <= 0 && !isBehindStrict(job, ahead, strict),
    });
    const without = new Map(free);
    for (const { holds } of passing ?? []) take(without, holds);
    const from = earliest(job, ahead, strict);
    const starts = startsOnceItFits(job, demands, () => {
      if (passing === undefined) return { unknown: 'too many different jobs may start first' };
      if (mayPreempt && (ahead.length > 0 || job.backsOffForMs > 0))
        return { unknown: 'jobs of higher priority may take the place of others that run' };
      if ('unknown' in from) return from;
      return whenFree(demands, without, [...held, ...passing], from.ms);
    });
    ahead.push({ job, isFirst: ahead.every((it) => it.job.queue !== job.queue), starts });
    take(free, demands);
    held.push(holdingFrom(job, demands, { starts, startsInMs }));
  }
  return new Map(ahead.map(({ job: { uid }, starts }) => [uid, starts]));
}

/**
 * The operator does not know when the nodes have room for a gang whose last start timed out. No
 * room is kept for a job whose user is at the limit of maxPerUser: other jobs may pass it.
 */
function startsOnceItFits(
  { gang, name }: WaitingJob,
  demands: readonly Demand[],
  whenFits: () => Until,
): Until {
  if (gang === 'TimedOut') return { unknown: `the last start of job ${name} timed out` };
  return demands.some(({ bound }) => isOfUser(bound))
    ? { unknown: 'the jobs of its user need more together than maxPerUser allows' }
    : whenFits();
}

const isBehindStrict = (
  { queue }: WaitingJob,
  ahead: readonly Ahead[],
  strict: ReadonlySet<string>,
): boolean => strict.has(queue) && ahead.some(({ job }) => job.queue === queue);

/**
 * The end of the job's own pause; with StrictFIFO, also after the starts of all jobs before it in
 * its queue.
 */
const earliest = (
  { queue, backsOffForMs }: WaitingJob,
  ahead: readonly Ahead[],
  strict: ReadonlySet<string>,
): Until =>
  latest([
    { ms: backsOffForMs },
    ...ahead
      .filter(({ job }) => strict.has(queue) && job.queue === queue)
      .map(({ starts }) => starts),
  ]);

/**
 * From when on does admission keep room for the job? With BestEffort, as in src/queue/admit.ts,
 * once the job is the first of its queue, and only when the room kept for the jobs before it no
 * longer changes.
 */
function keptFrom(
  { queue, backsOffForMs }: WaitingJob,
  ahead: readonly Ahead[],
  strict: ReadonlySet<string>,
): Until {
  const unsteady = ahead.filter(({ job, isFirst }) => {
    if (job.backsOffForMs > 0) return true;
    return !strict.has(job.queue) && (job.queue === queue || !isFirst);
  });
  return latest([{ ms: backsOffForMs }, ...unsteady.map(({ starts }) => starts)]);
}

const latest = (all: readonly Until[]): Until =>
  all.reduce((a, b) => {
    if ('unknown' in a) return a;
    return 'unknown' in b || b.ms > a.ms ? b : a;
  });
