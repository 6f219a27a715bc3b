// Which reserved streams have room, and where? In order of priority: the best placement of all for
// few streams, a good one for many.
import type { Work } from '../../core/work.ts';
import { balance, largestShared, type Placed, place } from './place.ts';
import { Placement } from './placement.ts';
import { type AssignmentProblem, NONE, usableWorkers } from './problem/problem.ts';

/** `streams` begins with the most important ones. */
export function* admit(
  problem: AssignmentProblem,
  streams: readonly number[],
  rebalances: boolean,
): Work<Placed> {
  if (isSmall(problem, streams)) return yield* admitExactly(problem, streams, rebalances);
  return yield* admitByHeuristic(problem, streams, rebalances);
}

function* admitExactly(
  problem: AssignmentProblem,
  streams: readonly number[],
  rebalances: boolean,
): Work<Placed> {
  const admitted: number[] = [];
  const unplaced: number[] = [];
  for (const stream of isPossible(problem, streams) ? [] : streams) {
    yield;
    admitted.push(stream);
    if (isPossible(problem, admitted)) continue;
    admitted.pop();
    unplaced.push(stream);
  }
  const fitting = unplaced.length === 0 ? streams : admitted;
  return {
    placement: bestPlacement(problem, fitting, rebalances) ?? new Placement(problem),
    unplaced,
  };
}

function* admitByHeuristic(
  problem: AssignmentProblem,
  streams: readonly number[],
  rebalances: boolean,
): Work<Placed> {
  const all = yield* placeAll(problem, streams);
  const { placement, unplaced } = all ?? (yield* placeMost(problem, streams));
  const isOut = new Set(unplaced);
  const placed = isOut.size === 0 ? streams : streams.filter((stream) => !isOut.has(stream));
  if (rebalances) yield* balance(placement, placed);
  return { placement, unplaced };
}

/**
 * Spreads the streams; if that fails, packs them; if that fails, packs them without keeping any in
 * place.
 */
function* placeAll(
  problem: AssignmentProblem,
  streams: readonly number[],
): Work<Placed | undefined> {
  if (withinCapacity(problem, streams) < streams.length) return undefined;
  const anew = (): AssignmentProblem => ({
    ...problem,
    before: new Int32Array(problem.count).fill(NONE),
  });
  const ways = [
    () => place(problem, streams, 'Spread'),
    () => place(problem, streams, 'Pack'),
    () => place(anew(), streams, 'Pack'),
  ];
  for (const way of ways) {
    const { placement, unplaced } = yield* way();
    if (unplaced.length === 0) return { placement, unplaced };
  }
  return undefined;
}

/**
 * Finds the largest number of most important streams that can all be placed; the others fill gaps.
 */
function* placeMost(problem: AssignmentProblem, streams: readonly number[]): Work<Placed> {
  let low = 0;
  // The sum of weights usually sets the limit, and the first try then is the last.
  let high = withinCapacity(problem, streams);
  let next = high;
  let best: Placed = { placement: new Placement(problem), unplaced: [] };
  while (low < high) {
    const found = yield* placeAll(problem, streams.slice(0, next));
    if (found === undefined) high = next - 1;
    else {
      best = found;
      low = next;
    }
    next = (low + high + 1) >> 1;
  }
  const { placement } = best;
  return { placement, unplaced: yield* fillGaps(placement, streams.slice(low)) };
}

/** The number of first streams that the workers can carry by weight alone. */
function withinCapacity(problem: AssignmentProblem, streams: readonly number[]): number {
  let left = usableWorkers(problem) * problem.capacity;
  const end = streams.findIndex((stream) => {
    left -= problem.weight[stream] ?? 0;
    return left < 0;
  });
  return end < 0 ? streams.length : end;
}

function* fillGaps(placement: Placement, streams: readonly number[]): Work<readonly number[]> {
  let room = placement.mostRoom();
  const left: number[] = [];
  for (const stream of streams) {
    yield;
    if (placement.weightOf(stream) <= room && fillGap(placement, stream))
      room = placement.mostRoom();
    else left.push(stream);
  }
  return left;
}

function fillGap(placement: Placement, stream: number): boolean {
  const { problem } = placement;
  const pin = problem.pin[stream] ?? NONE;
  const before = problem.before[stream] ?? NONE;
  const order = [pin, before, ...placement.shared()].filter(
    (worker) => worker !== NONE && (pin === NONE || worker === pin),
  );
  const worker = order.find((it) => placement.fits(stream, it));
  if (worker === undefined) return false;
  placement.put(stream, worker);
  return true;
}

/**
 * This number of placements is tried within a fraction of a millisecond; beyond it the heuristic
 * decides.
 */
const MOST_WAYS = 5_000;

function isSmall(problem: AssignmentProblem, streams: readonly number[]): boolean {
  const free = streams.filter((stream) => problem.pin[stream] === NONE).length;
  return usableWorkers(problem) ** free <= MOST_WAYS;
}

const isPossible = (problem: AssignmentProblem, streams: readonly number[]): boolean =>
  tryAll(problem, streams, () => true);

/**
 * The placement with the lowest cost. With rebalancing the costs are, in this order: loads that
 * differ by more than the largest shared weight, streams of one group together, weight moved,
 * streams moved (including displaced ones), unevenness of loads and of numbers of streams. Without
 * rebalancing, moves come first. Ties fall to the order of workers. Undefined: the streams cannot
 * all be placed.
 */
function bestPlacement(
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
  // Pinned streams first, then streams that need a whole worker: an impossible placement then fails
  // early.
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

/** The number of weightless streams that have to leave workers dedicated to a single stream. */
function displaced({ problem, dedicated }: Placement): number {
  let count = 0;
  for (let worker = 0; worker < problem.workers; worker += 1)
    if (dedicated[worker] !== NONE) count += problem.weightless[worker] ?? 0;
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
