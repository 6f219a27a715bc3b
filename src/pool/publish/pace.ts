// Is a change published now, or joined with the next?
import type { DesiredState } from '../desired-state.ts';
import { isVerified } from '../refresh/convergence.ts';
import { unreportedChanges } from '../status/history.ts';
import type { PoolWorld } from '../world.ts';

/** Between two versions, while workers have not confirmed the first. */
const JOIN_CHANGES_MS = 500;
/** So many changes within this time are joined even if workers confirm each at once. */
const MOST_AT_ONCE = 3;
const RUN_OF_CHANGES_MS = 2_000;

/**
 * Changes that come faster than workers confirm are joined: the first is published at once, then
 * two versions a second. A released stream never waits.
 */
export function joinsNextChangeInMs(
  world: PoolWorld,
  { workers, publication: { assignment } }: DesiredState,
  now: number,
): number {
  const { ages, published } = world;
  const previous = published.assignment?.workloads;
  if (previous === undefined || ages.publishedMs >= JOIN_CHANGES_MS) return 0;
  if (isVerified(workers, previous) && changesWithin(world, now) < MOST_AT_ONCE) return 0;
  const isLetGo = [...previous].some(([worker, { releasing = [] }]) => {
    const still = new Set(assignment.workloads.get(worker)?.releasing);
    return releasing.some((stream) => !still.has(stream));
  });
  return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;
}

/** From times in history: a wrong clock delays a change by at most half a second. */
function changesWithin({ pool, published: { changes } }: PoolWorld, now: number): number {
  const known = pool.status?.history?.map(({ publishTime }) => publishTime) ?? [];
  const times = [...unreportedChanges(pool.status, changes).map(({ time }) => time), ...known];
  return times.filter((time) => now - Date.parse(time) < RUN_OF_CHANGES_MS).length;
}
