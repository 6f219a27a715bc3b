// What should be, what of it may be published now, and what do workers follow until then?
import type { Pod } from '../api/observed.ts';
import { isPausedBy } from '../core/pause.ts';
import type { Work } from '../core/work.ts';
import { assignKeeping, type KeepInput, type KeepingResult } from './assign/keep.ts';
import { type Completed, completedStreams, withoutCompleted } from './completion.ts';
import { type Elsewhere, elsewhereOf, toAssign } from './elsewhere.ts';
import { ANNOTATION_RESTART } from './labels.ts';
import type { Validated } from './preconditions.ts';
import { type Handoff, handoffOf, isReleased } from './publish/handoff.ts';
import { asDesired, asPublished, type InForce, whilePaused } from './publish/in-force.ts';
import type { Move, Publication } from './publish/publication.ts';
import { publicationOf } from './publish/publish.ts';
import { shardsOf } from './publish/published.ts';
import { withReported } from './publish/reported.ts';
import { reservedAt, withKeptWeights } from './publish/reserved.ts';
import { doubtsAbout, floorOf, recordedVersion, wasPublished } from './publish/versions.ts';
import { readRestarts } from './restarts.ts';
import type { Stream } from './streams.ts';
import { type Availability, withoutTargets } from './workers/availability.ts';
import { rebalanceInMs } from './workers/failover.ts';
import { isVerified, type PoolWorker, workersOf } from './workers/workers.ts';
import type { PoolWorld } from './world.ts';

export type DesiredState = Validated & {
  readonly workers: readonly PoolWorker[];
  readonly availability: Availability;
  readonly assigned: KeepingResult;
  /** With streamPolicy.completion Once: streams that are done. */
  readonly completed: Completed;
  /** With streamPolicy.moveAfterSeconds: streams that fail for long where they are. */
  readonly elsewhere: Elsewhere | undefined;
  /** Exclusive: workers that have not reported what they run since the publication was lost. */
  readonly unknown: readonly string[];
  readonly publication: Publication;
  /** While paused: the moves that would follow. */
  readonly plan: readonly Move[] | undefined;
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
  const doubts = doubtsAbout(world, recorded);
  const workers = all.filter((worker) => !isReleased(worker, doubts));
  const { tokens } = readRestarts(pool.meta.annotations[ANNOTATION_RESTART]);
  const isLost = published.assignment === undefined && wasPublished(world);
  const completed = completedStreams(published, checked, workers, tokens, isLost);
  const open = { ...checked, streams: withoutCompleted(checked.streams, completed) };
  const elsewhere = elsewhereOf(world, open, workers);
  const input = assignInput(world, open, workers, availability);
  const assigned = yield* assignKeeping({ ...input, elsewhere: toAssign(elsewhere) });
  yield;
  const { running, suspended } = withoutSuspended(assigned.jobs, open.streams);
  const handoff: Handoff =
    spec.handoff.type === 'Exclusive'
      ? handoffOf(workers, running, published.assignment?.workloads, doubts)
      : { jobs: running, releasing: new Map(), unknown: [] };
  const publication = yield* publicationOf(
    {
      ...handoff,
      world,
      checked: { ...open, streams: withKeptWeights(open.streams, assigned.kept) },
      shards: shardsOf(pool.meta.name, spec),
      workers,
      suspended,
      completed,
      movedFrom: assigned.movedFrom,
      movedBefore: elsewhere?.away ?? new Map(),
      wanted: assigned.jobs,
      floor: floorOf(world, recorded, workers),
    },
    now,
  );
  yield;
  const isPaused = isPausedBy(pool.meta, spec);
  const isPending = publication.change !== undefined;
  const inForce = isPaused
    ? whilePaused(published, open, workers, assigned, isPending)
    : asDesired(publication, assigned);
  return {
    ...checked,
    workers,
    availability,
    assigned,
    completed,
    elsewhere,
    unknown: handoff.unknown,
    publication,
    plan: isPaused ? publication.moves : undefined,
    ending: endingPods(world, workers),
    ...inForce,
  };
}

type Lists = ReadonlyMap<string, readonly string[]>;

/** Of each worker, those that run, and those that only keep their place. */
function withoutSuspended(
  jobs: Lists,
  streams: readonly Stream[],
): { readonly running: Lists; readonly suspended: Lists } {
  const idle = new Set(streams.flatMap((it) => (it.isSuspended === true ? [it.name] : [])));
  if (idle.size === 0) return { running: jobs, suspended: new Map() };
  const those = (isWanted: (stream: string) => boolean): Lists =>
    new Map([...jobs].map(([worker, names]) => [worker, names.filter(isWanted)]));
  return {
    running: those((stream) => !idle.has(stream)),
    suspended: those((stream) => idle.has(stream)),
  };
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
  const isAtRest = assignment !== undefined && isVerified(workers, assignment.workloads);
  return {
    streams,
    workers: workers.filter(({ hasJoined }) => hasJoined),
    previous: withReported(published, workers),
    capacity: spec.workers.capacity,
    overcommit: spec.overcommit === 'Allow',
    // Until a bad list can be read, its pins and groups are unknown: only orphaned streams move.
    // Work that ends would begin anew at another worker.
    rebalances:
      policy === 'Always' &&
      spec.streamPolicy.completion === 'Never' &&
      blockedParts.list === undefined &&
      rebalanceInMs(spec, presence) === 0,
    maxMoves: maxMoves === 0 ? undefined : isAtRest ? maxMoves : 0,
    weightAt: reservedAt(workers, spec.workers.capacity),
  };
}

const endingPods = ({ pods, endingPods: others }: PoolWorld, workers: readonly PoolWorker[]) => {
  const known = new Set(workers.map(({ name }) => name));
  return [
    ...pods.filter(
      ({ name, isTerminating, hasEnded }) => isTerminating && !hasEnded && !known.has(name),
    ),
    ...others,
  ];
};

/** Until the new publication is written, workers follow the last one. */
export const beforePublication = (
  { published }: PoolWorld,
  desired: DesiredState,
): DesiredState => ({ ...desired, ...asPublished(published, desired, desired.assigned, true) });
