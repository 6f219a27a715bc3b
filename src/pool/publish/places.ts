// In which file does a worker stand, and is that the right one?
import type { Assignment, Slice } from '../../api/assignment.ts';
import type { Member } from '../workers/members.ts';
import type { PublishInput } from './publication.ts';
import { type PublishedShard, type Shard, shardIndexOf } from './published.ts';

/** A slice in another file is a new one: that the worker reads that file is yet to be confirmed. */
export function inPlace(
  input: PublishInput,
): (slice: Slice, worker: string, place: number) => boolean {
  const { shards, found, isByReplacement } = input;
  if (isByReplacement) return () => true;
  const elsewhere = highestElsewhere(input);
  const files = shards.map((shard) => {
    const file = fileOf(found, shard);
    // The pool has left this place and come back: workers may follow a newer version from
    // elsewhere.
    return isOutranked(file, elsewhere) ? undefined : slicesIn(file);
  });
  return (slice, worker, place) => files[place]?.get(worker) === slice;
}

export const fileOf = (
  found: readonly PublishedShard[],
  { name, key }: Shard,
): PublishedShard | undefined => found.find((it) => it.name === name && it.key === key);

export const slicesIn = (file: PublishedShard | undefined): Assignment['workloads'] | undefined =>
  file?.read?.ok === true ? file.read.assignment.workloads : undefined;

/**
 * Former workers stay in their file: between the writes of two files they would stand in none, and
 * nothing else ties them to the pool.
 */
export function placesIn({ shards, found, members }: PublishInput): (member: Member) => number {
  const former = new Map<string, number>();
  if (members.some(({ isFormer }) => isFormer)) {
    for (const [index, shard] of shards.entries())
      for (const name of slicesIn(fileOf(found, shard))?.keys() ?? [])
        if (!former.has(name)) former.set(name, index);
  }
  return ({ name, ordinal, isFormer }) =>
    (isFormer ? former.get(name) : undefined) ?? shardIndexOf(ordinal, shards.length);
}

export const isCurrent = ({ shards }: PublishInput, { name, key }: Shard): boolean =>
  shards.some((shard) => shard.name === name && shard.key === key);

/** The spec names another place than that of the last publication. */
export function hasMoved(input: PublishInput): boolean {
  const { found } = input;
  const readable = found.filter(({ read }) => read?.ok === true);
  const latest = Math.max(
    ...readable.map(({ read }) => (read?.ok === true ? read.assignment.version : 0)),
  );
  return readable.some(
    (it) => !isCurrent(input, it) && it.read?.ok === true && it.read.assignment.version === latest,
  );
}

/** In files that the pool no longer writes. */
export function highestElsewhere({ shards, found }: PublishInput): number {
  const here = new Set(shards.map(pathOf));
  return Math.max(0, ...found.filter((it) => !here.has(pathOf(it))).map(versionOf));
}

const pathOf = ({ name, key }: Shard): string => `${name}/${key}`;

/** A newer version stands elsewhere: the pool has come back to a place that it had left. */
export const isOutranked = (file: PublishedShard | undefined, elsewhere: number): boolean =>
  elsewhere > versionOf(file);

const versionOf = (file: PublishedShard | undefined): number =>
  file?.read?.ok === true ? file.read.assignment.version : 0;
