// How many workers would be enough?
import { type AssignStream, partitionPoint } from './problem.ts';

/**
 * Packed heaviest first: never too few, sometimes one too many. Streams that no worker can carry do
 * not count, unless `overcommit` gives them one.
 */
export function workersForWeights(
  streams: readonly AssignStream[],
  capacity: number,
  overcommit: boolean,
): number {
  const counts = new Map<number, number>();
  let own = 0;
  let needsShared = false;
  for (const { weight } of streams) {
    if (weight > capacity && !overcommit) continue;
    if (weight >= capacity) own += 1;
    else if (weight > 0) counts.set(weight, (counts.get(weight) ?? 0) + 1);
    else needsShared = true;
  }
  const bins = binsFor(counts, capacity);
  return own + (bins === 0 && needsShared ? 1 : bins);
}

/** The highest ordinal that a stream is pinned to; -1 without pins. */
export function lastPinned(streams: readonly AssignStream[]): number {
  let last = -1;
  for (const { ordinal = -1 } of streams) last = Math.max(last, ordinal);
  return last;
}

/** So many workers keep the streams of each spread group apart. */
export function largestGroup(streams: readonly AssignStream[]): number {
  const counts = new Map<string, number>();
  let largest = 0;
  for (const { spreadGroup } of streams) {
    if (spreadGroup === undefined) continue;
    const count = (counts.get(spreadGroup) ?? 0) + 1;
    counts.set(spreadGroup, count);
    largest = Math.max(largest, count);
  }
  return largest;
}

/** First fit, heaviest first, fills one bin after another with the heaviest that fits. */
function binsFor(counts: ReadonlyMap<number, number>, capacity: number): number {
  const weights = [...counts.keys()].sort((a, b) => a - b);
  const left = weights.map((weight) => counts.get(weight) ?? 0);
  // The next lighter weight that is left; paths are shortened so that used-up weights cost nothing.
  const down = Int32Array.from(weights, (_, index) => index);
  const available = (index: number): number => {
    let at = index;
    while (at >= 0 && left[at] === 0) {
      const next = at > 0 ? (down[at - 1] ?? at - 1) : -1;
      down[at] = next;
      at = next;
    }
    return at;
  };
  let bins = 0;
  while (available(weights.length - 1) >= 0) {
    bins += 1;
    let room = capacity;
    for (
      let at = available(heaviest(weights, room));
      at >= 0;
      at = available(Math.min(at, heaviest(weights, room)))
    ) {
      const taken = Math.min(left[at] ?? 0, Math.floor(room / (weights[at] ?? room)));
      left[at] = (left[at] ?? 0) - taken;
      room -= taken * (weights[at] ?? 0);
    }
  }
  return bins;
}

/** The index of the heaviest that fits, or -1. */
const heaviest = (weights: readonly number[], room: number): number =>
  partitionPoint(weights, (weight) => weight <= room) - 1;
