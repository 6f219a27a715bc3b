// What is a publication: what is it made from, which files does it write, and which streams change
// their worker with it?
import {
  type Assignment,
  placedIn,
  type Slice,
  writeAssignment,
  writeEntry,
} from '../../api/assignment.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { endsPiece, type Work } from '../../core/work.ts';
import type { LastKeeping } from '../assign/keep.ts';
import type { Validated } from '../preconditions.ts';
import { namesIn } from '../streams/names.ts';
import type { Completed } from '../streams/outcomes.ts';
import type { Stream } from '../streams/streams.ts';
import { isByReplacement, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld, PublishedChange, PublishedShard, Shard } from '../world.ts';
import { isEdited } from './config-maps.ts';
import type { Handoff } from './handoff.ts';
import { movedRecordShards } from './moved-records.ts';
import { assignmentIn, shardIndexOf } from './published.ts';

export type Publication = {
  readonly assignment: Assignment;
  /** Undefined: nothing has to be published. */
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
  /** The list, with streams that are completed. */
  readonly listed: readonly Stream[];
  /** Of `checked.streams`; `jobs` lacks the streams that another worker has to release first. */
  readonly assignment: LastKeeping;
  /** By worker: suspended streams, which keep their worker and do not run. */
  readonly suspended: Handoff['jobs'];
  /** Streams that are done: they are recorded. */
  readonly completed: Completed;
  /** By stream that failed at a worker and left it, as the last publication records. */
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

type Lists = readonly (readonly [worker: string, streams: readonly string[]])[];

function* ownersIn(lists: Lists): Work<ReadonlyMap<string, string>> {
  const owners = new Map<string, string>();
  for (const [worker, streams] of lists) {
    yield;
    for (const [index, stream] of streams.entries()) {
      owners.set(stream, worker);
      if (endsPiece(index)) yield;
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
  input: PublishInput,
  carried: ReadonlyMap<string, Slice>,
  all: ReadonlyMap<string, Slice>,
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
    if (endsPiece(moves.length)) yield;
  }
  const gone = [...before].filter(([stream]) => !after.has(stream));
  if (gone.length === 0) return moves;
  yield;
  const listed = namesIn(input.listed);
  const left = new Set(
    gone.flatMap(([stream]) => (listed.get(stream) === undefined ? [] : [stream])),
  );
  const heirs = yield* ownersIn(left.size === 0 ? [] : wantedAmong(input, left));
  for (const [stream, from] of gone) {
    const to = heirs.get(stream);
    moves.push({ stream, from, ...(to !== undefined && { to }), reason });
    if (endsPiece(moves.length)) yield;
  }
  return moves;
}

/** By worker: which of these it is to have, now or once others have released them. */
const wantedAmong = ({ assignment }: PublishInput, names: ReadonlySet<string>): Lists =>
  [...assignment.result.jobs].map(
    ([worker, wanted]) => [worker, wanted.filter((stream) => names.has(stream))] as const,
  );

/** A slice in another file is a new one: that the worker reads that file is yet to be confirmed. */
export function isInShard(
  input: PublishInput,
): (slice: Slice, worker: string, shard: number) => boolean {
  const { shards } = input;
  // Workers read their file only at start: the same slice in another file replaces no pod.
  if (isByReplacement(input.checked.spec)) return () => true;
  const elsewhere = highestElsewhere(input);
  const files = shards.map((shard) => {
    const file = fileOf(input, shard);
    // The pool has left this file and come back: workers may follow a newer version.
    return isOutranked(file, elsewhere) ? undefined : slicesIn(file);
  });
  return (slice, worker, shard) => files[shard]?.get(worker) === slice;
}

export const fileOf = (
  { world }: Pick<PublishInput, 'world'>,
  { name, key }: Shard,
): PublishedShard | undefined =>
  world.published.shards.find((it) => it.name === name && it.key === key);

const slicesIn = (file: PublishedShard | undefined): Assignment['workloads'] | undefined =>
  file === undefined ? undefined : assignmentIn(file)?.workloads;

/** Former workers stay in their file: between two writes, no other file would name them. */
export function shardIndexes(input: PublishInput): (worker: PoolWorker) => number {
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

/** The spec names another location than that of the last publication. */
export function hasMoved(input: PublishInput): boolean {
  const elsewhere = highestElsewhere(input);
  return elsewhere > 0 && !input.world.published.shards.some((file) => versionOf(file) > elsewhere);
}

/** In files that the pool no longer writes. */
function highestElsewhere({ shards, world }: PublishInput): number {
  const here = new Set(shards.map(pathOf));
  const elsewhere = world.published.shards.filter((file) => !here.has(pathOf(file)));
  return Math.max(0, ...elsewhere.map(versionOf));
}

export const pathOf = ({ name, key }: Shard): string => `${name}/${key}`;

/** A newer version is published elsewhere: the pool has come back to a file that it had left. */
const isOutranked = (file: PublishedShard | undefined, elsewhere: number): boolean =>
  file === undefined ? elsewhere > 0 : elsewhere > versionOf(file);

/** Files elsewhere count until each file here has a newer version, also one without workers. */
const isNewest = (file: PublishedShard | undefined, elsewhere: number): boolean =>
  elsewhere === 0 || (file !== undefined && versionOf(file) > elsewhere);

const versionOf = (file: PublishedShard): number => assignmentIn(file)?.version ?? 0;

/**
 * Depends on the name alone: no worker's coming or going moves the record. FNV-1a, since a digest
 * of a thousand names takes 3 ms, with every decision.
 */
function recordIndexOf(name: string, shards: number): number {
  if (shards === 1) return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1)
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}

type StreamRecord = ReadonlyMap<string, string>;

const isSameRecord = (a: StreamRecord, b: StreamRecord = new Map()): boolean =>
  a.size === b.size && hasAll(a, b);

const hasAll = (all: StreamRecord, some: StreamRecord): boolean =>
  [...some].every(([name, text]) => all.get(name) === text);

/** An unchanged slice is the very object in its file; a file with any other slice is written. */
export function* writesOf(
  input: PublishInput,
  all: Assignment,
  isRestored: boolean,
  shardOf: (worker: PoolWorker) => number,
): Work<readonly ShardWrite[]> {
  const { shards, world, workers } = input;
  const { workloads, version, completed: allCompleted, movedFrom: allMoved } = all;
  const elsewhere = highestElsewhere(input);
  const movedShards = yield* movedRecordShards(all, workers, shardOf);
  const writes: ShardWrite[] = [];
  const byShard = Map.groupBy(workers, shardOf);
  const recordsIn = (records: StreamRecord = new Map(), known?: ReadonlyMap<string, number>) =>
    Map.groupBy(records, ([name]) => known?.get(name) ?? recordIndexOf(name, shards.length));
  const recorded = { completed: recordsIn(allCompleted), moved: recordsIn(allMoved, movedShards) };
  for (const [index, shard] of shards.entries()) {
    yield;
    const present = world.published.shards.find(({ name }) => name === shard.name)?.configMap;
    const file = fileOf(input, shard);
    const inFile = file !== undefined && !isEdited(file) ? slicesIn(file) : undefined;
    const slices = new Map(
      (byShard.get(index) ?? []).flatMap(({ name }) => {
        const slice = workloads.get(name);
        return slice === undefined ? [] : [[name, slice] as const];
      }),
    );
    const completed = new Map(recorded.completed.get(index));
    const movedFrom = new Map(recorded.moved.get(index));
    const recordedHere: StreamRecord = (file && assignmentIn(file)?.completed) ?? new Map();
    const isSame =
      inFile !== undefined &&
      inFile.size === slices.size &&
      hasAll(recordedHere, completed) &&
      // What another file records by now goes with the next write.
      hasAll(allCompleted ?? new Map(), recordedHere) &&
      isSameRecord(movedFrom, file && assignmentIn(file)?.movedFrom) &&
      [...slices].every(([worker, slice]) => inFile.get(worker) === slice);
    if (isSame && !isRestored && isNewest(file, elsewhere)) continue;
    // Writes each entry in a turn of its own; the whole text is then joined at once.
    for (const [worker, slice] of slices) {
      yield;
      writeEntry(worker, slice);
    }
    const assignment = {
      ...{ workloads: slices, version },
      ...(completed.size > 0 && { completed }),
      ...(movedFrom.size > 0 && { movedFrom }),
    };
    writes.push({ shard, present, assignment, text: writeAssignment(assignment) });
  }
  return writes;
}
