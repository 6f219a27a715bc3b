// Which reserved streams move so that loads are even? Those of the least weight that suffices.
import type { Work } from '../../core/work.ts';
import { WorkerHeap } from './heap.ts';
import type { Placement } from './placement.ts';
import { NONE, partitionPoint } from './problem.ts';

export function largestShared(placement: Placement, streams: readonly number[]): number {
  let largest = 0;
  for (const stream of streams) {
    if (placement.owner[stream] !== NONE && !placement.isWhole(stream))
      largest = Math.max(largest, placement.weightOf(stream));
  }
  return largest;
}

/**
 * The most loaded gives to the least loaded until they are close enough or no move would help. Each
 * move lessens the unevenness, so it ends.
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
      // Pinned or too heavy to help: the others can still be evened out.
      most.remove(from);
      continue;
    }
    if (!placement.fits(stream, to)) {
      // Streams that failed elsewhere are there, and leave less room than its share says.
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

/** By worker, lightest first. */
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

/** The lightest that brings the two within bounds, else the heaviest that helps. */
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
