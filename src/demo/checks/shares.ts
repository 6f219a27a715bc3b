// Do the weights hold? No worker may carry more than its capacity, and a stream that reserves a
// whole worker must be alone there.
import { type Observation, streamsOf, type WorkerObservation } from '../cluster/observation.ts';

export type Weights = ReadonlyMap<string, number>;
type Shares = Pick<Observation, 'weights' | 'capacity'>;

/** The sum of the weights of its streams. */
export const loadOf = (worker: WorkerObservation, weights: Weights): number =>
  streamsOf(worker).reduce((sum, stream) => sum + (weights.get(stream) ?? 0), 0);

export const overloaded = ({ workers, weights, capacity }: Observation): readonly string[] =>
  workers.flatMap((worker) => {
    const load = loadOf(worker, weights);
    const isTooMuch = capacity !== undefined && load > capacity;
    return isTooMuch ? [`${worker.name} (${load} of ${capacity})`] : [];
  });

export const crowded = (observed: Observation): readonly string[] =>
  observed.workers.flatMap((worker) => {
    const others = streamsOf(worker).length - 1;
    const dedicated = others > 0 ? dedicatedTo(worker, observed) : [];
    return dedicated.map((stream) => `${stream} (${worker.name}, with ${others} more)`);
  });

/** Its streams that reserve all of a worker. With overcommit there is no bound to reach. */
const dedicatedTo = (
  worker: WorkerObservation,
  { weights, capacity = Number.POSITIVE_INFINITY }: Shares,
): readonly string[] =>
  streamsOf(worker).filter((stream) => (weights.get(stream) ?? 0) >= capacity);

export const isDedicated = (worker: WorkerObservation, shares: Shares): boolean =>
  dedicatedTo(worker, shares).length > 0;

/** "no worker carries more than 100; stream:election has swarm-worker-2 to itself". */
export function sharesText(observed: Observation): string {
  const { workers, weights, capacity } = observed;
  if (capacity === undefined || weights.size === 0) return '';
  const owned = workers.flatMap((worker) =>
    dedicatedTo(worker, observed).map((stream) => `${stream} has ${worker.name} to itself`),
  );
  return [`no worker carries more than ${capacity}`, ...owned].join('; ');
}
