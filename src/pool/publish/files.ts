// In which files is a pool published, which of them does a publication write, and in which order?
import {
  type Assignment,
  assignmentOf,
  placedIn,
  type Slice,
  type StreamRecord,
  writeAssignment,
  writeEntry,
} from '../../api/assignment.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Work } from '../../core/work.ts';
import { isByReplacement, type PoolWorker } from '../workers/workers.ts';
import type { PublishedShard, Shard } from '../world.ts';
import { isEdited } from './config-map.ts';
import { assignmentIn, pathOf, shardIndexOf } from './published.ts';

/** A file where the spec wants one. */
type File = {
  readonly shard: Shard;
  /** Undefined: it does not exist. */
  readonly present: PublishedShard | undefined;
  /** It may exist without the file. */
  readonly configMap: ConfigMap | undefined;
  /** What can be read in it. */
  readonly assignment: Assignment | undefined;
  /** 0: nothing can be read. */
  readonly version: number;
};

export type Files = {
  /** In the order of shards. */
  readonly wanted: readonly File[];
  /** The highest version in files that the pool has left; 0: there is none. */
  readonly leftVersion: number;
};

export type ShardWrite = {
  readonly shard: Shard;
  readonly present: ConfigMap | undefined;
  readonly assignment: Assignment;
  readonly text: string;
};

export function filesOf(shards: readonly Shard[], published: readonly PublishedShard[]): Files {
  const others = new Map(published.map((it) => [pathOf(it), it]));
  const wanted = shards.map((shard): File => {
    const path = pathOf(shard);
    const present = others.get(path);
    others.delete(path);
    const assignment = present && assignmentIn(present);
    const { configMap } = present ?? published.find(({ name }) => name === shard.name) ?? {};
    return { shard, present, configMap, assignment, version: assignment?.version ?? 0 };
  });
  const left = [...others.values()].map((file) => assignmentIn(file)?.version ?? 0);
  return { wanted, leftVersion: Math.max(0, ...left) };
}

/** The spec names another location than that of the last publication. */
export const hasMoved = ({ wanted, leftVersion }: Files): boolean =>
  leftVersion > 0 && wanted.every(({ version }) => version <= leftVersion);

/** Former workers stay in their file: between two writes, no other file would name them. */
export function fileIndexes(
  { wanted }: Files,
  workers: readonly PoolWorker[],
): (worker: PoolWorker) => number {
  const former = new Map<string, number>();
  if (workers.some(({ isFormer }) => isFormer)) {
    for (const [index, { assignment }] of wanted.entries())
      for (const name of assignment?.workloads.keys() ?? [])
        if (!former.has(name)) former.set(name, index);
  }
  return ({ name, ordinal, isFormer }) =>
    (isFormer ? former.get(name) : undefined) ?? shardIndexOf(ordinal, wanted.length);
}

/** A slice in another file is a new one: that the worker reads that file is yet to be confirmed. */
export function isInFile(
  { wanted, leftVersion }: Files,
  spec: SwarmPoolSpec,
): (slice: Slice, worker: string, index: number) => boolean {
  // Workers read their file only at start: the same slice in another file replaces no pod.
  if (isByReplacement(spec)) return () => true;
  const slices = wanted.map(({ assignment, version }) =>
    // The pool has left this file and come back: workers may follow a newer version.
    leftVersion > version ? undefined : assignment?.workloads,
  );
  return (slice, worker, index) => slices[index]?.get(worker) === slice;
}

/**
 * The files that differ. An unchanged slice is the very object in its file; a file with any other
 * slice is written. `isRestored`: each of them is written.
 */
export function* writesOf(
  files: Files,
  whole: Assignment,
  workers: readonly PoolWorker[],
  indexOf: (worker: PoolWorker) => number,
  isRestored: boolean,
): Work<readonly ShardWrite[]> {
  const { wanted, leftVersion } = files;
  const movedIndexes = yield* movedRecordIndexes(whole, workers, indexOf);
  const byFile = Map.groupBy(workers, indexOf);
  const recordsIn = (records: StreamRecord = new Map(), known?: ReadonlyMap<string, number>) =>
    Map.groupBy(records, ([name]) => known?.get(name) ?? recordIndexOf(name, wanted.length));
  const completed = recordsIn(whole.completed);
  const moved = recordsIn(whole.movedFrom, movedIndexes);
  const rewrites: Rewrite[] = [];
  for (const [index, file] of wanted.entries()) {
    yield;
    const present = byFile.get(index) ?? [];
    const records = {
      completed: new Map(completed.get(index)),
      movedFrom: new Map(moved.get(index)),
    };
    // A file that the pool has left counts until each file here has a newer version.
    const isNewest = leftVersion === 0 || file.version > leftVersion;
    const isAsPublished =
      hasJustSlices(file, present, whole.workloads) && hasJust(file, records, whole.completed);
    if (!isRestored && isNewest && isAsPublished) continue;
    const slices = new Map<string, Slice>();
    // Writes each entry in a turn of its own; the whole text is then joined at once.
    for (const { name } of present) {
      const slice = whole.workloads.get(name);
      if (slice === undefined) continue;
      yield;
      slices.set(name, slice);
      writeEntry(name, slice);
    }
    const { version } = whole;
    const assignment = assignmentOf(slices, version, records.completed, records.movedFrom);
    const { shard, configMap } = file;
    const text = writeAssignment(assignment);
    const write = { shard, present: configMap, assignment, text };
    rewrites.push({ write, before: file.assignment });
  }
  return yield* receiversFirst(rewrites);
}

