// Which jobs wait for admission, and what does each request?
import type { BatchJob } from '../api/batch-job.ts';
import { entryBytes, type LedgerEntry } from '../api/ledger.ts';
import { asList, dig } from '../api/objects.ts';
import {
  backsOffForMs,
  hasEnded,
  hasTimedOut,
  podSpecOf,
  queuedAtMs,
  templateConflict,
} from '../api/swarm-job.ts';
import type { SwarmJob, SwarmJobSpec, SwarmQueue, SwarmQueueSpec } from '../api/validate.ts';
import { type Amounts, sum } from '../core/amounts.ts';
import type { PodDefaults } from '../core/completed-pod.ts';
import { memoize } from '../core/memoize.ts';
import { takenBy } from '../core/pod-requests.ts';
import type { Work } from '../core/work.ts';
import { endOf } from './end.ts';
import { totalOf } from './quota/never.ts';
import { lackedFor, objectCharges, podCharges } from './quota/resource-quotas.ts';
import { quantitiesOf } from './quota/text.ts';
import { userOfSwarmJob } from './users.ts';
import type { NamespaceQuota, QueueWorld, WaitingJob } from './world.ts';

/**
 * May a job without an entry in the ledger be admitted? Only if its state is Waiting, or if it has
 * no status yet. In any other state the operator still ends its attempt.
 */
export function mayBeAdmitted(job: SwarmJob, runs: readonly BatchJob[]): boolean {
  const { meta, spec, status } = job;
  if (!spec.ok || meta.isDeleting || spec.value.suspend || hasEnded(job)) return false;
  if (!isRunnable(spec.value)) return false;
  if (status?.state === undefined) return runs.length === 0;
  return (
    status.state === 'Waiting' && runs.every((run) => run.isSuspended || run.end !== undefined)
  );
}

/**
 * Does a job without an entry in the ledger wait again once the operator has ended its attempt?
 * Until then its state is not Waiting.
 */
export function isReturning(job: SwarmJob): boolean {
  const { meta, spec, status } = job;
  if (!spec.ok || meta.isDeleting || spec.value.suspend || hasEnded(job)) return false;
  if (!isRunnable(spec.value)) return false;
  return status?.state !== undefined && status.state !== 'Waiting';
}

export const isRunnable = memoize(
  (spec: SwarmJobSpec): boolean => templateConflict(spec) === undefined,
);

/** Other facts that decide about a waiting job. */
type Surroundings = {
  readonly queues: ReadonlyMap<string, SwarmQueue>;
  readonly quotas: readonly NamespaceQuota[];
  readonly defaults: PodDefaults;
};

/** The request of a SwarmJob or a labelled batch Job. Its queue provides the undefined values. */
export type Claim = Pick<WaitingJob, 'createdMs' | 'gang' | 'name' | 'queue' | 'size' | 'uid'> & {
  readonly user: string;
  readonly priority: number | undefined;
  readonly deadlineSeconds: number | undefined;
  /**
   * Seconds before the deadline at which its ranks get SIGTERM. A user's batch Job has no such
   * field.
   */
  readonly signalSeconds?: number | undefined;
  readonly podSpec: unknown;
  /** The operator creates a batch Job for it, and for a gang a Service and a ConfigMap. */
  readonly makesObjects: boolean;
  readonly backsOffForMs: number;
  readonly hasTimedOut?: boolean;
  readonly timesNeverBegun?: number | undefined;
  readonly tooLarge?: string | undefined;
  readonly badPriority?: string | undefined;
};

/** Returns the same object as long as the job stays the same and does not back off. */
export function claimOf(job: SwarmJob, spec: SwarmJobSpec, now: number): Claim {
  const pauseMs = backsOffForMs(job, now);
  const claim = claimWithoutPause(job)(spec);
  return pauseMs === 0 ? claim : { ...claim, backsOffForMs: pauseMs };
}

const claimWithoutPause = memoize((job: SwarmJob) =>
  memoize(
    (spec: SwarmJobSpec): Claim => ({
      uid: job.meta.uid,
      name: job.meta.name,
      user: userOfSwarmJob(job),
      queue: spec.queueName,
      size: spec.size,
      createdMs: queuedAtMs(job),
      priority: spec.priority,
      deadlineSeconds: spec.activeDeadlineSeconds,
      signalSeconds: spec.deadlineSignalSeconds,
      podSpec: podSpecIn(spec),
      makesObjects: true,
      ...(hasTimedOut(job) && { hasTimedOut: true }),
      ...(spec.size > 1 && { gang: hasTimedOut(job) ? 'TimedOut' : 'New' }),
      backsOffForMs: 0,
    }),
  ),
);

const podSpecIn = memoize(podSpecOf);

/**
 * Computes the requests of each job, one job in each turn: for a thousand jobs of many containers
 * this takes half a second. The results are memoised, and the pass over all jobs uses them.
 */
