// How does a whole pool look at once? Its workers, with their streams by name if those are few
// enough to be drawn one by one.
import type { ShownBoard } from '../../api/introspection.ts';
import { timeText } from '../../core/meta.ts';
import type { Snapshot } from './snapshots.ts';
import { firstOf } from './truncate.ts';
import { seenStreamsOf, workersInOrder } from './workers.ts';

/** More than these would be dots to the eye, and a long answer. */
const MOST_NAMED = 1_500;
const MOST_NAMES_LENGTH = 100_000;
const MOST_WORKERS = 500;

export function boardOf(snapshot: Snapshot): ShownBoard {
  const { world, now, lastChange } = snapshot;
  const workers = workersInOrder(snapshot);
  const shown = firstOf(workers, MOST_WORKERS);
  const seen = seenStreamsOf(snapshot, MOST_NAMED, MOST_NAMES_LENGTH);
  const { spec } = world.pool;
  return {
    asOf: timeText(now),
    version: workers.reduce((highest, { version = 0 }) => Math.max(highest, version), 0),
    capacity: spec.ok ? spec.value.workers.capacity : 0,
    streams: workers.reduce((sum, { streams }) => sum + streams, 0),
    isNamed: seen !== undefined,
    workers: {
      total: shown.total,
      first:
        seen === undefined
          ? shown.first
          : shown.first.map((worker) => ({ ...worker, ...seen.get(worker.name) })),
    },
    ...(lastChange !== undefined && { lastChange }),
  };
}
