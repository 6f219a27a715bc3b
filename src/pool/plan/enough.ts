// With how many workers would each stream have one, and which streams would have none with any
// number? Answered by the operator's own decision on worlds with more workers.
import { MOST_WORKERS } from '../../api/bounds.ts';
import type { Unassigned } from '../assign/result.ts';
import { checkPreconditions } from '../preconditions.ts';
import type { Stream } from '../streams/streams.ts';
import { measureAvailability } from '../workers/availability.ts';
import { replicasFor } from '../workers/size.ts';
import type { PoolWorld } from '../world.ts';
import { withWorkers } from './suppose.ts';
import { unfold } from './unfold.ts';

export type Enough = {
  /** For all but the hopeless; undefined: more workers help no stream. */
  readonly workers: number | undefined;
  /** No number of workers can hold them. */
  readonly hopeless: readonly Unassigned[];
};

/**
 * Of a world whose plan leaves the `refused` without a worker. Undefined: more workers cannot be
 * supposed. Each question is a whole plan, which takes seconds in a large pool: few are asked.
 */
export function enoughFor(
  world: PoolWorld,
  refused: readonly Unassigned[],
  now: number,
): Enough | undefined {
  const [target] = world.targets;
  const checked = checkPreconditions(world);
  if (target === undefined || !checked.ok) return undefined;
  const { spec, streams } = checked;
  const neededBy = (some: readonly Stream[]): number =>
    Math.max(replicasFor(some, spec, target.firstOrdinal), target.replicas + 1);
  const pinned = new Set(streams.flatMap(({ ordinal }) => ordinal ?? []));
  // A pinned worker may have room that no other stream fits into: one more worker for each of them
  // is enough for the other streams.
  const most = Math.min(neededBy(streams) + pinned.size + 1, MOST_WORKERS);
  const hopeless = refusedWith(world, most, now);
  if (hopeless === undefined) return undefined;
  const isHopeless = isOneOf(hopeless);
  if (refused.every(isHopeless))
    return { workers: undefined, hopeless: hopeless.filter(isOneOf(refused)) };
  const isEnough = (workers: number): boolean =>
    refusedWith(world, workers, now)?.every(isHopeless) === true;
  const needed = neededBy(streams.filter((stream) => !isHopeless(stream)));
  const workers = isEnough(needed) ? needed : leastBetween(needed, most, isEnough);
  return { workers, hopeless };
}

type Named = { readonly name: string };

function isOneOf(streams: readonly Named[]): (stream: Named) => boolean {
  const names = new Set(streams.map(({ name }) => name));
  return ({ name }) => names.has(name);
}

/** `above` is enough, `below` is not. */
function leastBetween(
  below: number,
  above: number,
  isEnough: (workers: number) => boolean,
): number {
  let [low, high] = [below, above];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function refusedWith(
  world: PoolWorld,
  workers: number,
  now: number,
): readonly Unassigned[] | undefined {
  const supposed = withWorkers(world, workers);
  if (typeof supposed === 'string') return undefined;
  const checked = checkPreconditions(supposed);
  if (!checked.ok) return undefined;
  const { presence } = measureAvailability(world).availability;
  return unfold(supposed, checked, presence, now).last.assigned.unassigned;
}
