// To which size is the target scaled now? Up at once, down when the leaving workers are drained.
import { kinds } from '../../api/kinds.ts';
import { DELETION_COST_ANNOTATION, type Target, targetName } from '../../api/observed.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';
import { plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { PoolEvent } from '../reasons.ts';
import { type PoolWorld, sliceAgeMs } from '../world.ts';
import { hasConverged, livePod, type PoolWorker } from './workers.ts';

type Scaling = {
  readonly steps: readonly Step[];
  readonly events: readonly PoolEvent[];
  readonly nextInMs: number | undefined;
};

/** Lower than any cost that a user would give a pod. */
const FIRST_TO_GO = '-1000';

const NOTHING: Scaling = { steps: [], events: [], nextInMs: undefined };

export function scaleNow(
  world: PoolWorld,
  { spec, targets, workers, slices, blockedParts, availability: { size } }: DesiredState,
): Scaling {
  const [target] = targets;
  const spared = workers.filter(
    ({ isDesired, pod }) => isDesired && pod?.deletionCost === FIRST_TO_GO,
  );
  if (spared.length > 0) return { ...NOTHING, steps: costs(spared, null) };
  const { scaling, drainTimeoutSeconds } = spec.workers;
  if (scaling === 'Follow' || target === undefined || blockedParts.scaling !== undefined)
    return NOTHING;
  const { wanted } = size;
  // The pool copies the size of its target once, and leads from then on.
  if (wanted === undefined) {
    const ref = versionedRefOf(world.pool.meta);
    const { replicas } = target;
    return { ...NOTHING, steps: [{ do: 'scale', kind: kinds.SwarmPool, ref, replicas }] };
  }
  if (wanted === target.replicas) return { ...NOTHING, nextInMs: size.nextInMs };
  if (wanted > target.replicas)
    return scaledTo(target, wanted, whyMore(size.needs.at(-1)?.replicas, wanted));
  const leaving = workers.filter(
    (worker) => !worker.isDesired && !worker.isFormer && livePod(worker) !== undefined,
  );
  const unmarked =
    target.kind === 'Deployment'
      ? leaving.filter(({ pod }) => pod?.deletionCost !== FIRST_TO_GO)
      : [];
  if (unmarked.length > 0) return { ...NOTHING, steps: costs(unmarked, FIRST_TO_GO) };
  const isDrained = [
    ...workers.filter(({ isDesired, hasJoined }) => isDesired && hasJoined),
    ...leaving,
  ].every((worker) => hasConverged(worker, slices.get(worker.name)));
  if (isDrained) return scaledTo(target, wanted, 'the surplus workers are drained');
  // Counted from the publication that takes the streams from the leaving workers.
  const waitedMs = Math.max(0, ...leaving.map(({ pod }) => sliceAgeMs(world, pod)));
  const nextInMs = drainTimeoutSeconds * 1000 - waitedMs;
  if (nextInMs > 0) return { ...NOTHING, nextInMs };
  const why = `not drained after ${drainTimeoutSeconds} s (spec.workers.drainTimeoutSeconds)`;
  return scaledTo(target, wanted, why);
}

/** A Deployment itself chooses the pods to delete; the cost makes it choose the drained ones. */
const costs = (workers: readonly PoolWorker[], cost: string | null): readonly Step[] =>
  workers.flatMap(({ pod }) => {
    if (pod === undefined) return [];
    const annotations = { [DELETION_COST_ANNOTATION]: cost };
    return [{ do: 'annotate', pod: versionedRefOf(pod), annotations }];
  });

/** `needed` is the number for the streams, with scaling Auto. */
function whyMore(needed: number | undefined, wanted: number): string {
  if (needed === undefined) return 'more workers';
  return needed < wanted
    ? `at least ${wanted} (spec.workers.minReplicas)`
    : `the streams need ${plural(needed, 'worker')}`;
}

function scaledTo(target: Target, replicas: number, why: string): Scaling {
  const message = `${targetName(target)} ${target.replicas} -> ${replicas}: ${why}`;
  return {
    steps: [{ do: 'scale', kind: kinds[target.kind], ref: versionedRefOf(target), replicas }],
    events: [{ type: 'Normal', reason: 'Scaled', action: 'Scale', message }],
    nextInMs: undefined,
  };
}
