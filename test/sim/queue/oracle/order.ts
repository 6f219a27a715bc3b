// Which job waits though there is room? By the promise to users: priority, then age; nothing of
// what goes first is taken from it.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { ownerUid } from '../../cluster/facts.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { type Amounts, added, amountsIn, excess } from './amounts.ts';
import { boundsIn, lackedOf, takenIn } from './bounds.ts';
import {
  deadlineOf,
  grantedIn,
  hasEnd,
  isResting,
  needsOf,
  plainJobsIn,
  queueOf,
  saidBy,
} from './demands.ts';
import { type Entry, entriesIn, ledgerOf, livingPods, usageIn } from './scene.ts';

export type Waiting = {
  readonly job: KubeObject;
  readonly name: string;
  readonly queue: string;
  readonly priority: number;
  readonly queuedMs: number;
  readonly needs: Amounts;
  /** A ResourceQuota wants its pods to request cpu, and they do not. */
  readonly isUnsaid: boolean;
  /** It needs more than all of a ResourceQuota. */
  readonly isBeyond: boolean;
};

/** Both clocks round to seconds. */
const ROUNDED_MS = 2_000;

export const stateOf = (job: KubeObject): string => asString(dig(job, 'status', 'state')) ?? '';
export const reasonOf = (job: KubeObject): string => asString(dig(job, 'status', 'reason')) ?? '';

/** That may be admitted as soon as there is room, in order. */
export function waitingIn(
  server: ApiServer,
  entries: readonly Entry[],
  wallMs: number,
): readonly Waiting[] {
  const batchJobs = server.all({ kind: kinds.Job, namespace: NAMESPACE });
  const isIn = ({ metadata: { uid } }: KubeObject): boolean => entries.some((it) => it.uid === uid);
  const swarmJobs = server.all({ kind: kinds.SwarmJob, namespace: NAMESPACE }).filter((job) => {
    const isFree = batchJobs
      .filter((it) => ownerUid(it) === job.metadata.uid)
      .every((it) => dig(it, 'spec', 'suspend') === true || hasEnd(it));
    const waits = ['', 'Waiting'].includes(stateOf(job));
    if (!isFree || !waits || dig(job, 'spec', 'suspend') === true) return false;
    return !backsOff(job, wallMs);
  });
  const living = new Set(livingPods(server).map(({ batchUid }) => batchUid));
  const plainJobs = plainJobsIn(server).filter(
    (job) =>
      dig(job, 'spec', 'suspend') === true &&
      !hasEnd(job) &&
      !isResting(job, wallMs) &&
      !living.has(job.metadata.uid ?? ''),
  );
  const bounds = boundsIn(server);
  return [...swarmJobs, ...plainJobs]
    .filter((job) => !isIn(job))
    .map((job) => ({ job, needs: needsOf(server, job) }))
    .map(({ job, needs }) => ({
      job,
      name: job.metadata.name,
      queue: queueOf(job) ?? '',
      priority: asNumber(saidBy(server, job, 'priority')) ?? 0,
      queuedMs: queuedMs(job),
      needs,
      isUnsaid: bounds.some((it) => 'cpu' in it) && !('cpu' in needs),
      isBeyond: bounds.some((it) => excess(needs, it).length > 0),
    }))
    .sort(inTurn);
}

const inTurn = (a: Waiting, b: Waiting): number =>
  b.priority - a.priority || a.queuedMs - b.queuedMs || (a.name < b.name ? -1 : 1);

const historyOf = (job: KubeObject): readonly unknown[] => asList(dig(job, 'status', 'history'));

const timeOf = (job: KubeObject, reason: string): number => {
  const found = historyOf(job).find((it) => dig(it, 'reason') === reason);
  return Date.parse(asString(dig(found, 'time')) ?? '');
};

const queuedMs = (job: KubeObject): number => {
  const again = timeOf(job, 'StartTimedOut');
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
  return wallMs < since + ROUNDED_MS + Math.min(3_600_000, seconds * 1000 * 2 ** (failed - 1));
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
  if (isUnsaid || ('cpu' in quota && !('cpu' in needs))) return 'RequestMissing';
  if (isBeyond || excess(needs, quota).length > 0) return 'TooLargeEver';
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
};

export function roomsIn(server: ApiServer, wallMs: number): readonly Room[] {
  const entries = entriesIn(ledgerOf(server));
  const usage = usageIn(grantedIn(server), livingPods(server));
  const waiting = waitingIn(server, entries, wallMs);
  return server.all({ kind: kinds.SwarmQueue, namespace: NAMESPACE }).map((queue) => {
    const { name } = queue.metadata;
    const used = usage[name] ?? {};
    const quota = amountsIn(dig(queue, 'spec', 'quota'));
    return {
      queue,
      free: Object.fromEntries(
        Object.entries(quota).map(([resource, amount]) => [
          resource,
          amount - (used[resource] ?? 0),
        ]),
      ),
      waiting: waiting.filter((it) => it.queue === name && whyNever(it, queue) === undefined),
    };
  });
}

/**
 * The first of its queue; or, with BestEffort, one that takes nothing of what the first needs. What
 * ResourceQuotas leave is kept for jobs of all queues that go first.
 */
export function admissible(server: ApiServer, wallMs: number): readonly Waiting[] {
  const rooms = roomsIn(server, wallMs);
  const bounds = boundsIn(server);
  const taken = takenIn(server);
  const isRefused = (job: Waiting): boolean =>
    lackedOf(bounds, job.needs, added([taken, ...aheadOf(job, rooms)])).length > 0;
  return rooms.flatMap(({ queue, free, waiting: [first, ...others] }) => {
    if (first === undefined) return [];
    if (excess(first.needs, free).length === 0 && !isRefused(first)) return [first];
    if (dig(queue, 'spec', 'strategy') === 'StrictFIFO') return [];
    return others.filter(
      (job) =>
        excess(added([job.needs, first.needs]), freeOf(free, job.needs)).length === 0 &&
        !isRefused(job),
    );
  });
}

/** What those need that go first. */
export const aheadOf = (job: Waiting, rooms: readonly Room[]): readonly Amounts[] =>
  rooms
    .flatMap(({ waiting }) => waiting)
    .filter((it) => it !== job && inTurn(it, job) < 0)
    .map(({ needs }) => needs);

/** Of these resources. */
const freeOf = (free: Amounts, needs: Amounts): Amounts =>
  Object.fromEntries(Object.entries(free).filter(([name]) => (needs[name] ?? 0) > 0));
