// Which worker should each stream have in the end, and which of the moves are made now if
// spec.rebalance.maxMoves allows fewer?
import type { Reason } from '../../core/reason.ts';
import type { Work } from '../../core/work.ts';
import type { PlacementReason } from '../reasons.ts';
import { heldElsewhere, type Leavers, leaversOf, moveElsewhere, withHeld } from './elsewhere.ts';
import { GroupCounts, type Placement } from './placement.ts';
import {
  type AssignInput,
  type AssignmentProblem,
  countWeightless,
  NONE,
} from './problem/problem.ts';

/** Two rounds are usually enough; after eight, the next change continues from their result. */
const MOST_ROUNDS = 8;

/** By stream without a worker: the reason. */
export type Refused = Map<number, Reason<PlacementReason>>;

/** `isRestless`: another round might change the result. `isShort`: some streams lack room. */
export type Settled = {
  readonly placement: Placement;
  readonly refused: Refused;
  readonly isRestless: boolean;
  readonly isShort: boolean;
};

type Arrived = Pick<Settled, 'placement' | 'refused'> & { readonly leavers: Leavers };

/** `exchanges` is the largest number of pairs that are exchanged to spread groups. */
export type Arrive = (from: AssignmentProblem, exchanges: number) => Work<Arrived>;

type Once = (problem: AssignmentProblem, exchanges: number) => Work<Settled>;

export function* arriveFrom(
  problem: AssignmentProblem,
  input: AssignInput,
  exchanges: number,
  assignOnce: Once,
): Work<Arrived> {
  const leavers = leaversOf(input, problem);
  let most = exchanges;
  const once = (at: AssignmentProblem): Work<Settled> => assignOnce(at, most);
  const settle = (before: Int32Array): Work<Settled> =>
    settleOnce(problem, before, leavers, once, input);
  let { placement, refused, isRestless } = yield* settle(problem.before);
  // A bounded number of exchanges is made in the first round.
  if (Number.isFinite(exchanges)) most = 0;
  for (let round = 1; isRestless && round < MOST_ROUNDS; round += 1) {
    const next = yield* settle(placement.owner);
    isRestless = next.placement.owner.some((worker, stream) => worker !== placement.owner[stream]);
    ({ placement, refused } = next);
  }
  return { placement, refused, leavers };
}

/** Streams that failed elsewhere stay where they went, unless another stream then has no worker. */
function* settleOnce(
  problem: AssignmentProblem,
  before: Int32Array,
  leavers: Leavers,
  once: (problem: AssignmentProblem) => Work<Settled>,
  { streams }: AssignInput,
): Work<Settled> {
  const { left } = leavers;
  let held = heldElsewhere(left, before, problem);
  let settled = yield* once(withHeld(problem, before, left, held));
  for (;;) {
    const { refused } = settled;
    const kept = new Set([...held].filter((stream) => !refused.has(stream)));
    if (kept.size === held.size) break;
    held = kept;
    settled = yield* once(withHeld(problem, before, left, held));
  }
  if (held.size > 0 && settled.isShort) {
    const free = yield* once({ ...problem, before });
    if (placesMore(free.refused, settled.refused, streams)) settled = { ...free, isRestless: true };
  }
  const hasMoved = yield* moveElsewhere(settled.placement, leavers, problem.before);
  return hasMoved ? { ...settled, isRestless: true } : settled;
}

/**
 * Does `refused` contain less important streams? The most important stream that is in only one of
 * the two decides.
 */
function placesMore(refused: Refused, others: Refused, streams: AssignInput['streams']): boolean {
  const priority = (stream: number): number => streams[stream]?.priority ?? 0;
  const [first] = [...refused.keys(), ...others.keys()]
    .filter((stream) => refused.has(stream) !== others.has(stream))
    .sort((a, b) => priority(b) - priority(a) || a - b);
  return first !== undefined && others.has(first);
}

/** An exchange is two moves, and may move a reserved stream or two in addition. */
const MOST_TRIES = 4;

type Bounded = {
  readonly arrived: Arrived;
  /** Moves that have to wait. */
  readonly deferred: number;
};

