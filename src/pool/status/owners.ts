// Which streams does no worker run, and which do two workers run, according to the workers'
// answers?
import { ANYTHING, placedIn, type Slice } from '../../api/assignment.ts';
import type { WorkerReport } from '../../api/report.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { Published } from '../world.ts';

export type Ownership = {
  /** The number of published streams that no worker runs. */
  readonly unowned: number;
  /** Streams that more than one worker runs. */
  readonly doubled: ReadonlySet<string>;
};

/** The difference between a worker's report and its slice. */
type Difference = { readonly extra: readonly string[]; readonly missing: readonly string[] };

/**
 * Usually no worker differs from its slice, and 100,000 streams cost nothing. Answers come from
 * different moments: the new worker of a stream may be probed before the old one.
 */
export function ownershipOf(
  workers: readonly PoolWorker[],
  { assignment, placed }: Pick<Published, 'assignment' | 'placed'>,
): Ownership {
  const published = assignment?.workloads ?? new Map<string, Slice>();
  const known = new Set(workers.map(({ from }) => from));
  const differences = workers.map(differenceOf);
  const missing = differences.map((it) => it.missing);
  for (const [worker, { jobs }] of published) if (!known.has(worker)) missing.push(jobs);
  const doubled = givenTwice(workers, differences, placed);
  const extra = new Set<string>();
  for (const difference of differences) {
    for (const stream of difference.extra) {
      if (extra.has(stream)) doubled.add(stream);
      extra.add(stream);
    }
  }
  if (extra.size === 0)
    return { unowned: missing.reduce((sum, streams) => sum + streams.length, 0), doubled };
  for (const [index, { before, answer }] of workers.entries()) {
    // A worker that was not probed since may have a newer slice.
    const found =
      answer === undefined ? [] : (before?.jobs.filter((stream) => extra.has(stream)) ?? []);
    const lacks = new Set(found.length === 0 ? [] : differences[index]?.missing);
    for (const stream of found) if (!lacks.has(stream)) doubled.add(stream);
  }
  return {
    unowned: missing.reduce(
      (sum, streams) => sum + streams.filter((stream) => !extra.has(stream)).length,
      0,
    ),
    doubled,
  };
}

/** Between the writes of two shards, the old and the new worker of a stream may both run it. */
function givenTwice(
  workers: readonly PoolWorker[],
  differences: readonly Difference[],
  placed: Published['placed'],
): Set<string> {
  const running = (stream: string, worker: number): boolean =>
    workers[worker]?.answer !== undefined &&
    differences[worker]?.missing.includes(stream) === false;
  const superseded = workers.flatMap(({ from, before }, worker) => {
    const its = placed.get(from);
    if (its === undefined || before === undefined || its.length === placedIn(before).length)
      return [];
    return before.jobs.filter((stream) => !its.includes(stream) && running(stream, worker));
  });
  if (superseded.length === 0) return new Set();
  const owner = new Map(
    workers.flatMap(({ from }, worker) =>
      (placed.get(from) ?? []).map((stream) => [stream, worker] as const),
    ),
  );
  return new Set(superseded.filter((stream) => running(stream, owner.get(stream) ?? -1)));
}

const none: Difference = { extra: [], missing: [] };

/**
 * A worker that was not probed yet, or cannot report, counts as running its slice while it is
 * Ready.
 */
function differenceOf({ pod, answer, before, isProbed, isConfirmed }: PoolWorker): Difference {
  // Usually it runs just its slice.
  if (isProbed && isConfirmed && before?.releasing === undefined) return none;
  if (answer?.ok === true) {
    const { jobs } = answer.report;
    return jobs === undefined ? none : compared(answer.report, jobs, before);
  }
  if (before === undefined || (answer === undefined && pod?.isReady === true)) return none;
  return {
    extra: [],
    missing: before.releasing === undefined ? before.jobs : [...before.jobs, ...leaving(before)],
  };
}

const leaving = (slice: Slice | undefined): readonly string[] =>
  (slice?.releasing ?? []).filter((stream) => stream !== ANYTHING);

/** Compared once: otherwise 100,000 streams take 15 ms in each decision, instead of 1. */
const differences = new WeakMap<
  WorkerReport,
  { readonly slice: Slice | undefined; readonly difference: Difference }
>();

function compared(
  report: WorkerReport,
  said: readonly string[],
  slice: Slice | undefined,
): Difference {
  const before = differences.get(report);
  if (before !== undefined && before.slice === slice) return before.difference;
  const given = new Set(slice?.jobs);
  const runs = new Set(said);
  const wanted = [...(slice?.jobs ?? []), ...leaving(slice)];
  const difference = {
    extra: [...runs].filter((stream) => !given.has(stream)),
    missing: wanted.filter((stream) => !runs.has(stream)),
  };
  differences.set(report, { slice, difference });
  return difference;
}
