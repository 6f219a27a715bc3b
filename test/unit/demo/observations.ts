// Pools as the demo sees them, said shortly.
import type {
  Observation,
  PodObservation,
  WorkerObservation,
} from '../../../src/demo/cluster/observation.ts';

export const pod: PodObservation = {
  uid: 'u',
  isReady: true,
  isEnding: false,
  restarts: 0,
  trouble: undefined,
};

type Shape = {
  readonly streams: readonly string[];
  /** What each worker runs. */
  readonly runs: Readonly<Record<string, readonly string[]>>;
  readonly version?: number;
  readonly generation?: number;
  readonly seenGeneration?: number;
  readonly converged?: 'True' | 'False';
  readonly replicas?: number;
  readonly weights?: Readonly<Record<string, number>>;
};

/** All as it should be, but for what is said. */
export function observed(shape: Shape): Observation {
  const {
    streams,
    runs,
    version = 1,
    generation = 1,
    seenGeneration = generation,
    converged = 'True',
  } = shape;
  const names = Object.keys(runs);
  const replicas = shape.replicas ?? names.length;
  const condition = {
    type: 'Converged',
    status: converged,
    reason: 'Said',
    message: 'so it is',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  return {
    streams,
    weights: new Map(Object.entries(shape.weights ?? {})),
    capacity: 100,
    generation,
    version,
    replicas,
    status: {
      version,
      replicas,
      convergedReplicas: replicas,
      streams: { total: streams.length, assigned: streams.length, unassigned: 0 },
      conditions: [{ ...condition, observedGeneration: seenGeneration }],
    },
    workers: names.map((name) => worker(name, runs[name] ?? [], version)),
  };
}

export function worker(name: string, jobs: readonly string[], version = 1): WorkerObservation {
  return {
    name,
    pod,
    answer: { ok: true, version, streams: jobs },
    slice: { jobs, version },
    entry: { name, state: 'Converged' },
  };
}

export const withWorker = (
  of: Observation,
  changed: Partial<WorkerObservation> & { readonly name: string },
): Observation => ({
  ...of,
  workers: of.workers.map((it) => (it.name === changed.name ? { ...it, ...changed } : it)),
});
