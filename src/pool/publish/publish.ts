// What should stand in the ConfigMap, and is that a change?
import {
  ANYTHING,
  type Assignment,
  digestOf,
  readAssigned,
  type Slice,
  writeAssignment,
  writeEntry,
} from '../../api/assignment.ts';
import { excessOf, MOST_OF_POOL, together } from '../../api/bounds.ts';
import { isRecord, own } from '../../api/objects.ts';
import type { ConfigMap } from '../../api/observed.ts';
import { sizeOf, tooMuch } from '../../api/yaml.ts';
import { ANNOTATION_POOL, LABEL_POOL } from '../../core/meta.ts';
import type { Work } from '../../core/work.ts';
import type { ChangeReason } from '../reasons.ts';
import type { Stream } from '../streams.ts';
import { hasJobs, type Member } from '../workers/members.ts';
import { carriedOn, type Move, movesOf } from './moves.ts';
import {
  changeOf,
  isEdited,
  type PublishedChange,
  type PublishedShard,
  type Shard,
  shardIndexOf,
} from './published.ts';

export type Publication = {
  readonly assignment: Assignment;
  /** Undefined: what is published is what should be. */
  readonly change: PublishedChange | undefined;
  /** By shard: its slices, where they are not what stands there. */
  readonly writes: readonly ShardWrite[];
  readonly moves: readonly Move[];
};

export type ShardWrite = {
  readonly shard: Shard;
  readonly present: ConfigMap | undefined;
  readonly assignment: Assignment;
  /** The assignment as it will stand there. */
  readonly text: string;
};

export type PublishInput = {
  readonly shards: readonly Shard[];
  readonly found: readonly PublishedShard[];
  readonly members: readonly Member[];
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  /**
   * Who is to have them in the end; the same, but for streams that somebody has to let go first.
   */
  readonly wanted: ReadonlyMap<string, readonly string[]>;
  /** By worker: taken away, not confirmed yet. */
  readonly releasing: ReadonlyMap<string, readonly string[]>;
  readonly streams: readonly Stream[];
  readonly previous: Assignment | undefined;
  /** Some streams had no worker, as was told last. */
  readonly hadUnassigned: boolean;
  /** The pool has been published before, wherever that is now. */
  readonly wasPublished: boolean;
  /**
   * Workers read anew only when they start: what is the same elsewhere is no reason to replace
   * them.
   */
  readonly isByReplacement: boolean;
  /**
   * The highest version that anybody has seen: in status, or told by a worker. A version never
   * falls below it.
   */
  readonly floor: number;
  readonly time: string;
};

/**
 * Every desired or living worker has an entry; a slice that asks the same as before keeps its
 * version.
 */
export function* publicationOf(input: PublishInput): Work<Publication> {
  const { members, jobs, releasing, streams, previous, floor, time } = input;
  const version = Math.max(previous?.version ?? 0, floor) + 1;
  // Restored from an older copy, all of it or one file: workers have seen newer versions and would
  // ignore what stands there.
  const isRestored = previous !== undefined && (previous.version < floor || members.some(isBehind));
  const special = new Map(
    streams.flatMap((stream) => (isSpecial(stream) ? [[stream.name, stream] as const] : [])),
  );
  const workloads = new Map<string, Slice>();
  const placeOf = placesIn(input);
  const isInPlace = inPlace(input);
  yield;
  for (const member of members) {
    const { name, slot } = member;
    const asked = sliceOf(jobs.get(name) ?? [], releasing.get(name) ?? [], special, version);
    const slice = slot === undefined ? asked : { slot, ...asked };
    const before = previous?.workloads.get(name);
    const isKept =
      before !== undefined &&
      !isRestored &&
      isInPlace(before, name, placeOf(member)) &&
      asksTheSame(before, slice);
    workloads.set(name, isKept ? before : slice);
    yield;
  }
  yield;
  const writes = yield* writesOf(input, { workloads, version }, { isRestored, placeOf });
  if (previous !== undefined && writes.length === 0)
    return { assignment: previous, change: undefined, writes, moves: [] };
  // Every slice as it was: a file was lost, changed by hand, or belongs elsewhere now.
  const isKept =
    previous !== undefined &&
    !isRestored &&
    [...workloads.values()].every((slice) => slice.version !== version);
  const kept: ChangeReason = hasMoved(input) ? 'AssignmentMoved' : 'AssignmentMended';
  const reason =
    isKept && previous.workloads.size === workloads.size ? kept : reasonOf(input, isRestored);
  yield;
  const carried = carriedOn(previous, members);
  yield;
  const moves = yield* movesOf(carried, workloads, input.wanted, reason);
  const moved = moves.filter((move) => move.from !== undefined && move.to !== undefined).length;
  return {
    assignment: { workloads, version },
    change: { version, moves: moved, reason, time },
    writes: receiversFirst(writes, moves),
    moves,
  };
}

