// A pool for very many streams: its lists are in ConfigMaps, and its assignment is sharded.
import { kinds } from '../../../src/api/kinds.ts';
import type { Pool } from './pool.ts';
import type { Swarm } from './swarm.ts';

const KEY = 'all.txt';

export type Large = {
  readonly streams: readonly string[];
  readonly lists: number;
  readonly shards: number;
  readonly workers: number;
};

export const manyNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `stream-${String(index).padStart(6, '0')}`);

const numbers = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

/** A stream is in the list with the number of its index modulo the number of lists. */
const textOf = ({ streams, lists }: Large, list: number): string =>
  streams.filter((_, index) => index % lists === list).join('\n');

const nameOf = (list: number): string => `list-${list}`;

export async function largePool(swarm: Swarm, namespace: string, large: Large): Promise<Pool> {
  const { lists, shards, workers } = large;
  const sources = numbers(shards).map((shard) => ({
    configMap: { name: `tv-assignments-${shard}`, optional: true },
  }));
  const pool = await swarm.pool(namespace, {
    streams: [],
    workers,
    spec: {
      streams: [],
      streamsFrom: numbers(lists).map((list) => ({
        configMapKeyRef: { name: nameOf(list), key: KEY },
      })),
      assignments: { shards },
    },
    volume: { projected: { sources } },
  });
  for (const list of numbers(lists)) {
    await swarm.create(kinds.ConfigMap, namespace, nameOf(list), {
      data: { [KEY]: textOf(large, list) },
    });
  }
  return pool;
}

/** Renames the stream at this index. */
export async function renamed(
  swarm: Swarm,
  namespace: string,
  large: Large,
  at: number,
  name: string,
): Promise<Large> {
  const next = { ...large, streams: large.streams.with(at, name) };
  const list = at % large.lists;
  const body = { data: { [KEY]: textOf(next, list) } };
  await swarm.api.patch(
    kinds.ConfigMap,
    { namespace, name: nameOf(list) },
    { type: 'merge', body },
  );
  return next;
}
