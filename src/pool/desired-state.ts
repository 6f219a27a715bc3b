// What should be? Who should consume what, what may be published of that now, and what is in force
// meanwhile.
import type { Assignment, Slice } from '../api/assignment.ts';
import type { Pod } from '../api/observed.ts';
import { timeText } from '../core/meta.ts';
import { isPausedBy } from '../core/pause.ts';
import type { Work } from '../core/work.ts';
import { type AssignResult, assignInPieces } from './assign/assign.ts';
import type { Validated } from './preconditions.ts';
import { type Handoff, handoffOf, isReleased } from './publish/handoff.ts';
import type { Move } from './publish/moves.ts';
import type { Publication } from './publish/publication.ts';
import { publicationOf } from './publish/publish.ts';
import { type Published, shardsOf } from './publish/published.ts';
import { doubtsAbout, floorOf, recordedVersion, wasPublished } from './publish/versions.ts';
import { isVerified, runsJust } from './refresh/convergence.ts';
import { isByReplacement } from './refresh/mode.ts';
import { sizeOf } from './targets.ts';
import { type Member, membersOf } from './workers/members.ts';
import { scalesTarget } from './workers/seats.ts';
import { type Workers, withoutTargets } from './workers/workers.ts';
import type { PoolWorld } from './world.ts';

export type DesiredState = Validated & {
  readonly members: readonly Member[];
  readonly workers: Workers;
  readonly assigned: AssignResult;
  /** Exclusive: workers that have not said what they run since the publication was lost. */
  readonly unknown: readonly string[];
  readonly publication: Publication;
  /** While paused: what would be done. */
  readonly plan: readonly Move[] | undefined;
  /**
   * Pods that are ending and that no slot is bound to any more: they may still run what they had.
   */
  readonly ending: readonly Pod[];
} & InForce;

/** What workers are to follow: the new publication, or the last one while that must wait. */
type InForce = {
  readonly slices: ReadonlyMap<string, Slice>;
  readonly version: number;
  /** How many streams stand in it. */
  readonly given: number;
  readonly unassigned: AssignResult['unassigned'];
  /** It is not what ought to be. */
  readonly isPending: boolean;
};

export function* computeDesiredState(
  world: PoolWorld,
  checked: Validated,
  seen: Workers,
  now: number,
): Work<DesiredState> {
  const { spec, targets, streams } = checked;
  const { pool, published } = world;
  const workers = targets.length === 0 ? withoutTargets(world, spec, seen) : seen;
  const all = membersIn(world, checked, workers);
  yield;
  const recorded = recordedVersion(world, all);
  const doubts = doubtsAbout(world, recorded);
  const members = all.filter((member) => !isReleased(member, doubts));
  const assigned = yield* assignInPieces(assignInput(world, checked, members));
  yield;
  const previous = published.assignment;
  const handoff: Handoff =
    spec.handoff.type === 'Exclusive'
      ? handoffOf({
          members,
          wanted: assigned.jobs,
          previous: previous?.workloads ?? new Map(),
          doubts,
        })
      : { jobs: assigned.jobs, releasing: new Map(), unknown: [] };
  const publication = yield* publicationOf({
    shards: shardsOf(pool.meta.name, spec),
    found: published.shards,
    members,
    jobs: handoff.jobs,
    wanted: assigned.jobs,
    releasing: handoff.releasing,
    streams,
    previous,
    hadUnassigned: (pool.status?.streams?.unassigned ?? 0) > 0,
    wasPublished: wasPublished(world),
    isByReplacement: isByReplacement(spec),
    floor: floorOf(world, recorded, members),
    time: timeText(now),
  });
  yield;
  const isPaused = isPausedBy(pool.meta, spec);
  const inForce = isPaused
    ? asPublished(published, checked, assigned, publication.change !== undefined)
    : asDesired(publication, assigned);
  return {
    ...checked,
    members,
    workers,
    assigned,
    unknown: handoff.unknown,
    publication,
    plan: isPaused ? publication.moves : undefined,
    ending: endingPods(world, members),
    ...inForce,
  };
}

