// Which conditions does a pool have if it is not blocked?
import { type Target, targetName } from '../../api/observed.ts';
import { oneLine } from '../../api/text.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { Wanted } from '../../core/conditions.ts';
import { isContested, recentChanges } from '../../core/contest.ts';
import { ANNOTATION_PAUSED } from '../../core/labels.ts';
import { isPauseUnclear } from '../../core/pause.ts';
import type { Reason } from '../../core/reason.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { shardsOf } from '../publish/published.ts';
import type { ConditionReason, ProgressReason } from '../reasons.ts';
import { ANNOTATION_RESTART, readRestarts } from '../streams/restarts.ts';
import { portOf } from '../workers/probes.ts';
import { type PoolWorld, sliceAgeMs } from '../world.ts';
import { keptSummary, unassignedText } from './events.ts';
import { outstanding } from './outstanding.ts';
import type { WorkerStatus } from './worker-state.ts';

export type History = NonNullable<SwarmPoolStatus['history']>;

/** A worker that has just started may be silent for this long. */
export const SILENCE_MS = 5_000;

type PoolCondition = Wanted & { readonly reason: ConditionReason };

const condition = (
  type: string,
  status: PoolCondition['status'],
  reason: ConditionReason,
  message: string,
): PoolCondition => ({ type, status, reason, message });

export function poolConditions(
  world: PoolWorld,
  desired: DesiredState,
  workers: readonly WorkerStatus[],
  history: History,
  isConverged: boolean,
  now: number,
): readonly PoolCondition[] {
  const { isPaused } = desired;
  const mount = mounted(world, desired);
  const progress = progressOf(world, desired, workers, isConverged, mount);
  const stalled = stalledCondition(world, desired, history, now);
  const isStalled = stalled.status === 'True';
  // Readers interpret Stalled and Reconciling together as "in progress", and would wait for ever.
  const isAtWork = !isStalled && !isPaused && (!isConverged || world.refused !== undefined);
  return [
    isStalled && !isPaused
      ? { ...stalled, type: 'Ready', status: 'False' }
      : ready(world, desired, isConverged, progress),
    { type: 'Converged', status: isConverged ? 'True' : 'False', ...progress },
    { type: 'Reconciling', status: isAtWork ? 'True' : 'False', ...progress },
    stalled,
    overcommitted(desired),
    mount,
    unreachable(world, desired),
  ];
}

function progressOf(
  world: PoolWorld,
  desired: DesiredState,
  workers: readonly WorkerStatus[],
  isConverged: boolean,
  mount: PoolCondition,
): Reason<ProgressReason> {
  const { refused } = world;
  // Rights, quotas, admission, budgets: in the server's own words.
  if (refused !== undefined)
    return { reason: 'WriteRefused', message: `${refused.reason}: ${refused.message}` };
  if (!isConverged) {
    const isTakenUp = workers.some(({ state }) => state === 'Converged');
    return mount.status === 'False' && !isTakenUp
      ? { reason: 'NotMounted', message: `${mount.message}: add it to the volumes of the pods` }
      : outstanding(world, desired, workers);
  }
  const confirmed = desired.workers.filter(({ isDesired }) => isDesired).length;
  const message = `${plural(confirmed, 'worker')} confirmed version ${desired.version}`;
  return { reason: 'AllConfirmed', message };
}

function ready(
  { refused }: PoolWorld,
  { isPaused, publication, unassigned, stranded, blockedParts, assigned: { kept } }: DesiredState,
  isConverged: boolean,
  progress: Reason<ProgressReason>,
): PoolCondition {
  if (isPaused) {
    const moves = `paused: ${plural(publication.moves.length, 'stream')} would move`;
    return stranded.size === 0
      ? condition('Ready', 'Unknown', 'Paused', moves)
      : condition('Ready', 'False', 'Paused', `${moves}; ${unassignedText(unassigned)}`);
  }
  const { list } = blockedParts;
  if (list !== undefined) return condition('Ready', 'False', list.reason, complaintText(list));
  const [first] = [...unassigned, ...kept];
  if (first === undefined) {
    const isReady = isConverged && refused === undefined;
    return { type: 'Ready', status: isReady ? 'True' : 'False', ...progress };
  }
  const texts = [
    ...(unassigned.length > 0 ? [unassignedText(unassigned)] : []),
    ...(kept.length > 0 ? [keptSummary(kept)] : []),
  ];
  return condition('Ready', 'False', first.reason, texts.join('; '));
}

