// What is to be done about a pool, and when does time alone change that? Nothing is performed here.
import { kinds } from '../api/kinds.ts';
import type { Target } from '../api/observed.ts';
import type { WorkerProbe } from '../api/report.ts';
import type { SwarmPool } from '../api/validate.ts';
import { decisionFailed } from '../core/blocked.ts';
import {
  type Decision,
  type DecisionReport,
  type Refusal,
  versionedRefOf,
} from '../core/decision.ts';
import { atOnce } from '../core/own-status.ts';
import { runToEnd, type Work } from '../core/work.ts';
import { computeDesiredState, type DesiredState } from './desired-state.ts';
import { type Blocked, checkPreconditions } from './preconditions.ts';
import { joinsNextChangeInMs, whyUnpublishable } from './publish/checks.ts';
import {
  ANNOTATION_WHEN_DELETED,
  becameReady,
  ignoredEvents,
  patchStep,
  removalMarks,
} from './publish/config-map.ts';
import type { ShardWrite } from './publish/files.ts';
import { untilWritten } from './publish/in-force.ts';
import { publishedNow, whatStaysUnread } from './publish/published.ts';
import { changeSteps } from './publish/steps.ts';
import { SILENCE_MS } from './status/conditions.ts';
import { eventStep } from './status/events.ts';
import {
  atPace,
  type BlockedWorld,
  isStatusOverdue,
  type PoolStatus,
  statusOf,
  statusThen,
  statusWhenBlocked,
} from './status.ts';
import { joinStreams } from './streams/join.ts';
import { removalInTurns } from './streams/removal.ts';
import { measureAvailability, rebalanceInMs } from './workers/availability.ts';
import { probesAfterNudge, probesOf } from './workers/probes.ts';
import { isNudge, refreshNow } from './workers/refresh.ts';
import { scaleNow } from './workers/scaling.ts';
import { hasConverged, JOIN_TOGETHER_MS } from './workers/workers.ts';
import {
  type OrphanWorld,
  type PoolWorld,
  type PublishedChange,
  type Remembered,
  sliceAgeMs,
  unconfirmedMs,
} from './world.ts';

export type Basis =
  | { readonly ok: true; readonly desired: DesiredState }
  | { readonly ok: false; readonly blocked: Blocked };

export type PoolDecision = Decision & {
  readonly probes: readonly WorkerProbe[];
  /** The version that it publishes or refreshes workers to. */
  readonly version?: number;
  /** The texts that it publishes: they need not be parsed when they are read back. */
  readonly writes?: readonly ShardWrite[];
  /** For metrics, introspection and plans; undefined for a deleted pool. */
  readonly basis?: Basis;
  /** StatefulSets that lack pods: the events of their controller are to be read. */
  readonly lacking: readonly Target[];
  readonly remembered: Remembered;
};

type DecidedPool = PoolDecision & { readonly basis: Basis };

/** Undefined while a precondition fails. */
export const desiredIn = ({ basis }: PoolDecision): DesiredState | undefined =>
  basis?.ok === true ? basis.desired : undefined;

export type PoolReport = DecisionReport<PoolWorld | OrphanWorld, PoolDecision>;

export const decidePool = (world: PoolWorld, now: number): DecidedPool =>
  runToEnd(decideInTurns(world, now));

export function* decideInTurns(world: PoolWorld, now: number): Work<DecidedPool> {
  const { spec } = world.pool;
  const before = world.remembered.last;
  // Joined and compared by turns, and then known.
  const joined = spec.ok ? yield* joinStreams(spec.value, world.lists, before?.joined) : undefined;
  if (spec.ok && joined?.list.ok === true)
    yield* removalInTurns(world, spec.value, joined.list.streams);
  const { availability, lacking, remembered } = measureAvailability(world);
  yield;
  const checked = checkPreconditions(world);
  yield;
  const basis: Basis = checked.ok
    ? { ok: true, desired: yield* computeDesiredState(world, checked, availability, now) }
    : checked;
  yield;
  const intended = basis.ok
    ? yield* intend(world, basis.desired, now)
    : whenBlocked(world, basis.blocked, now);
  const last = basis.ok && {
    joined: joined?.list.ok === true ? joined : before?.joined,
    assignment: basis.desired.placing,
  };
  return {
    ...withItsStatus(world, intended),
    basis,
    lacking,
    remembered: { ...remembered, last: last || undefined },
  };
}

/** Uses the pool alone, since any other object may be the cause. */
export function decideFailed(pool: SwarmPool, refused: Refusal | undefined, now: number): Decision {
  const world = { pool, published: publishedNow([]), targets: [] };
  const blocked = decisionFailed('pool', refused, whatStaysUnread(pool));
  return withItsStatus(world, whenBlocked(world, blocked, now));
}

type Actions = Pick<PoolDecision, 'steps' | 'probes' | 'version' | 'writes' | 'requeueAfterMs'>;

/** `status`: left out, a later decision writes it. */
type Intended = Actions & { readonly status?: PoolStatus };

const nothing: Actions = { steps: [], probes: [] };

/** Every decision ends here, and only here status is written. */
function withItsStatus({ pool }: BlockedWorld, { status, ...actions }: Intended): Actions {
  if (pool.meta.isDeleting) return nothing;
  return status === undefined ? actions : { ...actions, ...statusThen(pool, status, actions) };
}

const whenBlocked = (world: BlockedWorld, blocked: Blocked, now: number): Intended => ({
  ...nothing,
  status: atOnce(statusWhenBlocked(world, blocked, now)),
});

