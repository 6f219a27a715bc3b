// What do workers follow now, by the publication and by their own reports, how many streams have a
// worker with it, and why have others none?
import { type Assignment, placedIn, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { KeepInput, KeptStream } from '../assign/keep.ts';
import type { AssignResult, Unassigned } from '../assign/result.ts';
import { namesIn } from '../streams/names.ts';
import type { Stream } from '../streams/streams.ts';
import { type PoolWorker, runsJust } from '../workers/workers.ts';
import type { Published } from '../world.ts';
import type { Publication } from './publication.ts';

export type InForce = {
  readonly slices: ReadonlyMap<string, Slice>;
  readonly version: number;
  /** How many streams it assigns. */
  readonly given: number;
  readonly unassigned: readonly Unassigned[];
  /** While paused: published for a worker that is gone, so no worker runs them. */
  readonly stranded: ReadonlySet<string>;
  /** It differs from the desired state. */
  readonly isPending: boolean;
};

type Listed = { readonly streams: readonly Stream[] };

const none: ReadonlySet<string> = new Set();

export const asDesired = ({ assignment }: Publication, { unassigned }: AssignResult): InForce => ({
  slices: assignment.workloads,
  version: assignment.version,
  given: [...assignment.workloads.values()].reduce(
    (total, slice) => total + placedIn(slice).length,
    0,
  ),
  unassigned,
  stranded: none,
  isPending: false,
});

const nothing: Assignment = { workloads: new Map(), version: 0 };

/** The last publication may name streams that are no longer wanted, and lack new ones. */
export function asPublished(
  { assignment: { workloads, version } = nothing }: Published,
  { streams }: Listed,
  { unassigned }: AssignResult,
  isPending: boolean,
): InForce {
  const wanted = new Set(streams.map(({ name }) => name));
  const given = new Set(
    [...workloads.values()].flatMap((slice) => placedIn(slice).filter((job) => wanted.has(job))),
  );
  return {
    slices: workloads,
    version,
    given: given.size,
    unassigned: unassigned.filter(({ name }) => !given.has(name)),
    stranded: none,
    isPending,
  };
}

/** Nothing is published until the pause ends: a worker that goes takes its streams along. */
export function whilePaused(
  published: Published,
  { streams }: Listed,
  workers: readonly PoolWorker[],
  { unassigned }: AssignResult,
  isPending: boolean,
): InForce {
  const { workloads, version } = published.assignment ?? nothing;
  const staying = workers.filter((worker) => !isGone(worker));
  // A worker's word counts where no publication says what it has: where one does, it may report
  // what it has yet to end.
  const unsaid = staying.filter(({ from }) => !workloads.has(from));
  const kept = new Set([
    ...staying.flatMap(({ from }) => published.placed.get(from) ?? []),
    ...[...withReported(published, unsaid, streams).values()].flat(),
  ]);
  const lost = new Map(
    [...published.placed].flatMap(([worker, jobs]) =>
      jobs.filter((job) => !kept.has(job)).map((job) => [job, worker] as const),
    ),
  );
  const away = new Set(workers.filter(({ hasFailed }) => hasFailed).map(({ from }) => from));
  const refused = new Map(unassigned.map((it) => [it.name, it]));
  const without = streams.filter(({ name }) => !kept.has(name));
  return {
    slices: workloads,
    version,
    given: streams.length - without.length,
    unassigned: without.map(({ name }) => {
      const message = pausedText(lost.get(name), away);
      return refused.get(name) ?? { name, reason: 'Paused', message };
    }),
    stranded: new Set(without.flatMap(({ name }) => (lost.has(name) ? [name] : []))),
    isPending,
  };
}

/** It has no pod and none is expected, or it was away for so long that it counts as lost. */
const isGone = ({ isDesired, hasFailed, pod }: PoolWorker): boolean =>
  hasFailed || (!isDesired && (pod === undefined || pod.hasEnded));

function pausedText(worker: string | undefined, away: ReadonlySet<string>): string {
  if (worker === undefined) return 'it is not published while the pool is paused';
  const what = away.has(worker) ? 'has been away for too long' : 'is gone';
  return `${worker} ${what}, and the pool is paused`;
}

/** By worker, the streams that it continues from: a lost ConfigMap moves no stream of the list. */
export function withReported(
  { placed, assignment }: Published,
  workers: readonly PoolWorker[],
  streams: readonly Stream[],
): ReadonlyMap<string, readonly string[]> {
  const jobs = new Map(workers.map(({ name, from }) => [name, placed.get(from) ?? []]));
  const workloads = assignment?.workloads ?? new Map<string, Slice>();
  const isListed = (stream: string): boolean => namesIn(streams).get(stream) !== undefined;
  const claims = workers.flatMap(({ name, from, answer }) => {
    const slice = workloads.get(from);
    // Usually all workers run what they were given.
    if (answer?.ok !== true || (slice !== undefined && runsJust(answer.report, slice))) return [];
    const own = new Set(slice === undefined ? [] : streamsIn(slice));
    const others = (answer.report.jobs ?? []).filter(
      (stream) => !own.has(stream) && isListed(stream),
    );
    return others.length === 0 ? [] : [[name, others] as const];
  });
  if (claims.length === 0) return jobs;
  const unknown = new Set(claims.flatMap(([, streams]) => streams));
  for (const slice of workloads.values())
    for (const stream of streamsIn(slice)) unknown.delete(stream);
  if (unknown.size === 0) return jobs;
  return new Map([
    ...jobs,
    ...claims.map(
      ([name, claimed]) =>
        [
          name,
          [...(jobs.get(name) ?? []), ...claimed.filter((stream) => unknown.has(stream))],
        ] as const,
    ),
  ]);
}

const streamsIn = (slice: Slice): readonly string[] =>
  slice.releasing === undefined ? placedIn(slice) : [...placedIn(slice), ...slice.releasing];

/** By worker that no publication mentions: the listed streams that it reports. */
export function recoveredFrom(
  published: Published,
  workers: readonly PoolWorker[],
  streams: readonly Stream[],
): ReadonlyMap<string, Slice> {
  const found = workers.filter(
    ({ before, answer }) =>
      before === undefined && answer?.ok === true && (answer.report.jobs ?? []).length > 0,
  );
  if (found.length === 0) return new Map();
  return new Map(
    [...withReported(published, found, streams)].map(([worker, jobs]) => [
      worker,
      { jobs: jobs.filter((name) => namesIn(streams).get(name) !== undefined), version: 0 },
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

type Workers = readonly Pick<PoolWorker, 'name' | 'before'>[];

/** Undefined: the publication does not give it to this worker. */
export function reservedAt(workers: Workers, capacity: number): KeepInput['weightAt'] {
  const slices = new Map(workers.map(({ name, before }) => [name, before]));
  const placed = new Map<string, ReadonlySet<string>>();
  return (worker, { name, weight }) => {
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

/** What a kept stream reserves is published, so that the next decision knows it, too. */
export function withKeptWeights(
  streams: readonly Stream[],
  kept: readonly KeptStream[],
): readonly Stream[] {
  if (kept.length === 0) return streams;
  const weights = new Map(kept.map(({ name, weight }) => [name, weight]));
  return streams.map((stream) => {
    const weight = weights.get(stream.name);
    return weight === undefined ? stream : { ...stream, weight };
  });
}
