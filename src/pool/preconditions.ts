// What keeps the operator from deciding about a pool, or a part of it? The first refusal counts:
// `poolChecks` and `partChecks` list all of them in this order.
import { ASSIGNED_ANNOTATION } from '../api/assignment.ts';
import { MOST_PROBLEMS, MOST_WORKERS } from '../api/bounds.ts';
import { type Target, targetName } from '../api/observed.ts';
import type { Problem } from '../api/own-object.ts';
import { targetKindOf } from '../api/pool-targets.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import { type BlockedBy, type Check, firstRefusal, stalled, waiting } from '../core/blocked.ts';
import { listed } from '../core/text.ts';
import { ANNOTATION_POOL, ownership } from './publish/config-map.ts';
import { publishedStreams, shardsOf, whatStays } from './publish/published.ts';
import type { ObstacleReason } from './reasons.ts';
import { streamsOf } from './streams/join.ts';
import { type Removal, removalBy } from './streams/removal.ts';
import type { ListReason, Stream, StreamList } from './streams/streams.ts';
import { tooManyWorkers } from './workers/seats.ts';
import type { PoolWorld } from './world.ts';

export type Blocked = BlockedBy<ObstacleReason>;

export type Validated = {
  readonly spec: SwarmPoolSpec;
  /** The list, with what it may not lose yet; while it cannot be read, those published last. */
  readonly streams: readonly Stream[];
  /** None while two pools wait for each other's target. */
  readonly targets: readonly Target[];
  /** The list loses so many of its streams that a user has to confirm it. */
  readonly removal: Removal | undefined;
  readonly blockedParts: Readonly<Record<Part, Blocked | undefined>>;
};

type PreconditionResult =
  | ({ readonly ok: true } & Validated)
  | { readonly ok: false; readonly blocked: Blocked };

export function checkPreconditions(world: PoolWorld): PreconditionResult {
  const { spec: parsed } = world.pool;
  if (!parsed.ok) {
    const message = problemsText(parsed.problems);
    return { ok: false, blocked: { reason: 'InvalidSpec', message, isStalled: true } };
  }
  const facts = factsOf(world, parsed.value);
  const blocked = firstRefusal(poolChecks, facts);
  if (blocked !== undefined) return { ok: false, blocked };
  const { spec, removal, givesBack } = facts;
  return {
    ok: true,
    spec,
    streams: streamsInForce(facts),
    targets: givesBack ? [] : world.targets,
    removal,
    blockedParts: {
      list: firstRefusal(partChecks.list, facts),
      removal: firstRefusal(partChecks.removal, facts),
      scaling: firstRefusal(partChecks.scaling, facts),
    },
  };
}

type Facts = PoolWorld & {
  readonly spec: SwarmPoolSpec;
  readonly list: StreamList;
  readonly removal: Removal | undefined;
  /** Two pools that wait for each other would wait forever: both give back what they have. */
  readonly givesBack: boolean;
};

function factsOf(world: PoolWorld, spec: SwarmPoolSpec): Facts {
  const list = streamsOf(spec, world.lists);
  const givesBack = world.predecessor?.isMutual === true && list.ok;
  const removal = list.ok && !givesBack ? removalBy(world, spec, list.streams) : undefined;
  return { ...world, spec, list, removal, givesBack };
}

function streamsInForce({ list, removal, published: { assignment } }: Facts): readonly Stream[] {
  if (removal?.state === 'Held') return removal.streams;
  if (list.ok) return list.streams;
  return assignment === undefined ? [] : publishedStreams(assignment);
}

type PoolCheck = Check<Facts, ObstacleReason>;

type Why = (facts: Facts) => string | undefined;

const noRoom: Why = (facts) => facts.exceededBy && `${facts.exceededBy}; ${whatStays(facts)}`;

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
    case 'NearLabel':
      return ` (${targetName(it.target)} has ${it.label}; did you mean that?)`;
    case 'LabelledOnPods':
      return ` (only the pods of ${named([it.target, ...it.others])} have them: the ${kind} itself needs these labels; add them, or name it in spec.workers.targetRef)`;
    default:
      return it satisfies never;
  }
}

const targetsOfTwoKinds: Why = ({ targets, otherKindTargets: [other] }) =>
  other &&
  `spec.workers.selector matches ${named(targets)} and ${targetName(other)}; set spec.workers.kind to choose one`;

const severalTargets: Why = ({ targets, spec }) => {
  const field = targets.length > 1 ? whatNeedsOne(spec) : undefined;
  return field && `${field} needs a single target, but spec.workers selects ${named(targets)}`;
};

const olderPoolHasTarget: Why = ({ rival, targets }) =>
  rival && `SwarmPool ${rival} is older and already assigns streams to ${named(targets)}`;

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

const listRefused =
  (reason: ListReason): Why =>
  ({ list }) =>
    list.ok || list.reason !== reason ? undefined : problemsText(list.problems);

function problemsText(problems: readonly Problem[]): string {
  const texts = problems.map(({ field, message }) => `${field}: ${message}`);
  const least = problems.length >= MOST_PROBLEMS ? 'at least ' : '';
  return texts.length > 3
    ? `${texts.slice(0, 3).join('; ')}; and ${least}${texts.length - 3} more`
    : texts.join('; ');
}

const removalHeld: Why = ({ removal }) => (removal?.state === 'Held' ? removal.message : undefined);

const listChecks: readonly PoolCheck[] = [
  waiting('StreamsNotFound', listRefused('StreamsNotFound')),
  stalled('TooManyStreams', listRefused('TooManyStreams')),
  stalled('InvalidStreams', listRefused('InvalidStreams')),
];

/** A pool that gives back all of its streams does not need this. */
const toAssign =
  (check: PoolCheck): PoolCheck =>
  (facts) =>
    facts.givesBack ? undefined : check(facts);

/** With a publication, its streams go on. */
const toBegin =
  (check: PoolCheck): PoolCheck =>
  (facts) =>
    facts.published.assignment === undefined ? check(facts) : undefined;

/** Block the whole pool. */
const poolChecks: readonly PoolCheck[] = [
  stalled('NamespaceTooLarge', noRoom),
  // Which target does the pool mean, and does it have it?
  waiting('TargetNotFound', noTarget),
  stalled('AmbiguousTarget', targetsOfTwoKinds),
  stalled('AmbiguousTarget', severalTargets),
  stalled('TargetConflict', olderPoolHasTarget),
  toAssign(stalled('TargetConflict', predecessorKeepsStreams)),
  // Can streams be assigned to its workers?
  toAssign(stalled('TooManyWorkers', manyWorkers)),
  toAssign(stalled('NotFenced', notFenced)),
  stalled('AssignmentsConflict', foreignConfigMap),
  // Which streams?
  ...listChecks.map(toBegin),
];

type Part = 'list' | 'removal' | 'scaling';

/** Block a part, while the rest of the pool goes on. */
const partChecks: Readonly<Record<Part, readonly PoolCheck[]>> = {
  /** The streams published last stay, while workers come and go. */
  list: listChecks,
  /** What the list has lost goes on until a user confirms it. */
  removal: [stalled('LargeRemoval', removalHeld)],
  scaling: [
    stalled('TargetConflict', predecessorKeepsStreams),
    stalled('AutoscalerConflict', autoscalerScalesToo),
  ],
};
