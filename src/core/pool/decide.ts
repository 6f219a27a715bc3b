// What is to be done about a pool? streams and members -> assign -> publish -> refresh -> status: one sentence, nothing performed.
import type { Assignment } from '../../api/assignment.ts';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { Decision, EventText, Step } from '../decision.ts';
import { isSameJson } from '../json.ts';
import { ANNOTATION_PAUSED, plural, timeText } from '../meta.ts';
import { assign } from './assign/assign.ts';
import { failoverAfterMs, failoverOf } from './failover.ts';
import { type Handoff, handoffOf } from './handoff.ts';
import { leadNow, wantedWorkers } from './lead.ts';
import { JOIN_TOGETHER_MS, membersOf } from './members.ts';
import { type Blocked, type Clear, outlook } from './obstacles.ts';
import { MOST_BYTES, type Move, type Publication, publicationOf, publishStep, shardsEnough } from './publish.ts';
import { type Change, type Published, publishedNow, shardsOf } from './published.ts';
import { asksOf, hasConverged, highestReported, highestTold } from './refresh/convergence.ts';
import { outdatedAfter, refreshNow, refreshOfChange } from './refresh/refresh.ts';
import { SILENCE_MS } from './report/conditions.ts';
import { historyWith, isSettled, statusOf, statusWhenBlocked } from './report/status.ts';
import { tidings } from './report/tidings.ts';
import { sizeOf, type View } from './view.ts';
import type { PoolWorld } from './world.ts';

/** A change that all confirm within this time is told in one status write instead of two. */
const SETTLE_MS = 2_000;

export function decidePool(world: PoolWorld, now: number): Decision {
  if (world.pool.meta.isDeleting) return { steps: [], asks: [] };
  const look = outlook(world);
  if (!look.isClear) return { steps: statusSteps(world, statusWhenBlocked(world, look.blocked, now)), asks: [] };
  const { view, publication } = viewOf(world, look, now);
  const asks = asksOf(view.members, view.slices, look.spec.probe);
  if (view.plan !== undefined) return { steps: statusSteps(world, statusOf(world, view, now)), asks, version: view.version };
  const enough = publication.change === undefined ? undefined : shardsEnough(publication, view.members, look.spec.assignments.shards);
  if (enough !== undefined) return { steps: statusSteps(world, statusWhenBlocked(world, tooLarge(look.spec, enough), now)), asks };
  if (publication.change !== undefined) {
    // Refused once, it may be refused again: what is known is told first.
    const told = world.refused === undefined ? [] : statusSteps(world, statusOf(world, asPublished(view), now));
    return { steps: [...told, ...changeSteps(world, view, publication, publication.change)], asks, version: publication.change.version };
  }
  return { ...whenPublished(world, view, statusOf(world, view, now)), asks, version: view.version };
}

/** Everything that follows from the world before anybody acts on it. */
function viewOf(world: PoolWorld, { spec, streams, targets, complaint }: Clear, now: number): { view: View; publication: Publication } {
  const { pool, pods, answers } = world;
  const published = publishedNow(world.published);
  const previous = published.assignment;
  const desired = wantedWorkers(spec, targets);
  const failover = failoverOf(desired, world.presence, failoverAfterMs(spec));
  const members = membersOf({
    desired,
    pods,
    previous,
    answers,
    cordoned: spec.workers.cordoned ?? [],
    outdated: published.outdated,
    isAsked: spec.probe.type === 'HTTPGet',
    failed: failover.failed,
    readyMs: world.presence.readyMs,
  });
  const isAtRest =
    previous !== undefined && members.every((member) => !member.isDesired || isSettled(member, previous.workloads.get(member.name)));
  const assigned = assign({
    streams,
    workers: members.filter(({ hasJoined }) => hasJoined),
    previous: withReported(published, members),
    capacity: spec.workers.capacity,
    overcommit: spec.overcommit === 'Allow',
    // A list that cannot be read says nothing of pins and groups: only what has lost its worker moves until it can.
    rebalances: spec.rebalance.policy === 'Always' && complaint === undefined,
    maxMoves: movesAllowed(spec, isAtRest),
  });
  const floor = floorOf(Math.max(pool.status?.version ?? 0, highestTold(members)), previous?.version, highestReported(members));
  const shards = shardsOf(pool.meta.name, spec);
  const handoff: Handoff =
    spec.handoff.type === 'Exclusive'
      ? handoffOf({ members, wanted: assigned.jobs, previous: previous?.workloads ?? new Map() })
      : { jobs: assigned.jobs, releasing: new Map(), unknown: [] };
  const publication = publicationOf({
    shards,
    found: world.published,
    members,
    jobs: handoff.jobs,
    wanted: assigned.jobs,
    releasing: handoff.releasing,
    streams,
    previous,
    floor,
    time: timeText(now),
  });
  const isPaused = spec.paused || pool.meta.annotations[ANNOTATION_PAUSED] === 'true';
  const inForce: Assignment = isPaused ? (previous ?? { workloads: new Map(), version: 0 }) : publication.assignment;
  const view: View = {
    spec,
    targets,
    streams: streams.length,
    complaint,
    published,
    members,
    slices: inForce.workloads,
    version: inForce.version,
    assigned,
    refused: world.refused,
    failoverInMs: failover.nextInMs,
    plan: isPaused ? publication.moves : undefined,
  };
  return { view, publication };
}

