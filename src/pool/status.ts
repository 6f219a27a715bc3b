// What do we tell about a pool? All of its status, made anew from what is known.
import { digestOf, type Slice } from '../api/assignment.ts';
import type { Target } from '../api/observed.ts';
import type { SwarmPoolStatus } from '../api/validate.ts';
import { blockedConditions } from '../core/blocked.ts';
import { type Condition, nextConditions, type Wanted } from '../core/conditions.ts';
import { timeText } from '../core/meta.ts';
import type { DesiredState } from './desired-state.ts';
import type { Blocked } from './preconditions.ts';
import { ownership } from './publish/ownership.ts';
import { changesIn, versionIn } from './publish/published.ts';
import { isSettled, isVerified } from './refresh/convergence.ts';
import { poolConditions } from './status/conditions.ts';
import { historyWith, withConvergence } from './status/history.ts';
import { stateOf, type WorkerStatus } from './status/worker-state.ts';
import { nameOf, sizeOf } from './targets.ts';
import type { Member } from './workers/members.ts';
import type { PoolWorld } from './world.ts';

/** Status is no place for thousands of entries: the first are shown, the numbers tell the rest. */
const SHOWN = 100;
const conditionTypes = [
  'Ready',
  'Converged',
  'Reconciling',
  'Stalled',
  'Overcommitted',
  'Mounted',
  'ProbeUnreachable',
];
/** With the rest of the status, below 256 KiB. */
const MOST_NAMES_BYTES = 128 * 1024;

/**
 * Figures are of now, or left out: nothing is carried over from the last good status but the
 * version and the history.
 */
export function statusWhenBlocked(
  world: Pick<PoolWorld, 'pool' | 'published' | 'targets'>,
  blocked: Blocked,
  now: number,
): SwarmPoolStatus {
  const { meta, status } = world.pool;
  const own = world.published.shards.filter(
    ({ configMap, key }) => ownership(configMap, meta.name, key) !== 'foreign',
  );
  const changes = changesIn(own);
  const version = Math.max(versionIn(own), changes[0]?.version ?? 0, status?.version ?? 0);
  // The target of another pool is none of this one's.
  const targets = blocked.reason === 'TargetConflict' ? [] : world.targets;
  const wanted = blockedConditions(conditionTypes, blocked);
  return {
    observedGeneration: meta.generation,
    ...(version > 0 && { version }),
    replicas: sizeOf(targets),
    ...targetOf(targets),
    history: historyWith(status?.history ?? [], changes),
    conditions: conditionsOf(status, wanted, meta.generation, now),
  };
}

/** An autoscaler takes one selector: of several targets there is none. */
function targetOf(targets: readonly Target[]): Pick<SwarmPoolStatus, 'selector' | 'target'> {
  const [only, ...others] = targets;
  if (only === undefined) return {};
  return {
    ...(others.length === 0 && { selector: only.selector }),
    target: targets.map(nameOf).join(','),
  };
}

export function statusOf(world: PoolWorld, desired: DesiredState, now: number): SwarmPoolStatus {
  const { meta, status: before } = world.pool;
  const { members, slices, targets } = desired;
  const { unassigned } = desired;
  const workers = workerStatuses(world, desired);
  const counted = members.filter((member) => member.isDesired);
  const converged = counted.filter((member) => isSettled(member, slices.get(member.name)));
  const isConverged = isConvergedNow(desired);
  const history = historyWith(before?.history ?? [], world.published.changes);
  const wanted = poolConditions(world, desired, workers, history, isConverged, now);
  return {
    observedGeneration: meta.generation,
    // An older ConfigMap that somebody brought back, or a newer one that was spoiled, does not make
    // it forget how far it was.
    version: Math.max(desired.version, world.published.change?.version ?? 0, before?.version ?? 0),
    replicas: sizeOf(targets),
    ...targetOf(targets),
    readyReplicas: Math.min(
      counted.filter(({ pod }) => pod?.isReady === true).length,
      sizeOf(targets),
    ),
    // Pods of a Deployment that has become smaller count until its ReplicaSet has chosen.
    convergedReplicas: Math.min(converged.length, sizeOf(targets)),
    requiredReplicas: desired.assigned.required,
    streams: {
      total: desired.streams.length,
      assigned: desired.given,
      unassigned: unassigned.length,
    },
    workers: withinBounds(workers.slice(0, SHOWN), slices),
    unassigned: unassigned.slice(0, SHOWN),
    ...(desired.plan !== undefined && {
      plan: { total: desired.plan.length, moves: desired.plan.slice(0, SHOWN) },
    }),
    history: withConvergence(history, desired.version, isConverged, now),
    conditions: conditionsOf(before, wanted, meta.generation, now),
  };
}

/** What ought to be is published, and every stream runs at its worker, and nowhere else. */
export const isConvergedNow = ({ members, slices, isPending, ending }: DesiredState): boolean =>
  !isPending && ending.length === 0 && isVerified(members, slices);

/** All of them, each with all of its streams. */
export const workerStatuses = (world: PoolWorld, desired: DesiredState): readonly WorkerStatus[] =>
  desired.members.map((member) =>
    workerStatus(world, desired, member, desired.slices.get(member.name)),
  );

/**
 * Names of streams can be long and many: together they stay well below what an object may hold.
 * Each worker shows as many of its own as its part allows, and what the rest is by number and
 * digest.
 */
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

/** With its quotes, comma and indentation. */
const bytesIn = (name: string): number =>
  (isPlain.test(name) ? name.length : new TextEncoder().encode(name).length) + 8;
const isPlain = /^[ -~]*$/;

function workerStatus(
  world: PoolWorld,
  desired: DesiredState,
  member: Member,
  slice: Slice | undefined,
): WorkerStatus {
  const { name, slot, answer } = member;
  const reportedVersion = answer?.ok === true ? answer.report.version : undefined;
  return {
    name,
    ...(slot !== undefined && { slot }),
    jobs: slice?.jobs ?? [],
    load: Object.values(slice?.weights ?? {}).reduce((sum, weight) => sum + weight, 0),
    ...(slice !== undefined && { version: slice.version }),
    ...(reportedVersion !== undefined && { reportedVersion }),
    ...stateOf(
      desired,
      member,
      slice,
      member.pod === undefined ? 0 : (world.ages.sliceMs[member.pod.uid] ?? 0),
    ),
  };
}

function conditionsOf(
  before: SwarmPoolStatus | undefined,
  wanted: readonly Wanted[],
  generation: number,
  now: number,
): readonly Condition[] {
  return nextConditions(before?.conditions, wanted, generation, timeText(now));
}
