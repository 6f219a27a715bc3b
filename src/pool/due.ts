// When does time alone change what is to be done about a pool?
import type { DesiredState } from './desired-state.ts';
import { hasConverged } from './refresh/convergence.ts';
import { SILENCE_MS } from './status/conditions.ts';
import { JOIN_TOGETHER_MS } from './workers/members.ts';
import type { PoolWorld } from './world.ts';

/** `others`: when a part of the decision is due again, by its own account. */
export function nextDueMs(
  world: PoolWorld,
  desired: DesiredState,
  others: readonly (number | undefined)[],
): number | undefined {
  const waits = [
    ...others,
    desired.workers.failover.nextInMs,
    joinInMs(desired),
    reachesInMs(desired.spec.refresh.timeoutSeconds * 1000, world, desired),
    reachesInMs(SILENCE_MS, world, desired),
  ].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits));
}

/** When the first that waits for others to join together with it will wait no more. */
function joinInMs({ members, workers }: DesiredState): number | undefined {
  const waits = members.flatMap(({ isDesired, hasJoined, hasFailed, pod, key }) =>
    isDesired && !hasJoined && !hasFailed && pod?.isReady === true
      ? [JOIN_TOGETHER_MS - (workers.presence.readyMs[key] ?? 0)]
      : [],
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** When the first of those that have not confirmed will have been waited for this long. */
function reachesInMs(
  limitMs: number,
  { ages }: PoolWorld,
  { members, slices }: DesiredState,
): number | undefined {
  const waits = members.flatMap((member) => {
    if (member.pod === undefined || hasConverged(member, slices.get(member.name))) return [];
    const left = limitMs - (ages.sliceMs[member.pod.uid] ?? 0);
    return left > 0 ? [left] : [];
  });
  return waits.length === 0 ? undefined : Math.min(...waits);
}
