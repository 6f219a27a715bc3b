// What is published now, as one assignment of one or several ConfigMaps, and what of it stays while
// nothing can be decided?
import { type Assignment, assignmentOf, placedIn, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { SwarmPool, SwarmPoolSpec } from '../../api/validate.ts';
import { eachOf, runToEnd, type Work } from '../../core/work.ts';
import type { Stream, StreamsByWorker } from '../streams/streams.ts';
import type { PoolWorld, Published, PublishedChange, PublishedShard, Shard } from '../world.ts';
import {
  ANNOTATION_OUTDATED,
  ANNOTATION_RESTARTED,
  type ChangeNote,
  changeOf,
  neverReadyOn,
  ownShards,
  restartsIn,
  textsIn,
} from './config-map.ts';

export const assignmentIn = ({ read }: PublishedShard): Assignment | undefined =>
  read?.ok === true ? read.assignment : undefined;

export const configMapNameOf = (pool: string, spec: SwarmPoolSpec): string =>
  spec.assignments.configMapName ?? `${pool}-assignments`;

/** Keys differ: in one projected volume, equal keys silently hide each other. */
export function shardsOf(pool: string, spec: SwarmPoolSpec): readonly Shard[] {
  const name = configMapNameOf(pool, spec);
  const { key, shards } = spec.assignments;
  if (shards === 1) return [{ name, key }];
  const dot = key.lastIndexOf('.') < 0 ? key.length : key.lastIndexOf('.');
  return Array.from({ length: shards }, (_, index) => ({
    name: `${name}-${index}`,
    key: `${key.slice(0, dot)}-${index}${key.slice(dot)}`,
  }));
}

export const pathOf = ({ name, key }: Shard): string => `${name}/${key}`;

/** Depends on the ordinal alone, so that no other worker's coming or going moves it. */
export const shardIndexOf = (ordinal: number, shards: number): number => ordinal % shards;

/**
 * An earlier location counts until every new one has been written, since it may be all that is
 * known of some workers. After that it is superseded: otherwise it would name workers that are long
 * gone for ever.
 */
export function withEarlier(
  current: readonly PublishedShard[],
  earlier: readonly PublishedShard[],
  wanted: number,
): readonly PublishedShard[] {
  const versions = current.map((shard) => assignmentIn(shard)?.version ?? 0);
  const least = current.length < wanted ? 0 : Math.min(...versions);
  return [
    ...current,
    ...earlier.map((shard) =>
      (assignmentIn(shard)?.version ?? least) < least
        ? { ...shard, isSuperseded: true as const }
        : shard,
    ),
  ];
}

export const publishedNow = (shards: readonly PublishedShard[]): Published =>
  runToEnd(publishedInTurns(shards));

/** Of a worker that two files name, the higher version counts, as it does for the worker. */
export function* publishedInTurns(shards: readonly PublishedShard[]): Work<Published> {
  const whole = yield* joined(shards);
  const changes = changesIn(shards);
  return {
    shards,
    assignment: whole?.assignment,
    placed: whole?.placed ?? new Map(),
    change: changes[0],
    changes,
    outdatedPods: new Set(
      shards.flatMap(({ configMap }) => textsIn(configMap.annotations[ANNOTATION_OUTDATED])),
    ),
    restarted: Object.fromEntries(
      shards.flatMap(({ configMap }) =>
        Object.entries(restartsIn(configMap.annotations[ANNOTATION_RESTARTED])),
      ),
    ),
    neverReady: neverReadyIn(shards),
  };
}

/** The last change, then earlier ones that status may lack. */
export function changesIn(shards: readonly PublishedShard[]): readonly PublishedChange[] {
  const note = lastNoteIn(shards);
  return note === undefined ? [] : [note, ...note.earlier];
}

/** A worker that two files name while its shard changes has to be on both lists. */
function neverReadyIn(shards: readonly PublishedShard[]): ReadonlySet<string> {
  const lists = shards
    .filter(({ isSuperseded }) => isSuperseded !== true)
    .map(({ configMap, read }) => ({
      names: new Set(neverReadyOn(configMap)),
      workloads: read?.ok === true ? read.assignment.workloads : undefined,
    }));
  const all = new Set(lists.flatMap(({ names }) => [...names]));
  return new Set(
    [...all].filter((name) =>
      lists.every(({ names, workloads }) => names.has(name) || workloads?.has(name) !== true),
    ),
  );
}

/** Ordinals of the workers that were cordoned at the last change. */
export const cordonedIn = (shards: readonly PublishedShard[]): readonly number[] =>
  lastNoteIn(shards)?.cordoned ?? [];

export const lastNoteIn = (shards: readonly PublishedShard[]): ChangeNote | undefined =>
  shards
    .flatMap(({ configMap }) => changeOf(configMap) ?? [])
    .sort((a, b) => b.version - a.version)[0];

/** 0: nothing can be read. */
export const versionIn = (shards: readonly PublishedShard[]): number =>
  partsOf(shards).reduce((highest, { version }) => Math.max(highest, version), 0);

/** The names of the workers that the files name, without those in `known`. */
export function workersIn(
  shards: readonly PublishedShard[],
  known: ReadonlySet<string>,
): readonly string[] {
  const names = new Set<string>();
  for (const { workloads } of partsOf(shards))
    for (const name of workloads.keys()) if (!known.has(name)) names.add(name);
  return [...names];
}

type Joined = {
  readonly parts: readonly Assignment[];
  readonly assignment: Assignment;
  readonly placed: Published['placed'];
  /** No two workers have the same stream. */
  readonly isExact: boolean;
};

/** By file: the assignment that it was joined to last. A change writes some of the files. */
const known = new WeakMap<Assignment, Joined>();

const partsOf = (shards: readonly PublishedShard[]): readonly Assignment[] =>
  shards.flatMap((shard) => (shard.isSuperseded === true ? [] : (assignmentIn(shard) ?? [])));

function* joined(shards: readonly PublishedShard[]): Work<Joined | undefined> {
  const parts = partsOf(shards);
  if (parts.length === 0) return undefined;
  const before = parts.map((part) => known.get(part)).find((it) => it !== undefined);
  if (
    before?.parts.length === parts.length &&
    parts.every((part, index) => part === before.parts[index])
  )
    return before;
  const workloads = new Map<string, Slice>();
  for (const part of parts) {
    for (const [worker, slice] of part.workloads) {
      const other = workloads.get(worker);
      if (other === undefined || other.version < slice.version) workloads.set(worker, slice);
    }
    yield;
  }
  const completed = new Map(parts.flatMap((part) => [...(part.completed ?? [])]));
  const movedFrom = new Map(parts.flatMap((part) => [...(part.movedFrom ?? [])]));
  const placed = placedOfOurs(workloads, before) ?? (before && placedSince(workloads, before));
  const whole: Joined = {
    parts,
    assignment: assignmentOf(workloads, versionIn(shards), completed, movedFrom),
    ...(placed === undefined ? yield* withoutDoubles(workloads) : { placed, isExact: true }),
  };
  for (const part of parts) known.set(part, whole);
  return whole;
}

type Placed = Pick<Joined, 'isExact' | 'placed'>;

/** By slice: the assignment of our own that has it, in which each stream has one worker. */
const ours = new WeakMap<Slice, Assignment>();

export function noteExact(assignment: Assignment): void {
  for (const slice of assignment.workloads.values()) ours.set(slice, assignment);
}

/** Undefined: not all slices are of one assignment of our own. */
function placedOfOurs(
  workloads: ReadonlyMap<string, Slice>,
  before: Joined | undefined,
): StreamsByWorker | undefined {
  const [first] = workloads.values();
  const whole = first && ours.get(first)?.workloads;
  if (whole === undefined) return undefined;
  const lists = new Map<string, readonly string[]>();
  for (const [worker, slice] of workloads) {
    if (whole.get(worker) !== slice) return undefined;
    const isSame = before?.isExact === true && before.assignment.workloads.get(worker) === slice;
    lists.set(worker, (isSame ? before.placed.get(worker) : undefined) ?? placedIn(slice));
  }
  return lists;
}

/** Undefined: two workers may have the same stream, which is then looked for in all slices. */
function placedSince(
  workloads: ReadonlyMap<string, Slice>,
  before: Joined,
): StreamsByWorker | undefined {
  if (!before.isExact) return undefined;
  const had = new Set<string>();
  for (const [worker, slice] of before.assignment.workloads)
    if (workloads.get(worker) !== slice) for (const job of placedIn(slice)) had.add(job);
  const lists = new Map<string, readonly string[]>();
  const fresh = new Set<string>();
  const has = new Set<string>();
  let count = 0;
  for (const [worker, slice] of workloads) {
    const same =
      before.assignment.workloads.get(worker) === slice ? before.placed.get(worker) : undefined;
    lists.set(worker, same ?? placedIn(slice));
    if (same !== undefined) continue;
    for (const job of placedIn(slice)) {
      has.add(job);
      count += 1;
      if (!had.has(job)) fresh.add(job);
    }
  }
  if (has.size < count) return undefined;
  if (fresh.size === 0) return lists;
  for (const [worker, list] of lists)
    if (before.placed.get(worker) === list && list.some((job) => fresh.has(job))) return undefined;
  return lists;
}

/** Of a stream that two workers have between the writes of two shards, the newer entry counts. */
function* withoutDoubles(workloads: ReadonlyMap<string, Slice>): Work<Placed> {
  const lists = new Map([...workloads].map(([worker, slice]) => [worker, placedIn(slice)]));
  const count = [...lists.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  const owner = new Map<string, string>();
  for (const [worker, slice] of [...workloads].sort(([, a], [, b]) => a.version - b.version)) {
    yield;
    yield* eachOf(placedIn(slice), (job) => owner.set(job, worker));
  }
  if (owner.size === count) return { placed: lists, isExact: true };
  for (const [worker, jobs] of lists) {
    lists.set(
      worker,
      jobs.filter((job) => owner.get(job) === worker),
    );
    yield;
  }
  return { placed: lists, isExact: false };
}

const read = new WeakMap<Assignment, WeakRef<readonly Stream[]>>();

/** The same list again while the last decision holds it: while the pool's own cannot be read. */
export function publishedStreams(assignment: Assignment): readonly Stream[] {
  const streams = read.get(assignment)?.deref() ?? [
    ...runToEnd(publishedByName(assignment)).values(),
  ];
  read.set(assignment, new WeakRef(streams));
  return streams;
}

/** Edited by hand, it may name a stream twice. */
export function* publishedByName(assignment: Assignment): Work<ReadonlyMap<string, Stream>> {
  const streams = new Map<string, Stream>();
  yield* eachOf(describedStreams(assignment), (stream) => streams.set(stream.name, stream));
  return streams;
}

function* describedStreams({ workloads, completed }: Assignment): Iterable<Stream> {
  for (const slice of workloads.values()) yield* describedIn(slice);
  for (const name of completed?.keys() ?? [])
    yield { name, weight: 0, priority: 0, isReadBack: true };
}

/** Exclusive: also those that leave the worker, while the next one waits for that. */
const namedIn = (slice: Slice): readonly string[] => [
  ...(slice.releasing ?? []).filter((name) => own(slice.weights, name) !== undefined),
  ...placedIn(slice),
];

function* describedIn(slice: Slice): Iterable<Stream> {
  const suspended = new Set(slice.suspended);
  const added = new Set(slice.added);
  for (const name of namedIn(slice)) {
    const parameters = own(slice.parameters, name);
    yield {
      ...{ name, weight: own(slice.weights, name) ?? 0, priority: 0, isReadBack: true },
      ...(parameters !== undefined && { parameters }),
      ...(suspended.has(name) && { isSuspended: true }),
      ...(added.has(name) && { isAdded: true }),
    };
  }
}

const IN_FORCE = 'the published assignment stays in force';
const NOTHING = 'nothing is published yet';

const hasVersion = ({ status }: SwarmPool): boolean => (status?.version ?? 0) > 0;

export function whatStays({
  pool,
  published,
  exceededBy,
}: Pick<PoolWorld, 'pool' | 'published' | 'exceededBy'>): string {
  if (exceededBy !== undefined) return whatStaysUnread(pool);
  if (versionIn(ownShards(pool, published)) > 0) return IN_FORCE;
  return hasVersion(pool) ? 'the published assignment is gone' : NOTHING;
}

/** When the ConfigMaps were not read: from status. */
export const whatStaysUnread = (pool: SwarmPool): string => (hasVersion(pool) ? IN_FORCE : NOTHING);
