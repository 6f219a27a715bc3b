// Which streams do workers report that no publication mentions?
import type { Slice } from '../../api/assignment.ts';
import { type PoolWorker, runsJust } from '../workers/workers.ts';
import type { Published } from './published.ts';

/** By worker, what it continues from: a lost ConfigMap moves no stream. */
export function withReported(
  { jobs: byEntry, assignment }: Published,
  workers: readonly PoolWorker[],
): ReadonlyMap<string, readonly string[]> {
  const jobs = new Map(workers.map(({ name, from }) => [name, byEntry.get(from) ?? []]));
  const workloads = assignment?.workloads ?? new Map<string, Slice>();
  const claims = workers.flatMap(({ name, from, answer }) => {
    const slice = workloads.get(from);
    // Usually all workers run what they were given.
    if (answer?.ok !== true || (slice !== undefined && runsJust(answer.report, slice))) return [];
    return [[name, answer.report.jobs ?? []] as const];
  });
  if (claims.length === 0) return jobs;
  const known = new Set(
    [...workloads.values()].flatMap((slice) => [...slice.jobs, ...(slice.releasing ?? [])]),
  );
  const unknown = claims.map(
    ([name, streams]) => [name, streams.filter((stream) => !known.has(stream))] as const,
  );
  if (unknown.every(([, streams]) => streams.length === 0)) return jobs;
  return new Map([
    ...jobs,
    ...unknown.map(([name, streams]) => [name, [...(jobs.get(name) ?? []), ...streams]] as const),
  ]);
}
