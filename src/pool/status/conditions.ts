// Which conditions describe a pool that is at work?
import type { Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Wanted } from '../../core/conditions.ts';
import type { Refusal } from '../../core/decision.ts';
import { ANNOTATION_PAUSED, listed, plural } from '../../core/meta.ts';
import { isPauseUnclear } from '../../core/pause.ts';
import type { DesiredState } from '../desired-state.ts';
import { shardsOf } from '../publish/published.ts';
import type { Because, ConditionReason, ProgressReason } from '../reasons.ts';
import { portOf } from '../refresh/probes.ts';
import { nameOf } from '../targets.ts';
import type { PoolWorld } from '../world.ts';
import type { History } from './history.ts';
import type { WorkerStatus } from './worker-state.ts';

/** For how long a worker that has just started may not answer before that is worth a condition. */
export const SILENCE_MS = 5_000;

type PoolCondition = Wanted & { readonly reason: ConditionReason };

export function poolConditions(
  world: PoolWorld,
  desired: DesiredState,
  workers: readonly WorkerStatus[],
  history: History,
  isConverged: boolean,
  now: number,
): readonly PoolCondition[] {
  const { plan } = desired;
  const progress =
    world.refused !== undefined
      ? refusedText(world.refused)
      : isConverged
        ? allConfirmed(desired)
        : outstanding(desired, workers);
  // Of both at a time readers of conditions make "in progress", and wait for what will not come.
  const stuck = stalled(world, desired, history, now);
  const isStalled = stuck.status === 'True';
  const isAtWork =
    !isStalled && plan === undefined && (!isConverged || world.refused !== undefined);
  return [
    isStalled && plan === undefined
      ? { ...stuck, type: 'Ready', status: 'False' }
      : ready(world, desired, isConverged, progress),
    { type: 'Converged', status: isConverged ? 'True' : 'False', ...progress },
    { type: 'Reconciling', status: isAtWork ? 'True' : 'False', ...progress },
    stuck,
    overcommitted(desired),
    mounted(world, desired),
    unreachable(world, desired),
  ];
}

/** Rights, quotas, admission, budgets: what stands in the way is said in the server's own words. */
const refusedText = ({ reason, message }: Refusal): Because<ProgressReason> => ({
  reason: 'WriteRefused',
  message: `${reason}: ${message}`,
});

const allConfirmed = ({ version, members }: DesiredState): Because<ProgressReason> => ({
  reason: 'AllConfirmed',
  message: `${plural(members.filter(({ isDesired }) => isDesired).length, 'worker')} confirmed version ${version}`,
});

function outstanding(
  { assigned: { deferred }, ending, plan, isPending }: DesiredState,
  workers: readonly WorkerStatus[],
): Because<ProgressReason> {
  const stuck = workers.filter(({ state }) => state === 'Stuck');
  const shown =
    stuck.length > 0
      ? stuck
      : workers.filter(({ state }) => state !== 'Converged' && state !== 'Cordoned');
  const parts = shown
    .slice(0, 3)
    .map(
      ({ name, state, message }) =>
        `${name} ${state}${message === undefined ? '' : ` (${message})`}`,
    );
  if (shown.length > 3) parts.push(`and ${shown.length - 3} more`);
  if (plan !== undefined && isPending)
    parts.push(`a change waits (${plural(plan.length, 'stream')} would move): the pool is paused`);
  if (ending.length > 0)
    parts.push(
      `${listed(ending.map(({ name }) => name))} is ending, and may still run what it had`,
    );
  if (deferred > 0)
    parts.push(`${plural(deferred, 'move')} more will follow (spec.rebalance.maxMoves)`);
  return {
    reason: stuck.length > 0 ? 'WorkersStuck' : 'WorkersOutstanding',
    message: parts.join('; '),
  };
}

function ready(
  { refused }: PoolWorld,
  { plan, unassigned, complaint }: DesiredState,
  isConverged: boolean,
  progress: Because<ProgressReason>,
): PoolCondition {
  if (plan !== undefined) {
    return {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Paused',
      message: `paused: ${plural(plan.length, 'stream')} would move`,
    };
  }
  if (complaint !== undefined)
    return {
      type: 'Ready',
      status: 'False',
      reason: complaint.reason,
      message: complaintText(complaint),
    };
  const [first] = unassigned;
  if (first === undefined)
    return {
      type: 'Ready',
      status: isConverged && refused === undefined ? 'True' : 'False',
      ...progress,
    };
  const names = listed(unassigned.map(({ name }) => name));
  const message = `${plural(unassigned.length, 'stream')} without a worker (${names}): ${first.message}`;
  return { type: 'Ready', status: 'False', reason: first.reason, message };
}

/**
 * So often within so long, mending what others write over is a tug-of-war, and somebody has to know
 * of it.
 */
const MENDED: ReadonlySet<string> = new Set([
  'AssignmentMended',
  'AssignmentLost',
  'AssignmentRestored',
]);
const MENDED_TIMES = 3;
const MENDED_WITHIN_MS = 10 * 60_000;

