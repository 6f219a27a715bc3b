// What is a publication, what is it made from, and which streams change their worker with it?
import { type Assignment, placedIn, type Slice } from '../../api/assignment.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { Work } from '../../core/work.ts';
import type { Completed } from '../completion.ts';
import type { Validated } from '../preconditions.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld, PublishedChange, Shard } from '../world.ts';
import type { Handoff } from './handoff.ts';

export type Publication = {
  readonly assignment: Assignment;
  /** Undefined: what is published is as it should be. */
  readonly change: PublishedChange | undefined;
  /** The shards that differ. */
  readonly writes: readonly ShardWrite[];
  readonly moves: readonly Move[];
  /** Streams that stay with the worker that reports them, though the publication was lost. */
  readonly recovered: number;
};

export type ShardWrite = {
  readonly shard: Shard;
  readonly present: ConfigMap | undefined;
  readonly assignment: Assignment;
  readonly text: string;
};

export type PublishInput = Pick<Handoff, 'jobs' | 'releasing'> & {
  readonly world: Pick<PoolWorld, 'pool' | 'published' | 'highestSeen'>;
  readonly checked: Pick<Validated, 'spec' | 'streams'>;
  /** Where the spec wants it published. */
  readonly shards: readonly Shard[];
  readonly workers: readonly PoolWorker[];
  /** The desired assignment; `jobs` lacks the streams that another worker has to release first. */
  readonly wanted: Handoff['jobs'];
  /** By worker: streams that keep their place there, and do not run. */
  readonly suspended: Handoff['jobs'];
  /** Streams that are done: they are recorded. */
  readonly completed: Completed;
  /** By stream that failed at a worker and leaves or left it: recorded, too. */
  readonly movedFrom: ReadonlyMap<string, string>;
  /** The same before this publication. */
  readonly movedBefore: ReadonlyMap<string, string>;
  /** The highest version that the API server, a pod or a worker has reported; the next is above. */
  readonly floor: number;
};

export type Move = {
  readonly stream: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason: string;
};

/** The slices that workers continue from, by their present names, and the slices that none does. */
export function carriedOn(
  previous: Assignment | undefined,
  workers: readonly PoolWorker[],
): ReadonlyMap<string, Slice> {
  const known = new Set(workers.flatMap(({ name, from }) => [name, from]));
  const left = [...(previous?.workloads ?? [])].filter(([worker]) => !known.has(worker));
  return new Map([
    ...workers.flatMap(({ name, before }) =>
      before === undefined ? [] : [[name, before] as const],
    ),
    ...left,
  ]);
}

const PIECE = 1_000;

type Lists = Iterable<readonly [worker: string, streams: readonly string[]]>;

function* ownersIn(lists: Lists): Work<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const [worker, streams] of lists) {
    for (const [index, stream] of streams.entries()) {
      owners.set(stream, worker);
      if (index % PIECE === 0) yield;
    }
  }
  return owners;
}

const listsOf = (
  slices: ReadonlyMap<string, Slice>,
  of: (slice: Slice) => readonly string[],
): Lists => [...slices].map(([worker, slice]) => [worker, of(slice)] as const);

/** Unchanged slices contain no moves, and usually most slices are unchanged. */
const others = (
  slices: ReadonlyMap<string, Slice>,
  than: ReadonlyMap<string, Slice>,
): ReadonlyMap<string, Slice> =>
  new Map([...slices].filter(([worker, slice]) => than.get(worker) !== slice));

/** A stream that is released before it is given on counts once, when it is released. */
export function* movesOf(
  carried: ReadonlyMap<string, Slice>,
  all: ReadonlyMap<string, Slice>,
  wanted: ReadonlyMap<string, readonly string[]>,
  reason: string,
): Work<readonly Move[]> {
  const last = others(carried, all);
  yield;
  const next = others(all, carried);
  yield;
  const before = yield* ownersIn(listsOf(last, placedIn));
  const wasLeaving = yield* ownersIn(listsOf(last, ({ releasing = [] }) => releasing));
  const after = yield* ownersIn(listsOf(next, placedIn));
  const moves: Move[] = [];
  for (const [stream, to] of after) {
    const from = before.get(stream);
    if (from === to || (from === undefined && wasLeaving.has(stream))) continue;
    moves.push({ stream, ...(from !== undefined && { from }), to, reason });
    if (moves.length % PIECE === 0) yield;
  }
  const gone = [...before].filter(([stream]) => !after.has(stream));
  if (gone.length === 0) return moves;
  yield;
  const lost = new Set(gone.map(([stream]) => stream));
  const heirs = yield* ownersIn(
    [...wanted].map(
      ([worker, streams]) => [worker, streams.filter((stream) => lost.has(stream))] as const,
    ),
  );
  for (const [stream, from] of gone) {
    const to = heirs.get(stream);
    moves.push({ stream, from, ...(to !== undefined && { to }), reason });
    if (moves.length % PIECE === 0) yield;
  }
  return moves;
}
