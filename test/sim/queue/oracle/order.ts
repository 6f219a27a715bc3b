// Which job waits though there is room? By the promise to users: priority, then age; nothing of
// what goes first is taken from it, and with StrictFIFO nothing passes it.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { type Amounts, added, amountsIn, excess } from './amounts.ts';
import { boundsIn, lackedOf, takenByOthersIn, takenIn } from './bounds.ts';
import {
  deadlineOf,
  grantedIn,
  hasEnd,
  isLacking,
  isResting,
  needsOf,
  plainJobsIn,
  queueOf,
  saidBy,
  signalOf,
} from './demands.ts';
import { type Entry, entriesIn, ledgerOf, livingPods, usageIn } from './scene.ts';
import { maxPerUserIn, type Users } from './users.ts';

export type Waiting = {
  readonly job: KubeObject;
  readonly name: string;
  readonly queue: string;
  readonly priority: number;
  readonly queuedMs: number;
  readonly needs: Amounts;
  /** A ResourceQuota wants all its containers to request cpu, and one does not. */
  readonly isUnsaid: boolean;
  /** It needs more than all of a ResourceQuota. */
  readonly isBeyond: boolean;
  /** It may not be admitted yet. */
  readonly backsOff: boolean;
  /** A gang whose last start timed out, while another one starts. */
  readonly isHeld: boolean;
  /** Its user would have more than the queue allows one user: it holds up no other job. */
  readonly isCapped: boolean;
};

/** Both clocks round to seconds. */
const ROUNDED_MS = 2_000;

export const stateOf = (job: KubeObject): string => asString(dig(job, 'status', 'state')) ?? '';
export const reasonOf = (job: KubeObject): string => asString(dig(job, 'status', 'reason')) ?? '';

/** By what the oracle judges: the clock of the operator that leads, and whose each job is. */
export type By = { readonly wallMs: number; readonly users: Users };

/** That may be admitted as soon as there is room, in order. */
export const waitingIn = (...of: Parameters<typeof queuedIn>): readonly Waiting[] =>
  queuedIn(...of).filter(({ backsOff: later }) => !later);

/** With those that back off. */
export function queuedIn(
  server: ApiServer,
  entries: readonly Entry[],
  { wallMs, users }: By,
): readonly Waiting[] {
  const batchJobs = server.all({ kind: kinds.Job, namespace: NAMESPACE });
  const isIn = ({ metadata: { uid } }: KubeObject): boolean => entries.some((it) => it.uid === uid);
  const swarmJobs = server.all({ kind: kinds.SwarmJob, namespace: NAMESPACE }).filter((job) => {
    const isFree = batchJobs
      .filter((it) => ownerUid(it) === job.metadata.uid)
      .every((it) => dig(it, 'spec', 'suspend') === true || hasEnd(it));
    const waits = ['', 'Waiting'].includes(stateOf(job));
    return isFree && waits && dig(job, 'spec', 'suspend') !== true;
  });
  const living = new Set(livingPods(server).map(({ batchUid }) => batchUid));
  const plainJobs = plainJobsIn(server).filter(
    (job) =>
      dig(job, 'spec', 'suspend') === true && !hasEnd(job) && !living.has(job.metadata.uid ?? ''),
  );
  const bounds = boundsIn(server);
  const starting = startingIn(server, entries);
  const inUse = { entries: grantedIn(server, entries), pods: livingPods(server) };
  return [...swarmJobs, ...plainJobs]
    .filter((job) => !isIn(job))
    .map((job) => ({ job, queue: queueOf(job) ?? '', needs: needsOf(server, job) }))
    .map(({ job, queue, needs }) => ({
      job,
      name: job.metadata.name,
      queue,
      priority: asNumber(saidBy(server, job, 'priority')) ?? 0,
      queuedMs: queuedMs(job),
      needs,
      isUnsaid: isLacking(server, job),
      isBeyond: bounds.some((it) => excess(needs, it).length > 0),
      backsOff: backsOff(job, wallMs) || isResting(job, wallMs),
      isHeld: isHeldBy(starting, job),
      isCapped: users.beyond({ job, queue, needs }, inUse).length > 0,
    }))
    .sort(inTurn);
}

