// Which batch Jobs are queued by a label, without a SwarmJob? The suspended ones. The queue starts
// them when they are admitted; Kubernetes does everything else.
import {
  ANNOTATION_ADMITTED_PODS,
  ANNOTATION_ADMITTED_QUEUE,
  ANNOTATION_PRIORITY,
  ANNOTATION_QUEUED_AGAIN,
  ANNOTATION_STARTED_BY_HAND,
  ANNOTATION_WAITING,
  type BatchJob,
} from '../../api/batch-job.ts';
import { takenBack } from '../../api/grants.ts';
import { kinds } from '../../api/kinds.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import { oneLine } from '../../api/text.ts';
import { amountOf } from '../../core/amounts.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { memoize } from '../../core/memoize.ts';
import { ownEventStep } from '../../core/own-status.ts';
import { requestsOf } from '../../core/pod-requests.ts';
import { plural, timeText } from '../../core/text.ts';
import type { Claim } from '../jobs.ts';
import { type Footprint, mayHavePods } from '../ledger/entries.ts';
import { totalOf } from '../quota/never.ts';
import { amountsIn } from '../quota/text.ts';
import type { LabelledJobReason } from '../reasons.ts';
import { userOfRun } from '../users.ts';
import type { JobVerdict, QueueWorld } from '../world.ts';
import { stepsToGiveWay } from './giving-way.ts';
import { annotate, start, suspend } from './job-patches.ts';
import { deadlineSteps } from './kept-deadline.ts';
import { type Around as AroundStart, startLeftMs, stepsWhenLate } from './start-timeout.ts';
import { isActedOn, stepsAgainstStart } from './started-by-hand.ts';

/** The batch Job of each UID. */
export type PlainJobs = ReadonlyMap<string, BatchJob>;

export const plainJobs = (runs: readonly BatchJob[]): PlainJobs =>
  new Map(runs.filter(isPlain).map((run) => [run.uid, run]));

/** A Job that a queue has started stays a queued Job until its end, even without the label. */
const isPlain = ({ queue, admittedQueue, grant, end, swarmJobUid }: BatchJob): boolean =>
  swarmJobUid === undefined &&
  (queue !== undefined ||
    (admittedQueue !== undefined && grant !== undefined && end === undefined));

/** The Job waits for a queue to start it. */
export const mayWait = (job: BatchJob): boolean =>
  isPlain(job) &&
  job.queue !== undefined &&
  job.isSuspended &&
  !job.isDeleting &&
  job.end === undefined;

export const claimsOf = (
  plain: PlainJobs,
  entries: ReadonlySet<string>,
  living: ReadonlySet<string>,
  now: number,
): readonly Claim[] =>
  [...plain.values()].flatMap((job) => {
    if (!mayWait(job)) return [];
    const claim = entries.has(job.uid) || living.has(job.uid) ? undefined : plainClaim(job);
    if (claim === undefined) return [];
    const pauseMs = backsOffForMs(job, now);
    // A user may set any time in the annotation: a future time is ignored.
    const againMs = Math.min(now, job.queuedAgainMs ?? 0);
    if (pauseMs === 0 && againMs <= job.createdMs) return [claim];
    const createdMs = Math.max(againMs, job.createdMs);
    const hasTimedOut = againMs > job.createdMs;
    return [{ ...claim, createdMs, hasTimedOut, backsOffForMs: pauseMs }];
  });

/** Another controller may suspend the Job each time it is started. */
const PAUSE_MS = 10_000;

/** The remaining pause of a Job that was started and that another writer suspended. */
const backsOffForMs = ({ grant, suspendedMs }: BatchJob, now: number): number =>
  grant === undefined || suspendedMs === undefined
    ? 0
    : Math.min(PAUSE_MS, Math.max(0, suspendedMs + PAUSE_MS - now));

/** Returns the same object as long as the batch Job stays the same. */
export const plainClaim = memoize((job: BatchJob): Claim | undefined => {
  const {
    uid,
    name,
    admittedQueue,
    queue = admittedQueue,
    createdMs,
    deadlineSeconds,
    parallelism: size,
    podSpec,
    tooLarge,
    priority,
  } = job;
  if (queue === undefined || !isPlain(job)) return undefined;
  return {
    ...{ uid, name, queue, size, createdMs, deadlineSeconds, podSpec, tooLarge },
    user: userOfRun(job),
    ...priorityIn(priority),
    makesObjects: false,
    backsOffForMs: 0,
  };
});

