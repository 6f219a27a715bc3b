// How long has the job run, over all attempts, and how long may it run?
import type { SwarmJobStatus } from '../../api/validate.ts';
import { signalInForce } from '../../core/deadline-signal.ts';
import type { JobFacts } from '../world.ts';

/** Undefined: the time is not limited. */
export function deadlineSeconds({
  spec,
  queue,
}: Pick<JobFacts, 'queue' | 'spec'>): number | undefined {
  const own = spec.activeDeadlineSeconds ?? queue.activeDeadlineSeconds;
  const most = queue.maxActiveDeadlineSeconds;
  if (own === undefined || most === undefined) return own ?? most;
  return Math.min(own, most);
}

/**
 * The time between the signal and the deadline in the next attempt. 0: SIGTERM comes at the
 * deadline, also if the queue admits no job with this signal.
 */
export const nextSignalSeconds = (facts: Pick<JobFacts, 'queue' | 'spec'>): number =>
  signalInForce({
    deadlineSeconds: deadlineSeconds(facts),
    signalSeconds: facts.spec.deadlineSignalSeconds ?? facts.queue.deadlineSignalSeconds ?? 0,
    podSpec: facts.spec.template?.spec,
  });

/** In these states the batch Job was created for the current attempt. */
const IN_ATTEMPT: ReadonlySet<string> = new Set(['Starting', 'Running', 'Suspending']);

/**
 * The time between the signal and the deadline in this attempt, whose pods keep the grace period
 * that they were created with.
 */
export function signalSeconds(facts: JobFacts): number {
  const { job, batchJob, entry } = facts;
  const isOfAttempt =
    IN_ATTEMPT.has(job.status?.state ?? '') ||
    (entry !== undefined && batchJob?.grant === entry.grant);
  if (batchJob === undefined || !isOfAttempt) return nextSignalSeconds(facts);
  return batchJob.signalSeconds ?? 0;
}

/**
 * The deadline of the batch Job. It is a second longer than the remaining time: Kubernetes counts
 * from the whole second in which the batch Job was started, and would end the job too soon.
 */
export const secondsOfAttempt = (deadline: number, ranSeconds: number, signal: number): number =>
  Math.max(1, deadline - signal - ranSeconds) + 1;

/**
 * The time until the job gets its signal, or ends at its deadline; undefined: it has no deadline.
 */
export function leftMs(facts: JobFacts): number | undefined {
  const seconds = deadlineSeconds(facts);
  if (seconds === undefined) return undefined;
  return (seconds - signalSeconds(facts)) * 1000 - ranMs(facts);
}

/**
 * How long the job has run. The batch Job records the time of earlier attempts, since the history
 * is short. The time of its own attempt is that of the newest run in the history, if it was
 * started.
 */
export function ranMs({ job: { status }, batchJob, now }: JobFacts): number {
  const runs = runsIn(status, now);
  if (batchJob?.ranSeconds === undefined) return runs.reduce((sum, ms) => sum + ms, 0);
  const own = batchJob.attempt === status?.attempt ? (runs[0] ?? 0) : 0;
  return batchJob.ranSeconds * 1000 + own;
}

const RUNS: ReadonlySet<string> = new Set(['Starting', 'Running']);

/** Times in status are whole seconds: a run may have begun later by this much. */
const ROUNDED_MS = 1_000;

/** The least time that each run in the history took, the newest first. */
function runsIn(status: SwarmJobStatus | undefined, now: number): readonly number[] {
  const runs: number[] = [];
  let until = now;
  let isInRun = false;
  for (const { state, time } of status?.history ?? []) {
    const at = Date.parse(time);
    if (RUNS.has(state)) runs.push(until - at + (isInRun ? (runs.pop() ?? 0) : 0));
    isInRun = RUNS.has(state);
    until = at;
  }
  return runs.map((ms) => Math.max(0, ms - ROUNDED_MS));
}
