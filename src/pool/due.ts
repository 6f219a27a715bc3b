// When does time alone change what is to be done about a pool?
import type { DesiredState } from './desired-state.ts';
import { hasConverged } from './refresh/convergence.ts';
import { SILENCE_MS } from './status/conditions.ts';
import { JOIN_TOGETHER_MS } from './workers/members.ts';
import type { PoolWorld } from './world.ts';

/** `others`: when parts of the decision are due again. */
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

/** When the first worker that waits for others to join with it waits no longer. */
function joinInMs({ members, workers }: DesiredState): number | undefined {
  const waits = members.flatMap(({ isDesired, hasJoined, hasFailed, pod, key }) =>
    isDesired && !hasJoined && !hasFailed && pod?.isReady === true
      ? [JOIN_TOGETHER_MS - (workers.presence.readyMs[key] ?? 0)]
      : [],
  );
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** When the first unconfirmed worker reaches this limit. */
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