const MOST_PRIORITY = 1_000_000;

/** The queue reports its highest allowed priority itself. */
function priorityIn(text: string | undefined): Pick<Claim, 'badPriority' | 'priority'> {
  if (text === undefined) return { priority: undefined };
  const priority = Number(text);
  if (/^-?\d{1,7}$/.test(text.trim()) && Math.abs(priority) <= MOST_PRIORITY) return { priority };
  const allowed = `a whole number from -${MOST_PRIORITY} to ${MOST_PRIORITY} is allowed`;
  const badPriority = `annotation ${ANNOTATION_PRIORITY} is ${JSON.stringify(oneLine(text, LONGEST_SHOWN))}; ${allowed}`;
  return { priority: undefined, badPriority };
}

const LONGEST_SHOWN = 40;

/**
 * No pod of the Job is left, and the Job has ended, or has left the queue or grown before its
 * start, or was suspended after its start and its controller has noticed.
 */
export function isPlainGivenBack(
  entry: LedgerEntry,
  job: BatchJob,
  { livingPods, unnotedMs }: Pick<Footprint, 'livingPods' | 'unnotedMs'>,
): boolean {
  if (livingPods > 0) return false;
  if (job.end !== undefined) return true;
  if (wasStarted(job, entry)) return !mayHavePods(job, unnotedMs);
  // A start that is under way requires an earlier version of the Job, and has no effect.
  return job.queue !== entry.queue || (job.isSuspended && isLarger(job, entry));
}

/** The Job has the grant of the entry, or the number that takes it back. */
export const wasStarted = ({ grant: own }: BatchJob, { grant }: LedgerEntry): boolean =>
  own === grant || own === takenBack(grant);

/** The Job may run more pods at a time than were admitted. */
export const isScaledUp = ({ parallelism }: BatchJob, { size }: LedgerEntry): boolean =>
  parallelism > size;

/**
 * The Job requests more than was admitted. Before its start, users may change its whole manifest. A
 * LimitRange does not count, since its change leaves the version of the Job as it is.
 */
function isLarger(
  { podSpec, parallelism, tooLarge }: BatchJob,
  { requests }: LedgerEntry,
): boolean {
  const admitted = amountsIn(requests);
  const taken = totalOf({ perPod: requestsOf(podSpec), size: parallelism });
  const isMore = [...taken].some(([resource, amount]) => amount > amountOf(admitted, resource));
  return tooLarge !== undefined || isMore;
}

/** The start time-out of a SwarmJob that does not set one. */
const START_WITHIN_MS = 300_000;

type Around = Pick<QueueWorld, 'isOutdated' | 'refused'> &
  AroundStart & {
    /** By UID: jobs whose entries are about to be marked as preempted. */
    readonly preempted: ReadonlyMap<string, unknown>;
  };

/**
 * The Job loses its quota to other jobs. After the operator was down, it first tries that start.
 */
const isRefused = ({ time }: LedgerEntry, { refused, now }: Around): boolean =>
  refused !== undefined && now - Date.parse(time) > START_WITHIN_MS;

/**
 * Starts the Jobs that have an entry in the ledger. Takes back a Job whose start the API server
 * refuses: the Job then has a later version, so a start that is still under way has no effect.
 * Suspends Jobs that run with more pods than their entry allows, Jobs that are preempted, and
 * queued Jobs that were started without an entry. Each step requires the observed version of the
 * Job: a late start has no effect, nor does a start of a Job that has grown since it was read.
 * While a watch is broken, no Job is started.
 */
