// What is published now? One ConfigMap, or several over which the workers are spread, read as one.
import type { Assignment, ReadAssignment, Slice } from '../../api/assignment.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { ANNOTATION_OUTDATED, ANNOTATION_RESTARTED } from '../../core/meta.ts';
import { runToEnd, type Work } from '../../core/work.ts';
import { neverReadyIn } from '../workers/never-ready.ts';
import { changeOf, neverReadyOn, numbersIn, type PublishedChange, textsIn } from './notes.ts';

/** A place for the slices of some of the workers. */
export type Shard = { readonly name: string; readonly key: string };

/**
 * A ConfigMap that is there; `read` is what stands under the pool's key in it, when something does.
 */
export type PublishedShard = Shard & {
  readonly configMap: ConfigMap;
  readonly read: ReadAssignment | undefined;
  /** The pool was published here before; all of that stands where it is published now, newer. */
  readonly isSuperseded?: true;
};

export type Published = {
  /**
   * The ConfigMaps of the pool's names for them, whosever they are, in the order of the shards;
   * then others that it wrote before, under other names.
   */
  readonly shards: readonly PublishedShard[];
  readonly assignment: Assignment | undefined;
  /** By worker, and each stream once: whom an assignment may leave it with. */
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  readonly change: PublishedChange | undefined;
  /** It, and those before it that status may not tell yet. The newest first. */
  readonly changes: readonly PublishedChange[];
  /** UIDs of pods that only a restart brings up to date. */
  readonly outdated: ReadonlySet<string>;
  /** Worker -> version for which it was restarted already. */
  readonly restarted: Readonly<Record<string, number>>;
  /** Workers that were never seen Ready. */
  readonly neverReady: ReadonlySet<string>;
};

export const configMapNameOf = (pool: string, spec: SwarmPoolSpec): string =>
  spec.assignments.configMapName ?? `${pool}-assignments`;

/**
 * Keys differ from shard to shard: in one projected volume, equal ones silently hide each other.
 */
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

/**
 * A worker's place depends on nothing but its ordinal: no other worker's coming or going moves it.
 */
export const shardIndexOf = (ordinal: number, shards: number): number => ordinal % shards;

/**
 * Where the pool is published now, and where it was before. Nobody writes there any more: workers
 * that have gone since would stand there for ever. Until each of the new places has been written it
 * counts all the same, since it may be all that is known of some workers.
 */
export function withEarlier(
  current: readonly PublishedShard[],
  earlier: readonly PublishedShard[],
  places: number,
): readonly PublishedShard[] {
  const versions = current.map(({ read }) => (read?.ok === true ? read.assignment.version : 0));
  const least = current.length < places ? 0 : Math.min(...versions);
  const isOld = ({ read }: PublishedShard): boolean =>
    read?.ok === true && read.assignment.version < least;
  return [
    ...current,
    ...earlier.map((it) => (isOld(it) ? { ...it, isSuperseded: true as const } : it)),
  ];
}

export const publishedNow = (shards: readonly PublishedShard[]): Published =>
  runToEnd(publishedInPieces(shards));

/**
 * The entry of the highest version counts, as it does for workers: a worker may stand in two while
 * it changes its place.
 */
export function* publishedInPieces(shards: readonly PublishedShard[]): Work<Published> {
  const whole = yield* joined(shards);
  const changes = changesIn(shards);
  return {
    shards,
    assignment: whole?.assignment,
    jobs: whole?.jobs ?? new Map(),
    change: changes[0],
    changes,
    outdated: new Set(
      shards.flatMap(({ configMap }) => textsIn(configMap.annotations[ANNOTATION_OUTDATED])),
    ),
    restarted: Object.fromEntries(
      shards.flatMap(({ configMap }) =>
        Object.entries(numbersIn(configMap.annotations[ANNOTATION_RESTARTED])),
      ),
    ),
    neverReady: neverReadyIn(shards, ({ configMap }) => neverReadyOn(configMap)),
  };
}

/** The last change that a ConfigMap notes, and those before it that status may not tell yet. */
export function changesIn(shards: readonly PublishedShard[]): readonly PublishedChange[] {
  const [note] = shards
    .flatMap(({ configMap }) => changeOf(configMap) ?? [])
    .sort((a, b) => b.version - a.version);
  return note === undefined ? [] : [note, ...note.earlier];
}

/** 0 when nothing can be read. */
export const versionIn = (shards: readonly PublishedShard[]): number =>
  partsOf(shards).reduce((highest, { version }) => Math.max(highest, version), 0);

/** The workers that have an entry. */
export const workersIn = (shards: readonly PublishedShard[]): readonly string[] => [
  ...new Set(partsOf(shards).flatMap(({ workloads }) => [...workloads.keys()])),
];

type Whole = {
  readonly parts: readonly Assignment[];
  readonly assignment: Assignment;
  readonly jobs: Published['jobs'];
};

/**
 * Put together once for the same parts, found by the first of them: a pool is looked at far more
 * often than it changes, and 100,000 streams take 50 ms.
 */
const known = new WeakMap<Assignment, Whole>();

const partsOf = (shards: readonly PublishedShard[]): readonly Assignment[] =>
  shards.flatMap(({ read, isSuperseded }) =>
    read?.ok === true && isSuperseded !== true ? [read.assignment] : [],
  );

function* joined(shards: readonly PublishedShard[]): Work<Whole | undefined> {
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
  const whole: Whole = {
    parts,
    assignment: { workloads, version: versionIn(shards) },
    jobs: yield* withoutDoubles(workloads),
  };
  known.set(first, whole);
  return whole;
}

/** Of the jobs of one worker: there may be very many. */
const PIECE = 1_000;

/**
 * Between the writes of two shards a stream stands with its old worker and its new one: the newer
 * entry is the truth.
 */
function* withoutDoubles(
  workloads: ReadonlyMap<string, Slice>,
): Work<ReadonlyMap<string, readonly string[]>> {
  const lists = new Map([...workloads].map(([worker, { jobs }]) => [worker, jobs]));
  const count = [...lists.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  const owner = new Map<string, string>();
  for (const [worker, { jobs }] of [...workloads].sort(([, a], [, b]) => a.version - b.version)) {
    for (const [index, job] of jobs.entries()) {
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
