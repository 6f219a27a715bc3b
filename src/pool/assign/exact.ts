// Which placement is the best of all, where there are few enough to try?
import { largestShared } from './balance.ts';
import { Placement } from './placement.ts';
import { type AssignmentProblem, NONE, usableWorkers } from './problem.ts';

/** So many are tried within a fraction of a millisecond; beyond that the heuristic decides. */
const MOST_WAYS = 5_000;

export function isSmall(problem: AssignmentProblem, streams: readonly number[]): boolean {
  const free = streams.filter((stream) => problem.pin[stream] === NONE).length;
  return usableWorkers(problem) ** free <= MOST_WAYS;
}

export const isPossible = (problem: AssignmentProblem, streams: readonly number[]): boolean =>
  tryAll(problem, streams, () => true);

/**
 * By, in this order: loads within the largest shared weight, groups spread, least weight moved,
 * fewest streams moved (also those that have to make way), most even loads, most even counts of
 * streams, worker order. Undefined: they cannot all be placed.
 */
export function bestPlacement(
  problem: AssignmentProblem,
  streams: readonly number[],
  rebalances: boolean,
): Placement | undefined {
  let best: { readonly cost: readonly number[]; readonly owner: Int32Array } | undefined;
  tryAll(problem, streams, (placement) => {
    const cost = costOf(placement, streams, rebalances);
    if (best === undefined || isLess(cost, best.cost))
      best = { cost, owner: Int32Array.from(placement.owner) };
    return false;
  });
  if (best === undefined) return undefined;
  const placement = new Placement(problem);
  const { owner } = best;
  for (const stream of streams) placement.put(stream, owner[stream] ?? 0);
  return placement;
}

function tryAll(
  problem: AssignmentProblem,
  streams: readonly number[],
  /** Returns true to end the search. */
  visit: (placement: Placement) => boolean,
): boolean {
  const placement = new Placement(problem);
  // Pinned first, then those that need a whole worker: an impossible placement shows early.
  const rank = (stream: number): number =>
    problem.pin[stream] !== NONE ? 0 : placement.isWhole(stream) ? 1 : 2;
  const order = [...streams].sort((a, b) => rank(a) - rank(b) || a - b);
  const descend = (depth: number): boolean => {
    const stream = order[depth];
    if (stream === undefined) return visit(placement);
    const pin = problem.pin[stream] ?? NONE;
    for (let worker = 0; worker < problem.workers; worker += 1) {
      if ((pin !== NONE && pin !== worker) || !placement.fits(stream, worker)) continue;
      if (!placement.mayMove(stream, worker)) continue;
      placement.put(stream, worker);
      const isDone = descend(depth + 1);
      placement.take(stream);
      if (isDone) return true;
    }
    return false;
  };
  return descend(0);
}

function costOf(
  placement: Placement,
  streams: readonly number[],
  rebalances: boolean,
): readonly number[] {
  const { problem, owner, share, counts } = placement;
  const loads = placement.even().map((worker) => share[worker] ?? 0);
  const uneven =
    loads.length === 0
      ? 0
      : Math.max(0, Math.max(...loads) - Math.min(...loads) - largestShared(placement, streams));
  let together = 0;
  let weightMoved = 0;
  let moved = 0;
  for (const stream of streams) {
    together += Math.max(0, placement.together(stream, owner[stream] ?? 0) - 1);
    const before = problem.before[stream] ?? NONE;
    if (before === NONE || before === owner[stream]) continue;
    weightMoved += placement.weightOf(stream);
    moved += 1;
  }
  moved += displaced(placement);
  const evenness = [squares(loads), squares([...counts])];
  return rebalances
    ? [uneven, together, weightMoved, moved, ...evenness]
    : [weightMoved, moved, uneven, together, ...evenness];
}

/** Streams that reserve nothing have to leave a worker that becomes a single stream's. */
function displaced({ problem, dedicated }: Placement): number {
  let count = 0;
  for (let worker = 0; worker < problem.workers; worker += 1)
    if (dedicated[worker] !== NONE) count += problem.light[worker] ?? 0;
  return count;
}

/** The smaller, the more even. */
const squares = (figures: readonly number[]): number =>
  figures.reduce((sum, one) => sum + one * one, 0);

function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (let at = 0; at < a.length; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