const STARTS: ReadonlySet<string> = new Set(['', 'Waiting', 'Admitted', 'Starting']);

const isGang = (job: KubeObject): boolean => (asNumber(dig(job, 'spec', 'size')) ?? 1) > 1;

/** UIDs of gangs that are admitted and not whole. */
export const startingIn = (server: ApiServer, entries: readonly Entry[]): readonly string[] =>
  server
    .all({ kind: kinds.SwarmJob, namespace: NAMESPACE })
    .filter((job) => isGang(job) && STARTS.has(stateOf(job)))
    .map(({ metadata }) => metadata.uid ?? '')
    .filter((uid) => entries.some((it) => it.uid === uid));

export function isHeldBy(starting: readonly string[], job: KubeObject): boolean {
  if (job.kind !== 'SwarmJob' || !isGang(job)) return false;
  const last = historyOf(job).find(
    (it) => dig(it, 'reason') === 'StartTimedOut' || dig(it, 'state') === 'Running',
  );
  const hasTimedOut = dig(last, 'reason') === 'StartTimedOut';
  return hasTimedOut && starting.some((uid) => uid !== job.metadata.uid);
}

const inTurn = (a: Waiting, b: Waiting): number =>
  b.priority - a.priority || a.queuedMs - b.queuedMs || (a.name < b.name ? -1 : 1);

const historyOf = (job: KubeObject): readonly unknown[] => asList(dig(job, 'status', 'history'));

const timeOf = (job: KubeObject, reason: string): number => {
  const found = historyOf(job).find((it) => dig(it, 'reason') === reason);
  return Date.parse(asString(dig(found, 'time')) ?? '');
};

const queuedMs = (job: KubeObject): number => {
  const ofPlain = Date.parse(job.metadata.annotations?.['k8slab.info/queued-again'] ?? '');
  const again = Number.isNaN(ofPlain) ? timeOf(job, 'StartTimedOut') : ofPlain;
  return Number.isNaN(again) ? Date.parse(job.metadata.creationTimestamp ?? '') : again;
};

export function failuresIn(job: KubeObject): Readonly<Record<string, number>> {
  const counted = dig(job, 'status', 'failures');
  return Object.fromEntries(
    ['application', 'image', 'start', 'disruption'].map((cause) => [
      cause,
      asNumber(dig(counted, cause)) ?? 0,
    ]),
  );
}

/** After a failure; the pause is doubled with each. */
export function backsOff(job: KubeObject, wallMs: number): boolean {
  const failed = Object.values(failuresIn(job)).reduce((sum, count) => sum + count, 0);
  const since = timeOf(job, 'BackingOff');
  if (failed === 0 || Number.isNaN(since)) return false;
  const seconds = asNumber(dig(job, 'spec', 'backoffSeconds')) ?? 10;
  const pauseMs = Math.min(3_600_000, seconds * 1000 * 2 ** (failed - 1));
  // Up to a quarter longer.
  return wallMs < since + ROUNDED_MS + 1.25 * pauseMs;
}

/** Undefined: the queue could give it what it needs, if nothing else ran. */
export function whyNever(
  { job, needs, isUnsaid, isBeyond, priority }: Waiting,
  queue: KubeObject | undefined,
) {
  if (queue === undefined) return 'QueueNotFound';
  const quota = amountsIn(dig(queue, 'spec', 'quota'));
  if (priority > (asNumber(dig(queue, 'spec', 'maxPriority')) ?? 0)) return 'PriorityTooHigh';
  const longest = asNumber(dig(queue, 'spec', 'maxActiveDeadlineSeconds'));
  if (longest !== undefined && (deadlineOf(job, queue) ?? Number.POSITIVE_INFINITY) > longest)
    return 'DeadlineTooLong';
  if (signalOf(job, queue) === undefined) return 'InvalidDeadlineSignal';
  if (isUnsaid || ('cpu' in quota && !('cpu' in needs))) return 'RequestMissing';
  const forUser = maxPerUserIn(queue['spec']);
  if (isBeyond || [quota, forUser].some((it) => excess(needs, it).length > 0))
    return 'TooLargeEver';
  return isPaused(queue) ? 'QueuePaused' : undefined;
}

