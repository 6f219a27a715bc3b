// Since when have all ranks of this attempt run? The status shows it a second later; if the job
// ends within that second, both changes are written together.
import { timeText } from '../../core/text.ts';
import type { FirstRun, JobFacts } from '../world.ts';
import { ranksText, readyRanks } from './ranks.ts';

const TOLD_AFTER_MS = 1_000;

/** Undefined: this leader has never seen all ranks run at the same time. */
export function firstRunOf(facts: JobFacts): FirstRun | undefined {
  const { batchJob, remembered, monotonicMs, now } = facts;
  // A suspended batch Job may be started again.
  if (batchJob === undefined || batchJob.isSuspended) return undefined;
  const { uid, parallelism: size } = batchJob;
  const { firstRun } = remembered;
  if (firstRun?.batchJobUid === uid) return firstRun;
  if (readyRanks(facts) < size) return undefined;
  const message = ranksText(facts, size);
  return { batchJobUid: uid, time: timeText(now), ms: monotonicMs, message };
}

/** The job is starting, and its status is to change to Running in so many milliseconds. */
export function runIsToldInMs({ job, remembered, monotonicMs }: JobFacts): number | undefined {
  const { firstRun } = remembered;
  if (job.status?.state !== 'Starting' || firstRun === undefined) return undefined;
  return Math.max(0, firstRun.ms + TOLD_AFTER_MS - monotonicMs);
}
