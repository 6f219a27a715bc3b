// Does the assignment fit into its ConfigMaps?
import { writeAssignment } from '../../api/assignment.ts';
import { excessOf, MOST_OF_POOL, together } from '../../api/bounds.ts';
import { own } from '../../api/objects.ts';
import { sizeOf, tooMuch } from '../../api/yaml.ts';
import type { Member } from '../workers/members.ts';
import type { Publication } from './publication.ts';
import { type PublishedShard, type Shard, shardIndexOf } from './published.ts';

/** Well below what etcd takes: other keys and the previous version need room too. */
export const MOST_BYTES = 700 * 1024;

/** Undefined: every part fits. */
export function shardsEnough(
  { assignment, writes }: Publication,
  members: readonly Member[],
  shards: number,
): number | undefined {
  if (writes.every(({ text }) => bytesIn(text) <= MOST_BYTES)) return undefined;
  const sizes = members.map(({ name, ordinal }) => {
    const slice = assignment.workloads.get(name);
    return {
      ordinal,
      size:
        slice === undefined
          ? 0
          : bytesIn(writeAssignment({ ...assignment, workloads: new Map([[name, slice]]) })),
    };
  });
  const largest = (count: number): number => {
    const sums = new Float64Array(count);
    for (const { ordinal, size } of sizes)
      sums[shardIndexOf(ordinal, count)] = (sums[shardIndexOf(ordinal, count)] ?? 0) + size;
    return Math.max(...sums);
  };
  for (let count = shards + 1; count < 1000; count += 1)
    if (largest(count) <= MOST_BYTES) return count;
  return 1000;
}

/** Why readers would refuse the text as too large; undefined: they would not. */
export function unreadable(
  { writes }: Publication,
  found: readonly PublishedShard[],
  shards: readonly Shard[],
): string | undefined {
  const texts = shards.map(({ name, key }) => {
    const write = writes.find(({ shard }) => shard.name === name && shard.key === key);
    return (
      write?.text ??
      own(found.find((it) => it.name === name && it.key === key)?.configMap.data, key) ??
      ''
    );
  });
  return (
    excessOf(together(texts.map(sizeOf)), MOST_OF_POOL) ??
    writes.map(({ text }) => tooMuch(text)).find((it) => it !== undefined)
  );
}

const bytesIn = (text: string): number => new TextEncoder().encode(text).length;
