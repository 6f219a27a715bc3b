// Does a stream that fails move to another worker, did it, or why not?
// (streamPolicy.moveAfterSeconds)
import { placedIn } from '../../api/assignment.ts';
import { isFailing } from '../../api/reported-streams.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Stream } from '../streams/streams.ts';
import { loadOf, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { toldStream } from './stream-list.ts';

const BY = '(streamPolicy.moveAfterSeconds)';

/** `owner`: the worker that has it. */
export function whetherElsewhere(
  { pool }: PoolWorld,
  desired: DesiredState,
  stream: string,
  owner: PoolWorker | undefined,
): readonly string[] {
  const { moveAfterSeconds } = desired.spec.streamPolicy;
  if (moveAfterSeconds === undefined || owner === undefined) return [];
  const from = desired.assigned.movedFrom.get(stream);
  if (from !== undefined)
    return [
      `it moved here because it failed at ${from} ${BY}: for a day it does not return there and does not move for this reason again`,
    ];
  const slice = desired.slices.get(owner.name);
  const told = slice && toldStream(owner, slice, pool.status, stream);
  if (told === undefined || !isFailing(told.state)) return [];
  const entry = desired.streams.find(({ name }) => name === stream);
  if (entry?.ordinal !== undefined) return [`it stays although it fails: it is pinned ${BY}`];
  if (entry !== undefined && !hasRoomElsewhere(entry, desired, owner))
    return [`it stays although it fails: no other worker has free room for it ${BY}`];
  return desired.elsewhere?.due.some((it) => it.stream === stream) === true
    ? [
        `it will move to another worker, but waits: too many streams have moved within ${moveAfterSeconds} s ${BY}`,
      ]
    : [`when it has failed here for ${moveAfterSeconds} s, it moves to another worker ${BY}`];
}

function hasRoomElsewhere(
  { weight }: Stream,
  { workers, slices, spec, streams }: DesiredState,
  owner: PoolWorker,
): boolean {
  const { capacity } = spec.workers;
  const whole = new Set(streams.flatMap((it) => (it.weight >= capacity ? [it.name] : [])));
  return workers.some((worker) => {
    if (worker.name === owner.name || !worker.hasJoined || worker.isCordoned) return false;
    const slice = slices.get(worker.name);
    const placed = slice === undefined ? [] : placedIn(slice);
    if (weight >= capacity) return placed.length === 0;
    return !placed.some((name) => whole.has(name)) && loadOf(slice) + weight <= capacity;
  });
}
