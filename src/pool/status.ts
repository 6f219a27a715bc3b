// What does status say, and when is it written? It is computed from what was observed.
import { kinds } from '../api/kinds.ts';
import { replicasOf, type Target, targetName } from '../api/observed.ts';
import type { SwarmPool, SwarmPoolStatus } from '../api/validate.ts';
import { blockedConditions } from '../core/blocked.ts';
import { nextConditions } from '../core/conditions.ts';
import type { Decision, Step } from '../core/decision.ts';
import { isSameJson } from '../core/json.ts';
import { type DueStatus, ownStatusSteps, paceInMs, withStatus } from '../core/own-status.ts';
import { timeText } from '../core/text.ts';
import type { DesiredState } from './desired-state.ts';
import type { Blocked } from './preconditions.ts';
import { ownShards } from './publish/config-map.ts';
import type { Publication } from './publish/publication.ts';
import { changesIn, versionIn } from './publish/published.ts';
import { type History, poolConditions } from './status/conditions.ts';
import { streamsDown, takeoverTimes } from './status/down.ts';
import { shownKept, statusEvents } from './status/events.ts';
import {
  complete,
  type FailingStream,
  shownFailing,
  streamHealth,
  streamsHealthy,
} from './status/stream-health.ts';
import { type WorkerStatus, withinBounds, workerStatuses } from './status/worker-state.ts';
import { streamsOf } from './streams/join.ts';
import { isAtWork, isSettled, isVerified } from './workers/workers.ts';
import type { PoolWorld, PublishedChange } from './world.ts';

/** The first entries are shown; totals cover the rest. */
const SHOWN = 100;
const conditionTypes = [
  'Ready',
  'Converged',
  'Reconciling',
  'Stalled',
  'Overcommitted',
  'Mounted',
  'ProbeUnreachable',
  'StreamsHealthy',
];

/** `lists`: undefined if they were not read. */
export type BlockedWorld = Pick<PoolWorld, 'pool' | 'published' | 'targets' | 'exceededBy'> & {
  readonly lists?: PoolWorld['lists'];
};

/** Figures are of now or left out; only the version and the history are carried over. */
export function statusWhenBlocked(
  world: BlockedWorld,
  blocked: Blocked,
  now: number,
): SwarmPoolStatus {
  const { meta, status } = world.pool;
  const own = ownShards(world.pool, world.published);
  const changes = changesIn(own);
  const version = Math.max(versionIn(own), changes[0]?.version ?? 0, status?.version ?? 0);
  // A target of another pool is not shown as this pool's.
  const targets = blocked.reason === 'TargetConflict' ? [] : world.targets;
  const wanted = blockedConditions(conditionTypes, blocked);
  return {
    observedGeneration: meta.generation,
    ...(version > 0 && { version }),
    replicas: replicasOf(targets),
    ...targetOf(targets),
    ...countedWhenBlocked(world, version > 0),
    history: historyWith(status?.history ?? [], changes),
    conditions: nextConditions(status?.conditions, wanted, meta.generation, timeText(now)),
  };
}

/** Which of them have a worker is known only as long as nothing was published. */
function countedWhenBlocked(
  { pool: { spec }, lists, exceededBy }: BlockedWorld,
  wasPublished: boolean,
): Pick<SwarmPoolStatus, 'streams'> {
  if (!spec.ok || lists === undefined || exceededBy !== undefined) return {};
  const list = streamsOf(spec.value, lists);
  if (!list.ok) return {};
  const total = list.streams.length;
  return { streams: wasPublished ? { total } : { total, assigned: 0, unassigned: total } };
}

/** An autoscaler takes a single selector, so several targets have none. */
function targetOf(targets: readonly Target[]): Pick<SwarmPoolStatus, 'selector' | 'target'> {
  const [only, ...others] = targets;
  if (only === undefined) return {};
  return {
    ...(others.length === 0 && { selector: only.selector }),
    target: targets.map(targetName).join(','),
  };
}