export function* readRequests({
  jobs,
  runs,
  podDefaults,
}: Pick<QueueWorld, 'podDefaults' | 'jobs' | 'runs'>): Work<void> {
  const read = takenBy(podDefaults);
  for (const job of jobs) {
    if (!job.spec.ok || hasEnded(job)) continue;
    yield;
    read(podSpecIn(job.spec.value));
  }
  for (const { podSpec } of runs) {
    if (podSpec === undefined) continue;
    yield;
    read(Object(podSpec));
  }
}

export function waitingJob(claim: Claim, around: Surroundings): WaitingJob {
  const { queues, quotas, defaults } = around;
  const { spec } = queues.get(claim.queue) ?? {};
  const ofQueue: OfQueue = spec?.ok === true ? spec.value : noQueue;
  // Not memoised: a ResourceQuota changes with each pod.
  return quotas.length === 0
    ? keptWaitingJob(defaults)(ofQueue)(claim)
    : waitingJobWith(claim, ofQueue, { quotas, defaults });
}

type OfQueue = Pick<SwarmQueueSpec, 'jobDefaults' | 'maxPerUser'>;
const noQueue: OfQueue = { jobDefaults: { priority: 0 } };

/** Memoised: thousands of jobs may wait, and few of them change between two passes. */
const keptWaitingJob = memoize((defaults: PodDefaults) =>
  memoize((ofQueue: OfQueue) =>
    memoize((claim: Claim) => waitingJobWith(claim, ofQueue, { quotas: [], defaults })),
  ),
);

function waitingJobWith(
  claim: Claim,
  ofQueue: OfQueue,
  around: Omit<Surroundings, 'queues'>,
): WaitingJob {
  const { uid, name, queue, size, createdMs, podSpec, backsOffForMs: pauseMs } = claim;
  const { gang, hasTimedOut: timedOut, timesNeverBegun, tooLarge, badPriority } = claim;
  const waiting: WaitingJob = {
    ...{ uid, name, queue, size, createdMs },
    priority: claim.priority ?? ofQueue.jobDefaults.priority,
    ...endOf(claim, ofQueue.jobDefaults),
    perPod: takenBy(around.defaults)(Object(podSpec)).requests,
    claims: asList(dig(podSpec, 'resourceClaims')).map((it) => String(dig(it, 'name'))),
    charges: chargesOf(claim, around),
    missing: around.quotas.flatMap((quota) => {
      const lack = lackedFor(podSpec, quota, around.defaults);
      return lack === undefined ? [] : [{ quota: quota.name, ...lack }];
    }),
    backsOffForMs: pauseMs,
    entryBytes: 0,
    ...(claim.user !== '' && { user: claim.user }),
    ...(ofQueue.maxPerUser !== undefined && { isPerUser: true }),
    ...(timedOut === true && { hasTimedOut: true }),
    ...(gang !== undefined && { gang }),
    ...(timesNeverBegun !== undefined && { timesNeverBegun }),
    ...(tooLarge !== undefined && { tooLarge }),
    ...(badPriority !== undefined && { badPriority }),
  };
  return { ...waiting, entryBytes: entryBytes(entryOf(waiting, LONGEST_GRANT, LONGEST_TIME)) };
}

/**
 * The largest values of an entry: the size of an entry that is not written yet is computed with
 * them.
 */
const LONGEST_GRANT = Number.MAX_SAFE_INTEGER;
const LONGEST_TIME = '2026-01-01T00:00:00Z';

export const entryOf = (
  job: Pick<WaitingJob, 'uid' | 'name' | 'perPod' | 'queue' | 'size' | 'user'>,
  grant: number,
  time: string,
): LedgerEntry => {
  const { uid, name, queue, size, user } = job;
  const requests = quantitiesOf(totalOf(job));
  return { uid, name, queue, size, requests, grant, time, ...(user !== undefined && { user }) };
};

/** The usage that all objects of the job add to each ResourceQuota, by its name. */
export function chargesOf(
  { podSpec, size, makesObjects }: Pick<Claim, 'makesObjects' | 'podSpec' | 'size'>,
  { quotas, defaults }: Pick<Surroundings, 'defaults' | 'quotas'>,
): ReadonlyMap<string, Amounts> {
  return new Map(
    quotas.map((quota) => {
      const objects = makesObjects ? [objectCharges(size, quota)] : [];
      return [quota.name, sum([podCharges(podSpec, size, quota, defaults), ...objects])];
    }),
  );
}

/** Undefined: the job's request is not known. */
export const claimIn = (job: SwarmJob | undefined, run: BatchJob | undefined) => {
  if (job?.spec.ok === true) return claimOf(job, job.spec.value, 0);
  if (run === undefined || run.swarmJobUid !== undefined) return undefined;
  return { podSpec: run.podSpec, size: run.parallelism, makesObjects: false };
};
