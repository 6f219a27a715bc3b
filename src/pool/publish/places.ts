// In which file does a worker stand, and is that the right one?
import type { Assignment, Slice } from '../../api/assignment.ts';
import { isByReplacement } from '../refresh/mode.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PublishInput } from './publication.ts';
import { assignmentIn, type PublishedShard, type Shard, shardIndexOf } from './published.ts';

/** A slice in another file is a new one: that the worker reads that file is yet to be confirmed. */
export function inPlace(
  input: PublishInput,
): (slice: Slice, worker: string, place: number) => boolean {
  const { shards } = input;
  // Workers read their file only at start: the same slice in another file replaces no pod.
  if (isByReplacement(input.checked.spec)) return () => true;
  const elsewhere = highestElsewhere(input);
  const files = shards.map((shard) => {
    const file = fileOf(input, shard);
    // The pool has left this place and come back: workers may follow a newer version.
    return isOutranked(file, elsewhere) ? undefined : slicesIn(file);
  });
  return (slice, worker, place) => files[place]?.get(worker) === slice;
}

export const fileOf = (
  { world }: Pick<PublishInput, 'world'>,
  { name, key }: Shard,
): PublishedShard | undefined =>
  world.published.shards.find((it) => it.name === name && it.key === key);

export const slicesIn = (file: PublishedShard | undefined): Assignment['workloads'] | undefined =>
  file === undefined ? undefined : assignmentIn(file)?.workloads;

/** Former workers stay in their file: between two writes, no other file would name them. */
export function placesIn(input: PublishInput): (worker: PoolWorker) => number {
  const { shards, workers } = input;
  const former = new Map<string, number>();
  if (workers.some(({ isFormer }) => isFormer)) {
    for (const [index, shard] of shards.entries())
      for (const name of slicesIn(fileOf(input, shard))?.keys() ?? [])
        if (!former.has(name)) former.set(name, index);
  }
  return ({ name, ordinal, isFormer }) =>
    (isFormer ? former.get(name) : undefined) ?? shardIndexOf(ordinal, shards.length);
}

export const isCurrent = (shards: readonly Shard[], { name, key }: Shard): boolean =>
  shards.some((shard) => shard.name === name && shard.key === key);

/** The spec names another place than that of the last publication. */
export function hasMoved(input: PublishInput): boolean {
  const elsewhere = highestElsewhere(input);
  return elsewhere > 0 && !input.world.published.shards.some((file) => versionOf(file) > elsewhere);
}

/** In files that the pool no longer writes. */
export function highestElsewhere({ shards, world }: PublishInput): number {
  const here = new Set(shards.map(pathOf));
  const elsewhere = world.published.shards.filter((file) => !here.has(pathOf(file)));
  return Math.max(0, ...elsewhere.map(versionOf));
}

const pathOf = ({ name, key }: Shard): string => `${name}/${key}`;

/** A newer version stands elsewhere: the pool has come back to a place that it had left. */
export const isOutranked = (file: PublishedShard | undefined, elsewhere: number): boolean =>
  file === undefined ? elsewhere > 0 : elsewhere > versionOf(file);

const versionOf = (file: PublishedShard): number => assignmentIn(file)?.version ?? 0;