const nothing: StreamRecord = new Map();

/** The very slices of these workers, and no other. */
function hasJustSlices(
  { assignment: before }: File,
  workers: readonly PoolWorker[],
  slices: Assignment['workloads'],
): boolean {
  if (before === undefined) return false;
  let count = 0;
  for (const { name } of workers) {
    const slice = slices.get(name);
    if (slice === undefined) continue;
    if (before.workloads.get(name) !== slice) return false;
    count += 1;
  }
  return before.workloads.size === count;
}

function hasJust(
  { present, assignment: before }: File,
  { completed = nothing, movedFrom = nothing }: Pick<Assignment, 'completed' | 'movedFrom'>,
  allCompleted: StreamRecord = nothing,
): boolean {
  if (present === undefined || before === undefined || isEdited(present)) return false;
  const recorded = before.completed ?? nothing;
  const moved = before.movedFrom ?? nothing;
  return (
    hasAll(recorded, completed) &&
    // What another file records by now goes with the next write.
    hasAll(allCompleted, recorded) &&
    moved.size === movedFrom.size &&
    hasAll(moved, movedFrom)
  );
}

const hasAll = (all: StreamRecord, some: StreamRecord): boolean =>
  [...some].every(([name, text]) => all.get(name) === text);

/**
 * Which file records that a stream moved because it failed: that of the worker that has the stream,
 * or still releases it. One write moves the stream and records that: after a crash between the
 * writes of two files the next leader would otherwise see no reason why the stream is there, and
 * move it back.
 */
function* movedRecordIndexes(
  { workloads, movedFrom }: Assignment,
  workers: readonly PoolWorker[],
  indexOf: (worker: PoolWorker) => number,
): Work<ReadonlyMap<string, number>> {
  const indexes = new Map<string, number>();
  if (movedFrom === undefined) return indexes;
  const has = (stream: string): boolean => movedFrom.has(stream);
  for (const worker of workers) {
    yield;
    const slice = workloads.get(worker.name);
    if (slice === undefined) continue;
    const index = indexOf(worker);
    for (const stream of slice.releasing ?? [])
      if (has(stream) && !indexes.has(stream)) indexes.set(stream, index);
    for (const stream of placedIn(slice)) if (has(stream)) indexes.set(stream, index);
  }
  return indexes;
}

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

/** `before`: what can be read in the file. */
type Rewrite = { readonly write: ShardWrite; readonly before: Assignment | undefined };

/**
 * A file that a stream enters is written before the file that it leaves. Of files that exchange
 * streams one is first: a stream that runs is in neither until the next write, a completed one
 * stays recorded.
 */
function* receiversFirst(rewrites: readonly Rewrite[]): Work<readonly ShardWrite[]> {
  const writes = rewrites.map(({ write }) => write);
  if (writes.length < 2) return writes;
  const left = new Map<ShardWrite, readonly string[]>();
  const entered = new Map<string, ShardWrite[]>();
  for (const { write, before } of rewrites) {
    yield;
    const had = changedIn(before, write.assignment);
    const has = changedIn(write.assignment, before);
    left.set(
      write,
      [...had].filter((stream) => !has.has(stream)),
    );
    for (const stream of has)
      if (!had.has(stream)) entered.set(stream, [...(entered.get(stream) ?? []), write]);
  }
  yield;
  const visited = new Set<ShardWrite>();
  const ordered = new Map<ShardWrite, ShardWrite>();
  const visit = (write: ShardWrite): void => {
    if (visited.has(write)) return;
    visited.add(write);
    const leaving = left.get(write) ?? [];
    for (const stream of leaving) for (const to of entered.get(stream) ?? []) visit(to);
    // These are written later: they exchange streams with this file.
    const stillRecorded = leaving.flatMap((stream) =>
      (entered.get(stream) ?? []).flatMap((to) => {
        const token = ordered.has(to) ? undefined : to.assignment.completed?.get(stream);
        return token === undefined ? [] : [[stream, token] as const];
      }),
    );
    ordered.set(write, stillRecorded.length === 0 ? write : recording(write, stillRecorded));
  };
  for (const write of writes) visit(write);
  return [...ordered.values()];
}

function recording(
  write: ShardWrite,
  completed: readonly (readonly [stream: string, token: string])[],
): ShardWrite {
  const all = new Map([...(write.assignment.completed ?? []), ...completed]);
  const assignment = { ...write.assignment, completed: all };
  return { ...write, assignment, text: writeAssignment(assignment) };
}

/**
 * Streams of slices, and records of completed and moved ones, that the other assignment has not
 * just so.
 */
function changedIn(of: Assignment | undefined, than: Assignment | undefined): ReadonlySet<string> {
  const slices = [...(of?.workloads ?? [])].filter(
    ([worker, slice]) => than?.workloads.get(worker) !== slice,
  );
  const recorded = (['completed', 'movedFrom'] as const).flatMap((record) =>
    [...(of?.[record]?.keys() ?? [])].filter((name) => than?.[record]?.has(name) !== true),
  );
  return new Set([...slices.flatMap(([, slice]) => placedIn(slice)), ...recorded]);
}
