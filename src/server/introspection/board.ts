// How does a whole pool look at once? Its workers with their streams by name, if they are few enough to be drawn one by one.
import { timeText } from '../../core/meta.ts';
import { type First, firstOf, type LastChange } from './changes.ts';
import type { Snapshot } from './snapshots.ts';
import { seenStreamsOf, type Worker, workersInOrder } from './workers.ts';

/** More than these would be dots to the eye, and a long answer. */
const MOST_NAMED = 1_500;
const MOST_NAMES_LENGTH = 100_000;
const MOST_WORKERS = 500;

export type BoardStream = { readonly name: string; readonly weight: number; readonly isRunning?: boolean };

export type BoardWorker = Worker & {
  /** Left out: there are too many in the pool. */
  readonly assigned?: readonly BoardStream[];
  /** What it is to let go, and has not confirmed yet; the first of them. */
  readonly leaving?: readonly string[];
};

export type Board = {
  readonly asOf: string;
  readonly version: number;
  readonly capacity: number;
  readonly streams: number;
  readonly isNamed: boolean;
  readonly workers: First<BoardWorker>;
  readonly lastChange?: LastChange;
};

export function boardOf(snapshot: Snapshot): Board {
  const { world, now, lastChange } = snapshot;
  const workers = workersInOrder(snapshot);
  const shown = firstOf(workers, MOST_WORKERS);
  const seen = seenStreamsOf(snapshot, MOST_NAMED, MOST_NAMES_LENGTH);
  const { spec } = world.pool;
  return {
    asOf: timeText(now),
    version: Math.max(0, ...workers.map(({ version = 0 }) => version)),
    capacity: spec.ok ? spec.value.workers.capacity : 0,
    streams: workers.reduce((sum, { streams }) => sum + streams, 0),
    isNamed: seen !== undefined,
    workers: {
      total: shown.total,
      first: seen === undefined ? shown.first : shown.first.map((worker) => ({ ...worker, ...seen.get(worker.name) })),
    },
    ...(lastChange !== undefined && { lastChange }),
  };
}