export function statusOf(world: PoolWorld, desired: DesiredState, now: number): SwarmPoolStatus {
  const { meta, status: before } = world.pool;
  const { slices, targets, unassigned } = desired;
  const { kept } = desired.assigned;
  const health = streamHealth(desired, now);
  const times = takeoverTimes(world, desired, now);
  const isConverged = isConvergedNow(desired);
  // Once converged, no condition looks at the workers that are not shown.
  const said = isConverged ? SHOWN : desired.workers.length;
  const workers = workerStatuses(world, desired, said).map((worker): WorkerStatus => {
    const failing = health.failingAt.get(worker.name);
    const time = times.get(worker.name);
    return {
      ...worker,
      ...(failing !== undefined && { failing }),
      ...(time !== undefined && { takeoverTime: time }),
    };
  });
  const down = streamsDown(world, desired);
  const counted = desired.workers.filter(({ isDesired }) => isDesired);
  const settled = counted.filter((worker) => isSettled(worker, slices.get(worker.name)));
  const history = historyWith(before?.history ?? [], world.published.changes);
  const isOnce = desired.spec.streamPolicy.completion === 'Once';
  const suspended = suspendedIn(desired);
  const failing = shownFailing(health, slices);
  const wanted = [
    ...poolConditions(world, desired, workers, history, isConverged, now),
    streamsHealthy(health, desired),
    ...(isOnce ? [complete(health, desired)] : []),
  ];
  return {
    observedGeneration: meta.generation,
    // A restored or spoiled ConfigMap does not lower the version.
    version: Math.max(desired.version, world.published.change?.version ?? 0, before?.version ?? 0),
    replicas: replicasOf(targets),
    ...targetOf(targets),
    readyReplicas: Math.min(
      counted.filter(({ pod }) => pod?.isReady === true).length,
      replicasOf(targets),
    ),
    // Surplus pods of a Deployment count until its ReplicaSet has chosen.
    convergedReplicas: Math.min(settled.length, replicasOf(targets)),
    requiredReplicas: desired.assigned.required,
    streams: {
      total: desired.streams.length,
      assigned: desired.given,
      unassigned: unassigned.length,
      ...health.counts,
      ...(isOnce && { completed: desired.completed.size }),
      ...(suspended > 0 && { suspended }),
      ...(down > 0 && { down }),
    },
    ...(failing.length > 0 && { failing }),
    ...(desired.removal?.state === 'Held' && { removal: desired.removal.shown }),
    workers: withinBounds(workers.slice(0, SHOWN), slices),
    unassigned: unassigned.slice(0, SHOWN),
    ...(kept.length > 0 && { kept: shownKept(kept) }),
    ...(desired.isPaused && { plan: planShown(desired.publication) }),
    history: withConvergence(history, desired.version, isConverged, now),
    conditions: nextConditions(before?.conditions, wanted, meta.generation, timeText(now)),
  };
}

/** A suspended stream without a worker is unassigned. */
function suspendedIn({ slices, unassigned }: DesiredState): number {
  const kept = [...slices.values()].flatMap((slice) => slice.suspended ?? []);
  if (kept.length === 0) return 0;
  const without = new Set(unassigned.map(({ name }) => name));
  return kept.filter((name) => !without.has(name)).length;
}

/** The desired state is published, and every stream runs at its worker and nowhere else. */
export const isConvergedNow = ({ workers, slices, isPending, ending }: DesiredState): boolean =>
  !isPending && ending.length === 0 && isVerified(workers, slices);

const HISTORY = 20;

/** Read from the ConfigMaps, so that no crash loses one. */
function historyWith(before: History, changes: readonly PublishedChange[]): History {
  const fresh = changesAfter(before, changes).map(({ version, moves, reason, time }) => ({
    version,
    moves,
    reason,
    publishTime: time,
  }));
  return fresh.length === 0 ? before : [...fresh, ...before].slice(0, HISTORY);
}

/** Changes that the history in status lacks, as many as it can take. */
export const unreportedChanges = (
  status: SwarmPoolStatus | undefined,
  changes: readonly PublishedChange[],
): readonly PublishedChange[] => changesAfter(status?.history ?? [], changes).slice(0, HISTORY - 1);

const changesAfter = (
  history: History,
  changes: readonly PublishedChange[],
): readonly PublishedChange[] =>
  changes.filter(({ version }) => version > (history[0]?.version ?? 0));

const planShown = ({ moves }: Publication) => ({
  total: moves.length,
  moves: moves.slice(0, SHOWN),
});

