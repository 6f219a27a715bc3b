// How long may a labelled Job still take until its first pod runs? After that other jobs get its
// quota: otherwise an image that cannot be pulled would hold it for ever.
import { ANNOTATION_QUEUED_AGAIN, type BatchJob } from '../../api/batch-job.ts';
import { kinds } from '../../api/kinds.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep } from '../../core/own-status.ts';
import { timeText } from '../../core/text.ts';
import { nothing, type Parts } from '../parts.ts';
import type { LabelledJobReason } from '../reasons.ts';
import type { QueueWorld } from '../world.ts';
import { suspend } from './job-patches.ts';

export type Around = Pick<QueueWorld, 'queues'> & {
  readonly parts: ReadonlyMap<string, Parts>;
  readonly now: number;
};

/** Both times are whole seconds, rounded down. */
const WHOLE_SECOND_MS = 1_000;

/** Undefined: the queue sets no limit, or a pod of the Job has begun. */
export function startLeftMs(job: BatchJob, entry: LedgerEntry, around: Around): number | undefined {
  const seconds = limitOf(entry, around);
  if (seconds === undefined || job.isSuspended || job.grant !== entry.grant) return undefined;
  const { pods } = around.parts.get(job.uid) ?? nothing;
  if (job.ready > 0 || job.endedPods > 0 || pods.some(({ hasBegun }) => hasBegun)) return undefined;
  const since = Math.max(job.startedMs ?? 0, Date.parse(entry.time));
  return since + WHOLE_SECOND_MS + seconds * 1_000 - around.now;
}

const limitOf = ({ queue }: LedgerEntry, { queues }: Around): number | undefined => {
  const spec = queues.find(({ meta }) => meta.name === queue)?.spec;
  return spec?.ok === true ? spec.value.jobDefaults.startTimeoutSeconds : undefined;
};

export const stepsWhenLate = (
  job: BatchJob,
  entry: LedgerEntry,
  around: Around,
): readonly Step[] => [
  suspend(job, entry.grant, { [ANNOTATION_QUEUED_AGAIN]: timeText(around.now) }),
  ownEventStep(kinds.Job, job, timedOut(job, entry, around)),
];

function timedOut(job: BatchJob, entry: LedgerEntry, around: Around): EventText {
  const { pods } = around.parts.get(job.uid) ?? nothing;
  const trouble = pods.map((pod) => pod.trouble).find((word) => word !== undefined);
  const why = trouble === undefined ? '' : `: ${trouble}`;
  return {
    type: 'Warning',
    reason: 'StartTimedOut' satisfies LabelledJobReason,
    action: 'Suspend',
    message:
      `Suspended, and queued again behind the others of its priority: none of its pods ran ` +
      `within ${limitOf(entry, around)} s${why}`,
  };
}

/** The time until the next Job is late; undefined: no Job has a limit. */
export function nextLateInMs(
  runs: readonly BatchJob[],
  entries: readonly LedgerEntry[],
  around: Around,
): number | undefined {
  const isLimited = around.queues.some(
    ({ spec }) => spec.ok && spec.value.jobDefaults.startTimeoutSeconds !== undefined,
  );
  if (!isLimited) return undefined;
  const entryOf = new Map(entries.map((entry) => [entry.uid, entry]));
  const waits = runs.flatMap((run) => {
    const entry = entryOf.get(run.uid);
    const leftMs = entry && startLeftMs(run, entry, around);
    return leftMs === undefined || leftMs <= 0 ? [] : [leftMs];
  });
  return waits.length === 0 ? undefined : waits.reduce((least, ms) => Math.min(least, ms));
}
