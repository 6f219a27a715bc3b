// Which streams are done and are not run again? Those that are recorded in the assignment, and those
// of which their own worker tells it now (streamPolicy.completion Once).
import type { WorkerReport } from '../api/report.ts';
import type { Validated } from './preconditions.ts';
import type { Published } from './publish/published.ts';
import type { Stream } from './streams.ts';
import type { PoolWorker } from './workers/workers.ts';

const none: ReadonlySet<string> = new Set();

export function completedStreams(
  { assignment }: Published,
  { spec, streams, complaint }: Validated,
  workers: readonly PoolWorker[],
): ReadonlySet<string> {
  if (spec.streamPolicy.completion === 'Never') return none;
  const told = workers.flatMap(completedBy);
  const recorded = assignment?.completed ?? none;
  if (told.length === 0 && recorded.size === 0) return none;
  // A list that cannot be read now may have them.
  if (complaint !== undefined) return new Set([...recorded, ...told]);
  const done = new Set([...recorded, ...told]);
  return new Set(streams.flatMap(({ name }) => (done.has(name) ? [name] : [])));
}

/** A worker is believed about its own streams, in the version that gave them to it or later. */
function completedBy({ before, answer }: PoolWorker): readonly string[] {
  // What it told before it fell silent has happened, too.
  const report: WorkerReport | undefined = answer?.ok === true ? answer.report : answer?.last;
  if (before === undefined || report?.streams === undefined || report.version < before.version)
    return [];
  const told = Object.entries(report.streams).filter(([, { state }]) => state === 'Completed');
  if (told.length === 0) return [];
  const mine = new Set(before.jobs);
  return told.flatMap(([name]) => (mine.has(name) ? [name] : []));
}

export const withoutCompleted = (
  streams: readonly Stream[],
  completed: ReadonlySet<string>,
): readonly Stream[] =>
  completed.size === 0 ? streams : streams.filter(({ name }) => !completed.has(name));
