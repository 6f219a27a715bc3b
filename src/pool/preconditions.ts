// What keeps the operator from deciding about a pool? The first refusal counts.
import { ASSIGNED_ANNOTATION } from '../api/assignment.ts';
import { MOST_PROBLEMS, MOST_WORKERS } from '../api/bounds.ts';
import { type Target, targetName } from '../api/observed.ts';
import type { Problem } from '../api/own-object.ts';
import { targetKindOf } from '../api/pool-targets.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import { type BlockedBy, type Check, firstRefusal } from '../core/blocked.ts';
import { listed } from '../core/text.ts';
import { ANNOTATION_POOL } from './labels.ts';
import { ownership } from './publish/config-maps.ts';
import { shardsOf } from './publish/published.ts';
import { publishedStreams } from './publish/read-back.ts';
import { whatStays } from './publish/stays.ts';
import type { ObstacleReason } from './reasons.ts';
import { isRemovalConfirmed, type LargeRemoval, largeRemoval } from './removal.ts';
import { type Stream, streamsOf } from './streams.ts';
import { tooManyWorkers } from './workers/seats.ts';
import type { PoolWorld } from './world.ts';

export type Blocked = BlockedBy<ObstacleReason>;

export type Validated = {
  readonly spec: SwarmPoolSpec;
  readonly streams: readonly Stream[];
  /** None while two pools wait for each other's target. */
  readonly targets: readonly Target[];
  /** The list is invalid: the streams published last stay, while workers come and go. */
  readonly complaint: Blocked | undefined;
  /** The list lost so many streams that these go on until a user confirms it. */
  readonly removal: LargeRemoval | undefined;
  /** It loses as many, and a user has confirmed that. */
  readonly isRemovalConfirmed: boolean;
  /** Blocks only a part: scaling, or taking new streams. */
  readonly conflict: Blocked | undefined;
};

type PreconditionResult =
  | ({ readonly ok: true } & Validated)
  | { readonly ok: false; readonly blocked: Blocked };

export function checkPreconditions(world: PoolWorld): PreconditionResult {
  const { pool, targets, predecessor } = world;
  if (!pool.spec.ok) return { ok: false, blocked: invalid('InvalidSpec', pool.spec.problems) };
  const spec = pool.spec.value;
  const facts: Facts = { ...world, spec };
  const list = streamsOf(spec, world.lists);
  const awaited = check('TargetConflict', predecessorKeepsStreams)(facts);
  // Two pools that wait for each other would wait for ever: both give back what they have.
  const givesBack = predecessor?.isMutual === true && list.ok;
  const blocked =
    firstRefusal(targetChecks, facts) ??
    (givesBack ? undefined : (awaited ?? firstRefusal(workChecks, facts)));
  if (blocked !== undefined) return { ok: false, blocked };
  if (givesBack) {
    const { streams } = list;
    return {
      ok: true,
      spec,
      streams,
      targets: [],
      complaint: undefined,
      removal: undefined,
      isRemovalConfirmed: false,
      conflict: awaited,
    };
  }
  const conflict = check('AutoscalerConflict', autoscalerScalesToo)(facts);
  const complaint = list.ok ? undefined : invalid(list.reason, list.problems);
  const removal = list.ok ? largeRemoval(world, spec, list.streams) : undefined;
  const isConfirmed = list.ok && isRemovalConfirmed(world, spec, list.streams);
  const { assignment } = world.published;
  const streams = list.ok
    ? (removal?.streams ?? list.streams)
    : assignment && publishedStreams(assignment);
  return complaint !== undefined && streams === undefined
    ? { ok: false, blocked: complaint }
    : {
        ok: true,
        spec,
        streams: streams ?? [],
        targets,
        complaint,
        removal,
        isRemovalConfirmed: isConfirmed,
        conflict,
      };
}

type Facts = PoolWorld & { readonly spec: SwarmPoolSpec };

type PoolCheck = Check<Facts, ObstacleReason>;

/** Wait for something to appear; all others for a user. */
const waiting: ReadonlySet<ObstacleReason> = new Set(['TargetNotFound', 'StreamsNotFound']);

/** `why` returns the message of a refusal. */
const check =
  (reason: ObstacleReason, why: Why): PoolCheck =>
  (facts) => {
    const message = why(facts);
    return message === undefined ? undefined : { reason, message, isStalled: !waiting.has(reason) };
  };

type Why = (facts: Facts) => string | undefined;

const noRoom: Why = (facts) => facts.excess && `${facts.excess}; ${whatStays(facts)}`;

