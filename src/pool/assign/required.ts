// How many workers would be enough? Packed heaviest first: never too few, sometimes one too many.
import { type AssignInput, partitionPoint } from './problem.ts';

export function workersEnough({ streams, capacity }: AssignInput): number {
  const counts = new Map<number, number>();
  let own = 0;
  let needsShared = false;
  let lastPinned = 0;
  for (const { weight, ordinal } of streams) {
    if (weight >= capacity) own += 1;
    else if (weight > 0) counts.set(weight, (counts.get(weight) ?? 0) + 1);
    else needsShared = true;
    if (ordinal !== undefined) lastPinned = Math.max(lastPinned, ordinal + 1);
  }
  const bins = binsFor(counts, capacity);
  return Math.max(own + (bins === 0 && needsShared ? 1 : bins), lastPinned);
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
