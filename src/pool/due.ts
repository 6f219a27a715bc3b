// When does time alone change what is to be done about a pool?
import type { DesiredState } from './desired-state.ts';
import { hasConverged } from './refresh/convergence.ts';
import { SILENCE_MS } from './status/conditions.ts';
import { JOIN_TOGETHER_MS } from './workers/workers.ts';
import { type PoolWorld, sliceAgeMs } from './world.ts';

/** `others`: when parts of the decision are due again. */
export function nextDueMs(
  world: PoolWorld,
  desired: DesiredState,
  others: readonly (number | undefined)[],
): number | undefined {
  const waits = [
    ...others,
    desired.availability.failover.nextInMs,
    joinInMs(desired),
    reachesInMs(desired.spec.refresh.timeoutSeconds * 1000, world, desired),
    reachesInMs(SILENCE_MS, world, desired),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits));
}

const leastOf = (waits: readonly number[]): number | undefined =>
  waits.length === 0 ? undefined : Math.min(...waits);

/** When the first worker that waits for others to join with it waits no longer. */
function joinInMs({ workers, availability }: DesiredState): number | undefined {
  const waits = workers.flatMap(({ isDesired, hasJoined, hasFailed, pod, key }) =>
    isDesired && !hasJoined && !hasFailed && pod?.isReady === true
      ? [JOIN_TOGETHER_MS - (availability.presence.readyMs[key] ?? 0)]
      : [],
  );
  return leastOf(waits);
}

/** When the first unconfirmed worker reaches this limit. */
function reachesInMs(
  limitMs: number,
  world: PoolWorld,
  { workers, slices }: DesiredState,
): number | undefined {
  const waits = workers.flatMap((worker) => {
    const { pod, name } = worker;
    if (pod === undefined || hasConverged(worker, slices.get(name))) return [];
    const left = limitMs - sliceAgeMs(world, pod);
    return left > 0 ? [left] : [];
  });
  return leastOf(waits);
}
