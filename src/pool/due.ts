// When does time alone change what is to be done about a pool?
import type { DesiredState } from './desired-state.ts';
import { hasConverged } from './refresh/convergence.ts';
import { SILENCE_MS } from './status/conditions.ts';
import { rebalanceInMs } from './workers/failover.ts';
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
    rebalanceInMs(desired.spec, desired.availability.presence) || undefined,
    ...joinWaits(desired),
    ...confirmationWaits(world, desired),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits));
}

/** Of each worker that waits for others to join with it. */
const joinWaits = ({ workers, availability }: DesiredState): readonly number[] =>
  workers
    .filter(
      ({ isDesired, hasJoined, hasFailed, pod }) =>
        isDesired && !hasJoined && !hasFailed && pod?.isReady === true,
    )
    .map(({ key }) => JOIN_TOGETHER_MS - (availability.presence.readyMs[key] ?? 0));

/** Until an unconfirmed worker is silent for too long, or stuck. */
const confirmationWaits = (
  world: PoolWorld,
  { workers, slices, spec }: DesiredState,
): readonly number[] =>
  workers.flatMap((worker) => {
    const { pod, name } = worker;
    if (pod === undefined || hasConverged(worker, slices.get(name))) return [];
    return [SILENCE_MS, spec.refresh.timeoutSeconds * 1000]
      .map((limitMs) => limitMs - sliceAgeMs(world, pod))
      .filter((left) => left > 0);
  });