/** Was its pod told a newer version than its slice has? */
function isBehind({ before, pod }: Member): boolean {
  const told = readAssigned(pod?.assigned);
  return (
    before !== undefined &&
    told !== undefined &&
    told.uid === pod?.uid &&
    told.version > before.version
  );
}

/**
 * Does the slice stand in the file where it belongs? In another, it is a new one: that the worker
 * reads that file too is yet to be confirmed, and its kubelet to be woken.
 */
function inPlace({
  shards,
  found,
  isByReplacement,
}: PublishInput): (slice: Slice, worker: string, place: number) => boolean {
  if (isByReplacement) return () => true;
  const files = shards.map((shard) => {
    const file = fileOf(found, shard);
    // Workers may have been told a newer version elsewhere since, in a file that the pool does not
    // read any more.
    return isOutranked(found, shards, file) ? undefined : slicesIn(file);
  });
  return (slice, worker, place) => files[place]?.get(worker) === slice;
}

const fileOf = (
  found: readonly PublishedShard[],
  { name, key }: Shard,
): PublishedShard | undefined => found.find((it) => it.name === name && it.key === key);

const slicesIn = (file: PublishedShard | undefined): Assignment['workloads'] | undefined =>
  file?.read?.ok === true ? file.read.assignment.workloads : undefined;

/**
 * In which file does a worker stand? One that belongs to no target any more stays where it is:
 * between the writes of two files it would stand in none, and nothing else ties it to the pool.
 */
function placesIn({ shards, found, members }: PublishInput): (member: Member) => number {
  // Looked up once for each file and member: there may be many of both.
  const former = new Map<string, number>();
  if (members.some(({ isFormer }) => isFormer)) {
    for (const [index, shard] of shards.entries())
      for (const name of slicesIn(fileOf(found, shard))?.keys() ?? [])
        if (!former.has(name)) former.set(name, index);
  }
  return ({ name, ordinal, isFormer }) =>
    (isFormer ? former.get(name) : undefined) ?? shardIndexOf(ordinal, shards.length);
}

const isCurrent = ({ shards }: PublishInput, { name, key }: Shard): boolean =>
  shards.some((shard) => shard.name === name && shard.key === key);

/** The spec names another place than the last publication stands in. */
function hasMoved(input: PublishInput): boolean {
  const { found } = input;
  const readable = found.filter(({ read }) => read?.ok === true);
  const latest = Math.max(
    ...readable.map(({ read }) => (read?.ok === true ? read.assignment.version : 0)),
  );
  return readable.some(
    (it) => !isCurrent(input, it) && it.read?.ok === true && it.read.assignment.version === latest,
  );
}

/**
 * Elsewhere stands something newer: the pool has come back to a place that it had left, and what is
 * there is to be the newest again.
 */
function isOutranked(
  found: readonly PublishedShard[],
  shards: readonly Shard[],
  file: PublishedShard | undefined,
): boolean {
  return highestElsewhere(found, shards) > versionIn(file);
}

const versionIn = (file: PublishedShard | undefined): number =>
  file?.read?.ok === true ? file.read.assignment.version : 0;

/** Found once for all files of a decision: a pool may have a thousand of them. */
const highest = new WeakMap<
  readonly Shard[],
  { readonly found: readonly PublishedShard[]; readonly version: number }
>();

function highestElsewhere(found: readonly PublishedShard[], shards: readonly Shard[]): number {
  const known = highest.get(shards);
  if (known?.found === found) return known.version;
  const here = new Set(shards.map(pathOf));
  const version = Math.max(0, ...found.filter((it) => !here.has(pathOf(it))).map(versionIn));
  highest.set(shards, { found, version });
  return version;
}

