// What is published now? One ConfigMap, or several over which the workers are spread, read as one.
import {
  type Assignment,
  isVersion,
  type ReadAssignment,
  type Slice,
  textDigest,
} from '../../api/assignment.ts';
import { asList, asNumber, asString, dig, isRecord, own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_NEVER_READY,
  ANNOTATION_OUTDATED,
  ANNOTATION_RESTARTED,
} from '../../core/meta.ts';
import { runToEnd, type Work } from '../../core/work.ts';
import { neverReadyIn } from '../workers/never-ready.ts';

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

/** One change of a publication: a line of history. */
export type PublishedChange = {
  readonly version: number;
  readonly moves: number;
  readonly reason: string;
  readonly time: string;
};

/** What a ConfigMap says of its last change. */
export type ChangeNote = PublishedChange & {
  /**
   * Changes before it that no status tells yet: whatever crashes, no line of history is lost. The
   * newest first.
   */
  readonly earlier: readonly PublishedChange[];
  /** Under which key, and what was written there: another text was written by another hand. */
  readonly key?: string;
  readonly digest?: string;
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
 * often than it changes.
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

export const neverReadyOn = ({ annotations }: ConfigMap): readonly string[] =>
  textsIn(annotations[ANNOTATION_NEVER_READY]);

export function changeOf({ annotations }: Pick<ConfigMap, 'annotations'>): ChangeNote | undefined {
  const value = parsed(annotations[ANNOTATION_CHANGE]);
  const change = readChange(value);
  if (change === undefined) return undefined;
  const key = asString(dig(value, 'key'));
  const digest = asString(dig(value, 'digest'));
  const earlier = asList(dig(value, 'earlier'))
    .slice(0, MOST_EARLIER)
    .flatMap((it) => readChange(it) ?? []);
  return {
    ...change,
    earlier,
    ...(key !== undefined && { key }),
    ...(digest !== undefined && { digest }),
  };
}

function readChange(value: unknown): PublishedChange | undefined {
  if (!isRecord(value)) return undefined;
  const { version, moves, reason, time } = value;
  const isWhole =
    isVersion(version) &&
    isCount(moves) &&
    isMatch(REASON, reason) &&
    isMatch(TIME, time) &&
    !Number.isNaN(Date.parse(time));
  return isWhole ? { version, moves, reason, time } : undefined;
}

/**
 * A note that the API server would refuse in status is ignored: otherwise one bad note would block
 * every status write.
 */
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const isMatch = (pattern: RegExp, value: unknown): value is string =>
  typeof value === 'string' && pattern.test(value);
const REASON = /^[A-Za-z]{1,64}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
/** The length of a history. */
const MOST_EARLIER = 20;

/** Looked at once for each version of a ConfigMap: its text can be long. */
const edited = new WeakMap<ConfigMap, boolean>();

/** Another hand wrote what stands there. */
export function isEdited({ configMap, key }: PublishedShard): boolean {
  const note = changeOf(configMap);
  const text = own(configMap.data, key);
  if (note?.digest === undefined || note.key !== key || text === undefined) return false;
  const isOther = edited.get(configMap) ?? textDigest(text) !== note.digest;
  edited.set(configMap, isOther);
  return isOther;
}

function textsIn(text: string | undefined): readonly string[] {
  const value = parsed(text);
  return Array.isArray(value) ? value.flatMap((uid) => asString(uid) ?? []) : [];
}

function numbersIn(text: string | undefined): Readonly<Record<string, number>> {
  const value = parsed(text);
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, version]) =>
      asNumber(version) === undefined ? [] : [[name, Number(version)]],
    ),
  );
}

/** Undefined: not JSON. */
export function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
