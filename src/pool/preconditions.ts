// What is in the way of deciding about a pool at all? Checked in this order; the first answer
// counts.
import { ASSIGNED_ANNOTATION } from '../api/assignment.ts';
import { MOST_PROBLEMS, MOST_WORKERS } from '../api/bounds.ts';
import type { Target } from '../api/observed.ts';
import type { Problem, SwarmPoolSpec } from '../api/validate.ts';
import { ANNOTATION_POOL, listed } from '../core/meta.ts';
import { ownership } from './publish/publish.ts';
import { type Shard, shardsOf } from './publish/published.ts';
import type { Because, ObstacleReason } from './reasons.ts';
import { type Stream, streamsOf } from './streams.ts';
import { nameOf } from './targets.ts';
import { scalesTarget, tooManyWorkers } from './workers/seats.ts';
import type { PoolWorld } from './world.ts';

/**
 * Nothing can be done: stalled, until somebody changes something, or not yet, until something
 * appears.
 */
export type Blocked = Because<ObstacleReason> & { readonly isStalled: boolean };

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

export type PreconditionResult =
  | ({ readonly ok: true } & Validated)
  | { readonly ok: false; readonly blocked: Blocked };

export function checkPreconditions(world: PoolWorld): PreconditionResult {
  const { pool, targets } = world;
  if (!pool.spec.ok) return stalledBy('InvalidSpec', pool.spec.problems);
  const spec = pool.spec.value;
  if (world.excess !== undefined)
    return blocked('NamespaceTooLarge', `${world.excess}; what was published stays in force`, true);
  const list = streamsOf(spec, world.lists);
  const [lookalike] = world.lookalikes;
  if (targets.length === 0) return blocked('TargetNotFound', noTarget(spec, lookalike), false);
  if (lookalike !== undefined) {
    const message = `spec.workers.selector finds ${named(targets)} and ${nameOf(lookalike)}; say in spec.workers.kind which of the two is meant`;
    return blocked('AmbiguousTarget', message, true);
  }
  const ambiguous = targets.length > 1 ? whatNeedsOne(spec) : undefined;
  if (ambiguous !== undefined) {
    return blocked(
      'AmbiguousTarget',
      `${ambiguous} needs a single target, but spec.workers selects ${named(targets)}`,
      true,
    );
  }
  if (world.rival !== undefined) {
    return blocked(
      'TargetConflict',
      `SwarmPool ${world.rival} is older and already assigns streams to ${named(targets)}`,
      true,
    );
  }
  if (world.predecessor !== undefined) {
    const { pool: other, workers } = world.predecessor;
    const message = `SwarmPool ${other} had ${named(targets)} before, and ${listed(workers)} did not give back all of its streams yet`;
    // Each would wait for the other for ever: all give back what they have.
    if (world.predecessor.isMutual && list.ok)
      return {
        ok: true,
        spec,
        targets: [],
        streams: list.streams,
        complaint: undefined,
        conflict: { reason: 'TargetConflict', message, isStalled: true },
      };
    return blocked('TargetConflict', message, true);
  }
  const excess = tooManyWorkers({ ...world, spec, leads: scalesTarget(spec, world.autoscaler) });
  if (excess !== undefined) return blocked('TooManyWorkers', tooMany(excess, targets), true);
  const open =
    spec.handoff.type === 'Exclusive'
      ? targets.find(({ mountsAssigned }) => !mountsAssigned)
      : undefined;
  if (open !== undefined) return blocked('NotFenced', notFenced(open), true);
  const taken = foreignShard(world, spec);
  if (taken !== undefined)
    return blocked('AssignmentsConflict', foreign(pool.meta.name, taken), true);
  const clear = { ok: true, spec, targets, conflict: scalingConflict(world, spec) } as const;
  if (list.ok) return { ...clear, streams: list.streams, complaint: undefined };
  const complaint = {
    ...blockedBy(list.reason, list.problems),
    isStalled: list.reason !== 'StreamsNotFound',
  };
  const last = published(world);
  return last === undefined
    ? { ok: false, blocked: complaint }
    : { ...clear, streams: last, complaint };
}

function scalingConflict(
  { autoscaler, targets, pool }: PoolWorld,
  spec: SwarmPoolSpec,
): Blocked | undefined {
  if (autoscaler === undefined || spec.workers.scaling !== 'Lead') return undefined;
  const message = `HorizontalPodAutoscaler ${autoscaler} scales ${named(targets)}, and so would this pool: the pool does not scale it; let the autoscaler scale SwarmPool ${pool.meta.name} instead, or set spec.workers.scaling to Follow. Streams are assigned all the same`;
  return { reason: 'AutoscalerConflict', message, isStalled: true };
}

const tooMany = (count: number, targets: readonly Target[]): string =>
  `${named(targets)}: ${count} workers, and a pool can have ${MOST_WORKERS}; give it fewer replicas, or divide the streams between several pools. ` +
  'What was published stays in force';

/**
 * Without it, a pod that is made anew on a node whose files lag would start what is no longer its
 * own.
 */
const notFenced = ({ name }: Target): string =>
  `handoff.type Exclusive needs workers that see what vouches for their streams: the pods of StatefulSet/${name} must mount the field ` +
  `metadata.annotations['${ASSIGNED_ANNOTATION}'] by a downwardAPI volume, and the worker be told where (swarm-worker --assigned-file)`;

/** With several targets an ordinal names no single worker, and a size no single target. */
function whatNeedsOne({ streams, workers }: SwarmPoolSpec): string | undefined {
  if (workers.scaling === 'Lead') return 'spec.workers.scaling: Lead';
  if ((workers.cordoned?.length ?? 0) > 0) return 'spec.workers.cordoned';
  const pinned = streams?.findIndex(({ ordinal }) => ordinal !== undefined) ?? -1;
  return pinned < 0 ? undefined : `spec.streams[${pinned}].ordinal`;
}

const blocked = (
  reason: ObstacleReason,
  message: string,
  isStalled: boolean,
): PreconditionResult => ({
  ok: false,
  blocked: { reason, message, isStalled },
});

const named = (targets: readonly Target[]): string => listed(targets.map(nameOf));

const stalledBy = (reason: ObstacleReason, problems: readonly Problem[]): PreconditionResult => ({
  ok: false,
  blocked: blockedBy(reason, problems),
});

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
function published(world: PoolWorld): readonly Stream[] | undefined {
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

function noTarget({ workers }: SwarmPoolSpec, lookalike: Target | undefined): string {
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

/** The first of its names that somebody else has. */
function foreignShard({ pool, published }: PoolWorld, spec: SwarmPoolSpec): Shard | undefined {
  return shardsOf(pool.meta.name, spec).find((shard) => {
    const present = published.shards.find(({ name }) => name === shard.name);
    return (
      present !== undefined && ownership(present.configMap, pool.meta.name, shard.key) === 'foreign'
    );
  });
}

const foreign = (pool: string, { name, key }: Shard): string =>
  `ConfigMap ${name} exists and is not this pool's; name another in spec.assignments.configMapName, or annotate it ` +
  `${ANNOTATION_POOL}=${pool} and leave its key ${key} out, to have it taken over`;
