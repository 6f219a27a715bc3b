// Where do reserved streams go, and which of them move so that loads are even?
import type { Work } from '../../core/work.ts';
import { Placement, WorkerHeap } from './placement.ts';
import { type AssignmentProblem, NONE, partitionPoint } from './problem/problem.ts';

export type Placed = { readonly placement: Placement; readonly unplaced: readonly number[] };

/** The heaviest stream first, which packs best; ties fall to list order. */
const byWeight =
  ({ weight }: AssignmentProblem) =>
  (a: number, b: number): number =>
    (weight[b] ?? 0) - (weight[a] ?? 0) || a - b;

/**
 * `Spread`: to the least loaded worker with room. `Pack`: to the fullest, which leaves larger gaps.
 */
type PlacingStyle = 'Spread' | 'Pack';

export function* place(
  problem: AssignmentProblem,
  streams: readonly number[],
  style: PlacingStyle,
): Work<Placed> {
  const placement = new Placement(problem);
  const orphans = keepInPlace(placement, streams);
  const isPinned = (stream: number): boolean => problem.pin[stream] !== NONE;
  const unplaced = orphans.filter(isPinned);
  const homeless = orphans.filter((stream) => !isPinned(stream)).sort(byWeight(problem));
  const whole = homeless.filter((stream) => placement.isWhole(stream));
  yield;
  const evicted: number[] = [];
  const isHeld = heldByPins(placement, streams);
  let areAllTaken = false;
  for (const stream of whole) {
    const others: readonly number[] | undefined = areAllTaken
      ? undefined
      : giveOwnWorker(placement, stream, streams, isHeld);
    // If no worker can be cleared for one stream, none can be for another.
    areAllTaken = others === undefined;
    if (others === undefined) unplaced.push(stream);
    else evicted.push(...others);
    yield;
  }
  const rest = [...homeless.filter((stream) => !placement.isWhole(stream)), ...evicted].sort(
    byWeight(problem),
  );
  yield;
  const left = yield* style === 'Spread' ? spread(placement, rest) : pack(placement, rest);
  return { placement, unplaced: [...unplaced, ...left] };
}

/** Keeps every stream that fits on its pinned or earlier worker. */
function keepInPlace(placement: Placement, streams: readonly number[]): number[] {
  const { problem } = placement;
  const homes = homesOf(problem, streams);
  const home = (stream: number): number => homes[stream] ?? NONE;
  const load = new Float64Array(problem.workers);
  const counts = new Int32Array(problem.workers);
  const isCrowded = new Uint8Array(problem.workers);
  for (const stream of streams) {
    const worker = home(stream);
    if (worker === NONE) continue;
    load[worker] = (load[worker] ?? 0) + placement.weightOf(stream);
    counts[worker] = (counts[worker] ?? 0) + 1;
    if (placement.isWhole(stream)) isCrowded[worker] = 1;
  }
  const isTooMuch = (worker: number): boolean =>
    (load[worker] ?? 0) > problem.capacity ||
    (isCrowded[worker] === 1 && (counts[worker] ?? 0) > 1);
  const orphans: number[] = [];
  const contended: number[] = [];
  for (const stream of streams) {
    const worker = home(stream);
    if (worker === NONE) orphans.push(stream);
    else if (isTooMuch(worker)) contended.push(stream);
    else placement.put(stream, worker);
  }
  const rank = (stream: number): number => (problem.pin[stream] === NONE ? 1 : 0);
  contended.sort((a, b) => rank(a) - rank(b) || byWeight(problem)(a, b));
  for (const stream of contended) {
    if (placement.fits(stream, home(stream))) placement.put(stream, home(stream));
    else orphans.push(stream);
  }
  return orphans;
}

/** The pinned or the earlier worker of a stream; -1 if that worker is cordoned. */
function homesOf(
  { count, pin, before, isCordoned }: AssignmentProblem,
  streams: readonly number[],
): Int32Array {
  const homes = new Int32Array(count).fill(NONE);
  for (const stream of streams) {
    const pinned = pin[stream] ?? NONE;
    const worker = pinned === NONE ? (before[stream] ?? NONE) : pinned;
    if (worker !== NONE && isCordoned[worker] === 0) homes[stream] = worker;
  }
  return homes;
}

/** By worker: 1 if it has a pinned stream, which cannot make room. */
function heldByPins({ problem, owner }: Placement, streams: readonly number[]): Uint8Array {
  const isHeld = new Uint8Array(problem.workers);
  for (const stream of streams) {
    const pin = problem.pin[stream] ?? NONE;
    if (pin !== NONE && owner[stream] === pin) isHeld[pin] = 1;
  }
  return isHeld;
}

/**
 * Clears the worker whose streams weigh least, and returns these streams; undefined: no worker can
 * be cleared.
 */
function giveOwnWorker(
  placement: Placement,
  stream: number,
  streams: readonly number[],
  isHeld: Uint8Array,
): readonly number[] | undefined {
  const { load, share, counts } = placement;
  const [best] = placement
    .shared()
    .filter((worker) => isHeld[worker] === 0)
    .sort(
      (a, b) =>
        placement.together(stream, a) - placement.together(stream, b) ||
        (share[a] ?? 0) - (share[b] ?? 0) ||
        (counts[a] ?? 0) - (counts[b] ?? 0) ||
        a - b,
    );
  if (best === undefined) return undefined;
  const evicted =
    load[best] === 0 ? [] : streams.filter((other) => placement.owner[other] === best);
  for (const other of evicted) placement.take(other);
  placement.put(stream, best);
  return evicted;
}

