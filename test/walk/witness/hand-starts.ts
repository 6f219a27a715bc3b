// Is a Job that waits by its label, and that a user starts, suspended again in time?
import type { BatchFacts } from './batch-jobs.ts';

/** The first three times it is; then the operator leaves the Job alone. */
const MOST = 3;
/** A Job that its user suspends is queued again after ten seconds: until then it may go on. */
const SUSPENDED_MS = 15_000;

/** `hasQueue`: its label names one. */
export function unopposedIn(
  batch: BatchFacts,
  nowMs: number,
  noticedMs: number,
  hasQueue: boolean,
): string | undefined {
  const { run, startsByHand, isSuspended, isDeleting, isOver } = batch;
  if (run?.by !== 'hand' || !hasQueue || startsByHand > MOST) return undefined;
  if (isSuspended || isDeleting || isOver || batch.swarmJobUid !== undefined) return undefined;
  // Created without `suspend`, it is not queued.
  if (batch.wasCreatedRunning || run.startedMs - batch.stoppedByHandMs < SUSPENDED_MS)
    return undefined;
  const forMs = nowMs - Math.max(run.startedMs, batch.labelSinceMs);
  if (forMs < noticedMs) return undefined;
  return `Job ${batch.name} was started by hand while it waited, and runs for ${forMs} ms already`;
}