function* intend(world: PoolWorld, desired: DesiredState, now: number): Work<Intended> {
  const { version, publication } = desired;
  const probes = probesOf(world, desired);
  yield;
  if (desired.isPaused)
    return { steps: [], status: atOnce(statusOf(world, desired, now)), probes, version };
  const blocked = whyUnpublishable(world, desired);
  if (blocked !== undefined) return { ...whenBlocked(world, blocked, now), probes };
  yield;
  return publication.change === undefined
    ? whenPublished(world, desired, probes, now)
    : whenChanged(world, desired, publication.change, probes, now);
}

/** Publishes, then nudges the workers whose slice changed. The next decision writes status. */
function whenChanged(
  world: PoolWorld,
  desired: DesiredState,
  change: PublishedChange,
  probes: readonly WorkerProbe[],
  now: number,
): Intended {
  const statusMeanwhile = () => ({
    status: atOnce(statusOf(world, { ...desired, ...untilWritten(world.published, desired) }, now)),
  });
  const joinInMs = joinsNextChangeInMs(world, desired, now);
  if (joinInMs > 0)
    return {
      ...(isStatusOverdue(world) && statusMeanwhile()),
      steps: [],
      probes,
      version: desired.version,
      requeueAfterMs: joinInMs,
    };
  const steps = changeSteps(world, desired, change);
  return {
    // A refused write may be refused again.
    ...(world.refused !== undefined && statusMeanwhile()),
    steps,
    probes: probesAfterNudge(world, desired, probes, steps),
    version: change.version,
    writes: desired.publication.writes,
  };
}

/** The ConfigMap is up to date: make all workers follow it, and report how far they are. */
function whenPublished(
  world: PoolWorld,
  desired: DesiredState,
  probes: readonly WorkerProbe[],
  now: number,
): Intended {
  const refresh = refreshNow(world, desired);
  const scaling = scaleNow(world, desired);
  const ready = becameReady(world, desired.workers);
  const waits = [refresh, scaling, ready].map(({ nextInMs }) => nextInMs);
  const dueInMs = nextDueMs(world, desired, waits);
  const { shards } = world.published;
  const steps = [
    ...removalMarks(world, desired.spec, ready.names),
    ...ignoredEvents(shards).map((event) => eventStep(world, event)),
    // A budget may refuse an eviction for a long time, so evictions come last.
    ...refresh.steps.filter(isNudge),
    ...scaling.steps,
    ...refresh.steps.filter((step) => !isNudge(step)),
    ...[...scaling.events, ...refresh.events].map((event) => eventStep(world, event)),
  ];
  return {
    status: atPace(world, desired, statusOf(world, desired, now)),
    steps,
    probes: probesAfterNudge(world, desired, probes, steps),
    version: desired.version,
    ...(dueInMs !== undefined && { requeueAfterMs: dueInMs }),
  };
}

/** `others`: when parts of the decision are due again. */
function nextDueMs(
  world: PoolWorld,
  desired: DesiredState,
  others: readonly (number | undefined)[],
): number | undefined {
  const waits = [
    ...others,
    desired.availability.failover.nextInMs,
    desired.elsewhere?.nextInMs,
    rebalanceInMs(desired.spec, desired.availability.presence) || undefined,
    ...joinWaits(desired),
    ...confirmationWaits(world, desired),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits));
}

/** Of each worker that waits for others to join with it. */
const joinWaits = ({ workers, availability }: DesiredState): readonly number[] =>
  workers
    .filter(
      ({ isDesired, hasJoined, hasFailed, pod }) =>
        isDesired && !hasJoined && !hasFailed && pod?.isReady === true,
    )
    .map(({ key }) => JOIN_TOGETHER_MS - (availability.presence.readyMs[key] ?? 0));

/** Until an unconfirmed worker is silent for too long, or stuck. */
const confirmationWaits = (
  world: PoolWorld,
  { workers, slices, spec }: DesiredState,
): readonly number[] =>
  workers.flatMap((worker) => {
    const { pod, name } = worker;
    if (pod === undefined || hasConverged(worker, slices.get(name))) return [];
    const waits = [
      SILENCE_MS - sliceAgeMs(world, pod),
      spec.refresh.timeoutSeconds * 1000 - unconfirmedMs(world, pod),
    ];
    return waits.filter((left) => left > 0);
  });

/** Deleting a definition deletes its objects one by one: for so long the operator watches it. */
const CERTAIN_MS = 10_000;
const LOOK_MS = 1_000;

/**
 * Its assignment stays, unless the pool asked for removal. Deleting the definition, by mistake or
 * for a new installation, must not stop all streams.
 */
export function decideOrphan({ marked, isServed, goneMs, remembered }: OrphanWorld): PoolDecision {
  const waiting = { ...nothing, lacking: [], remembered: { ...remembered, last: undefined } };
  if (!isServed) {
    const metadata = { annotations: { [ANNOTATION_WHEN_DELETED]: null } };
    return { ...waiting, steps: marked.map((it) => patchStep(it, { metadata })) };
  }
  if (goneMs < CERTAIN_MS)
    return { ...waiting, requeueAfterMs: Math.min(LOOK_MS, CERTAIN_MS - goneMs) };
  return {
    ...waiting,
    steps: marked.map((it) => ({ do: 'delete', kind: kinds.ConfigMap, ref: versionedRefOf(it) })),
  };
}