function stalled(
  world: PoolWorld,
  { complaint, conflict, spec }: DesiredState,
  history: History,
  now: number,
): PoolCondition {
  const mended = history.filter(
    ({ reason, publishTime }) =>
      MENDED.has(reason) && now - Date.parse(publishTime) < MENDED_WITHIN_MS,
  );
  if (complaint?.isStalled !== true && mended.length >= MENDED_TIMES) {
    const places = listed(
      shardsOf(world.pool.meta.name, spec).map(({ name, key }) => `${key} of ConfigMap ${name}`),
    );
    const message = `somebody else writes ${places} too: it was put right ${mended.length} times within 10 minutes; leave the key out of manifests and tools that apply them`;
    return { type: 'Stalled', status: 'True', reason: 'AssignmentsConflict', message };
  }
  if (complaint?.isStalled === true)
    return {
      type: 'Stalled',
      status: 'True',
      reason: complaint.reason,
      message: complaintText(complaint),
    };
  if (conflict !== undefined) {
    const { reason, message } = conflict;
    return { type: 'Stalled', status: 'True', reason, message };
  }
  return { type: 'Stalled', status: 'False', ...working(world, spec) };
}

/**
 * With Follow the pool has no size of its own: the API server answers its autoscaler by an error,
 * which only that one's events tell.
 */
function working(
  { pool, ownAutoscaler, targets }: PoolWorld,
  { workers }: SwarmPoolSpec,
): Because<ConditionReason> {
  if (isPauseUnclear(pool.meta)) {
    return {
      reason: 'AnnotationIgnored',
      message: `the pool's annotation ${ANNOTATION_PAUSED} is neither "true" nor "false": it pauses nothing`,
    };
  }
  if (ownAutoscaler === undefined || workers.scaling === 'Lead')
    return { reason: 'Working', message: 'nothing is in the way' };
  const message = `HorizontalPodAutoscaler ${ownAutoscaler} cannot scale SwarmPool ${pool.meta.name}: set spec.workers.scaling to Lead, or let it scale ${listed(targets.map(nameOf))}`;
  return { reason: 'AutoscalerIgnored', message };
}

const complaintText = ({ message }: Because<string>): string =>
  `${message}; the streams that are published stay in force`;

/** The weights ask for more than the workers have; what becomes of that, spec.overcommit says. */
function overcommitted({ assigned, members }: DesiredState): PoolCondition {
  const workers = members.filter(({ hasJoined, isCordoned }) => hasJoined && !isCordoned).length;
  const enough = `${plural(workers, 'worker')} for weights that need ${assigned.required}`;
  const waiting = assigned.unassigned.filter(
    ({ reason }) => reason === 'InsufficientCapacity',
  ).length;
  if (waiting > 0) {
    return {
      type: 'Overcommitted',
      status: 'True',
      reason: 'InsufficientCapacity',
      message: `${enough}; ${plural(waiting, 'stream')} unassigned`,
    };
  }
  if (assigned.isOvercommitted)
    return {
      type: 'Overcommitted',
      status: 'True',
      reason: 'Allowed',
      message: `${enough}; spread all the same`,
    };
  return {
    type: 'Overcommitted',
    status: 'False',
    reason: 'RoomForAll',
    message: 'every reserved stream has its room',
  };
}

/** The first target that does not mount all of it is named, with what it mounts instead. */
function mounted(world: PoolWorld, { spec, targets }: DesiredState): PoolCondition {
  const written = shardsOf(world.pool.meta.name, spec).map(({ name }) => name);
  if (targets.length === 0)
    return {
      type: 'Mounted',
      status: 'Unknown',
      reason: 'NotMounted',
      message: 'the pool has no target now',
    };
  const missingIn = ({ mountedConfigMaps }: Target): readonly string[] =>
    written.filter((name) => !mountedConfigMaps.includes(name));
  const lacking = targets.find((target) => missingIn(target).length > 0);
  if (lacking === undefined) {
    return {
      type: 'Mounted',
      status: 'True',
      reason: 'Mounted',
      message: `${targets.map(nameOf).join(', ')} mounts ${listed(written)}`,
    };
  }
  const mounts =
    lacking.mountedConfigMaps.length === 0 ? 'no ConfigMap' : listed(lacking.mountedConfigMaps);
  const message = `${nameOf(lacking)} mounts ${mounts}, the pool writes ${listed(missingIn(lacking))}`;
  return { type: 'Mounted', status: 'False', reason: 'NotMounted', message };
}

function unreachable(world: PoolWorld, { members, spec }: DesiredState): PoolCondition {
  const asked = spec.probe.type === 'None' ? [] : members;
  const silent = asked.filter(({ pod, answer }) => {
    const isLong = pod !== undefined && (world.ages.sliceMs[pod.uid] ?? 0) >= SILENCE_MS;
    return (
      isLong &&
      pod.isReady &&
      !pod.isTerminating &&
      (answer?.ok === false || portOf(pod, spec.probe.httpGet.port) === undefined)
    );
  });
  if (silent.length === 0)
    return {
      type: 'ProbeUnreachable',
      status: 'False',
      reason: 'Answering',
      message: 'every Ready worker answers',
    };
  const first = silent[0];
  const why =
    first?.answer?.ok === false
      ? first.answer.reason
      : `no container port is named ${spec.probe.httpGet.port}`;
  const message = `${listed(silent.map(({ name }) => name))}: ${why}; see spec.probe.httpGet and the NetworkPolicies of the workers`;
  return { type: 'ProbeUnreachable', status: 'True', reason: 'NoAnswer', message };
}