const noTarget: Why = (facts) => {
  const { targets, spec, suggestion } = facts;
  const { workers } = spec;
  if (targets.length > 0) return undefined;
  const kind = targetKindOf(workers);
  const labels = Object.entries(workers.selector?.matchLabels ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const what =
    workers.targetRef === undefined
      ? `no ${kind} has the labels ${labels.join(',')}`
      : `there is no ${kind} ${workers.targetRef.name}`;
  return `${what}${suggested(workers, suggestion)}; ${whatStays(facts)}`;
};

function suggested({ targetRef }: SwarmPoolSpec['workers'], it: PoolWorld['suggestion']): string {
  if (it === undefined) return '';
  const { kind } = it.target;
  switch (it.why) {
    case 'OtherKind':
      return targetRef === undefined
        ? ` (${targetName(it.target)} has these labels; set spec.workers.kind to ${kind})`
        : ` (${targetName(it.target)} exists; set spec.workers.targetRef.kind to ${kind})`;
    case 'NearName':
      return ` (did you mean ${targetName(it.target)}?)`;
    case 'LabelledOnPods':
      return ` (only the pods of ${named([it.target, ...it.others])} have them: the ${kind} itself needs these labels; add them, or name it in spec.workers.targetRef)`;
    default:
      return it satisfies never;
  }
}

const targetsOfTwoKinds: Why = ({ targets, lookalikes: [lookalike] }) =>
  lookalike &&
  `spec.workers.selector matches ${named(targets)} and ${targetName(lookalike)}; set spec.workers.kind to choose one`;

const severalTargets: Why = ({ targets, spec }) => {
  const field = targets.length > 1 ? whatNeedsOne(spec) : undefined;
  return field && `${field} needs a single target, but spec.workers selects ${named(targets)}`;
};

const olderPoolHasTarget: Why = ({ rival, targets }) =>
  rival && `SwarmPool ${rival} is older and already assigns streams to ${named(targets)}`;

/** Which target does the pool mean, and does it have it? */
const targetChecks: readonly PoolCheck[] = [
  check('NamespaceTooLarge', noRoom),
  check('TargetNotFound', noTarget),
  check('AmbiguousTarget', targetsOfTwoKinds),
  check('AmbiguousTarget', severalTargets),
  check('TargetConflict', olderPoolHasTarget),
];

const predecessorKeepsStreams: Why = ({ predecessor, targets }) => {
  if (predecessor === undefined) return undefined;
  const { pool, workers } = predecessor;
  return `SwarmPool ${pool} had ${named(targets)} before; waiting for ${listed(workers)} to release all of its streams`;
};

const manyWorkers: Why = (facts) => {
  const count = tooManyWorkers(facts, facts.spec, facts.targets);
  return count === undefined
    ? undefined
    : `${named(facts.targets)}: ${count} workers, but a pool can have at most ${MOST_WORKERS}; reduce the replicas, or divide the streams between several pools; ${whatStays(facts)}`;
};

/** Otherwise a new pod on a node with an outdated file would start streams of another worker. */
const notFenced: Why = ({ spec, targets }) => {
  const open = targets.find(({ mountsAssigned }) => !mountsAssigned);
  if (spec.handoff.type !== 'Exclusive' || open === undefined) return undefined;
  return (
    `handoff.type Exclusive needs workers that mount their own pod's annotations: the pods of StatefulSet/${open.name} must mount the field ` +
    `metadata.annotations['${ASSIGNED_ANNOTATION}'] by a downwardAPI volume and pass the file's path to the worker (swarm-worker --assigned-file)`
  );
};

const foreignConfigMap: Why = ({ pool: { meta }, published: { shards }, spec }) => {
  const taken = shardsOf(meta.name, spec).find(({ name, key }) => {
    const present = shards.find((it) => it.name === name);
    return present !== undefined && ownership(present.configMap, meta.name, key) === 'foreign';
  });
  return (
    taken &&
    `ConfigMap ${taken.name} exists and does not belong to this pool; name another in spec.assignments.configMapName, or, to have it taken over, annotate it ` +
      `${ANNOTATION_POOL}=${meta.name} and remove its key ${taken.key}`
  );
};

/** Can streams be assigned to its workers? */
const workChecks: readonly PoolCheck[] = [
  check('TooManyWorkers', manyWorkers),
  check('NotFenced', notFenced),
  check('AssignmentsConflict', foreignConfigMap),
];

/** Blocks scaling only. */
const autoscalerScalesToo: Why = ({ autoscaler, targets, pool, spec }) =>
  autoscaler === undefined || spec.workers.scaling === 'Follow'
    ? undefined
    : `HorizontalPodAutoscaler ${autoscaler} scales ${named(targets)}, so the pool does not scale it: ${spec.workers.scaling === 'Auto' ? 'remove the autoscaler' : `point the autoscaler at SwarmPool ${pool.meta.name}`}, or set spec.workers.scaling to Follow. Streams are still assigned`;

/** With several targets an ordinal names no single worker, and a size no single target. */
function whatNeedsOne({ streams, workers }: SwarmPoolSpec): string | undefined {
  if (workers.scaling !== 'Follow') return `spec.workers.scaling: ${workers.scaling}`;
  if ((workers.cordoned?.length ?? 0) > 0) return 'spec.workers.cordoned';
  const pinned = streams?.findIndex(({ ordinal }) => ordinal !== undefined) ?? -1;
  return pinned < 0 ? undefined : `spec.streams[${pinned}].ordinal`;
}

const named = (targets: readonly Target[]): string => listed(targets.map(targetName));

function invalid(reason: ObstacleReason, problems: readonly Problem[]): Blocked {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  const least = problems.length >= MOST_PROBLEMS ? 'at least ' : '';
  const message =
    texts.length > 3
      ? `${texts.slice(0, 3).join('; ')}; and ${least}${texts.length - 3} more`
      : texts.join('; ');
  return { reason, message, isStalled: !waiting.has(reason) };
}
