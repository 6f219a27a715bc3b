// Which streams does each worker continue from: those of its slice, and those that it reports and
// no slice has? Which weight does each of them reserve there?
import { placedIn, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { KeepInput } from '../assign/keep.ts';
import { namesIn } from '../streams/names.ts';
import type { Stream, StreamsByWorker } from '../streams/streams.ts';
import type { Published } from '../world.ts';
import { type PoolWorker, runsJust } from './workers.ts';

/** By worker: the streams that it continues from. A lost ConfigMap moves no stream of the list. */
export function streamsBefore(
  published: Published,
  workers: readonly PoolWorker[],
  streams: readonly Stream[],
): StreamsByWorker {
  const reported = reportedOnly(published, workers, streams);
  return new Map(
    workers.map(({ name, from }) => {
      const placed = published.placed.get(from) ?? [];
      const more = reported.get(name);
      return [name, more === undefined ? placed : [...placed, ...more]];
    }),
  );
}

/** By worker: listed streams that it reports, and that no slice has. */
export function reportedOnly(
  { assignment }: Published,
  workers: readonly PoolWorker[],
  streams: readonly Stream[],
): StreamsByWorker {
  const workloads = assignment?.workloads ?? new Map<string, Slice>();
  const claims = workers.flatMap(({ name, from, answer, isProbed, isConfirmed }) => {
    // Usually all workers run what they were given.
    if (answer?.ok !== true || (isProbed && isConfirmed)) return [];
    const slice = workloads.get(from);
    if (slice !== undefined && runsJust(answer.report, slice)) return [];
    const mine = new Set(slice === undefined ? [] : streamsIn(slice));
    const others = (answer.report.jobs ?? []).filter(
      (stream) => !mine.has(stream) && namesIn(streams).get(stream) !== undefined,
    );
    return others.length === 0 ? [] : [[name, others] as const];
  });
  const unknown = new Set(claims.flatMap(([, claimed]) => claimed));
  if (unknown.size > 0)
    for (const slice of workloads.values())
      for (const stream of streamsIn(slice)) unknown.delete(stream);
  return new Map(
    claims.flatMap(([name, claimed]) => {
      const left = claimed.filter((stream) => unknown.has(stream));
      return left.length === 0 ? [] : [[name, left] as const];
    }),
  );
}

const streamsIn = (slice: Slice): readonly string[] =>
  slice.releasing === undefined ? placedIn(slice) : [...placedIn(slice), ...slice.releasing];

type Workers = readonly Pick<PoolWorker, 'name' | 'before'>[];

/** Undefined: the publication does not give it to this worker. */
export function reservedAt(workers: Workers, capacity: number): KeepInput['weightAt'] {
  let slices: ReadonlyMap<string, Slice | undefined> | undefined;
  const placed = new Map<string, ReadonlySet<string>>();
  return (worker, { name, weight }) => {
    slices ??= new Map(workers.map(({ name: mine, before }) => [mine, before]));
    const slice = slices.get(worker);
    // The publication was lost, and with it the weight; that it runs there, its worker reports.
    if (slice === undefined) return weight > capacity ? 0 : weight;
    const here = placed.get(worker) ?? new Set(placedIn(slice));
    placed.set(worker, here);
    return here.has(name) ? asWeight(own(slice.weights, name) ?? 0) : undefined;
  };
}

/** A user can write any number into a ConfigMap. */
const asWeight = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);
