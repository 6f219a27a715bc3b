// To which size is the target scaled now? Up at once; down when the leaving workers are drained or
// their time is over.
import { kinds } from '../api/kinds.ts';
import { DELETION_COST_ANNOTATION, type Target } from '../api/observed.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import { type EventText, type Step, versionedRefOf } from '../core/decision.ts';
import type { DesiredState } from './desired-state.ts';
import type { EventReason } from './reasons.ts';
import { hasConverged } from './refresh/convergence.ts';
import { nameOf } from './targets.ts';
import type { Member } from './workers/members.ts';
import type { PoolWorld } from './world.ts';

type ScalingStep = {
  readonly steps: readonly Step[];
  readonly events: readonly EventText[];
  readonly nextInMs: number | undefined;
};

/** Lower than any cost that a user would give a pod. */
const FIRST_TO_GO = '-1000';

const NOTHING: ScalingStep = { steps: [], events: [], nextInMs: undefined };

export function scaleNow(
  world: PoolWorld,
  { spec, targets, members, slices, conflict }: DesiredState,
): ScalingStep {
  const [target] = targets;
  const spared = members.filter(
    ({ isDesired, pod }) => isDesired && pod?.deletionCost === FIRST_TO_GO,
  );
  if (spared.length > 0) return { ...NOTHING, steps: costs(spared, null) };
  if (spec.workers.scaling === 'Follow' || target === undefined || conflict !== undefined)
    return NOTHING;
  const wanted = spec.workers.replicas;
  if (wanted === undefined) return takenOver(world, target);
  if (wanted === target.replicas) return NOTHING;
  if (wanted > target.replicas) return scaledTo(target, wanted, 'more workers');
  const leaving = members.filter(
    ({ isDesired, isFormer, pod }) =>
      !isDesired && !isFormer && pod !== undefined && !pod.isTerminating && !pod.hasEnded,
  );
  const unmarked =
    target.kind === 'Deployment'
      ? leaving.filter(({ pod }) => pod?.deletionCost !== FIRST_TO_GO)
      : [];
  if (unmarked.length > 0) return { ...NOTHING, steps: costs(unmarked, FIRST_TO_GO) };
  const isDrained = [
    ...members.filter(({ isDesired, hasJoined }) => isDesired && hasJoined),
    ...leaving,
  ].every((member) => hasConverged(member, slices.get(member.name)));
  if (isDrained) return scaledTo(target, wanted, 'the workers that go have nothing left');
  const left = drainLeftMs(world, spec, leaving);
  if (left <= 0)
    return scaledTo(
      target,
      wanted,
      `not drained after ${spec.workers.drainTimeoutSeconds} s (spec.workers.drainTimeoutSeconds)`,
    );
  return { ...NOTHING, nextInMs: left };
}

/** A Deployment chooses itself which pods go; the cost makes it choose the drained ones. */
const costs = (members: readonly Member[], cost: string | null): readonly Step[] =>
  members.flatMap(({ pod }) =>
    pod === undefined
      ? []
      : [
          {
            do: 'annotate',
            pod: versionedRefOf(pod),
            annotations: { [DELETION_COST_ANNOTATION]: cost },
          },
        ],
  );

/** Counted from when the leaving workers were told to stop. */
function drainLeftMs(
  world: PoolWorld,
  { workers }: SwarmPoolSpec,
  leaving: readonly Member[],
): number {
  const waited = leaving.map(({ pod }) => world.ages.sliceMs[pod?.uid ?? ''] ?? 0);
  return workers.drainTimeoutSeconds * 1000 - (waited.length === 0 ? 0 : Math.max(...waited));
}

/**
 * Without spec.workers.replicas the pool takes the size of its target once, and leads from then on.
 */
function takenOver({ pool }: PoolWorld, { replicas }: Target): ScalingStep {
  const { name, namespace, uid, resourceVersion } = pool.meta;
  return {
    ...NOTHING,
    steps: [
      {
        do: 'scale',
        kind: kinds.SwarmPool,
        ref: { name, namespace, uid, resourceVersion },
        replicas,
      },
    ],
  };
}

function scaledTo(target: Target, replicas: number, why: string): ScalingStep {
  const { name, namespace, uid, resourceVersion } = target;
  const message = `${nameOf(target)} ${target.replicas} -> ${replicas}: ${why}`;
  return {
    steps: [
      {
        do: 'scale',
        kind: kinds[target.kind],
        ref: { name, namespace, uid, resourceVersion },
        replicas,
      },
    ],
    events: [{ type: 'Normal', reason: 'Scaled' satisfies EventReason, action: 'Scale', message }],
    nextInMs: undefined,
  };
}
