// What follows from the world, before anybody acts on it? Members, who should consume what, what
// may be published of that now.
import type { Assignment, Slice } from '../api/assignment.ts';
import { ANNOTATION_PAUSED, timeText } from '../core/meta.ts';
import { runToEnd, type Work } from '../core/work.ts';
import { type AssignResult, assignInPieces } from './assign/assign.ts';
import type { Validated } from './preconditions.ts';
import { type Doubts, type Handoff, handoffOf, isReleased } from './publish/handoff.ts';
import { type Publication, publicationOf } from './publish/publish.ts';
import { isEdited, type Published, shardsOf } from './publish/published.ts';
import { highestAnnotated, highestReported, isVerified, runsJust } from './refresh/convergence.ts';
import { isByReplacement } from './refresh/refresh.ts';
import type { Stream } from './streams.ts';
import { type PoolView, sizeOf } from './view.ts';
import { failoverOf, failoverRules } from './workers/failover.ts';
import { type Member, membersOf } from './workers/members.ts';
import { scalesTarget, seatsOf } from './workers/seats.ts';
import type { PoolWorld } from './world.ts';

export type DesiredState = { readonly view: PoolView; readonly publication: Publication };

/** Memoised: metrics and introspection read the same world again. */
const computed = new WeakMap<PoolWorld, { readonly now: number; readonly state: DesiredState }>();

export const desiredStateOf = (world: PoolWorld, validated: Validated, now: number): DesiredState =>
  runToEnd(computeDesiredState(world, validated, now));

export function* computeDesiredState(
  world: PoolWorld,
  validated: Validated,
  now: number,
): Work<DesiredState> {
  const known = computed.get(world);
  if (known?.now === now) return known.state;
  const state = yield* compute(world, validated, now);
  computed.set(world, { now, state });
  return state;
}

function* compute(
  world: PoolWorld,
  { spec, streams, targets, complaint, conflict }: Validated,
  now: number,
): Work<DesiredState> {
  const { pool, pods, answers, presence, published } = world;
  const previous = published.assignment;
  const leads = scalesTarget(spec, world.autoscaler);
  const seats = seatsOf({ spec, targets, pods, formerPods: world.formerPods, previous, leads });
  const desired = seats.filter(({ isDesired }) => isDesired).map(({ key }) => key);
  const failover = failoverOf(desired, presence, failoverRules(spec));
  yield;
  const all = membersOf({
    seats,
    previous,
    isSuccessionDue:
      targets.length > 0 && (sizeOf(targets) > 0 || (leads && (spec.workers.replicas ?? 0) > 0)),
    answers,
    cordoned: spec.workers.cordoned ?? [],
    outdated: published.outdated,
    isProbed: spec.probe.type === 'HTTPGet',
    failed: failover.failed,
    readyMs: presence.readyMs,
  });
  yield;
  const recorded = Math.max(
    pool.status?.version ?? 0,
    published.change?.version ?? 0,
    highestAnnotated(all),
  );
  const doubts: Doubts = {
    isRewound: world.highestSeen > Math.max(recorded, previous?.version ?? 0),
    isEdited: published.shards.some((it) => it.isSuperseded !== true && isEdited(it)),
  };
  const members = all.filter((member) => !isReleased(member, doubts));
  const known = new Set(members.map(({ name }) => name));
  const isAtRest = previous !== undefined && isVerified(members, previous.workloads);
  const assigned = yield* assignInPieces({
    streams,
    workers: members.filter(({ hasJoined }) => hasJoined),
    previous: withReported(published, members),
    capacity: spec.workers.capacity,
    overcommit: spec.overcommit === 'Allow',
    // A list that cannot be read says nothing of pins and groups: only what has lost its worker
    // moves until it can.
    rebalances: spec.rebalance.policy === 'Always' && complaint === undefined,
    maxMoves: movesAllowed(spec, isAtRest),
  });
  yield;
  const noted = Math.max(recorded, world.highestSeen);
  const floor = floorOf(noted, previous?.version, highestReported(members));
  const shards = shardsOf(pool.meta.name, spec);
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
    shards,
    found: published.shards,
    members,
    jobs: handoff.jobs,
    wanted: assigned.jobs,
    releasing: handoff.releasing,
    streams,
    previous,
    hadUnassigned: (pool.status?.streams?.unassigned ?? 0) > 0,
    wasPublished:
      Math.max(pool.status?.version ?? 0, published.change?.version ?? 0, world.highestSeen) > 0,
    isByReplacement: isByReplacement(spec),
    floor,
    time: timeText(now),
  });
  yield;
  const isPaused = spec.paused || pool.meta.annotations[ANNOTATION_PAUSED] === 'true';
  const inForce: Assignment = isPaused ? (previous ?? nothing) : publication.assignment;
  const view: PoolView = {
    spec,
    targets,
    streams: streams.length,
    ...(isPaused
      ? givenIn(inForce.workloads, streams, assigned)
      : { given: jobsIn(inForce), unassigned: assigned.unassigned }),
    isPending: isPaused && publication.change !== undefined,
    ending: [
      ...pods.filter(
        ({ name, isTerminating, hasEnded }) => isTerminating && !hasEnded && !known.has(name),
      ),
      ...world.endingPods,
    ],
    complaint,
    conflict,
    published,
    members,
    slices: inForce.workloads,
    version: inForce.version,
    assigned,
    refused: world.refused,
    unknown: handoff.unknown,
    failover,
    plan: isPaused ? publication.moves : undefined,
  };
  return { view, publication };
}

const nothing: Assignment = { workloads: new Map(), version: 0 };

/** What is in force as long as the next publication is not. */
export function asPublished(view: PoolView, { streams }: Validated): PoolView {
  const { workloads, version } = view.published.assignment ?? nothing;
  return {
    ...view,
    slices: workloads,
    version,
    ...givenIn(workloads, streams, view.assigned),
    isPending: true,
  };
}

const jobsIn = ({ workloads }: Assignment): number =>
  [...workloads.values()].reduce((total, { jobs }) => total + jobs.length, 0);

/**
 * Of what was published before: it may name streams that are not wanted any more, and lack some
 * that ought to have a worker.
 */
function givenIn(
  slices: ReadonlyMap<string, Slice>,
  streams: readonly Stream[],
  { unassigned }: AssignResult,
): Pick<PoolView, 'given' | 'unassigned'> {
  const wanted = new Set(streams.map(({ name }) => name));
  const given = new Set(
    [...slices.values()].flatMap(({ jobs }) => jobs.filter((job) => wanted.has(job))),
  );
  return { given: given.size, unassigned: unassigned.filter(({ name }) => !given.has(name)) };
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

/**
 * What a version must not fall below: what we noted in status, on the ConfigMap and on pods.
 * Workers are believed only where the publication is missing or older than that: one that lies
 * cannot drive the version.
 */
function floorOf(noted: number, published: number | undefined, reported: number): number {
  const isRecordWhole = published !== undefined && noted > 0 && published >= noted;
  return isRecordWhole ? noted : Math.max(noted, reported);
}