export function plainSteps(
  plain: PlainJobs,
  entries: readonly LedgerEntry[],
  around: Around,
): readonly Step[] {
  const entryOf = new Map(entries.map((entry) => [entry.uid, entry]));
  const steps: Step[] = [];
  for (const job of plain.values()) {
    const entry = entryOf.get(job.uid);
    if (around.preempted.has(job.uid)) continue;
    // Without the label the operator may not write to the Job.
    if (job.end !== undefined || job.isDeleting || job.queue === undefined) continue;
    if (entry === undefined) {
      if (isActedOn(job)) steps.push(...stepsAgainstStart(job));
    } else if (entry.preempted !== undefined) {
      steps.push(...stepsToGiveWay(job, entry, entry.preempted));
    } else if (job.isSuspended) {
      if (around.isOutdated || wasStarted(job, entry) || isLarger(job, entry)) continue;
      if (!isRefused(entry, around)) {
        const by = {
          [ANNOTATION_ADMITTED_QUEUE]: entry.queue,
          [ANNOTATION_ADMITTED_PODS]: String(entry.size),
          ...(job.startedByHand > 0 && { [ANNOTATION_STARTED_BY_HAND]: null }),
        };
        steps.push(start(job, entry.grant, by));
      } else {
        const again = { [ANNOTATION_QUEUED_AGAIN]: timeText(around.now) };
        steps.push(suspend(job, entry.grant, again));
        steps.push(ownEventStep(kinds.Job, job, refusedEvent(around)));
      }
    } else if (isScaledUp(job, entry)) {
      steps.push(suspend(job, entry.grant));
      steps.push(ownEventStep(kinds.Job, job, scaledUpEvent(job, entry)));
    } else if ((startLeftMs(job, entry, around) ?? 1) <= 0)
      steps.push(...stepsWhenLate(job, entry, around));
    else steps.push(...deadlineSteps(job, entry, around.queues));
  }
  return steps;
}

const scaledUpEvent = ({ parallelism }: BatchJob, { queue, size }: LedgerEntry): EventText => ({
  type: 'Warning',
  reason: 'ScaledUp' satisfies LabelledJobReason,
  action: 'Suspend',
  message:
    `Suspended, and queued again: it was admitted to SwarmQueue ${queue} for ${plural(size, 'pod')}, ` +
    `and now has a parallelism of ${parallelism}`,
});

const refusedEvent = ({ refused }: Around): EventText => ({
  type: 'Warning',
  reason: 'StartRefused' satisfies LabelledJobReason,
  action: 'Suspend',
  message: oneLine(
    `Not started within ${START_WITHIN_MS / 1000} s, and queued again behind the others of its ` +
      `priority, since the API server refuses a write: ${refused?.message}`,
  ),
});

/**
 * A labelled Job has no status of ours: its reason to wait is written as an annotation and an
 * event.
 */
export function whyStepsFor(
  plain: PlainJobs,
  verdicts: ReadonlyMap<string, JobVerdict>,
  entries: readonly LedgerEntry[],
): readonly Step[] {
  const hasEntry = new Set(entries.map(({ uid }) => uid));
  const steps: Step[] = [];
  for (const job of plain.values()) {
    // The start of the Job removes the annotation.
    if (job.end !== undefined || job.isDeleting || hasEntry.has(job.uid)) continue;
    // The steps against a start by hand remove it too. Without the label, no write is allowed.
    if (job.queue === undefined || isActedOn(job)) continue;
    const verdict = verdicts.get(job.uid);
    const waits = verdict === undefined ? undefined : waitingText(verdict);
    if (job.waits === waits) continue;
    steps.push(annotate(job, { [ANNOTATION_WAITING]: waits ?? null }));
    if (verdict !== undefined && !job.waits?.startsWith(`${verdict.reason}: `))
      steps.push(ownEventStep(kinds.Job, job, waitingEvent(verdict)));
  }
  return steps;
}

/** Removes the reason to wait from Jobs that Kueue has taken over. */
export const outdatedWhySteps = (runs: readonly BatchJob[]): readonly Step[] =>
  runs
    .filter(({ waits, queue, hasQueueLabel, swarmJobUid, isDeleting }) => {
      const isNoMoreQueued = queue === undefined && swarmJobUid === undefined;
      return waits !== undefined && isNoMoreQueued && hasQueueLabel && !isDeleting;
    })
    .map((job) => annotate(job, { [ANNOTATION_WAITING]: null }));

const waitingText = memoize(({ reason, message }: JobVerdict) => `${reason}: ${message}`);

const waitingEvent = ({ reason, message, isStalled }: JobVerdict): EventText => ({
  type: isStalled ? 'Warning' : 'Normal',
  reason,
  action: 'Decide',
  message: `Waiting: ${message}`,
});
