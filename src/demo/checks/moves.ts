// Which streams changed their worker between two observations, and were these the fewest moves?
import type { Observation } from '../cluster/observation.ts';
import { isDedicated } from './shares.ts';
import { workersByStream } from './verify.ts';

/** The worker of each stream. */
export type Owners = ReadonlyMap<string, string>;

type Moves = {
  readonly moved: readonly string[];
  readonly started: readonly string[];
  readonly stopped: readonly string[];
};

export function ownersIn(observed: Observation | undefined): Owners {
  const workers = workersByStream(observed?.workers ?? []);
  return new Map([...workers].map(([stream, names]) => [stream, names[0] ?? '']));
}

export function movesBetween(before: Owners, after: Owners): Moves {
  const streams = [...after.keys()];
  return {
    moved: streams.filter(
      (stream) => before.has(stream) && before.get(stream) !== after.get(stream),
    ),
    started: streams.filter((stream) => !before.has(stream)),
    stopped: [...before.keys()].filter((stream) => !after.has(stream)),
  };
}

/** Streams that came to their worker since; none at the first assignment, since all did. */
export function newsSince(before: Owners, observed: Observation | undefined): ReadonlySet<string> {
  const { moved, started } = movesBetween(before, ownersIn(observed));
  return before.size === 0 ? new Set() : new Set([...moved, ...started]);
}

/**
 * Of streams without weights, spread evenly over these workers: those move whose worker is gone, or
 * has more than its even share. The larger shares go to the workers that hold most already.
 */
export function fewestMoves(before: Owners, after: Owners, workers: readonly string[]): number {
  const kept = [...before].filter(([stream]) => after.has(stream));
  const held = workers
    .map((worker) => kept.filter(([, owner]) => owner === worker).length)
    .sort((a, b) => b - a);
  const share = Math.floor(after.size / workers.length);
  const larger = after.size % workers.length;
  const staying = held.reduce(
    (sum, count, at) => sum + Math.min(count, share + (at < larger ? 1 : 0)),
    0,
  );
  return kept.length - staying;
}

/** The operator promises the fewest moves only for streams without a weight. */
export function movesSince(before: Owners, observed: Observation | undefined): string {
  const after = ownersIn(observed);
  const moves = movesBetween(before, after);
  if (observed === undefined) return movesText(moves, undefined);
  const isLight = (stream: string): boolean => (observed.weights.get(stream) ?? 0) === 0;
  const light = (owners: Owners): Owners =>
    new Map([...owners].filter(([stream]) => isLight(stream)));
  const shared = observed.workers
    .filter((worker) => !isDedicated(worker, observed))
    .map(({ name }) => name);
  return movesText(
    moves,
    moves.moved.every(isLight) ? fewestMoves(light(before), light(after), shared) : undefined,
  );
}

/** "3 new, 2 removed, 0 moved". */
export function movesText({ moved, started, stopped }: Moves, fewest: number | undefined): string {
  const least = moved.length === fewest ? 'the fewest possible' : `${fewest} would be enough`;
  const comment = moved.length === 0 || fewest === undefined ? '' : ` (${least})`;
  return [
    ...(started.length === 0 ? [] : [`${started.length} new`]),
    ...(stopped.length === 0 ? [] : [`${stopped.length} removed`]),
    `${moved.length} moved${comment}`,
  ].join(', ');
}
