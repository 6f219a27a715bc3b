// To how many workers is the target to be scaled now? Up at once; down when those that will go have nothing left, or had their time.
import { kinds } from '../../api/kinds.ts';
import type { StatefulSet } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { EventText, Step } from '../decision.ts';
import { desiredNames, type Member } from './members.ts';
import { hasConverged } from './refresh/convergence.ts';
import { nameOf, type View } from './view.ts';
import type { PoolWorld } from './world.ts';

export type Lead = { readonly steps: readonly Step[]; readonly events: readonly EventText[]; readonly nextInMs: number | undefined };

const NOTHING: Lead = { steps: [], events: [], nextInMs: undefined };

/** The workers that count: those that will go are emptied while they still live. */
export function wantedWorkers({ workers }: SwarmPoolSpec, targets: readonly StatefulSet[]): readonly string[] {
  const size = ({ replicas }: StatefulSet): number =>
    workers.scaling === 'Lead' ? Math.min(workers.replicas ?? replicas, replicas) : replicas;
  return targets.flatMap((target) => desiredNames(target, size(target)));
}

export function leadNow(world: PoolWorld, { spec, targets, members, slices }: View): Lead {
  const [target] = targets;
  if (spec.workers.scaling === 'Follow' || target === undefined) return NOTHING;
  const wanted = spec.workers.replicas;
  if (wanted === undefined) return takenOver(world, target);
  if (wanted === target.replicas) return NOTHING;
  if (wanted > target.replicas) return scaledTo(target, wanted, 'more workers');
  const leaving = members.filter(({ isDesired, pod }) => !isDesired && pod !== undefined && !pod.isTerminating && !pod.hasEnded);
  const isDrained = [...members.filter(({ isDesired, hasJoined }) => isDesired && hasJoined), ...leaving].every((member) =>
    hasConverged(member, slices.get(member.name)),
  );
  if (isDrained) return scaledTo(target, wanted, 'the workers that go have nothing left');
  const left = drainLeftMs(world, spec, leaving);
  if (left <= 0)
    return scaledTo(target, wanted, `not drained after ${spec.workers.drainTimeoutSeconds} s (spec.workers.drainTimeoutSeconds)`);
  return { ...NOTHING, nextInMs: left };
}

/** Counted from when they were told to stop everything. */
function drainLeftMs(world: PoolWorld, { workers }: SwarmPoolSpec, leaving: readonly Member[]): number {
  const waited = leaving.map(({ pod }) => world.ages.sliceMs[pod?.uid ?? ''] ?? 0);
  return workers.drainTimeoutSeconds * 1000 - (waited.length === 0 ? 0 : Math.max(...waited));
}

/** Left out, the number is that of the target, once: from then on the pool leads, and Git need not hold it. */
function takenOver({ pool }: PoolWorld, { replicas }: StatefulSet): Lead {
  const { name, namespace, uid, resourceVersion } = pool.meta;
  return { ...NOTHING, steps: [{ do: 'scale', kind: kinds.SwarmPool, ref: { name, namespace, uid, resourceVersion }, replicas }] };
}

function scaledTo(target: StatefulSet, replicas: number, why: string): Lead {
  const { name, namespace, uid, resourceVersion } = target;
  const message = `${nameOf(target)} ${target.replicas} -> ${replicas}: ${why}`;
  return {
    steps: [{ do: 'scale', kind: kinds.StatefulSet, ref: { name, namespace, uid, resourceVersion }, replicas }],
    events: [{ type: 'Normal', reason: 'Scaled', action: 'Scale', message }],
    nextInMs: undefined,
  };
}
