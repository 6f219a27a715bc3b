// The batch Job has ended: what becomes of the job?
import type { BatchJobEnd } from '../api/batch-job.ts';
import { plural } from '../core/text.ts';
import { isTakenBack } from './attempt/entry.ts';
import { type AttemptFailure, counted, failureOf, mayRetry } from './attempt/failure.ts';
import { livingPods } from './attempt/ranks.ts';
import { deadlineSeconds } from './attempt/run-time.ts';
import type { DesiredJob, Situation, State } from './situation.ts';
import type { JobFacts } from './world.ts';

export const completed = ({ spec }: JobFacts, { time }: BatchJobEnd): DesiredJob => ({
  situation: {
    state: 'Succeeded',
    reason: 'Completed',
    message: spec.size === 1 ? 'its rank ended well' : `all ${spec.size} ranks ended well`,
    exitCode: 0,
    finishTime: time,
  },
  action: 'none',
});

/** In these, an attempt that has failed is not counted yet. */
const UNCOUNTED: ReadonlySet<State> = new Set(['Starting', 'Running']);

/**
 * The end of an attempt that was taken back is none of its own. In other states the number of the
 * attempt tells whether it was counted.
 */
export function isFailureNews({ job: { status }, batchJob }: JobFacts): boolean {
  if (batchJob?.end?.type !== 'Failed' || isTakenBack(batchJob)) return false;
  if (status?.state === undefined || UNCOUNTED.has(status.state)) return true;
  return (batchJob.attempt ?? 0) > (status.attempt ?? 0);
}

/** Of a batch Job's condition. */
const DEADLINE = 'DeadlineExceeded';

export function failed(facts: JobFacts): DesiredJob {
  const end = facts.batchJob?.end;
  // Its pods tell why, and their ends may be seen later than that of the batch Job.
  if (livingPods(facts).length > 0) return { situation: undefined, action: 'none' };
  if (end?.reason === DEADLINE)
    return { situation: pastDeadline(facts, end?.time), action: 'none' };
  return afterFailure(facts, failureOf(facts), end?.time);
}

export const pastDeadline = (facts: JobFacts, finishTime?: string): Situation => ({
  state: 'Failed',
  reason: 'DeadlineExceeded',
  message: deadlineText(facts),
  ...(finishTime !== undefined && { finishTime }),
});

export const deadlineText = (facts: JobFacts): string =>
  `it has run for the ${plural(deadlineSeconds(facts) ?? 0, 'second')} that it may run`;

function afterFailure(facts: JobFacts, failure: AttemptFailure, finishTime?: string): DesiredJob {
  const { job, spec, batchJob } = facts;
  const told = {
    failure,
    ...(failure.exitCode !== undefined && { exitCode: failure.exitCode }),
  };
  const message = `attempt ${batchJob?.attempt ?? 1} failed: ${failure.message}`;
  if (!mayRetry(spec, counted(job.status?.failures, failure)))
    return {
      situation: {
        ...told,
        state: 'Failed',
        reason: failure.reason,
        message,
        ...(finishTime !== undefined && { finishTime }),
      },
      action: 'none',
    };
  const situation: Situation = spec.suspend
    ? { ...told, state: 'Suspended', reason: 'SuspendRequested', message }
    : { ...told, state: 'Waiting', reason: 'BackingOff', message };
  return { situation, action: 'none' };
}