const pathOf = ({ name, key }: Shard): string => `${name}/${key}`;

/**
 * A slice that was kept is the very one that stands in its file; so whatever is not, is to be
 * written.
 */
function* writesOf(
  { shards, found, members }: PublishInput,
  { workloads, version }: Assignment,
  {
    isRestored,
    placeOf,
  }: { readonly isRestored: boolean; readonly placeOf: (member: Member) => number },
): Work<readonly ShardWrite[]> {
  const writes: ShardWrite[] = [];
  const byPlace = Map.groupBy(members, placeOf);
  for (const [index, shard] of shards.entries()) {
    yield;
    const present = found.find(({ name }) => name === shard.name);
    const file = fileOf(found, shard);
    const inFile = file !== undefined && !isEdited(file) ? slicesIn(file) : undefined;
    const here = byPlace.get(index) ?? [];
    const slices = new Map(
      here.flatMap(({ name }) => {
        const slice = workloads.get(name);
        return slice === undefined ? [] : [[name, slice] as const];
      }),
    );
    const isSame =
      inFile !== undefined &&
      inFile.size === slices.size &&
      [...slices].every(([worker, slice]) => inFile.get(worker) === slice);
    // With no worker, too, the version is to stand there again.
    if (isSame && !isRestored && !isOutranked(found, shards, file)) continue;
    for (const [worker, slice] of slices) {
      yield;
      writeEntry(worker, slice);
    }
    // Of entries that are written already.
    const assignment = { workloads: slices, version };
    writes.push({
      shard,
      present: present?.configMap,
      assignment,
      text: writeAssignment(assignment),
    });
  }
  return writes;
}

/** Whoever takes a stream over is told before whoever gives it away. */
function receiversFirst(
  writes: readonly ShardWrite[],
  moves: readonly Move[],
): readonly ShardWrite[] {
  const receivers = new Set(
    moves.flatMap(({ from, to }) => (from === undefined || to === undefined ? [] : [to])),
  );
  const receives = ({ assignment }: ShardWrite): number =>
    [...assignment.workloads.keys()].some((worker) => receivers.has(worker)) ? 0 : 1;
  return [...writes].sort((a, b) => receives(a) - receives(b));
}

/** Most streams have nothing but a name. */
const isSpecial = ({ weight, parameters }: Stream): boolean =>
  weight > 0 || parameters !== undefined;

function sliceOf(
  jobs: readonly string[],
  releasing: readonly string[],
  special: ReadonlyMap<string, Stream>,
  version: number,
): Slice {
  const own = special.size === 0 ? [] : jobs.flatMap((job) => special.get(job) ?? []);
  const parameters = own.flatMap(({ name, parameters: values }) =>
    values === undefined ? [] : [[name, values] as const],
  );
  const weights = own.flatMap(({ name, weight }) =>
    weight === 0 ? [] : [[name, weight] as const],
  );
  return {
    jobs,
    version,
    ...(releasing.length > 0 && { releasing }),
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    ...(weights.length > 0 && { weights: Object.fromEntries(weights) }),
  };
}

/** The order of jobs asks nothing of a worker: a list that is only rearranged changes no slice. */
function asksTheSame(a: Slice, b: Slice): boolean {
  if (a.jobs.length !== b.jobs.length || a.slot !== b.slot) return false;
  const sorted = (slice: Slice): Slice => ({
    ...slice,
    jobs: [...slice.jobs].sort(),
    releasing: [...(slice.releasing ?? [])].sort(),
    parameters: sortedKeys(slice.parameters ?? {}),
    weights: sortedKeys(slice.weights ?? {}),
  });
  return digestOf(sorted(a)) === digestOf(sorted(b));
}

function sortedKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isRecord(value) ? (sortedKeys(value) as T) : value]),
  );
}