function withConvergence(
  history: History,
  version: number,
  isConverged: boolean,
  now: number,
): History {
  const [newest, ...rest] = history;
  if (
    newest === undefined ||
    !isConverged ||
    newest.version !== version ||
    newest.convergenceTime !== undefined
  )
    return history;
  return [{ ...newest, convergenceTime: timeText(now) }, ...rest];
}

export type PoolStatus = DueStatus<SwarmPoolStatus>;

/** Status comes first: a refusal of a later step must not keep it from being written. */
export const statusThen = (
  pool: SwarmPool,
  { says, dueInMs }: PoolStatus,
  { steps: after, requeueAfterMs }: Decision,
): Decision => withStatus(statusSteps(pool, says), dueInMs, { after, requeueAfterMs });

function statusSteps(pool: SwarmPool, status: SwarmPoolStatus): readonly Step[] {
  // A stream that ends again and again changes its figures each time: they alone are not written.
  const isNews = !isSameJson(pool.status, withNotedFigures(pool.status, status));
  return isNews ? ownStatusSteps(kinds.SwarmPool, pool, status, statusEvents) : [];
}

/** With the old figures of streams that failed before at the same worker. */
function withNotedFigures(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): SwarmPoolStatus {
  if (after.failing === undefined) return after;
  const noted = new Map(before?.failing?.map((it) => [failureKey(it), it]));
  return { ...after, failing: after.failing.map((it) => noted.get(failureKey(it)) ?? it) };
}

const failureKey = ({ name, worker, state }: FailingStream): string =>
  JSON.stringify([name, worker, state]);

/** A change that all workers confirm within this time needs one status write instead of two. */
const SETTLE_MS = 2_000;
/** A probe has succeeded or failed by then. */
const PROBE_MS = 10_000;

export const isStatusOverdue = ({ ages }: PoolWorld): boolean => ages.statusLagMs >= SETTLE_MS;

/** Conditions at once, progress every two seconds. */
export function atPace(
  world: PoolWorld,
  desired: DesiredState,
  status: SwarmPoolStatus,
): PoolStatus {
  const { ages, pool } = world;
  return {
    says: status,
    dueInMs: () =>
      Math.max(settlesInMs(world, desired), paceInMs(pool.status, status, newsIn, ages.statusMs)),
  };
}

function settlesInMs(world: PoolWorld, desired: DesiredState): number {
  if (!isSettling(world, desired)) return 0;
  const { statusLagMs, publishedMs } = world.ages;
  return settleMs(world, desired) - (statusLagMs > 0 ? statusLagMs : publishedMs);
}

/** All else is only progress: the conditions stay, of the same version and spec. */
const newsIn = (status: SwarmPoolStatus | undefined): readonly unknown[] => [
  status?.observedGeneration,
  status?.version,
  status?.replicas,
  [status?.streams?.total, status?.streams?.assigned, status?.streams?.unassigned],
  status?.plan,
  status?.conditions
    ?.filter(({ type }) => type !== 'StreamsHealthy')
    .map(({ type, status: is, reason }) => [type, is, reason]),
];

/**
 * In the first moments of a change only the progress is new. Never delayed: the first status,
 * another number of workers (a wait for Converged must not see the old one), a refusal.
 */
function isSettling(
  { pool: { status }, refused }: PoolWorld,
  { workers, slices, targets }: DesiredState,
): boolean {
  if (refused !== undefined || status?.replicas !== replicasOf(targets)) return false;
  return status.version !== undefined && !isVerified(workers, slices);
}

/**
 * A new leader keeps the status until it has probed all workers, which takes minutes for 100,000:
 * most have long confirmed.
 */
function settleMs({ pool, unprobed }: PoolWorld, { workers, version }: DesiredState): number {
  const unanswered = workers.flatMap(({ isDesired, isProbed, pod, answer }) =>
    isDesired && isProbed && pod !== undefined && isAtWork(pod) && answer === undefined
      ? [pod.uid]
      : [],
  );
  if (unanswered.length === 0 || pool.status?.version !== version) return SETTLE_MS;
  return unanswered.some((uid) => unprobed.has(uid)) ? Infinity : PROBE_MS;
}
