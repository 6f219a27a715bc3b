// What is in the way of deciding about a pool at all? Checked in this order; the first answer
// counts.
import { ASSIGNED_ANNOTATION } from '../api/assignment.ts';
import { MOST_PROBLEMS, MOST_WORKERS } from '../api/bounds.ts';
import type { Target } from '../api/observed.ts';
import type { Problem } from '../api/own-object.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import { type BlockedBy, type Check, firstRefusal } from '../core/blocked.ts';
import { ANNOTATION_POOL, listed } from '../core/meta.ts';
import { ownership } from './publish/ownership.ts';
import { type Shard, shardsOf } from './publish/published.ts';
import type { ObstacleReason } from './reasons.ts';
import { type Stream, streamsOf } from './streams.ts';
import { nameOf } from './targets.ts';
import { scalesTarget, tooManyWorkers } from './workers/seats.ts';
import type { PoolWorld } from './world.ts';

export type Blocked = BlockedBy<ObstacleReason>;

export type Validated = {
  readonly spec: SwarmPoolSpec;
  readonly streams: readonly Stream[];
  /** None while pools wait for each other's. */
  readonly targets: readonly Target[];
  /**
   * The list cannot be taken as it is: what was published last stays in force, while workers come
   * and go.
   */
  readonly complaint: Blocked | undefined;
  /**
   * In the way of a part only: the pool does not scale its target, or gives streams back and takes
   * none up.
   */
  readonly conflict: Blocked | undefined;
};

type PreconditionResult =
  | ({ readonly ok: true } & Validated)
  | { readonly ok: false; readonly blocked: Blocked };

export function checkPreconditions(world: PoolWorld): PreconditionResult {
  const { spec } = world.pool;
  if (!spec.ok) return { ok: false, blocked: blockedBy('InvalidSpec', spec.problems) };
  const facts: Facts = { ...world, spec: spec.value };
  const list = streamsOf(spec.value, world.lists);
  const awaited = predecessorKeepsStreams(facts);
  // Two pools would wait for each other for ever: both give back what they have.
  const givesBack = world.predecessor?.isMutual === true && list.ok;
  const blocked =
    firstRefusal(targetChecks, facts) ??
    (givesBack ? undefined : (awaited ?? firstRefusal(workChecks, facts)));
  if (blocked !== undefined) return { ok: false, blocked };
  if (givesBack) return validated(facts, { targets: [], streams: list.streams, conflict: awaited });
  const { targets } = world;
  const conflict = autoscalerConflict(facts);
  if (list.ok) return validated(facts, { targets, streams: list.streams, conflict });
  const complaint: Blocked = {
    ...blockedBy(list.reason, list.problems),
    isStalled: list.reason !== 'StreamsNotFound',
  };
  const last = publishedStreams(world);
  return last === undefined
    ? { ok: false, blocked: complaint }
    : validated(facts, { targets, streams: last, complaint, conflict });
}

const validated = (
  { spec }: Facts,
  found: Pick<Validated, 'targets' | 'streams' | 'conflict'> & { readonly complaint?: Blocked },
): PreconditionResult => ({ complaint: undefined, ...found, ok: true, spec });

type Facts = PoolWorld & { readonly spec: SwarmPoolSpec };

type PoolCheck = Check<Facts, ObstacleReason>;

const stalled = (reason: ObstacleReason, message: string): Blocked => ({
  reason,
  message,
  isStalled: true,
});

const noRoom: PoolCheck = ({ excess }) =>
  excess === undefined
    ? undefined
    : stalled('NamespaceTooLarge', `${excess}; what was published stays in force`);

const noTarget: PoolCheck = ({ targets, spec, lookalikes: [lookalike] }) =>
  targets.length > 0
    ? undefined
    : { reason: 'TargetNotFound', message: noTargetText(spec, lookalike), isStalled: false };

const targetsOfTwoKinds: PoolCheck = ({ targets, lookalikes: [lookalike] }) =>
  lookalike === undefined
    ? undefined
    : stalled(
        'AmbiguousTarget',
        `spec.workers.selector finds ${named(targets)} and ${nameOf(lookalike)}; say in spec.workers.kind which of the two is meant`,
      );

const severalTargets: PoolCheck = ({ targets, spec }) => {
  const field = targets.length > 1 ? whatNeedsOne(spec) : undefined;
  return field === undefined
    ? undefined
    : stalled(
        'AmbiguousTarget',
        `${field} needs a single target, but spec.workers selects ${named(targets)}`,
      );
};

const olderPoolHasTarget: PoolCheck = ({ rival, targets }) =>
  rival === undefined
    ? undefined
    : stalled(
        'TargetConflict',
        `SwarmPool ${rival} is older and already assigns streams to ${named(targets)}`,
      );

/** Whose target is it? */
const targetChecks: readonly PoolCheck[] = [
  // The operator has no memory for the pool: nothing of it was read.
  noRoom,
  // A target is there, it is clear which is meant, and there is one where there must be one.
  noTarget,
  targetsOfTwoKinds,
  severalTargets,
  // Of several pools that mean it, the oldest has it.
  olderPoolHasTarget,
];

const predecessorKeepsStreams: PoolCheck = ({ predecessor, targets }) => {
  if (predecessor === undefined) return undefined;
  const { pool, workers } = predecessor;
  const message = `SwarmPool ${pool} had ${named(targets)} before, and ${listed(workers)} did not give back all of its streams yet`;
  return stalled('TargetConflict', message);
};