function* spread(placement: Placement, streams: readonly number[]): Work<readonly number[]> {
  const { problem } = placement;
  const shared = placement.shared();
  const heap = new WorkerHeap(placement, shared, 1);
  const left: number[] = [];
  for (const stream of streams) {
    yield;
    const { top } = heap;
    // The worker with the least share may lack room: streams that failed elsewhere may be there.
    const isTop =
      problem.group[stream] === NONE &&
      (problem.left.length === 0 || (top !== undefined && placement.fits(stream, top)));
    const worker = isTop ? top : leastTogether(placement, stream, shared);
    if (worker === undefined || !placement.fits(stream, worker)) {
      left.push(stream);
      continue;
    }
    placement.put(stream, worker);
    heap.update(worker);
  }
  return left;
}

function leastTogether(
  placement: Placement,
  stream: number,
  shared: readonly number[],
): number | undefined {
  const { share, counts } = placement;
  let best: number | undefined;
  for (const worker of shared) {
    if (!placement.fits(stream, worker)) continue;
    const difference =
      best === undefined
        ? -1
        : placement.together(stream, worker) - placement.together(stream, best) ||
          (share[worker] ?? 0) - (share[best] ?? 0) ||
          (counts[worker] ?? 0) - (counts[best] ?? 0);
    if (difference < 0) best = worker;
  }
  return best;
}

function* pack(placement: Placement, streams: readonly number[]): Work<readonly number[]> {
  const { load } = placement;
  const shared = placement.shared();
  const left: number[] = [];
  for (const stream of streams) {
    yield;
    let best: number | undefined;
    for (const worker of shared) {
      if (
        placement.fits(stream, worker) &&
        (best === undefined || (load[worker] ?? 0) > (load[best] ?? 0))
      )
        best = worker;
    }
    if (best === undefined) left.push(stream);
    else placement.put(stream, best);
  }
  return left;
}

export function largestShared(placement: Placement, streams: readonly number[]): number {
  let largest = 0;
  for (const stream of streams) {
    if (placement.owner[stream] !== NONE && !placement.isWhole(stream))
      largest = Math.max(largest, placement.weightOf(stream));
  }
  return largest;
}

/**
 * The most loaded worker gives streams to the least loaded one until the two are close enough or no
 * move would help. Each move reduces the unevenness, so the loop ends.
 */
export function* balance(placement: Placement, streams: readonly number[]): Work<void> {
  const { share } = placement;
  const shared = placement.even();
  const bound = largestShared(placement, streams);
  const most = new WorkerHeap(placement, shared, -1);
  const least = new WorkerHeap(placement, shared, 1);
  let movable: readonly number[][] | undefined;
  for (;;) {
    yield;
    const from = most.top;
    const to = least.top;
    if (from === undefined || to === undefined) return;
    const difference = (share[from] ?? 0) - (share[to] ?? 0);
    if (difference <= bound) return;
    movable ??= movableByWorker(placement, streams);
    const stream = pick(placement, movable[from] ?? [], difference, bound);
    if (stream === undefined) {
      // Its streams are pinned or too heavy to help: the other workers can still be evened out.
      most.remove(from);
      continue;
    }
    if (!placement.fits(stream, to)) {
      // Streams that failed elsewhere are there, and leave less room than its share suggests.
      insert(placement, movable[from] ?? [], stream);
      least.remove(to);
      continue;
    }
    placement.take(stream);
    placement.put(stream, to);
    insert(placement, movable[to] ?? [], stream);
    for (const worker of [from, to]) {
      most.update(worker);
      least.update(worker);
    }
  }
}

/** Movable streams by worker, the lightest first. */
function movableByWorker(placement: Placement, streams: readonly number[]): readonly number[][] {
  const { problem, owner } = placement;
  const lists: number[][] = Array.from({ length: problem.workers }, () => []);
  for (const stream of streams) {
    const worker = owner[stream] ?? NONE;
    if (worker !== NONE && problem.pin[stream] === NONE && !placement.isWhole(stream))
      lists[worker]?.push(stream);
  }
  for (const list of lists)
    list.sort((a, b) => placement.weightOf(a) - placement.weightOf(b) || b - a);
  return lists;
}

/**
 * The lightest stream that brings the two workers within bounds, otherwise the heaviest that helps.
 */
function pick(
  placement: Placement,
  list: number[],
  difference: number,
  bound: number,
): number | undefined {
  const enough = (difference - bound) / 2;
  let at = lowerBound(placement, list, enough);
  if (at === list.length) at -= 1;
  const stream = list[at];
  if (stream === undefined || placement.weightOf(stream) >= difference) return undefined;
  list.splice(at, 1);
  return stream;
}

const insert = (placement: Placement, list: number[], stream: number): void =>
  void list.splice(lowerBound(placement, list, placement.weightOf(stream)), 0, stream);

const lowerBound = (placement: Placement, list: readonly number[], weight: number): number =>
  partitionPoint(list, (stream) => placement.weightOf(stream) < weight);
