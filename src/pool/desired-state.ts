// What should be, what of it may be published now, and what do workers follow until then?
import type { Pod } from '../api/observed.ts';
import { memoize } from '../core/memoize.ts';
import { isPausedBy } from '../core/pause.ts';
import type { Work } from '../core/work.ts';
import {
  assignKeeping,
  type KeepInput,
  type KeepingResult,
  type KeptStream,
  type LastKeeping,
} from './assign/keep.ts';
import type { Validated } from './preconditions.ts';
import { type Handoff, handoffOf, isReleased } from './publish/handoff.ts';
import { type InForce, onceWritten, whilePaused } from './publish/in-force.ts';
import { type Publication, publicationOf } from './publish/publication.ts';
import { floorOf, recordedVersion, uncertaintyOf, wasPublished } from './publish/record.ts';
import {
  type Completed,
  completedStreams,
  type Elsewhere,
  elsewhereOf,
  toAssign,
  withoutCompleted,
} from './streams/outcomes.ts';
import { ANNOTATION_RESTART, readRestarts } from './streams/restarts.ts';
import type { Stream, StreamsByWorker } from './streams/streams.ts';
import { type Availability, rebalanceInMs, withoutTargets } from './workers/availability.ts';
import { reservedAt, streamsBefore } from './workers/before.ts';
import { isVerified, type PoolWorker, workersOf } from './workers/workers.ts';
import type { PoolWorld } from './world.ts';

export type DesiredState = Validated & {
  readonly workers: readonly PoolWorker[];
  readonly availability: Availability;
  /** Which worker should have each stream. */
  readonly assigned: KeepingResult;
  /** That result, with the facts from which the next one continues. */
  readonly placing: LastKeeping;
  /** With streamPolicy.completion Once: streams that are done. */
  readonly completed: Completed;
  /** With streamPolicy.moveAfterSeconds: streams that fail for long where they are. */
  readonly elsewhere: Elsewhere | undefined;
  /** Exclusive: workers that have not reported what they run since the publication was lost. */
  readonly unknown: readonly string[];
  readonly publication: Publication;
  /** The publication is not written: its moves would follow. */
  readonly isPaused: boolean;
  /** Terminating pods that no slot is bound to: they may still run streams. */
  readonly ending: readonly Pod[];
} & InForce;

export function* computeDesiredState(
  world: PoolWorld,
  checked: Validated,
  seen: Availability,
  now: number,
): Work<DesiredState> {
  const { spec, targets } = checked;
  const { pool, published } = world;
  const availability = targets.length === 0 ? withoutTargets(world, spec, seen) : seen;
  const all = workersOf(world, checked, availability);
  yield;
  const recorded = recordedVersion(world, all);
  const uncertainty = uncertaintyOf(world, recorded);
  const workers = all.filter((worker) => !isReleased(worker, uncertainty));
  const { tokens } = readRestarts(pool.meta.annotations[ANNOTATION_RESTART]);
  const isLost = published.assignment === undefined && wasPublished(world);
  const completed = completedStreams(published, checked, workers, tokens, isLost);
  const open = { ...checked, streams: withoutCompleted(checked.streams, completed) };
  const elsewhere = elsewhereOf(world, open, workers);
  const input = {
    ...assignInput(world, open, workers, availability),
    elsewhere: toAssign(elsewhere),
  };
  const placing = yield* assignKeeping(input, world.remembered.last?.assignment);
  const assigned = placing.result;
  yield;
  const { running, suspended } = withoutSuspended(assigned.jobs, open.streams);
  const handoff: Handoff =
    spec.handoff.type === 'Exclusive'
      ? handoffOf(workers, running, published.assignment?.workloads, uncertainty)
      : { jobs: running, releasing: new Map(), unknown: [] };
  const publication = yield* publicationOf(
    {
      ...handoff,
      world,
      checked: { ...open, streams: withKeptWeights(open.streams, assigned.kept) },
      workers,
      suspended,
      completed,
      listed: checked.streams,
      movedBefore: elsewhere?.away ?? new Map(),
      placing,
      floor: floorOf(world, recorded, workers),
    },
    now,
  );
  yield;
  const isPaused = isPausedBy(pool.meta, spec);
  const isPending = publication.change !== undefined;
  const inForce = isPaused
    ? whilePaused(published, open, workers, assigned, isPending)
    : onceWritten(publication, assigned);
  return {
    ...checked,
    workers,
    availability,
    assigned,
    placing,
    completed,
    elsewhere,
    unknown: handoff.unknown,
    publication,
    isPaused,
    ending: endingPods(world, workers),
    ...inForce,
  };
}

