// What happens to a waiting labelled Job that another writer starts? The operator suspends it
// again, three times; then it names the writer in an event, and leaves the Job alone.
import {
  ANNOTATION_STARTED_BY_HAND,
  ANNOTATION_WAITING,
  type BatchJob,
} from '../../api/batch-job.ts';
import { kinds } from '../../api/kinds.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep } from '../../core/own-status.ts';
import { listed } from '../../core/text.ts';
import type { LabelledJobReason } from '../reasons.ts';
import { annotate, suspend } from './job-patches.ts';

const MOST_TIMES = 3;
const MOST_NAMED = 3;

/** A Job that was never suspended is not queued: it has neither a grant nor a reason to wait. */
const wasQueued = ({ grant, waits }: BatchJob): boolean =>
  grant !== undefined || waits !== undefined;

/** The operator acts on a Job without an entry that runs, until it leaves the Job alone. */
export const isActedOn = (job: BatchJob): boolean =>
  !job.isSuspended && wasQueued(job) && job.startedByHand <= MOST_TIMES;

export function stepsAgainstStart(job: BatchJob): readonly Step[] {
  const { grant = 0 } = job;
  const times = job.startedByHand + 1;
  const note = { [ANNOTATION_STARTED_BY_HAND]: String(times) };
  const isLeftAlone = times > MOST_TIMES;
  return [
    isLeftAlone
      ? annotate(job, { ...note, [ANNOTATION_WAITING]: null })
      : suspend(job, grant, note),
    ownEventStep(kinds.Job, job, isLeftAlone ? leftAlone(job) : suspended(job, times)),
  ];
}

const writerOf = ({ suspendWriter = 'another writer' }: BatchJob): string => suspendWriter;

const suspended = (job: BatchJob, times: number): EventText => ({
  type: 'Warning',
  reason: 'StartedByHand' satisfies LabelledJobReason,
  action: 'Suspend',
  message: `Suspended again: ${writerOf(job)} started it while it waited in SwarmQueue ${job.queue} (${times} of ${MOST_TIMES} times)`,
});

const leftAlone = (job: BatchJob): EventText => ({
  type: 'Warning',
  reason: 'LeftAlone' satisfies LabelledJobReason,
  action: 'Decide',
  message: `Not suspended again: ${writerOf(job)} has started it for the ${MOST_TIMES + 1}th time beside SwarmQueue ${job.queue}`,
});

/** Jobs that run without an entry in the ledger, and that the operator leaves alone. */
export const leftAloneIn = (
  runs: readonly BatchJob[],
  entries: readonly LedgerEntry[],
): readonly BatchJob[] =>
  runs.filter(
    ({ uid, startedByHand, isSuspended, end }) =>
      startedByHand > MOST_TIMES &&
      !isSuspended &&
      end === undefined &&
      !entries.some((entry) => entry.uid === uid),
  );

/** Undefined: there are no such Jobs. */
export function leftAloneText(jobs: readonly BatchJob[]): string | undefined {
  if (jobs.length === 0) return undefined;
  const names = jobs.map((job) => `${job.name}, by ${writerOf(job)}`).sort();
  return `Jobs that waited were started beside the queue, again and again: ${listed(names, MOST_NAMED)}`;
}