/** Reasons for a repair of the ConfigMaps after changes by another client. */
const REPAIRS: ReadonlySet<string> = new Set([
  'AssignmentMended',
  'AssignmentLost',
  'AssignmentRestored',
]);

function stalledCondition(
  world: PoolWorld,
  desired: DesiredState,
  history: History,
  now: number,
): PoolCondition {
  const { blockedParts, spec } = desired;
  const { list, removal, scaling } = blockedParts;
  if (list?.isStalled === true)
    return condition('Stalled', 'True', list.reason, complaintText(list));
  if (removal !== undefined) return condition('Stalled', 'True', removal.reason, removal.message);
  const repairs = recentChanges(
    history.flatMap((it) => (REPAIRS.has(it.reason) ? [Date.parse(it.publishTime)] : [])),
    now,
  );
  if (isContested(repairs)) {
    const keys = listed(
      shardsOf(world.pool.meta.name, spec).map(({ name, key }) => `${key} of ConfigMap ${name}`),
    );
    const message = `another client also writes ${keys}, and the operator reverted that ${repairs.length} times within 10 minutes: remove the key from manifests and from tools that apply them`;
    return condition('Stalled', 'True', 'AssignmentsConflict', message);
  }
  if (scaling !== undefined) return condition('Stalled', 'True', scaling.reason, scaling.message);
  return notStalled(world, desired);
}

/**
 * Without scaling Lead, the API server refuses an autoscaler of the pool: only events of the
 * autoscaler show it.
 */
function notStalled(world: PoolWorld, desired: DesiredState): PoolCondition {
  const { pool, ownAutoscaler, targets } = world;
  const { workers } = desired.spec;
  if (isPauseUnclear(pool.meta)) {
    const message = `the pool's annotation ${ANNOTATION_PAUSED} is neither "true" nor "false", so it has no effect`;
    return condition('Stalled', 'False', 'AnnotationIgnored', message);
  }
  const ignored = ignoredRestarts(world, desired);
  if (ignored !== undefined) return condition('Stalled', 'False', 'AnnotationIgnored', ignored);
  if (ownAutoscaler === undefined || workers.scaling === 'Lead')
    return condition('Stalled', 'False', 'Working', 'nothing blocks it');
  const instead =
    workers.scaling === 'Auto' ? 'remove it' : `point it at ${listed(targets.map(targetName))}`;
  const message = `HorizontalPodAutoscaler ${ownAutoscaler} cannot scale SwarmPool ${pool.meta.name}: set spec.workers.scaling to Lead, or ${instead}`;
  return condition('Stalled', 'False', 'AutoscalerIgnored', message);
}

const complaintText = ({ message }: Reason<string>): string =>
  `${message}; the published assignment stays in force`;

/** The weights exceed the capacity of the workers. */
function overcommitted({ assigned, workers, spec }: DesiredState): PoolCondition {
  const usable = workers.filter(({ hasJoined, isCordoned }) => hasJoined && !isCordoned).length;
  const enough = `${plural(usable, 'worker')} for weights that need ${assigned.neededForWeights}`;
  const all = assigned.unassigned.length;
  const waiting = assigned.unassigned.filter(
    ({ reason }) => reason === 'InsufficientCapacity',
  ).length;
  if (waiting > 0) {
    const others = waiting < all ? ` for lack of room, ${all - waiting} for other reasons` : '';
    const { scaling, maxReplicas = 0 } = spec.workers;
    const bound =
      scaling === 'Auto' && maxReplicas <= usable
        ? `; spec.workers.maxReplicas is ${maxReplicas}`
        : '';
    const message = `${enough}; ${plural(waiting, 'stream')} unassigned${others}${bound}`;
    return condition('Overcommitted', 'True', 'InsufficientCapacity', message);
  }
  return assigned.isOvercommitted
    ? condition('Overcommitted', 'True', 'Allowed', `${enough}; streams are spread anyway`)
    : condition('Overcommitted', 'False', 'RoomForAll', 'all weights fit');
}

