// What is known of the last publication besides its files: which versions are noted in status and
// on pods, and which streams do workers report?
import { placedIn, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { KeepInput } from '../assign/keep.ts';
import { namesIn } from '../streams/names.ts';
import type { Stream } from '../streams/streams.ts';
import { notedOn } from '../workers/seats.ts';
import { type PoolWorker, runsJust } from '../workers/workers.ts';
import type { PoolWorld, Published } from '../world.ts';
import { isEdited } from './config-map.ts';
import type { Uncertainty } from './handoff.ts';

type Records = Pick<PoolWorld, 'pool' | 'published' | 'highestSeen'>;

const noted = ({ pool, published }: Records): number =>
  Math.max(pool.status?.version ?? 0, published.change?.version ?? 0);

/** The highest version that the operator noted in status, on the ConfigMaps and on pods. */
export const recordedVersion = (world: Records, workers: readonly PoolWorker[]): number =>
  workers.reduce((highest, { pod }) => Math.max(highest, notedOn(pod)?.version ?? 0), noted(world));

export const uncertaintyOf = (
  { highestSeen, published: { assignment, shards } }: Records,
  recorded: number,
): Uncertainty => ({
  isRewound: highestSeen > Math.max(recorded, assignment?.version ?? 0),
  isEdited: shards.some((it) => it.isSuperseded !== true && isEdited(it)),
});

export const wasPublished = (world: Records): boolean =>
  Math.max(noted(world), world.highestSeen) > 0;

/**
 * Reports count only where the publication is missing or older than what the operator recorded: a
 * worker that lies cannot drive the version.
 */
export function floorOf(
  { published: { assignment }, highestSeen }: Records,
  recorded: number,
  workers: readonly PoolWorker[],
): number {
  const floor = Math.max(recorded, highestSeen);
  if (assignment !== undefined && floor > 0 && assignment.version >= floor) return floor;
  return workers.reduce(
    (highest, { answer }) =>
      answer?.ok === true ? Math.max(highest, answer.report.version) : highest,
    floor,
  );
}

type Lists = ReadonlyMap<string, readonly string[]>;

/** By worker: the streams that it continues from. A lost ConfigMap moves no stream of the list. */
export function streamsBefore(
  published: Published,
  workers: readonly PoolWorker[],
  streams: readonly Stream[],
): Lists {
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
): Lists {
  const workloads = assignment?.workloads ?? new Map<string, Slice>();
  const claims = workers.flatMap(({ name, from, answer, isConfirmed }) => {
    // Usually all workers run what they were given.
    if (answer?.ok !== true || isConfirmed) return [];
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
