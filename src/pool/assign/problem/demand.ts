// How many workers would be enough for the streams of a list?
import { NONE, partitionPoint } from './problem.ts';
import type { StreamTable } from './table.ts';

/**
 * Packed heaviest first: never too few, sometimes one too many. Streams that no worker can carry do
 * not count, unless `overcommit` gives them a worker.
 */
export function workersForWeights(
  { weight: weights, isWeighted }: StreamTable,
  capacity: number,
  overcommit: boolean,
  /** Other streams that do not count. */
  without: ReadonlySet<number> = new Set(),
): number {
  if (!isWeighted) return weights.length > without.size ? 1 : 0;
  const counts = new Map<number, number>();
  let own = 0;
  let needsShared = false;
  for (let at = 0; at < weights.length; at += 1) {
    const weight = weights[at] ?? 0;
    if ((weight > capacity && !overcommit) || (without.size > 0 && without.has(at))) continue;
    if (weight >= capacity) own += 1;
    else if (weight > 0) counts.set(weight, (counts.get(weight) ?? 0) + 1);
    else needsShared = true;
  }
  const bins = binsFor(counts, capacity);
  return own + (bins === 0 && needsShared ? 1 : bins);
}

/** The highest ordinal to which a stream is pinned; -1 without pins. */
export const lastPinned = ({ ordinal, isPinned }: StreamTable): number =>
  isPinned ? ordinal.reduce((last, one) => Math.max(last, one), NONE) : NONE;

/** The number of workers that keeps the streams of each spread group apart. */
export function largestGroup({ group, groups }: StreamTable): number {
  const counts = new Int32Array(groups);
  if (groups > 0) for (const one of group) if (one !== NONE) counts[one] = (counts[one] ?? 0) + 1;
  return counts.reduce((largest, count) => Math.max(largest, count), 0);
}

/** First fit, heaviest first: fills one bin after another with the heaviest weight that fits. */
function binsFor(counts: ReadonlyMap<number, number>, capacity: number): number {
  const weights = [...counts.keys()].sort((a, b) => a - b);
  const left = weights.map((weight) => counts.get(weight) ?? 0);
  // Points to the next lighter weight that is left; paths are shortened so that used-up weights
  // cost nothing.
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

/** The index of the heaviest weight that fits, or -1. */
const heaviest = (weights: readonly number[], room: number): number =>
  partitionPoint(weights, (weight) => weight <= room) - 1;
