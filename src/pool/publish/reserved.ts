// What does a stream reserve at the worker that is published to have it?
import { placedIn } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { KeepInput, KeptStream } from '../assign/keep.ts';
import type { Stream } from '../streams.ts';
import type { PoolWorker } from '../workers/workers.ts';

type Workers = readonly Pick<PoolWorker, 'name' | 'before'>[];

/** Undefined: the publication does not give it to this worker. */
export function reservedAt(workers: Workers, capacity: number): KeepInput['weightAt'] {
  const slices = new Map(workers.map(({ name, before }) => [name, before]));
  const placed = new Map<string, ReadonlySet<string>>();
  return (worker, { name, weight }) => {
    const slice = slices.get(worker);
    // The publication was lost, and with it the weight; that it runs there, its worker reports.
    if (slice === undefined) return weight > capacity ? 0 : weight;
    const here = placed.get(worker) ?? new Set(placedIn(slice));
    placed.set(worker, here);
    return here.has(name) ? asWeight(own(slice.weights, name) ?? 0) : undefined;
  };
}

/** A user can write any number into a ConfigMap. */
const asWeight = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);

/** What a kept stream reserves is published, so that the next decision knows it, too. */
export function withKeptWeights(
  streams: readonly Stream[],
  kept: readonly KeptStream[],
): readonly Stream[] {
  if (kept.length === 0) return streams;
  const weights = new Map(kept.map(({ name, weight }) => [name, weight]));
  return streams.map((stream) => {
    const weight = weights.get(stream.name);
    return weight === undefined ? stream : { ...stream, weight };
  });
}