/** The first that explains it: several things may have changed at once. */
function reasonOf(input: PublishInput, isRestored: boolean): ChangeReason {
  const { previous, members, streams, jobs, hadUnassigned, wasPublished } = input;
  if (previous === undefined) return wasPublished ? 'AssignmentLost' : 'FirstPublication';
  if (isRestored) return 'AssignmentRestored';
  if (input.found.some((it) => isCurrent(input, it) && isEdited(it))) return 'AssignmentMended';
  if (hasMoved(input)) return 'AssignmentMoved';
  const slices = [...previous.workloads.values()];
  const before = new Set(slices.flatMap((slice) => [...slice.jobs, ...(slice.releasing ?? [])]));
  // What was lost before it was taken up is given anew.
  if (before.has(ANYTHING)) return 'HandoffContinued';
  const listed = new Set(streams.map(({ name }) => name));
  if ([...before].some((name) => !listed.has(name))) return 'StreamsChanged';
  const known = new Set(members.map(({ from }) => from));
  if (
    [...previous.workloads.keys()].some((worker) => !known.has(worker)) ||
    known.size !== previous.workloads.size
  )
    return 'WorkersChanged';
  if (members.some((member) => member.hasFailed && hasJobs(member.before))) return 'WorkerMissing';
  if (members.some(({ name, from }) => name !== from)) return 'WorkerReplaced';
  // What had no room before may only have found some.
  if (!hadUnassigned && [...jobs.values()].some((given) => given.some((name) => !before.has(name))))
    return 'StreamsChanged';
  if (
    slices.some(hasReleasing) &&
    !members.some((member) => loses(member, new Set(jobs.get(member.name))))
  )
    return 'HandoffContinued';
  return members.some((member) => member.hasJoined !== hasJobs(member.before))
    ? 'WorkersChanged'
    : 'StreamsChanged';
}

const loses = ({ before }: Member, kept: ReadonlySet<string>): boolean =>
  before?.jobs.some((job) => !kept.has(job)) === true;

const hasReleasing = (slice: Slice | undefined): boolean => (slice?.releasing?.length ?? 0) > 0;

/**
 * What a ConfigMap may hold at most, well below what etcd takes: other keys and the last version of
 * it want room too.
 */
export const MOST_BYTES = 700 * 1024;

/** Undefined: every part fits. */
export function shardsEnough(
  { assignment, writes }: Publication,
  members: readonly Member[],
  shards: number,
): number | undefined {
  if (writes.every(({ text }) => bytesIn(text) <= MOST_BYTES)) return undefined;
  const sizes = members.map(({ name, ordinal }) => {
    const slice = assignment.workloads.get(name);
    return {
      ordinal,
      size:
        slice === undefined
          ? 0
          : bytesIn(writeAssignment({ ...assignment, workloads: new Map([[name, slice]]) })),
    };
  });
  const largest = (count: number): number => {
    const sums = new Float64Array(count);
    for (const { ordinal, size } of sizes)
      sums[shardIndexOf(ordinal, count)] = (sums[shardIndexOf(ordinal, count)] ?? 0) + size;
    return Math.max(...sums);
  };
  for (let count = shards + 1; count < 1000; count += 1)
    if (largest(count) <= MOST_BYTES) return count;
  return 1000;
}

/**
 * Says why readers, ours and the workers', would refuse the text as too large; undefined: it may be
 * written.
 */
export function unreadable(
  { writes }: Publication,
  found: readonly PublishedShard[],
  shards: readonly Shard[],
): string | undefined {
  const texts = shards.map(({ name, key }) => {
    const write = writes.find(({ shard }) => shard.name === name && shard.key === key);
    return (
      write?.text ??
      own(found.find((it) => it.name === name && it.key === key)?.configMap.data, key) ??
      ''
    );
  });
  return (
    excessOf(together(texts.map(sizeOf)), MOST_OF_POOL) ??
    writes.map(({ text }) => tooMuch(text)).find((it) => it !== undefined)
  );
}

const bytesIn = (text: string): number => new TextEncoder().encode(text).length;

/**
 * Whose is a ConfigMap that is already there? Ours by its label, or, if somebody took that away, by
 * our note of the last change. A placeholder may be taken over while it does not hold our key.
 */
export function ownership(
  configMap: ConfigMap,
  pool: string,
  key: string,
): 'ours' | 'placeholder' | 'foreign' {
  const label = configMap.labels[LABEL_POOL];
  if (label === pool || (label === undefined && changeOf(configMap) !== undefined)) return 'ours';
  const isPlaceholder =
    configMap.annotations[ANNOTATION_POOL] === pool && own(configMap.data, key) === undefined;
  return isPlaceholder ? 'placeholder' : 'foreign';
}