/**
 * In this order, so that the steps come to rest: first the moves for capacity, cordons and even
 * numbers, of which each step leaves fewer; then exchanges that spread groups. An exchange is two
 * moves, and half of one makes numbers uneven. The next step might revert that half, so exchanges
 * are made only when nothing else moves, and only those after which groups are spread better once
 * numbers are even again.
 */
export function* withinMaxMoves(
  problem: AssignmentProblem,
  whole: Arrived,
  maxMoves: number | undefined,
  arrive: Arrive,
): Work<Bounded> {
  const { before } = problem;
  if (maxMoves === undefined) return { arrived: whole, deferred: 0 };
  const wanted = movesIn(whole.placement, before).length;
  if (wanted <= maxMoves || problem.groups === 0) {
    const deferred = withinBudget(whole.placement, before, maxMoves);
    return { arrived: whole, deferred };
  }
  const even = yield* arrive(problem, 0);
  if (movesIn(even.placement, before).length > 0 || maxMoves === 0) {
    withinBudget(even.placement, before, maxMoves);
    const made = movesIn(even.placement, before).length;
    return { arrived: even, deferred: Math.max(0, wanted - made) };
  }
  const exchanged = yield* exchange(problem, maxMoves, arrive);
  if (exchanged === undefined) return { arrived: even, deferred: 0 };
  const made = movesIn(exchanged.placement, before).length;
  return { arrived: exchanged, deferred: Math.max(0, wanted - made) };
}

/** Undefined: no exchange within the bound spreads groups better. */
function* exchange(
  problem: AssignmentProblem,
  maxMoves: number,
  arrive: Arrive,
): Work<Arrived | undefined> {
  const { before } = problem;
  const pairs = Math.max(1, Math.floor(maxMoves / 2));
  const moves = movesIn((yield* arrive(problem, pairs)).placement, before);
  for (const preferred of moves.slice(0, MOST_TRIES)) {
    const found = yield* arrive(problem, pairs);
    withinBudget(found.placement, before, maxMoves, preferred);
    const { owner } = found.placement;
    const weightless = countWeightless(owner, problem.weight, problem.workers);
    const { placement } = yield* arrive({ ...problem, before: owner, weightless }, 0);
    if (unevenness(problem, placement.owner) < unevenness(problem, before)) return found;
  }
  return undefined;
}

/** The smaller, the better groups are spread. */
const unevenness = (problem: AssignmentProblem, owner: Int32Array): number =>
  new GroupCounts(problem, owner).squares();

/** Streams with another worker than before. */
function movesIn({ owner }: Placement, befores: Int32Array): readonly number[] {
  const moves: number[] = [];
  for (let at = 0; at < owner.length; at += 1) {
    const before = befores[at] ?? NONE;
    if (before !== NONE && owner[at] !== NONE && owner[at] !== before) moves.push(at);
  }
  return moves;
}

/** Reverts moves beyond the budget, the last in list order first, and returns their number. */
function withinBudget(
  placement: Placement,
  befores: Int32Array,
  maxMoves: number,
  /** The move of this stream is reverted last. */
  preferred = NONE,
): number {
  const { owner } = placement;
  const moves = [...movesIn(placement, befores)];
  if (preferred !== NONE) moves.sort((a, b) => Number(b === preferred) - Number(a === preferred));
  let left = moves.length;
  let deferred = 0;
  for (const stream of moves.reverse()) {
    if (left <= maxMoves) break;
    const before = befores[stream] ?? NONE;
    if (!canKeep(placement, stream, before)) continue;
    if (placement.weightOf(stream) === 0) owner[stream] = before;
    else {
      placement.take(stream);
      placement.put(stream, before);
    }
    left -= 1;
    deferred += 1;
  }
  return deferred;
}

/** A cordoned worker may keep a stream for a while that it is to lose. */
function canKeep(placement: Placement, stream: number, worker: number): boolean {
  if (placement.dedicated[worker] !== NONE) return false;
  if (placement.problem.pin[stream] !== NONE) return false;
  if (placement.isWhole(stream)) return placement.load[worker] === 0;
  return placement.weightOf(stream) <= placement.roomOn(worker);
}
