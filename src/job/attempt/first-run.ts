// Since when have all ranks of this attempt run? Status says so a second later: the end of a job
// that runs for less is written with it.
import { timeText } from '../../core/text.ts';
import type { FirstRun, JobFacts } from '../world.ts';
import { ranksText, readyRanks } from './ranks.ts';

const TOLD_AFTER_MS = 1_000;

/** Undefined: they have not all run at a time, as far as this leader knows. */
export function firstRunOf(facts: JobFacts): FirstRun | undefined {
  const { batchJob, remembered, monotonicMs, now } = facts;
  // One that is suspended may be started again.
  if (batchJob === undefined || batchJob.isSuspended) return undefined;
  const { uid, parallelism: size } = batchJob;
  const { firstRun } = remembered;
  if (firstRun?.batchJobUid === uid) return firstRun;
  if (readyRanks(facts) < size) return undefined;
  const message = ranksText(facts, size);
  return { batchJobUid: uid, time: timeText(now), ms: monotonicMs, message };
}

/** Its status says that it starts, and will say that it runs in so many ms. */
export function runIsToldInMs({ job, remembered, monotonicMs }: JobFacts): number | undefined {
  const { firstRun } = remembered;
  if (job.status?.state !== 'Starting' || firstRun === undefined) return undefined;
  return Math.max(0, firstRun.ms + TOLD_AFTER_MS - monotonicMs);
}
