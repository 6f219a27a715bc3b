// Which batch Jobs are queued by a label, without a SwarmJob? Those that are suspended. The queue
// starts them when they are admitted; what else becomes of them is up to Kubernetes.
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

/** UID -> Job. */
export type PlainJobs = ReadonlyMap<string, BatchJob>;

export const plainJobs = (runs: readonly BatchJob[]): PlainJobs =>
  new Map(runs.filter(isPlain).map((run) => [run.uid, run]));

/** One that a queue has started stays one when its user removes the label, until its end. */
const isPlain = ({ queue, admittedQueue, grant, end, swarmJobUid }: BatchJob): boolean =>
  swarmJobUid === undefined &&
  (queue !== undefined ||
    (admittedQueue !== undefined && grant !== undefined && end === undefined));

/** It wants a queue to start it. */
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
    // A user may write any time there: it takes no Job to a better place.
    const againMs = Math.min(now, job.queuedAgainMs ?? 0);
    if (pauseMs === 0 && againMs <= job.createdMs) return [claim];
    const createdMs = Math.max(againMs, job.createdMs);
    const hasTimedOut = againMs > job.createdMs;
    return [{ ...claim, createdMs, hasTimedOut, backsOffForMs: pauseMs }];
  });

/** Another controller may suspend it as often as it is started. */
const PAUSE_MS = 10_000;

/** Of one that was started, and then suspended by another writer. */
const backsOffForMs = ({ grant, suspendedMs }: BatchJob, now: number): number =>
  grant === undefined || suspendedMs === undefined
    ? 0
    : Math.min(PAUSE_MS, Math.max(0, suspendedMs + PAUSE_MS - now));

/** The same object as long as the batch Job stays the same. */
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

/** Its queue says the highest that it allows. */
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
 * Nothing of it lives, and it has ended, has left the queue or was made larger before its start, or
 * was suspended after it and its controller knows that.
 */
export function isPlainGivenBack(
  entry: LedgerEntry,
  job: BatchJob,
  { livingPods, unnotedMs }: Pick<Footprint, 'livingPods' | 'unnotedMs'>,
): boolean {
  if (livingPods > 0) return false;
  if (job.end !== undefined) return true;
  if (wasStarted(job, entry)) return !mayHavePods(job, unnotedMs);
  // A start that is under way finds another version of the Job, and starts nothing.
  return job.queue !== entry.queue || (job.isSuspended && isLarger(job, entry));
}

/** It has the number of the entry, or the one that took it back. */
export const wasStarted = ({ grant: own }: BatchJob, { grant }: LedgerEntry): boolean =>
  own === grant || own === takenBack(grant);

/** It may have more pods at a time than it was admitted for. */
export const isScaledUp = ({ parallelism }: BatchJob, { size }: LedgerEntry): boolean =>
  parallelism > size;

/**
 * It takes more than it was admitted for. Until its start, users may change all that its manifest
 * says; a LimitRange does not count, which changes no version of the Job.
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

/** As long as a SwarmJob may take to start that does not say. */
const START_WITHIN_MS = 300_000;

type Around = Pick<QueueWorld, 'isOutdated' | 'refused'> &
  AroundStart & {
    /** By UID: the ledger is about to say that another job takes their place. */
    readonly preempted: ReadonlyMap<string, unknown>;
  };

/** Others are to have its quota. After a pause of the operator, its start is tried first. */
const isRefused = ({ time }: LedgerEntry, { refused, now }: Around): boolean =>
  refused !== undefined && now - Date.parse(time) > START_WITHIN_MS;

/**
 * Starts those of which the ledger has an entry. Takes back what the API server does not let start:
 * the Job has another version then, and a start that is still under way has no effect. Suspends
 * again those that run with more pods than their entry is for, those whose place another job takes,
 * and those that were queued once and were started without an entry. The version of the Job is a
 * precondition: a late start starts nothing, and none starts a Job that has become larger than it
 * was read. While a watch is broken, none is started.
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
    // Without the label the operator may write nothing to it.
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

/** Its user has no status of ours: the reason stands in an annotation, and in an event. */
export function whyStepsFor(
  plain: PlainJobs,
  verdicts: ReadonlyMap<string, JobVerdict>,
  entries: readonly LedgerEntry[],
): readonly Step[] {
  const hasEntry = new Set(entries.map(({ uid }) => uid));
  const steps: Step[] = [];
  for (const job of plain.values()) {
    // Its start takes the annotation away.
    if (job.end !== undefined || job.isDeleting || hasEntry.has(job.uid)) continue;
    // So do the steps against a start by hand. Without the label nothing may be written.
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

/** Of Jobs that Kueue has taken over: why they wait is not up to a queue any more. */
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
