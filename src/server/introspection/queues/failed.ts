// Which jobs of a queue have failed, and are still there?
import type { BatchJob } from '../../../api/batch-job.ts';
import type { FailedJob } from '../../../api/introspection/queues.ts';
import type { SwarmJob } from '../../../api/validate.ts';
import { memoize } from '../../../core/memoize.ts';
import type { QueueWorld } from '../../../queue/world.ts';

/** By queue, those that failed last first. */
export const failedJobsIn = memoize(
  ({ jobs, runs }: QueueWorld): ReadonlyMap<string, readonly FailedJob[]> => {
    const failed = [...jobs.flatMap(ofSwarmJob), ...runs.flatMap(ofLabelledJob)];
    const sorted = failed.sort(
      (a, b) => compare(b.job.time ?? '', a.job.time ?? '') || compare(a.job.name, b.job.name),
    );
    const byQueue = Map.groupBy(sorted, ({ queue }) => queue);
    return new Map([...byQueue].map(([queue, found]) => [queue, found.map(({ job }) => job)]));
  },
);

type OfQueue = { readonly queue: string; readonly job: FailedJob };

function ofSwarmJob({ meta, spec, status }: SwarmJob): readonly OfQueue[] {
  if (!spec.ok || status?.state !== 'Failed') return [];
  const { reason = '', message = '', finishTime: time } = status;
  const job = { kind: 'SwarmJob' as const, name: meta.name, reason, message };
  return [{ queue: spec.value.queueName, job: { ...job, ...(time !== undefined && { time }) } }];
}

/** A batch Job of a user. */
function ofLabelledJob(run: BatchJob): readonly OfQueue[] {
  const { name, end, swarmJobUid } = run;
  const queue = run.admittedQueue ?? run.queue;
  if (swarmJobUid !== undefined || queue === undefined || end?.type !== 'Failed') return [];
  const { reason, message, time } = end;
  const job = { kind: 'Job' as const, name, reason, message };
  return [{ queue, job: { ...job, ...(time !== undefined && { time }) } }];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
