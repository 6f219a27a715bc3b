// How long has the job run, over all attempts, and how long may it run?
import type { SwarmJobStatus } from '../../api/validate.ts';
import { signalInForce } from '../../core/deadline-signal.ts';
import type { JobFacts } from '../world.ts';

/** Undefined: the job may run for any time. */
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
 * How long before the deadline the ranks of the next attempt are told to end. 0: at the deadline,
 * also where the queue admits none with such a signal.
 */
export const nextSignalSeconds = (facts: Pick<JobFacts, 'queue' | 'spec'>): number =>
  signalInForce({
    deadlineSeconds: deadlineSeconds(facts),
    signalSeconds: facts.spec.deadlineSignalSeconds ?? facts.queue.deadlineSignalSeconds ?? 0,
    podSpec: facts.spec.template?.spec,
  });

/** Its batch Job was made for this attempt. */
const IN_ATTEMPT: ReadonlySet<string> = new Set(['Starting', 'Running', 'Suspending']);

/** The same of this attempt: its pods keep the grace period with which they were made. */
export function signalSeconds(facts: JobFacts): number {
  const { job, batchJob, entry } = facts;
  const isOfAttempt =
    IN_ATTEMPT.has(job.status?.state ?? '') ||
    (entry !== undefined && batchJob?.grant === entry.grant);
  if (batchJob === undefined || !isOfAttempt) return nextSignalSeconds(facts);
  return batchJob.signalSeconds ?? 0;
}

/**
 * The deadline that the batch Job gets. It is a second longer than what is left: Kubernetes counts
 * from the whole second in which the batch Job was started, and would end it too soon.
 */
export const secondsOfAttempt = (deadline: number, ranSeconds: number, signal: number): number =>
  Math.max(1, deadline - signal - ranSeconds) + 1;

/** How long until its deadline tells the job to end; undefined: it has none. */
export function leftMs(facts: JobFacts): number | undefined {
  const seconds = deadlineSeconds(facts);
  if (seconds === undefined) return undefined;
  return (seconds - signalSeconds(facts)) * 1000 - ranMs(facts);
}

/**
 * How long the job has run. The batch Job notes what earlier attempts took, since the history is
 * short; its own time is that of the newest run in the history, if it was started.
 */
export function ranMs({ job: { status }, batchJob, now }: JobFacts): number {
  const runs = runsIn(status, now);
  if (batchJob?.ranSeconds === undefined) return runs.reduce((sum, ms) => sum + ms, 0);
  const own = batchJob.attempt === status?.attempt ? (runs[0] ?? 0) : 0;
  return batchJob.ranSeconds * 1000 + own;
}

const RUNS: ReadonlySet<string> = new Set(['Starting', 'Running']);

/** Times in status are whole seconds: a run may have begun up to this much later. */
const ROUNDED_MS = 1_000;

/** How long each run in the history took at least, the newest first. */
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
