// Which ConfigMaps are to be written, and in which order?
import { type Assignment, writeAssignment, writeEntry } from '../../api/assignment.ts';
import type { Work } from '../../core/work.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { Move } from './moves.ts';
import { isEdited } from './notes.ts';
import { fileOf, highestElsewhere, isOutranked, slicesIn } from './places.ts';
import type { PublishInput, ShardWrite } from './publication.ts';

/** An unchanged slice is the very object in its file; a file with any other slice is written. */
export function* writesOf(
  input: PublishInput,
  { workloads, version }: Assignment,
  isRestored: boolean,
  placeOf: (worker: PoolWorker) => number,
): Work<readonly ShardWrite[]> {
  const { shards, world, workers } = input;
  const elsewhere = highestElsewhere(input);
  const writes: ShardWrite[] = [];
  const byPlace = Map.groupBy(workers, placeOf);
  for (const [index, shard] of shards.entries()) {
    yield;
    const present = world.published.shards.find(({ name }) => name === shard.name)?.configMap;
    const file = fileOf(input, shard);
    const inFile = file !== undefined && !isEdited(file) ? slicesIn(file) : undefined;
    const slices = new Map(
      (byPlace.get(index) ?? []).flatMap(({ name }) => {
        const slice = workloads.get(name);
        return slice === undefined ? [] : [[name, slice] as const];
      }),
    );
    const isSame =
      inFile !== undefined &&
      inFile.size === slices.size &&
      [...slices].every(([worker, slice]) => inFile.get(worker) === slice);
    // Also a file without workers has to show the newest version.
    if (isSame && !isRestored && !isOutranked(file, elsewhere)) continue;
    // Writes each entry by itself, in pieces; the whole text is then made of them at once.
    for (const [worker, slice] of slices) {
      yield;
      writeEntry(worker, slice);
    }
    const assignment = { workloads: slices, version };
    writes.push({ shard, present, assignment, text: writeAssignment(assignment) });
  }
  return writes;
}

/** The worker that receives a stream is told before the one that gives it away. */
export function receiversFirst(
  writes: readonly ShardWrite[],
  moves: readonly Move[],
): readonly ShardWrite[] {
  const receivers = new Set(moves.flatMap(({ from, to }) => (from === undefined ? [] : [to])));
  const receives = ({ assignment }: ShardWrite): number =>
    [...assignment.workloads.keys()].some((worker) => receivers.has(worker)) ? 0 : 1;
  return [...writes].sort((a, b) => receives(a) - receives(b));
}
