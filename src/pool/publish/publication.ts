// What is published next, if that is a change, and which streams change their worker with it?
import { type Assignment, assignmentOf, placedIn, type Slice } from '../../api/assignment.ts';
import { timeText } from '../../core/text.ts';
import { eachOf, type Work } from '../../core/work.ts';
import { readNames } from '../streams/names.ts';
import type { StreamsByWorker } from '../streams/streams.ts';
import { reportedOnly } from '../workers/before.ts';
import { assignedTo } from '../workers/seats.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PublishedChange } from '../world.ts';
import { fileIndexes, filesOf, isInFile, type ShardWrite, writesOf } from './files.ts';
import { noteExact, shardsOf } from './published.ts';
import { type PublishInput, slicesOf } from './slices.ts';
import { whyChanged } from './why-changed.ts';

export type Publication = {
  readonly assignment: Assignment;
  /** Undefined: nothing has to be published. */
  readonly change: PublishedChange | undefined;
  /** The files that differ, in the order in which they are to be written. */
  readonly writes: readonly ShardWrite[];
  readonly moves: readonly Move[];
  /** Streams that stay with the worker that reports them, though the publication was lost. */
  readonly recovered: number;
};

export type Move = {
  readonly stream: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason: string;
};

/** Every desired or living worker has an entry; an unchanged slice keeps its version. */
export function* publicationOf(input: PublishInput, now: number): Work<Publication> {
  const { world, checked, workers, floor, completed } = input;
  const { movedFrom } = input.placing.result;
  const previous = world.published.assignment;
  const version = Math.max(previous?.version ?? 0, floor) + 1;
  // A restored older copy: workers have seen newer versions and would ignore it.
  const isRestored = previous !== undefined && (previous.version < floor || workers.some(isBehind));
  const files = filesOf(shardsOf(world.pool.meta.name, checked.spec), world.published.shards);
  const indexOf = fileIndexes(files, workers);
  const isThere = isInFile(files, checked.spec);
  yield;
  const presentOf = (worker: PoolWorker): Slice | undefined => {
    const slice = isRestored ? undefined : previous?.workloads.get(worker.name);
    return slice !== undefined && isThere(slice, worker.name, indexOf(worker)) ? slice : undefined;
  };
  const { slices, isRestartAtMost } = yield* slicesOf(input, version, presentOf);
  yield;
  const assignment = assignmentOf(slices, version, completed, movedFrom);
  const writes = yield* writesOf(files, assignment, workers, indexOf, isRestored);
  if (previous !== undefined && writes.length === 0)
    return { assignment: previous, change: undefined, writes, moves: [], recovered: 0 };
  const reason = yield* whyChanged(input, files, assignment, { isRestored, isRestartAtMost });
  yield;
  const unrecorded = workers.filter(({ before }) => before === undefined);
  const recovered = reportedOnly(world.published, unrecorded, checked.streams);
  const carried = carriedOn(previous, workers, recovered);
  yield;
  const moves = yield* movesOf(input, carried, slices, reason);
  const moved = moves.filter(({ from, to }) => from !== undefined && to !== undefined).length;
  const stayed = [...recovered].flatMap(([worker, streams]) => {
    const slice = slices.get(worker);
    const given = new Set(slice && placedIn(slice));
    return streams.filter((name) => given.has(name));
  });
  noteExact(assignment);
  return {
    assignment,
    change: { version, moves: moved, reason, time: timeText(now) },
    writes,
    moves,
    recovered: stayed.length,
  };
}

/** The annotation of its pod names a newer version than its slice has. */
const isBehind = ({ before, pod }: PoolWorker): boolean =>
  before !== undefined && (assignedTo(pod)?.version ?? 0) > before.version;

/**
 * By worker, under its present name: the slice that it continues from, or the streams that it runs
 * without one; and the slices that no worker continues from.
 */
function carriedOn(
  previous: Assignment | undefined,
  workers: readonly PoolWorker[],
  recovered: StreamsByWorker,
): ReadonlyMap<string, Slice> {
  const known = new Set(workers.flatMap(({ name, from }) => [name, from]));
  const left = [...(previous?.workloads ?? [])].filter(([worker]) => !known.has(worker));
  return new Map([
    ...workers.flatMap(({ name, before }) =>
      before === undefined ? [] : [[name, before] as const],
    ),
    ...left,
    ...[...recovered].map(([name, jobs]) => [name, { jobs, version: 0 }] as const),
  ]);
}

type Lists = readonly (readonly [worker: string, streams: readonly string[]])[];

function* ownersIn(lists: Lists): Work<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const [worker, streams] of lists) {
    yield;
    yield* eachOf(streams, (stream) => owners.set(stream, worker));
  }
  return owners;
}

const placedBy = (slices: readonly (readonly [string, Slice])[]): Lists =>
  slices.map(([worker, slice]) => [worker, placedIn(slice)] as const);

/** A stream that is released before it is given on counts once, when it is released. */
function* movesOf(
  input: PublishInput,
  carried: ReadonlyMap<string, Slice>,
  all: ReadonlyMap<string, Slice>,
  reason: string,
): Work<readonly Move[]> {
  // Unchanged slices contain no moves, and usually most slices are unchanged.
  const last = [...carried].filter(([worker, slice]) => all.get(worker) !== slice);
  yield;
  const next = [...all].filter(([worker, slice]) => carried.get(worker) !== slice);
  yield;
  const before = yield* ownersIn(placedBy(last));
  const leaving = last.map(([worker, { releasing = [] }]) => [worker, releasing] as const);
  const wasLeaving = yield* ownersIn(leaving);
  const after = yield* ownersIn(placedBy(next));
  const moves: Move[] = [];
  yield* eachOf(after, ([stream, to]) => {
    const from = before.get(stream);
    if (from === to || (from === undefined && wasLeaving.has(stream))) return;
    moves.push({ stream, ...(from !== undefined && { from }), to, reason });
  });
  const gone: (readonly [stream: string, from: string])[] = [];
  yield* eachOf(before, (it) => {
    if (!after.has(it[0])) gone.push(it);
  });
  if (gone.length === 0) return moves;
  const listed = yield* readNames(input.listed);
  const left = new Set<string>();
  yield* eachOf(gone, ([stream]) => {
    if (listed.get(stream) !== undefined) left.add(stream);
  });
  const heirs = yield* ownersIn(left.size === 0 ? [] : wantedAmong(input, left));
  yield* eachOf(gone, ([stream, from]) => {
    const to = heirs.get(stream);
    moves.push({ stream, from, ...(to !== undefined && { to }), reason });
  });
  return moves;
}

/** By worker: which of these it is to have, now or once others have released them. */
const wantedAmong = ({ placing }: PublishInput, names: ReadonlySet<string>): Lists =>
  [...placing.result.jobs].map(
    ([worker, wanted]) => [worker, wanted.filter((stream) => names.has(stream))] as const,
  );