/** Names the first target that lacks a mount, and the ConfigMaps that it mounts. */
function mounted(world: PoolWorld, { spec, targets }: DesiredState): PoolCondition {
  const written = shardsOf(world.pool.meta.name, spec).map(({ name }) => name);
  if (targets.length === 0)
    return condition('Mounted', 'Unknown', 'NotMounted', 'the pool has no target');
  const missingIn = ({ mountedConfigMaps }: Target): readonly string[] =>
    written.filter((name) => !mountedConfigMaps.includes(name));
  const lacking = targets.find((target) => missingIn(target).length > 0);
  if (lacking === undefined) {
    const message = `${targets.map(targetName).join(', ')} mounts ${listed(written)}`;
    return condition('Mounted', 'True', 'Mounted', message);
  }
  const mounts =
    lacking.mountedConfigMaps.length === 0 ? 'no ConfigMap' : listed(lacking.mountedConfigMaps);
  const message = `${targetName(lacking)} mounts ${mounts}, but the pool writes ${listed(missingIn(lacking))}`;
  return condition('Mounted', 'False', 'NotMounted', message);
}

function unreachable(world: PoolWorld, { workers, spec }: DesiredState): PoolCondition {
  const { port } = spec.probe.httpGet;
  const silent =
    spec.probe.type === 'None'
      ? []
      : workers.filter(
          ({ pod, answer }) =>
            pod?.isReady === true &&
            !pod.isTerminating &&
            (answer?.ok === false || portOf(pod, port) === undefined) &&
            sliceAgeMs(world, pod) >= SILENCE_MS,
        );
  const [first] = silent;
  if (first === undefined)
    return condition('ProbeUnreachable', 'False', 'Answering', 'every Ready worker answers');
  const why =
    first.answer?.ok === false ? first.answer.reason : `no container port is named ${port}`;
  const message = `${listed(silent.map(({ name }) => name))}: ${why}; check spec.probe.httpGet and the NetworkPolicies of the workers`;
  return condition('ProbeUnreachable', 'True', 'NoAnswer', message);
}

/** The part of the restart annotation that restarts nothing; undefined: there is none. */
function ignoredRestarts(
  { pool: { meta } }: Pick<PoolWorld, 'pool'>,
  { streams, unassigned }: DesiredState,
): string | undefined {
  const text = meta.annotations[ANNOTATION_RESTART];
  if (text === undefined) return undefined;
  const { tokens, problem } = readRestarts(text);
  const without = new Set(unassigned.map(({ name }) => name));
  const asked = new Map(
    streams.flatMap((it) => (tokens.has(it.name) ? [[it.name, it] as const] : [])),
  );
  const names = [...tokens.keys()];
  const parts = [
    problem,
    sentence(
      names.filter((name) => !asked.has(name)),
      ['is not in the list', 'are not in the list'],
    ),
    sentence(
      names.filter((name) => asked.get(name)?.isSuspended === true),
      ['is suspended', 'are suspended'],
    ),
    sentence(
      names.filter((name) => without.has(name)),
      ['has no worker', 'have no worker'],
    ),
  ].filter((part) => part !== undefined);
  return parts.length === 0
    ? undefined
    : `part of the pool's annotation ${ANNOTATION_RESTART} has no effect: ${parts.join('; ')}`;
}

function sentence(
  names: readonly string[],
  [one, many]: readonly [string, string],
): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.map((name) => oneLine(JSON.stringify(name.slice(0, 128))));
  return `${listed(shown, 3)} ${names.length === 1 ? one : many}`;
}
