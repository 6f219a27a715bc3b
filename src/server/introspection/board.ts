// What does the page draw of a whole pool? Its streams by name, too, if they are few enough.
import type { ShownBoard } from '../../api/introspection.ts';
import { timeText } from '../../core/text.ts';
import { firstOf } from './page.ts';
import type { PoolSnapshot } from './pools.ts';
import { namedStreams, workersInOrder } from './workers.ts';

/** More would be too small to see, and too long an answer. */
const MOST_NAMED = 1_500;
const MOST_NAMES_LENGTH = 100_000;
const MOST_WORKERS = 500;

export function boardOf(snapshot: PoolSnapshot): ShownBoard {
  const { world, now, lastChange } = snapshot;
  const workers = workersInOrder(snapshot);
  const shown = firstOf(workers, MOST_WORKERS);
  const named = namedStreams(snapshot, MOST_NAMED, MOST_NAMES_LENGTH);
  const { spec } = world.pool;
  return {
    asOf: timeText(now),
    version: workers.reduce((highest, { version = 0 }) => Math.max(highest, version), 0),
    capacity: spec.ok ? spec.value.workers.capacity : 0,
    streams: workers.reduce((sum, { streams }) => sum + streams, 0),
    isNamed: named !== undefined,
    workers: {
      total: shown.total,
      first:
        named === undefined
          ? shown.first
          : shown.first.map((worker) => ({ ...worker, ...named.get(worker.name) })),
    },
    ...(lastChange !== undefined && { lastChange }),
  };
}
