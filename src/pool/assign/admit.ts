// Which reserved streams find room, and where? In order of priority.
import type { Work } from '../../core/work.ts';
import { balance } from './balance.ts';
import { bestPlacement, isPossible, isSmall } from './exact.ts';
import { type Placed, place } from './place.ts';
import { Placement } from './placement.ts';
import { type AssignmentProblem, NONE, usableWorkers } from './problem.ts';

/** `streams`: the most important first. */
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

/** Spreads; if that fails, packs; if that fails, packs without keeping anything in place. */
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

/** As many of the most important as can all be placed; the rest go where a gap is left. */
function* placeMost(problem: AssignmentProblem, streams: readonly number[]): Work<Placed> {
  let low = 0;
  // Usually the sum of weights sets the limit, and the first try is the last.
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

/** How many of the first streams the workers can carry by weight alone. */
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