/** By worker: the streams that run, and the suspended ones, which only keep their worker. */
function withoutSuspended(
  jobs: StreamsByWorker,
  streams: readonly Stream[],
): { readonly running: StreamsByWorker; readonly suspended: StreamsByWorker } {
  const idle = suspendedAmong(streams);
  if (idle.size === 0) return { running: jobs, suspended: new Map() };
  const divided = [...jobs].map(([worker, names]) => [worker, dividedBy(idle, names)] as const);
  return {
    running: new Map(divided.map(([worker, { running }]) => [worker, running])),
    suspended: new Map(divided.map(([worker, { suspended }]) => [worker, suspended])),
  };
}

const suspendedAmong = memoize((streams: readonly Stream[]): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { name, isSuspended } of streams) if (isSuspended === true) names.add(name);
  return names;
});

type Divided = { readonly running: readonly string[]; readonly suspended: readonly string[] };

/**
 * By the list of a worker, which gets the same list again only while its streams are the same
 * objects: so each of them is suspended or not, as before.
 */
const divisions = new WeakMap<readonly string[], Divided>();

function dividedBy(idle: ReadonlySet<string>, names: readonly string[]): Divided {
  const known = divisions.get(names);
  if (known !== undefined) return known;
  const suspended = names.filter((name) => idle.has(name));
  const running = suspended.length === 0 ? names : names.filter((name) => !idle.has(name));
  const divided = { running, suspended };
  divisions.set(names, divided);
  return divided;
}

function assignInput(
  { published }: PoolWorld,
  { spec, streams, blockedParts }: Validated,
  workers: readonly PoolWorker[],
  { presence }: Availability,
): KeepInput {
  const { assignment } = published;
  const { maxMoves, policy } = spec.rebalance;
  // A bound per change means little unless the next change waits for the last one to be confirmed.
  const isAtRest = (): boolean =>
    assignment !== undefined && isVerified(workers, assignment.workloads);
  return {
    streams,
    workers: workers
      .filter(({ hasJoined }) => hasJoined)
      .map(({ name, ordinal, isCordoned }) => ({ name, ordinal, isCordoned })),
    previous: streamsBefore(published, workers, streams),
    capacity: spec.workers.capacity,
    overcommit: spec.overcommit === 'Allow',
    // Until a bad list can be read, its pins and groups are unknown: only orphaned streams move.
    // Work that ends would start again from the beginning at another worker.
    rebalances:
      policy === 'Always' &&
      spec.streamPolicy.completion === 'Never' &&
      blockedParts.list === undefined &&
      rebalanceInMs(spec, presence) === 0,
    maxMoves: maxMoves === 0 ? undefined : isAtRest() ? maxMoves : 0,
    weightAt: reservedAt(workers, spec.workers.capacity),
    weightsFrom: workers.map(({ before }) => before),
  };
}

/** What a kept stream reserves is published, so that the next decision knows it, too. */
function withKeptWeights(
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

function endingPods(
  { pods, endingPods: others }: PoolWorld,
  workers: readonly PoolWorker[],
): readonly Pod[] {
  const ending = pods.filter(({ isTerminating, hasEnded }) => isTerminating && !hasEnded);
  if (ending.length === 0) return others;
  const known = new Set(workers.map(({ name }) => name));
  return [...ending.filter(({ name }) => !known.has(name)), ...others];
}
