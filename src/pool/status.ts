// What does status say? It is made anew from what was observed.
import { digestOf } from '../api/assignment.ts';
import { replicasOf, type Target, targetName } from '../api/observed.ts';
import type { SwarmPoolStatus } from '../api/validate.ts';
import { blockedConditions } from '../core/blocked.ts';
import { nextConditions } from '../core/conditions.ts';
import { timeText } from '../core/text.ts';
import type { DesiredState } from './desired-state.ts';
import type { Blocked } from './preconditions.ts';
import { ownShards } from './publish/config-maps.ts';
import { changesIn, versionIn } from './publish/published.ts';
import { complete } from './status/complete.ts';
import { poolConditions } from './status/conditions.ts';
import { historyWith, withConvergence } from './status/history.ts';
import { shownKept } from './status/kept.ts';
import { shownFailing, streamHealth, streamsHealthy } from './status/stream-health.ts';
import { stateOf, type WorkerStatus } from './status/worker-state.ts';
import { streamsOf } from './streams/streams.ts';
import { isSettled, isVerified, loadOf, type PoolWorker } from './workers/workers.ts';
import type { PoolWorld } from './world.ts';

/** The first entries are shown; counts tell the rest. */
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
/** The whole status then stays below 256 KiB. */
const MOST_NAMES_BYTES = 128 * 1024;

/** `lists`: undefined if they were not read. */
export type BlockedWorld = Pick<PoolWorld, 'pool' | 'published' | 'targets' | 'excess'> & {
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
  { pool: { spec }, lists, excess }: BlockedWorld,
  wasPublished: boolean,
): Pick<SwarmPoolStatus, 'streams'> {
  if (!spec.ok || lists === undefined || excess !== undefined) return {};
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
  const workers = workerStatuses(world, desired).map((worker) => {
    const failing = health.failingAt.get(worker.name);
    return failing === undefined ? worker : { ...worker, failing };
  });
  const counted = desired.workers.filter(({ isDesired }) => isDesired);
  const converged = counted.filter((worker) => isSettled(worker, slices.get(worker.name)));
  const isConverged = isConvergedNow(desired);
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
    convergedReplicas: Math.min(converged.length, replicasOf(targets)),
    requiredReplicas: desired.assigned.required,
    streams: {
      total: desired.streams.length,
      assigned: desired.given,
      unassigned: unassigned.length,
      ...health.counts,
      ...(isOnce && { completed: desired.completed.size }),
      ...(suspended > 0 && { suspended }),
    },
    ...(failing.length > 0 && { failing }),
    ...(desired.removal?.state === 'Held' && { removal: desired.removal.shown }),
    workers: withinBounds(workers.slice(0, SHOWN), slices),
    unassigned: unassigned.slice(0, SHOWN),
    ...(kept.length > 0 && { kept: shownKept(kept) }),
    ...(desired.plan !== undefined && {
      plan: { total: desired.plan.length, moves: desired.plan.slice(0, SHOWN) },
    }),
    history: withConvergence(history, desired.version, isConverged, now),
    conditions: nextConditions(before?.conditions, wanted, meta.generation, timeText(now)),
  };
}

/** One without a worker has no place to keep: it is unassigned. */
function suspendedIn({ slices, unassigned }: DesiredState): number {
  const kept = [...slices.values()].flatMap((slice) => slice.suspended ?? []);
  if (kept.length === 0) return 0;
  const without = new Set(unassigned.map(({ name }) => name));
  return kept.filter((name) => !without.has(name)).length;
}

/** The desired state is published, and every stream runs at its worker and nowhere else. */
export const isConvergedNow = ({ workers, slices, isPending, ending }: DesiredState): boolean =>
  !isPending && ending.length === 0 && isVerified(workers, slices);

export const workerStatuses = (world: PoolWorld, desired: DesiredState): readonly WorkerStatus[] =>
  desired.workers.map((worker) => workerStatus(world, desired, worker));

/** Cuts off names where all would exceed the limit; a total and a digest tell the rest. */
function withinBounds(
  workers: readonly WorkerStatus[],
  slices: DesiredState['slices'],
): readonly WorkerStatus[] {
  const bytesOf = (jobs: readonly string[]): number =>
    jobs.reduce((sum, job) => sum + bytesIn(job), 0);
  if (workers.reduce((sum, { jobs = [] }) => sum + bytesOf(jobs), 0) <= MOST_NAMES_BYTES)
    return workers;
  const part = MOST_NAMES_BYTES / workers.length;
  return workers.map((worker) => {
    const { jobs = [] } = worker;
    const slice = slices.get(worker.name);
    if (slice === undefined || bytesOf(jobs) <= part) return worker;
    let room = part;
    const shown = jobs.filter((job) => {
      room -= bytesIn(job);
      return room >= 0;
    });
    return { ...worker, jobs: shown, total: jobs.length, digest: digestOf(slice) };
  });
}

/** With quotes, comma and indentation. */
const bytesIn = (name: string): number =>
  (isPlain.test(name) ? name.length : new TextEncoder().encode(name).length) + 8;
const isPlain = /^[ -~]*$/;

function workerStatus(world: PoolWorld, desired: DesiredState, worker: PoolWorker): WorkerStatus {
  const { name, slot, answer } = worker;
  const slice = desired.slices.get(name);
  const reportedVersion = answer?.ok === true ? answer.report.version : undefined;
  return {
    name,
    ...(slot !== undefined && { slot }),
    jobs: slice?.jobs ?? [],
    load: loadOf(slice),
    ...(slice !== undefined && { version: slice.version }),
    ...(reportedVersion !== undefined && { reportedVersion }),
    ...stateOf(world, desired, worker, slice),
  };
}