function membersIn(
  { published, answers, autoscaler }: PoolWorld,
  { spec, targets }: Validated,
  { seats, presence, failover }: Workers,
): readonly Member[] {
  const isLeading = scalesTarget(spec, autoscaler);
  return membersOf({
    seats,
    previous: published.assignment,
    isSuccessionDue:
      targets.length > 0 &&
      (sizeOf(targets) > 0 || (isLeading && (spec.workers.replicas ?? 0) > 0)),
    answers,
    cordoned: spec.workers.cordoned ?? [],
    outdated: published.outdated,
    isProbed: spec.probe.type === 'HTTPGet',
    failed: failover.failed,
    readyMs: presence.readyMs,
  });
}

function assignInput(
  { published }: PoolWorld,
  { spec, streams, complaint }: Validated,
  members: readonly Member[],
): Parameters<typeof assignInPieces>[0] {
  const { assignment } = published;
  const isAtRest = assignment !== undefined && isVerified(members, assignment.workloads);
  return {
    streams,
    workers: members.filter(({ hasJoined }) => hasJoined),
    previous: withReported(published, members),
    capacity: spec.workers.capacity,
    overcommit: spec.overcommit === 'Allow',
    // A list that cannot be read says nothing of pins and groups: only what has lost its worker
    // moves until it can.
    rebalances: spec.rebalance.policy === 'Always' && complaint === undefined,
    maxMoves: movesAllowed(spec, isAtRest),
  };
}

/**
 * A bound on moves per change means little if the next change does not wait for the last to be
 * taken up.
 */
function movesAllowed({ rebalance }: Validated['spec'], isAtRest: boolean): number | undefined {
  if (rebalance.maxMoves === 0) return undefined;
  return isAtRest ? rebalance.maxMoves : 0;
}

/**
 * What no publication tells of any more stays with whom it runs at: a lost ConfigMap need not move
 * a stream.
 */
function withReported(
  { jobs: byEntry, assignment }: Published,
  members: readonly Member[],
): ReadonlyMap<string, readonly string[]> {
  const jobs = new Map(members.map(({ name, from }) => [name, byEntry.get(from) ?? []]));
  const workloads = assignment?.workloads ?? new Map<string, Slice>();
  const claims = members.flatMap(({ name, from, answer }) => {
    const slice = workloads.get(from);
    // Mostly all run what they were given, and then there is nothing to look up.
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

const endingPods = ({ pods, endingPods: others }: PoolWorld, members: readonly Member[]) => {
  const known = new Set(members.map(({ name }) => name));
  return [
    ...pods.filter(
      ({ name, isTerminating, hasEnded }) => isTerminating && !hasEnded && !known.has(name),
    ),
    ...others,
  ];
};

const asDesired = ({ assignment }: Publication, { unassigned }: AssignResult): InForce => ({
  slices: assignment.workloads,
  version: assignment.version,
  given: [...assignment.workloads.values()].reduce((total, { jobs }) => total + jobs.length, 0),
  unassigned,
  isPending: false,
});

const nothing: Assignment = { workloads: new Map(), version: 0 };

/**
 * As long as the next publication is not in force: the last one may name streams that are not
 * wanted any more, and lack some that ought to have a worker.
 */
function asPublished(
  { assignment: { workloads, version } = nothing }: Published,
  { streams }: Validated,
  { unassigned }: AssignResult,
  isPending: boolean,
): InForce {
  const wanted = new Set(streams.map(({ name }) => name));
  const given = new Set(
    [...workloads.values()].flatMap(({ jobs }) => jobs.filter((job) => wanted.has(job))),
  );
  return {
    slices: workloads,
    version,
    given: given.size,
    unassigned: unassigned.filter(({ name }) => !given.has(name)),
    isPending,
  };
}

/** The same state before its change is published. */
export const beforePublication = (
  { published }: PoolWorld,
  desired: DesiredState,
): DesiredState => ({ ...desired, ...asPublished(published, desired, desired.assigned, true) });
