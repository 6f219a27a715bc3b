// The batch Job has ended: how does the job end?

import { isTakenBack } from '../core/batch-ends.ts';
import { plural } from '../core/text.ts';
import { READ_AGAIN_MS } from './attempt/certainty.ts';
import { type AttemptFailure, counted, failureOf, mayRetry } from './attempt/failure.ts';
import { hasEndedByItself } from './attempt/rank-ends.ts';
import { livingPods, podsOfBatchJob } from './attempt/ranks.ts';
import { deadlineSeconds, signalSeconds } from './attempt/run-time.ts';
import type { DesiredJob, Situation } from './situation.ts';
import type { JobFacts } from './world.ts';

/**
 * Has the batch Job completed? Kubernetes also counts a rank that succeeds after it was told to
 * end. So a batch Job that was taken back counts as completed only if pods that were not being
 * deleted show success for all ranks. A batch Job that a user has scaled down does not count:
 * Kubernetes calls it Complete although admitted ranks never ran.
 */
export function hasCompleted(facts: Pick<JobFacts, 'batchJob' | 'entry' | 'pods'>): boolean {
  const { batchJob, entry } = facts;
  if (batchJob?.end?.type !== 'Complete') return false;
  if (!isTakenBack(batchJob)) return entry === undefined || batchJob.parallelism >= entry.size;
  const own = podsOfBatchJob(facts).filter(hasEndedByItself);
  if (batchJob.endsWithLeader) return own.some(({ rank }) => rank === 0);
  return new Set(own.map(({ rank }) => rank)).size >= Math.max(1, batchJob.completions ?? 1);
}

export function completed({ job, batchJob }: JobFacts): DesiredJob {
  const { parallelism: size, end, endsWithLeader } = batchJob ?? {};
  const all = endsWithLeader ? 'rank 0 ended well' : `all ${size} ranks ended well`;
  const message = size === 1 ? 'its rank ended well' : all;
  // The time in the status stays when Kubernetes notes another one a second later.
  const isTold = end?.time === undefined || job.status?.state === 'Succeeded';
  return {
    situation: {
      ...{ state: 'Succeeded', reason: 'Completed', message, exitCode: 0 },
      ...(!isTold && { finishTime: end.time }),
    },
    action: 'none',
  };
}

/** The reason of a batch Job's condition after its deadline. */
const DEADLINE = 'DeadlineExceeded';

export function failed(facts: JobFacts): DesiredJob {
  const end = facts.batchJob?.end;
  // The pods show the cause, and the watch may report their ends after the end of the batch Job.
  if (livingPods(facts).length > 0)
    return { situation: undefined, action: 'none', nextInMs: READ_AGAIN_MS };
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

export function deadlineText(facts: JobFacts): string {
  const mayRun = `${plural(deadlineSeconds(facts) ?? 0, 'second')} that it may run`;
  const signal = signalSeconds(facts);
  return signal === 0
    ? `it has run for the ${mayRun}`
    : `it was told to end ${plural(signal, 'second')} before the end of the ${mayRun}`;
}

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