const manyWorkers: PoolCheck = (facts) => {
  const { spec, targets, autoscaler } = facts;
  const count = tooManyWorkers({ ...facts, leads: scalesTarget(spec, autoscaler) });
  return count === undefined ? undefined : stalled('TooManyWorkers', tooManyText(count, targets));
};

/**
 * Without it, a pod that is made anew on a node whose files lag would start what is no longer its
 * own.
 */
const notFenced: PoolCheck = ({ spec, targets }) => {
  const open = targets.find(({ mountsAssigned }) => !mountsAssigned);
  return spec.handoff.type !== 'Exclusive' || open === undefined
    ? undefined
    : stalled('NotFenced', notFencedText(open));
};

/** The first of its names that somebody else has. */
const foreignConfigMap: PoolCheck = ({ pool: { meta }, published: { shards }, spec }) => {
  const taken = shardsOf(meta.name, spec).find(({ name, key }) => {
    const present = shards.find((it) => it.name === name);
    return present !== undefined && ownership(present.configMap, meta.name, key) === 'foreign';
  });
  return taken === undefined
    ? undefined
    : stalled('AssignmentsConflict', foreignText(meta.name, taken));
};

/** Can streams be assigned to its workers? */
const workChecks: readonly PoolCheck[] = [
  // There are not more workers than a pool can have.
  manyWorkers,
  // Exclusive: workers see what vouches for their streams.
  notFenced,
  // The ConfigMaps to be written are the pool's own.
  foreignConfigMap,
];

/** In the way of scaling only. */
const autoscalerConflict: PoolCheck = ({ autoscaler, targets, pool, spec }) =>
  autoscaler === undefined || spec.workers.scaling !== 'Lead'
    ? undefined
    : stalled(
        'AutoscalerConflict',
        `HorizontalPodAutoscaler ${autoscaler} scales ${named(targets)}, and so would this pool: the pool does not scale it; let the autoscaler scale SwarmPool ${pool.meta.name} instead, or set spec.workers.scaling to Follow. Streams are assigned all the same`,
      );

const tooManyText = (count: number, targets: readonly Target[]): string =>
  `${named(targets)}: ${count} workers, and a pool can have ${MOST_WORKERS}; give it fewer replicas, or divide the streams between several pools. ` +
  'What was published stays in force';

const notFencedText = ({ name }: Target): string =>
  `handoff.type Exclusive needs workers that see what vouches for their streams: the pods of StatefulSet/${name} must mount the field ` +
  `metadata.annotations['${ASSIGNED_ANNOTATION}'] by a downwardAPI volume, and the worker be told where (swarm-worker --assigned-file)`;

/** With several targets an ordinal names no single worker, and a size no single target. */
function whatNeedsOne({ streams, workers }: SwarmPoolSpec): string | undefined {
  if (workers.scaling === 'Lead') return 'spec.workers.scaling: Lead';
  if ((workers.cordoned?.length ?? 0) > 0) return 'spec.workers.cordoned';
  const pinned = streams?.findIndex(({ ordinal }) => ordinal !== undefined) ?? -1;
  return pinned < 0 ? undefined : `spec.streams[${pinned}].ordinal`;
}

const named = (targets: readonly Target[]): string => listed(targets.map(nameOf));

function blockedBy(reason: ObstacleReason, problems: readonly Problem[]): Blocked {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  const least = problems.length >= MOST_PROBLEMS ? 'at least ' : '';
  const message =
    texts.length > 3
      ? `${texts.slice(0, 3).join('; ')}; and ${least}${texts.length - 3} more`
      : texts.join('; ');
  return { reason, message, isStalled: true };
}

/** The streams that are assigned, as far as the assignment itself tells of them. */
function publishedStreams(world: PoolWorld): readonly Stream[] | undefined {
  const { assignment } = world.published;
  if (assignment === undefined) return undefined;
  const streams = [...assignment.workloads.values()].flatMap(({ jobs, weights, parameters }) =>
    jobs.map((name) => {
      const own =
        parameters !== undefined && Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      const weight =
        weights !== undefined && Object.hasOwn(weights, name) ? (weights[name] ?? 0) : 0;
      return { name, weight, priority: 0, ...(own !== undefined && { parameters: own }) };
    }),
  );
  // Written by hand, it may name one twice.
  return [...new Map(streams.map((stream) => [stream.name, stream])).values()];
}

function noTargetText({ workers }: SwarmPoolSpec, lookalike: Target | undefined): string {
  const kind = workers.kind ?? workers.targetRef?.kind ?? 'StatefulSet';
  const labels = Object.entries(workers.selector?.matchLabels ?? {}).map(
    ([key, value]) => `${key}=${value}`,
  );
  const what =
    workers.targetRef === undefined
      ? `no ${kind} has the labels ${labels.join(',')}`
      : `there is no ${kind} ${workers.targetRef.name}`;
  const hint =
    lookalike === undefined
      ? ''
      : ` (${nameOf(lookalike)} has: then spec.workers.kind must be ${lookalike.kind})`;
  return `${what}${hint}; what was published last stays as it is`;
}

const foreignText = (pool: string, { name, key }: Shard): string =>
  `ConfigMap ${name} exists and is not this pool's; name another in spec.assignments.configMapName, or annotate it ` +
  `${ANNOTATION_POOL}=${pool} and leave its key ${key} out, to have it taken over`;
