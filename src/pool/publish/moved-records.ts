// Which file of a pool with several shards records that a stream moved because it failed?
import { type Assignment, placedIn } from '../../api/assignment.ts';
import type { Work } from '../../core/work.ts';
import type { PoolWorker } from '../workers/workers.ts';

/**
 * The file of the worker that has the stream, or still releases it: one write moves the stream and
 * records that. After a crash between the writes of two files the next leader would otherwise see
 * no reason why the stream is there, and move it back.
 */
export function* movedRecordShards(
  { workloads, movedFrom }: Assignment,
  workers: readonly PoolWorker[],
  shardOf: (worker: PoolWorker) => number,
): Work<ReadonlyMap<string, number>> {
  const shards = new Map<string, number>();
  if (movedFrom === undefined) return shards;
  const has = (stream: string): boolean => movedFrom.has(stream);
  for (const worker of workers) {
    yield;
    const slice = workloads.get(worker.name);
    if (slice === undefined) continue;
    const shard = shardOf(worker);
    for (const stream of slice.releasing ?? [])
      if (has(stream) && !shards.has(stream)) shards.set(stream, shard);
    for (const stream of placedIn(slice)) if (has(stream)) shards.set(stream, shard);
  }
  return shards;
}