export const isPaused = (queue: KubeObject): boolean =>
  dig(queue, 'spec', 'paused') === true ||
  queue.metadata.annotations?.['k8slab.info/paused'] === 'true';

export type Room = {
  readonly queue: KubeObject;
  readonly free: Amounts;
  /** Those that wait for room, in order. */
  readonly waiting: readonly Waiting[];
  /** With StrictFIFO: the first of its queue, which none passes. It may back off. */
  readonly strictHead: Waiting | undefined;
};

export function roomsIn(server: ApiServer, by: By): readonly Room[] {
  const entries = entriesIn(ledgerOf(server));
  const usage = usageIn(grantedIn(server), livingPods(server));
  const queued = queuedIn(server, entries, by).filter((it) => !it.isCapped);
  return server.all({ kind: kinds.SwarmQueue, namespace: NAMESPACE }).map((queue) => {
    const { name } = queue.metadata;
    const used = usage[name] ?? {};
    const quota = amountsIn(dig(queue, 'spec', 'quota'));
    const line = queued.filter((it) => it.queue === name && whyNever(it, queue) === undefined);
    return {
      queue,
      free: Object.fromEntries(
        Object.entries(quota).map(([resource, amount]) => [
          resource,
          amount - (used[resource] ?? 0),
        ]),
      ),
      waiting: line.filter((it) => !it.backsOff),
      strictHead: isStrict(queue) ? line[0] : undefined,
    };
  });
}

export const isStrict = (queue: KubeObject): boolean =>
  dig(queue, 'spec', 'strategy') === 'StrictFIFO';

/**
 * The first of its queue; or, with BestEffort, one that takes nothing of what the first two need.
 * What ResourceQuotas leave is kept for jobs of all queues that go first, if jobs can give it back.
 */
export function admissible(server: ApiServer, by: By): readonly Waiting[] {
  const rooms = roomsIn(server, by);
  const inUse = { entries: grantedIn(server), pods: livingPods(server) };
  const userOf = ({ job }: Waiting): string => by.users.of(job.metadata.uid ?? '', inUse.entries);
  const bounds = boundsIn(server);
  const taken = takenIn(server);
  const ofOthers = takenByOthersIn(server);
  const isHopeless = ({ needs }: Waiting): boolean => lackedOf(bounds, needs, ofOthers).length > 0;
  const isRefused = (job: Waiting): boolean => {
    const ahead = aheadOf(job, rooms).filter((it) => !isHopeless(it));
    return (
      lackedOf(bounds, job.needs, added([taken, ...ahead.map(({ needs }) => needs)])).length > 0
    );
  };
  return rooms.flatMap(({ queue, free, waiting: [first, ...others], strictHead }) => {
    if (first === undefined || strictHead?.backsOff === true) return [];
    if (excess(first.needs, free).length === 0 && !isRefused(first))
      return first.isHeld ? [] : [first];
    if (isStrict(queue)) return [];
    const keep = [first, ...others].filter((it) => !isHopeless(it)).slice(0, 2);
    return others.filter((job) => {
      const kept = keep.filter((it) => inTurn(it, job) < 0);
      const ofUser = kept.filter((it) => userOf(it) === userOf(job));
      return (
        !job.isHeld &&
        excess(added([job.needs, needsIn(kept)]), freeOf(free, job.needs)).length === 0 &&
        by.users.beyond(job, inUse, needsIn(ofUser)).length === 0 &&
        !isRefused(job)
      );
    });
  });
}

const needsIn = (jobs: readonly Waiting[]): Amounts => added(jobs.map(({ needs }) => needs));

/** Those that go first. */
export const aheadOf = (job: Waiting, rooms: readonly Room[]): readonly Waiting[] =>
  rooms.flatMap(({ waiting }) => waiting).filter((it) => it !== job && inTurn(it, job) < 0);

/** Of these resources. */
const freeOf = (free: Amounts, needs: Amounts): Amounts =>
  Object.fromEntries(Object.entries(free).filter(([name]) => (needs[name] ?? 0) > 0));