const tooLarge = ({ assignments }: Clear['spec'], enough: number): Blocked => ({
  reason: 'AssignmentTooLarge',
  message: `what ${plural(assignments.shards, 'ConfigMap')} would have to hold is more than ${MOST_BYTES / 1024} KiB each; spec.assignments.shards: ${enough} is enough`,
  isStalled: true,
});

/** What is in force as long as the next publication is not. */
function asPublished(view: View): View {
  const last = view.published.assignment;
  return { ...view, slices: last?.workloads ?? new Map(), version: last?.version ?? 0 };
}

/** A bound on moves per change means little if the next change does not wait for the last to be taken up. */
function movesAllowed({ rebalance }: Clear['spec'], isAtRest: boolean): number | undefined {
  if (rebalance.maxMoves === 0) return undefined;
  return isAtRest ? rebalance.maxMoves : 0;
}

/** What no publication tells of any more stays with whom it runs at: a lost ConfigMap need not move a stream. */
function withReported({ jobs, assignment }: Published, members: View['members']): ReadonlyMap<string, readonly string[]> {
  const slices = [...(assignment?.workloads.values() ?? [])];
  const known = new Set(slices.flatMap((slice) => [...slice.jobs, ...(slice.releasing ?? [])]));
  const claims = members.flatMap(({ name, answer }) => (answer?.ok === true ? [[name, answer.report.jobs ?? []] as const] : []));
  const unknown = claims.map(([name, streams]) => [name, streams.filter((stream) => !known.has(stream))] as const);
  if (unknown.every(([, streams]) => streams.length === 0)) return jobs;
  return new Map([...jobs, ...unknown.map(([name, streams]) => [name, [...(jobs.get(name) ?? []), ...streams]] as const)]);
}

/**
 * What a version must not fall below: what we noted in status and on pods. Workers are believed only where the publication is missing or
 * older than that: one that lies cannot drive the version.
 */
function floorOf(noted: number, published: number | undefined, reported: number): number {
  const isRecordWhole = published !== undefined && noted > 0 && published >= noted;
  return isRecordWhole ? noted : Math.max(noted, reported);
}

/** Publish, then nudge those whose slice changed. The status follows with the next decision, which sees what was written. */
function changeSteps(world: PoolWorld, { spec, members, published }: View, publication: Publication, change: Change): readonly Step[] {
  const { assignment, moves, writes } = publication;
  const { name, namespace } = world.pool.meta;
  const changed = new Set([...assignment.workloads].filter(([, slice]) => slice.version === change.version).map(([worker]) => worker));
  return [
    ...unsavedHistory(world, published),
    ...writes.map((write) => {
      const here = members.filter((member) => write.slices.has(member.name));
      return publishStep({ namespace, pool: name }, write, change, outdatedAfter(spec, here, changed));
    }),
    ...refreshOfChange(spec, members, assignment.workloads, changed),
    eventStep(world, { type: 'Normal', reason: 'Published', action: 'Publish', message: changeText(change, moves) }),
  ];
}

function changeText({ version, moves: moved, reason }: Change, moves: readonly Move[]): string {
  const fresh = moves.filter(({ from }) => from === undefined).length;
  const gone = moves.filter(({ to }) => to === undefined).length;
  return `version ${version}: ${plural(moved, 'stream')} moved, ${fresh} new, ${gone} gone (${reason})`;
}

