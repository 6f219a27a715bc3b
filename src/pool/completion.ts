// Which streams are done, and are not run again? Those that the assignment records, and those of
// which their own worker tells it now (streamPolicy.completion Once).
import { own } from '../api/objects.ts';
import type { WorkerReport } from '../api/report.ts';
import type { Validated } from './preconditions.ts';
import type { Stream } from './streams.ts';
import type { PoolWorker } from './workers/workers.ts';
import type { Published } from './world.ts';

/** By stream: the token of the restart that it ran with, or an empty text. */
export type Completed = ReadonlyMap<string, string>;

const none: Completed = new Map();

/**
 * `tokens`: a completed stream with another one is to run again. `isLost`: nothing is published any
 * more, and what workers still tell is taken.
 */
export function completedStreams(
  { assignment }: Published,
  { spec, streams, blockedParts }: Validated,
  workers: readonly PoolWorker[],
  tokens: ReadonlyMap<string, string>,
  isLost: boolean,
): Completed {
  if (spec.streamPolicy.completion === 'Never') return none;
  const told = workers.flatMap((worker) => completedBy(worker, tokens, isLost));
  const recorded = assignment?.completed ?? none;
  if (told.length === 0 && recorded.size === 0) return none;
  const done = new Map([...recorded, ...told]);
  for (const name of mayRunAgain(streams, tokens))
    if (done.has(name) && done.get(name) !== tokens.get(name)) done.delete(name);
  // A list that cannot be read now may have them.
  if (blockedParts.list !== undefined) return done;
  return new Map(
    streams.flatMap(({ name }) => {
      const token = done.get(name);
      return token === undefined ? [] : [[name, token] as const];
    }),
  );
}

/** Of one that the list lacks, or that cannot be read there, nothing says how it is to run. */
const mayRunAgain = (
  streams: readonly Stream[],
  tokens: ReadonlyMap<string, string>,
): readonly string[] =>
  tokens.size === 0
    ? []
    : streams.flatMap(({ name, isReadBack, isSuspended }) =>
        tokens.has(name) && isReadBack !== true && isSuspended !== true ? [name] : [],
      );

/** A worker is believed about its own streams, in the version that gave them to it or later. */
function completedBy(
  { before, answer }: PoolWorker,
  tokens: ReadonlyMap<string, string>,
  isLost: boolean,
): readonly (readonly [string, string])[] {
  // What it told before it fell silent has happened, too.
  const report: WorkerReport | undefined = answer?.ok === true ? answer.report : answer?.last;
  if (report?.streams === undefined) return [];
  if (before === undefined ? !isLost : report.version < before.version) return [];
  const told = Object.entries(report.streams).filter(([, { state }]) => state === 'Completed');
  if (told.length === 0) return [];
  const mine = new Set(before?.jobs ?? report.jobs);
  // With a lost publication the token that it ran with is lost, too.
  const tokenOf = (name: string): string =>
    (before === undefined ? tokens.get(name) : own(before.restarts, name)) ?? '';
  return told.flatMap(([name]) => (mine.has(name) ? [[name, tokenOf(name)] as const] : []));
}

export const withoutCompleted = (
  streams: readonly Stream[],
  completed: Completed,
): readonly Stream[] =>
  completed.size === 0 ? streams : streams.filter(({ name }) => !completed.has(name));
