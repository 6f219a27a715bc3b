// Do the weights hold? No worker carries more than its capacity, and who has a weight of all of it
// has its worker for itself.
import type { Observation, WorkerObservation } from '../cluster/observation.ts';

export type Weights = ReadonlyMap<string, number>;

export type ShareFinding =
  | {
      readonly what: 'Overloaded';
      readonly worker: string;
      readonly load: number;
      readonly capacity: number;
    }
  | {
      readonly what: 'Crowded';
      readonly worker: string;
      readonly stream: string;
      readonly others: number;
    };

/** The sum of the weights of what it says that it runs. */
export const loadOf = ({ told }: WorkerObservation, weights: Weights): number =>
  told.ok ? told.streams.reduce((sum, stream) => sum + (weights.get(stream) ?? 0), 0) : 0;

export function ofShares({ workers, weights, capacity }: Observation): readonly ShareFinding[] {
  // With overcommit there is no bound to hold.
  if (capacity === undefined) return [];
  return workers.flatMap((worker): readonly ShareFinding[] => {
    const load = loadOf(worker, weights);
    const others = worker.told.ok ? worker.told.streams.length - 1 : 0;
    return [
      ...(load > capacity
        ? [{ what: 'Overloaded', worker: worker.name, load, capacity } as const]
        : []),
      ...(others > 0 ? wholeOf(worker, weights, capacity) : []).map((stream) => ({
        what: 'Crowded' as const,
        worker: worker.name,
        stream,
        others,
      })),
    ];
  });
}

/** Those that want all of a worker. */
const wholeOf = (
  { told }: WorkerObservation,
  weights: Weights,
  capacity: number,
): readonly string[] =>
  told.ok ? told.streams.filter((stream) => (weights.get(stream) ?? 0) >= capacity) : [];

/** Workers that are a stream's own. */
export const isDedicated = (
  worker: WorkerObservation,
  { weights, capacity }: Pick<Observation, 'weights' | 'capacity'>,
): boolean => capacity !== undefined && wholeOf(worker, weights, capacity).length > 0;

/** "no worker carries more than 100; stream:election has swarm-worker-2 for itself". */
export function sharesText({ workers, weights, capacity }: Observation): string {
  if (capacity === undefined || weights.size === 0) return '';
  const owned = workers.flatMap((worker) =>
    wholeOf(worker, weights, capacity).map((stream) => `${stream} has ${worker.name} for itself`),
  );
  return [`no worker carries more than ${capacity}`, ...owned].join('; ');
}
