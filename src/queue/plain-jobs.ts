// Which batch Jobs are queued by a label, without a SwarmJob? Those that are suspended. The queue
// starts them when they are admitted; what else becomes of them is up to Kubernetes.
import {
  ANNOTATION_ADMITTED_QUEUE,
  ANNOTATION_GRANT,
  ANNOTATION_QUEUED_AGAIN,
  ANNOTATION_WAITING,
  type BatchJob,
} from '../api/batch-job.ts';
import { kinds } from '../api/kinds.ts';
import { type LedgerEntry, takenBack } from '../api/ledger.ts';
import { oneLine } from '../api/text.ts';
import { amountOf } from '../core/amounts.ts';
import { type EventText, type Step, versionedRefOf } from '../core/decision.ts';
import { memoize } from '../core/memoize.ts';
import { ownEventStep } from '../core/own-status.ts';
import { requestsOf } from '../core/pod-requests.ts';
import { plural, timeText } from '../core/text.ts';
import type { Claim } from './jobs.ts';
import { type Footprint, mayHavePods } from './ledger/entries.ts';
import { totalOf } from './quota/never.ts';
import { amountsIn } from './quota/text.ts';
import type { LabelledJobReason } from './reasons.ts';
import type { JobVerdict, QueueWorld } from './world.ts';

/** UID -> Job. */
export type PlainJobs = ReadonlyMap<string, BatchJob>;

export const plainJobs = (runs: readonly BatchJob[]): PlainJobs =>
  new Map(runs.filter(isPlain).map((run) => [run.uid, run]));

const isPlain = ({ queue, swarmJobUid }: BatchJob): boolean =>
  queue !== undefined && swarmJobUid === undefined;

/** It wants a queue to start it. */
export const mayWait = (job: BatchJob): boolean =>
  isPlain(job) && job.isSuspended && !job.isDeleting && job.end === undefined;

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
    return [{ ...claim, createdMs, backsOffForMs: pauseMs }];
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
    queue,
    createdMs,
    deadlineSeconds,
    parallelism: size,
    podSpec,
    tooLarge,
  } = job;
  if (queue === undefined || !isPlain(job)) return undefined;
  return {
    ...{ uid, name, queue, size, createdMs, deadlineSeconds, podSpec, tooLarge },
    priority: undefined,
    makesObjects: false,
    backsOffForMs: 0,
  };
});

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
const wasStarted = ({ grant: own }: BatchJob, { grant }: LedgerEntry): boolean =>
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

type Around = Pick<QueueWorld, 'isOutdated' | 'refused'> & { readonly now: number };

/** Others are to have its quota. After a pause of the operator, its start is tried first. */
const isRefused = ({ time }: LedgerEntry, { refused, now }: Around): boolean =>
  refused !== undefined && now - Date.parse(time) > START_WITHIN_MS;

/**
 * Starts those of which the ledger has an entry. Takes back what the API server does not let start:
 * the Job has another version then, and a start that is still under way has no effect. Suspends
 * again those that run with more pods than their entry is for, and those that were queued once and
 * were started without one. The version of the Job is a precondition: a late start starts nothing,
 * and none starts a Job that has become larger than it was read. While a watch is broken, none is
 * started.
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
    if (job.end !== undefined || job.isDeleting) continue;
    if (entry === undefined) {
      if (!job.isSuspended && job.grant !== undefined)
        steps.push(stepFor(job, takenBack(job.grant), true));
    } else if (job.isSuspended) {
      if (around.isOutdated || wasStarted(job, entry) || isLarger(job, entry)) continue;
      if (!isRefused(entry, around)) {
        const by = { [ANNOTATION_ADMITTED_QUEUE]: entry.queue };
        steps.push(stepFor(job, entry.grant, false, by));
      } else {
        const again = { [ANNOTATION_QUEUED_AGAIN]: timeText(around.now) };
        steps.push(stepFor(job, takenBack(entry.grant), true, again));
        steps.push(ownEventStep(kinds.Job, job, refusedEvent(around)));
      }
    } else if (isScaledUp(job, entry)) {
      steps.push(stepFor(job, takenBack(entry.grant), true));
      steps.push(ownEventStep(kinds.Job, job, scaledUpEvent(job, entry)));
    }
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
    const verdict = verdicts.get(job.uid);
    const waits = verdict === undefined ? undefined : waitingText(verdict);
    if (job.waits === waits) continue;
    steps.push(annotationStep(job, { [ANNOTATION_WAITING]: waits ?? null }));
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
    .map((job) => annotationStep(job, { [ANNOTATION_WAITING]: null }));

const waitingText = memoize(({ reason, message }: JobVerdict) => `${reason}: ${message}`);

const waitingEvent = ({ reason, message, isStalled }: JobVerdict): EventText => ({
  type: isStalled ? 'Warning' : 'Normal',
  reason,
  action: 'Decide',
  message: `Waiting: ${message}`,
});

const stepFor = (job: BatchJob, grant: number, suspend: boolean, others: object = {}): Step =>
  annotationStep(
    job,
    {
      [ANNOTATION_GRANT]: String(grant),
      ...others,
      ...(job.waits !== undefined && { [ANNOTATION_WAITING]: null }),
    },
    { spec: { suspend } },
  );

const annotationStep = (job: BatchJob, annotations: object, besides: object = {}): Step => ({
  do: 'patch',
  kind: kinds.Job,
  ref: versionedRefOf(job),
  isIndependent: true,
  body: { metadata: { annotations }, ...besides },
});