/** The next change replaces the note of the one before: a line of history that no status write has saved is saved first. */
function unsavedHistory(world: PoolWorld, published: Published): readonly Step[] {
  const { status } = world.pool;
  const history = historyWith(status?.history ?? [], published.change);
  return status === undefined || isSameJson(history, status.history ?? []) ? [] : [statusStep(world, { ...status, history })];
}

/** The assignment stands in the ConfigMap: see to it that all take it up, and tell how far they are. */
function whenPublished(world: PoolWorld, view: View, status: SwarmPoolStatus): Pick<Decision, 'steps' | 'requeueAfterMs'> {
  const { spec } = view;
  const refresh = refreshNow(world, view);
  const lead = leadNow(world, view);
  const settleInMs = isSettling(view, world.pool.status) ? SETTLE_MS - world.ages.publishedMs : 0;
  const waits = [
    refresh.nextInMs,
    view.failoverInMs,
    lead.nextInMs,
    joinInMs(world, view),
    settleInMs > 0 ? settleInMs : undefined,
    nextToReach(spec.refresh.timeoutSeconds * 1000, world, view),
    nextToReach(SILENCE_MS, world, view),
  ].filter((wait) => wait !== undefined);
  return {
    // Status first: whatever of the rest is refused does not keep it from being told.
    steps: [
      ...(settleInMs > 0 ? [] : statusSteps(world, status)),
      ...refresh.steps.filter(isHarmless),
      ...lead.steps,
      ...refresh.steps.filter((step) => !isHarmless(step)),
      ...[...lead.events, ...refresh.events].map((event) => eventStep(world, event)),
    ],
    ...(waits.length > 0 && { requeueAfterMs: Math.max(1, Math.min(...waits)) }),
  };
}

/** An eviction may be refused for a long time (by a budget): what does not depend on it goes first. */
const isHarmless = ({ do: what }: Step): boolean => what === 'annotate';

/**
 * In the first moments of a change nothing is new but who has confirmed so far. Never kept waiting: the first status of a pool, another
 * number of workers (a wait for Converged must not be answered by what was true before), a refusal.
 */
function isSettling({ members, slices, targets, refused }: View, before: SwarmPoolStatus | undefined): boolean {
  if (refused !== undefined || before?.replicas !== sizeOf(targets)) return false;
  const isDone = members.every((member) => !member.isDesired || isSettled(member, slices.get(member.name)));
  return !isDone && before?.version !== undefined;
}

/** When the first that waits for others to join together with it will wait no more. */
function joinInMs({ presence }: PoolWorld, { members }: View): number | undefined {
  const waits = members.flatMap(({ isDesired, hasJoined, hasFailed, pod, name }) =>
    isDesired && !hasJoined && !hasFailed && pod?.isReady === true ? [JOIN_TOGETHER_MS - (presence.readyMs[name] ?? 0)] : [],
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** When the first of those that have not confirmed will have been waited for this long. */
function nextToReach(limitMs: number, world: PoolWorld, { members, slices }: View): number | undefined {
  const waits = members.flatMap((member) => {
    if (member.pod === undefined || hasConverged(member, slices.get(member.name))) return [];
    const left = limitMs - (world.ages.sliceMs[member.pod.uid] ?? 0);
    return left > 0 ? [left] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** One write, and only when something differs; what happened is told after it succeeded. */
function statusSteps(world: PoolWorld, status: SwarmPoolStatus): readonly Step[] {
  const before = world.pool.status;
  if (isSameJson(before, status)) return [];
  return [statusStep(world, status), ...tidings(before, status).map((event) => eventStep(world, event))];
}

function statusStep(world: PoolWorld, status: SwarmPoolStatus): Step {
  const { name, namespace, uid, resourceVersion } = world.pool.meta;
  return { do: 'status', kind: kinds.SwarmPool, ref: { name, namespace, uid, resourceVersion }, status };
}

function eventStep(world: PoolWorld, event: EventText): Step {
  const { name, namespace, uid } = world.pool.meta;
  return { do: 'event', regarding: { apiVersion: apiVersionOf(kinds.SwarmPool), kind: 'SwarmPool', name, namespace, uid }, event };
}
