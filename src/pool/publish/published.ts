// What is published now? One or several ConfigMaps, read as one assignment.
import { type Assignment, placedIn, type Slice } from '../../api/assignment.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { runToEnd, type Work } from '../../core/work.ts';
import { ANNOTATION_OUTDATED, ANNOTATION_RESTARTED } from '../labels.ts';
import type { Published, PublishedChange, PublishedShard, Shard } from '../world.ts';
import { type ChangeNote, changeOf, neverReadyOn, restartsIn, textsIn } from './notes.ts';

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

/** Depends on the ordinal alone, so that no other worker's coming or going moves it. */
export const shardIndexOf = (ordinal: number, shards: number): number => ordinal % shards;

/**
 * An earlier place counts until every new place has been written, since it may be all that is known
 * of some workers; after that it is superseded, or workers long gone would stand there for ever.
 */
export function withEarlier(
  current: readonly PublishedShard[],
  earlier: readonly PublishedShard[],
  places: number,
): readonly PublishedShard[] {
  const versions = current.map((shard) => assignmentIn(shard)?.version ?? 0);
  const least = current.length < places ? 0 : Math.min(...versions);
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
  runToEnd(publishedInPieces(shards));

/** Of a worker in two places, the higher version counts, as it does for the worker. */
export function* publishedInPieces(shards: readonly PublishedShard[]): Work<Published> {
  const whole = yield* joined(shards);
  const changes = changesIn(shards);
  return {
    shards,
    assignment: whole?.assignment,
    placed: whole?.placed ?? new Map(),
    change: changes[0],
    changes,
    outdated: new Set(
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

/** A worker that stands in two places while its shard changes has to be on both lists. */
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

export const workersIn = (shards: readonly PublishedShard[]): readonly string[] => [
  ...new Set(partsOf(shards).flatMap(({ workloads }) => [...workloads.keys()])),
];

type Joined = {
  readonly parts: readonly Assignment[];
  readonly assignment: Assignment;
  readonly placed: Published['placed'];
};

/** Joined once for the same parts: 100,000 streams take 50 ms. The first part is the key. */
const known = new WeakMap<Assignment, Joined>();

const partsOf = (shards: readonly PublishedShard[]): readonly Assignment[] =>
  shards.flatMap((shard) => (shard.isSuperseded === true ? [] : (assignmentIn(shard) ?? [])));

function* joined(shards: readonly PublishedShard[]): Work<Joined | undefined> {
  const parts = partsOf(shards);
  const [first] = parts;
  if (first === undefined) return undefined;
  const before = known.get(first);
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
  const whole: Joined = {
    parts,
    assignment: {
      ...{ workloads, version: versionIn(shards) },
      ...(completed.size > 0 && { completed }),
      ...(movedFrom.size > 0 && { movedFrom }),
    },
    placed: yield* withoutDoubles(workloads),
  };
  known.set(first, whole);
  return whole;
}

/** So many jobs at a time. */
const PIECE = 1_000;

/** Of a stream that two workers have between the writes of two shards, the newer entry counts. */
function* withoutDoubles(
  workloads: ReadonlyMap<string, Slice>,
): Work<ReadonlyMap<string, readonly string[]>> {
  const lists = new Map([...workloads].map(([worker, slice]) => [worker, placedIn(slice)]));
  const count = [...lists.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  const owner = new Map<string, string>();
  for (const [worker, slice] of [...workloads].sort(([, a], [, b]) => a.version - b.version)) {
    for (const [index, job] of placedIn(slice).entries()) {
      owner.set(job, worker);
      if (index % PIECE === 0) yield;
    }
  }
  if (owner.size === count) return lists;
  for (const [worker, jobs] of lists) {
    lists.set(
      worker,
      jobs.filter((job) => owner.get(job) === worker),
    );
    yield;
  }
  return lists;
}
