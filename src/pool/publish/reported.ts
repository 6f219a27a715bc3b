// Which streams do workers report that no publication mentions?
import { placedIn, type Slice } from '../../api/assignment.ts';
import { type PoolWorker, runsJust } from '../workers/workers.ts';
import type { Published } from '../world.ts';

/** By worker, what it continues from: a lost ConfigMap moves no stream. */
export function withReported(
  { placed, assignment }: Published,
  workers: readonly PoolWorker[],
): ReadonlyMap<string, readonly string[]> {
  const jobs = new Map(workers.map(({ name, from }) => [name, placed.get(from) ?? []]));
  const workloads = assignment?.workloads ?? new Map<string, Slice>();
  const claims = workers.flatMap(({ name, from, answer }) => {
    const slice = workloads.get(from);
    // Usually all workers run what they were given.
    if (answer?.ok !== true || (slice !== undefined && runsJust(answer.report, slice))) return [];
    return [[name, answer.report.jobs ?? []] as const];
  });
  if (claims.length === 0) return jobs;
  const known = new Set(
    [...workloads.values()].flatMap((slice) => [...placedIn(slice), ...(slice.releasing ?? [])]),
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

/** By worker that no publication mentions: the listed streams that it reports. */
export function recoveredFrom(
  published: Published,
  workers: readonly PoolWorker[],
  streams: readonly { readonly name: string }[],
): ReadonlyMap<string, Slice> {
  const found = workers.filter(
    ({ before, answer }) =>
      before === undefined && answer?.ok === true && (answer.report.jobs ?? []).length > 0,
  );
  if (found.length === 0) return new Map();
  const listed = new Set(streams.map(({ name }) => name));
  return new Map(
    [...withReported(published, found)].map(([worker, jobs]) => [
      worker,
      { jobs: jobs.filter((name) => listed.has(name)), version: 0 },
    ]),
  );
}

/** How many of them stay where they are. */
export const keptOf = (
  recovered: ReadonlyMap<string, Slice>,
  workloads: ReadonlyMap<string, Slice>,
): number =>
  [...recovered].reduce((sum, [worker, { jobs }]) => {
    const slice = workloads.get(worker);
    const given = new Set(slice && placedIn(slice));
    return sum + jobs.filter((name) => given.has(name)).length;
  }, 0);
