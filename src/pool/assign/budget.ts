// Which moves wait for the next change? Those beyond the bound whose worker can keep the stream.
import type { Placement } from './placement.ts';
import { NONE } from './problem.ts';

/** Takes moves back, the last in list order first, and returns how many. */
export function withinBudget(placement: Placement, befores: Int32Array, maxMoves: number): number {
  const { problem, owner } = placement;
  const moves: number[] = [];
  for (let at = 0; at < problem.count; at += 1) {
    const before = befores[at] ?? NONE;
    if (before !== NONE && owner[at] !== NONE && owner[at] !== before) moves.push(at);
  }
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

/** A cordoned worker may keep for a while a stream that it is to lose. */
function canKeep(placement: Placement, stream: number, worker: number): boolean {
  if (placement.dedicated[worker] !== NONE) return false;
  if (placement.problem.pin[stream] !== NONE) return false;
  if (placement.isWhole(stream)) return placement.load[worker] === 0;
  return placement.weightOf(stream) <= placement.roomOn(worker);
}
