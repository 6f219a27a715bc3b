// Why would a stream change its worker? The first answer that holds.
import { hasJobs } from '../../api/assignment.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Move } from '../publish/publication.ts';
import type { Stream } from '../streams/streams.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

/** `first`, `last`: the supposed world before any publication, and after the last one. */
export function whyOf(
  { pool, published }: Pick<PoolWorld, 'pool' | 'published'>,
  streams: readonly Stream[],
  first: DesiredState,
  last: DesiredState,
): (move: Move) => string {
  const entries = new Map(streams.map((entry) => [entry.name, entry]));
  const workers = new Map(first.workers.map((worker) => [worker.name, worker]));
  const refused = new Map(last.assigned.unassigned.map((it) => [it.name, it]));
  return ({ stream, from, to }) => {
    const entry = entries.get(stream);
    if (to === undefined) {
      const refusal = refused.get(stream);
      if (entry === undefined) return 'it is no longer in the list';
      return refusal === undefined
        ? 'no worker has it yet'
        : `${refusal.reason}: ${refusal.message}`;
    }
    const taker = workers.get(to);
    if (entry?.ordinal !== undefined && entry.ordinal === taker?.ordinal)
      return `it is pinned to ordinal ${entry.ordinal}`;
    if (from === undefined)
      return published.assignment === undefined
        ? 'first assignment'
        : whyStarted(pool.status, stream);
    if (first.assigned.movedFrom.get(stream) === from)
      return `it failed at ${from} for too long (streamPolicy.moveAfterSeconds)`;
    return (
      whyLeft(from, workers.get(from)) ?? whyTaken(first.spec.workers.capacity, entry, to, taker)
    );
  };
}

function whyStarted(status: SwarmPoolStatus | undefined, stream: string): string {
  const { unassigned = [], streams } = status ?? {};
  if (unassigned.some(({ name, reason }) => name === stream && reason === 'Paused'))
    return 'it is new in the list';
  // Status names only the first of many.
  const isNamed =
    unassigned.some(({ name }) => name === stream) ||
    (streams?.unassigned ?? 0) > unassigned.length;
  return isNamed ? 'it had no worker' : 'it is new in the list';
}

function whyLeft(from: string, giver: PoolWorker | undefined): string | undefined {
  if (giver === undefined || !giver.isDesired) return `${from} is being removed`;
  if (giver.isCordoned) return `${from} is cordoned`;
  return giver.hasFailed ? `${from} has been away for too long` : undefined;
}

function whyTaken(
  capacity: number,
  entry: Stream | undefined,
  to: string,
  taker: PoolWorker | undefined,
): string {
  if (entry !== undefined && entry.weight >= capacity) return `it needs a worker of its own, ${to}`;
  if (taker !== undefined && !hasJobs(taker.before)) return `${to} joins and takes its share`;
  if (entry?.spreadGroup !== undefined)
    return `to balance the loads, with group ${entry.spreadGroup} kept apart`;
  return entry !== undefined && entry.weight > 0
    ? `to balance the loads: it reserves ${entry.weight}`
    : 'to balance the number of streams';
}
