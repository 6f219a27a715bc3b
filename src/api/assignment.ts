// What does a pool's ConfigMap contain? The operator, workers and the CLI write and read the format
// only through this file.
import { createHash } from 'node:crypto';
import { dump } from 'js-yaml';
import { type Size, together } from './bounds.ts';
import { asList, asRecord, isRecord } from './objects.ts';
import { oneLine, parseJson } from './text.ts';
import { readText, sizeOf } from './yaml.ts';

export type StreamParameters = Readonly<Record<string, string>>;

/** The streams of one worker. */
export type Slice = {
  /** The slot of a Deployment's worker, which outlives its pods. */
  readonly slot?: number;
  readonly jobs: readonly string[];
  /** The pool's version at which this slice last changed. */
  readonly version: number;
  /** Exclusive only: streams taken from the worker that it has not confirmed as stopped. */
  readonly releasing?: readonly string[];
  /** By stream; only streams with parameters. */
  readonly parameters?: Readonly<Record<string, StreamParameters>>;
  readonly weights?: Readonly<Record<string, number>>;
  /** Suspended streams: they keep their worker and weight. */
  readonly suspended?: readonly string[];
  /** Streams that were added to the list while a large removal is held. */
  readonly added?: readonly string[];
  /** By stream: a stream that runs with another token ends and starts again. */
  readonly restarts?: Readonly<Record<string, string>>;
  readonly policy?: SlicePolicy;
};

export type SlicePolicy = {
  /** The number of restarts of a failing stream before it counts as failed. Omitted: no limit. */
  readonly maxRestarts?: number;
  /** Once: a stream that succeeds is completed, and not started again. */
  readonly completion?: 'Once';
};

/**
 * All slices of a pool, by worker name; the slice of a slot without a pod has the key
 * `unboundSlot(n)`.
 */
export type Assignment = {
  readonly workloads: ReadonlyMap<string, Slice>;
  readonly version: number;
  /**
   * Completed streams, which no worker gets again, each with the token of the restart that it ran
   * with, or an empty text.
   */
  readonly completed?: ReadonlyMap<string, string>;
  /** Streams that failed for long at a worker and moved to another: the worker that each left. */
  readonly movedFrom?: ReadonlyMap<string, string>;
};

/** By name of a stream. */
export type StreamRecord = ReadonlyMap<string, string>;

/** Without empty records. */
export const assignmentOf = (
  workloads: Assignment['workloads'],
  version: number,
  completed: StreamRecord = new Map(),
  movedFrom: StreamRecord = new Map(),
): Assignment => ({
  ...{ workloads, version },
  ...(completed.size > 0 && { completed }),
  ...(movedFrom.size > 0 && { movedFrom }),
});

const FORMAT = 1;

/**
 * In `releasing`: all streams that no other worker is known to run. No stream has this name, since
 * no name begins with a space.
 */
export const ANYTHING = ' *';

/** The name of a slot without a pod; no pod can have this name. */
export const unboundSlot = (slot: number): string => `slot ${slot}`;

const isUnbound = (worker: string): boolean => worker.startsWith('slot ');

export type ReadAssignment =
  | { readonly ok: true; readonly assignment: Assignment }
  | { readonly ok: false; readonly problem: string };

/** The same assignment always gives the same text: workers in the map's order, slots by number. */
export const writeAssignment = (assignment: Assignment): string =>
  piecesOf(assignment)
    .map(({ text }) => text)
    .join('');

/** The size of the text: the sum of its pieces, since each piece ends with a line break. */
export const sizeOfAssignment = (assignment: Assignment): Size =>
  together(piecesOf(assignment).map(({ size }) => size()));

type Piece = { readonly text: string; readonly size: () => Size };

const pieceOf = (text: string): Piece => ({ text, size: () => sizeOf(text) });

function piecesOf(assignment: Assignment): readonly Piece[] {
  const { workloads, version, completed, movedFrom } = assignment;
  const workers: Piece[] = [];
  const slots: { readonly slot: number; readonly piece: Piece }[] = [];
  for (const [worker, slice] of workloads) {
    const piece = entryOf(worker, slice);
    if (isUnbound(worker)) slots.push({ slot: slice.slot ?? 0, piece });
    else workers.push(piece);
  }
  const inOrder = slots.sort((a, b) => a.slot - b.slot).map(({ piece }) => piece);
  return [
    pieceOf(`format: ${FORMAT}\n`),
    pieceOf(workers.length === 0 ? 'workloads: {}\n' : 'workloads:\n'),
    ...workers,
    ...(inOrder.length === 0 ? [] : [pieceOf('slots:\n'), ...inOrder]),
    pieceOf(writeRecord('completed', completed)),
    pieceOf(writeRecord('movedFrom', movedFrom)),
    pieceOf(`version: ${version}\n`),
  ];
}

function writeRecord(field: string, record: ReadonlyMap<string, string> = new Map()): string {
  if (record.size === 0) return '';
  const sorted = Object.fromEntries([...record].sort(([a], [b]) => (a < b ? -1 : 1)));
  return dump({ [field]: sorted }, { lineWidth: -1, noRefs: true });
}

type Entry = Piece & { readonly key: string };

/** Most slices of a long assignment stay the same: each is written and measured once. */
const entries = new WeakMap<Slice, Entry>();

/** The text of one worker's entry. */
export const writeEntry = (worker: string, slice: Slice): string => entryOf(worker, slice).text;

function entryOf(worker: string, slice: Slice): Entry {
  const key = isUnbound(worker) ? String(slice.slot) : worker;
  const known = entries.get(slice);
  if (known?.key === key) return known;
  const fields = sliceToYaml(isUnbound(worker) ? { ...slice, slot: undefined } : slice);
  // With `end` after it, since YAML writes some texts differently at the end of a file.
  const file = dump({ in: { [key]: fields }, end: 0 }, { lineWidth: -1, noRefs: true });
  const text = file.slice('in:\n'.length, -'end: 0\n'.length);
  let measured: Size | undefined;
  const size = (): Size => {
    measured ??= sizeOf(text);
    return measured;
  };
  const entry = { key, text, size };
  entries.set(slice, entry);
  return entry;
}

function sliceToYaml(slice: Omit<Slice, 'slot'> & { readonly slot?: number | undefined }): object {
  return {
    ...(slice.slot !== undefined && { slot: slice.slot }),
    jobs: [...slice.jobs],
    version: slice.version,
    ...(isFilled(slice.releasing) && { releasing: [...slice.releasing] }),
    // Copied, since js-yaml accepts only plain objects of its own realm.
    ...(isFilled(slice.parameters) && {
      parameters: mapValues(slice.parameters, (values) => ({ ...values })),
    }),
    ...(isFilled(slice.weights) && { weights: { ...slice.weights } }),
    ...(isFilled(slice.suspended) && { suspended: [...slice.suspended] }),
    ...(isFilled(slice.added) && { added: [...slice.added] }),
    ...(isFilled(slice.restarts) && { restarts: { ...slice.restarts } }),
    ...(isFilled(slice.policy) && { policy: { ...slice.policy } }),
  };
}

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  to: (value: T) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]));

const isFilled = <T extends object>(value: T | undefined): value is T =>
  value !== undefined && Object.keys(value).length > 0;

/** Strict: half an assignment is worse than the last good one. */
export function readAssignment(text: string): ReadAssignment {
  const read = readText(text);
  if (!read.ok)
    return no(read.line === undefined ? read.problem : `${read.problem} (line ${read.line})`);
  if (!isRecord(read.value))
    return no('not an assignment: expected a mapping with `workloads` and `version`');
  const { format = FORMAT, version, workloads: entries, slots } = read.value;
  if (format !== FORMAT) return no(`unknown format ${shown(format)}; allowed is ${FORMAT}`);
  if (!isVersion(version)) return no('`version` is not a positive whole number');
  if (!isRecord(entries)) return no('`workloads` is not a mapping of worker to slice');
  const workloads = new Map<string, Slice>();
  for (const [worker, entry] of Object.entries(entries)) {
    const slice = isUnbound(worker) ? 'not a valid name of a pod' : readSlice(entry, version);
    if (typeof slice === 'string') return no(`workloads.${shown(worker)}: ${slice}`);
    workloads.set(worker, slice);
  }
  for (const [slot, entry] of Object.entries(asRecord(slots) ?? {})) {
    const slice = readSlice({ ...asRecord(entry), slot: Number(slot) }, version);
    if (typeof slice === 'string') return no(`slots.${shown(slot)}: ${slice}`);
    workloads.set(unboundSlot(Number(slot)), slice);
  }
  const completed = readTokens(read.value['completed']);
  if (completed === undefined) return no('`completed` is not a mapping of stream to text');
  const movedFrom = readTokens(read.value['movedFrom']);
  if (movedFrom === undefined) return no('`movedFrom` is not a mapping of stream to worker');
  const records = [completed, movedFrom] as const;
  const [done, moved] = records.map((record) => new Map(Object.entries(record)));
  return { ok: true, assignment: assignmentOf(workloads, version, done, moved) };
}

function readSlice(entry: unknown, poolVersion: number): Slice | string {
  if (!isRecord(entry)) return 'not a mapping with `jobs` and `version`';
  // An assignment written by hand need not have slice versions.
  const { slot, version = poolVersion, releasing: released = [], suspended: kept = [] } = entry;
  const added = readNames(entry['added'] ?? []);
  if (added === undefined) return '`added` is not a list of stream names';
  if (slot !== undefined && !isSlot(slot)) return '`slot` is not a whole number from 0';
  const jobs = readNames(entry['jobs']);
  if (jobs === undefined) return '`jobs` is not a list of stream names';
  const releasing = readNames(released);
  if (releasing === undefined) return '`releasing` is not a list of stream names';
  const suspended = readNames(kept);
  if (suspended === undefined) return '`suspended` is not a list of stream names';
  if (!isVersion(version) || version > poolVersion)
    return '`version` is not a positive whole number up to the pool version';
  const parameters = readParameters(entry['parameters']);
  if (parameters === undefined) return '`parameters` is not a mapping of stream to texts by name';
  const weights = readWeights(entry['weights']);
  const restarts = readTokens(entry['restarts']);
  if (restarts === undefined) return '`restarts` is not a mapping of stream to token';
  const policy = readPolicy(entry['policy']);
  if (policy === undefined)
    return `\`policy.maxRestarts\` is not a whole number from 1 to ${MOST_RESTARTS}`;
  return {
    ...(slot !== undefined && { slot }),
    jobs,
    version,
    ...(isFilled(releasing) && { releasing }),
    ...(isFilled(parameters) && { parameters }),
    ...(isFilled(weights) && { weights }),
    ...(isFilled(suspended) && { suspended }),
    ...(isFilled(added) && { added }),
    ...(isFilled(restarts) && { restarts }),
    ...(isFilled(policy) && { policy }),
  };
}

/** The streams of this worker, including suspended ones. */
export const placedIn = ({ jobs, suspended }: Slice): readonly string[] =>
  suspended === undefined ? jobs : [...jobs, ...suspended];

/**
 * False if all streams are suspended: they stay, for example while the worker's pod is replaced.
 */
export const hasJobs = (slice: Slice | undefined): boolean =>
  slice !== undefined && placedIn(slice).length > 0;

function readNames(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  // YAML reads an unquoted 12 or true as a number or a boolean, which may be the name of a stream.
  const names = asList(value).map((name) => (typeof name === 'object' ? undefined : String(name)));
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** Values are texts: a number or boolean becomes one, and a list or mapping is a problem. */
function readParameters(value: unknown): Record<string, StreamParameters> | undefined {
  const byStream = Object.entries(asRecord(value) ?? {});
  const isFlat = byStream.every(
    ([, parameters]) =>
      isRecord(parameters) && Object.values(parameters).every((text) => typeof text !== 'object'),
  );
  if (!isFlat) return undefined;
  return Object.fromEntries(
    byStream.map(([stream, parameters]) => [stream, mapValues(asRecord(parameters) ?? {}, String)]),
  );
}

function readWeights(value: unknown): Record<string, number> {
  return Object.fromEntries(
    Object.entries(asRecord(value) ?? {}).flatMap(([stream, weight]) =>
      typeof weight === 'number' ? [[stream, weight]] : [],
    ),
  );
}

function readTokens(value: unknown): Record<string, string> | undefined {
  const entries = Object.entries(value === undefined ? {} : (asRecord(value) ?? { '': {} }));
  return entries.every(([, token]) => typeof token !== 'object')
    ? Object.fromEntries(entries.map(([stream, token]) => [stream, String(token)]))
    : undefined;
}

const MOST_RESTARTS = 1_000_000;

function readPolicy(value: unknown): SlicePolicy | undefined {
  const { maxRestarts, completion } = asRecord(value) ?? {};
  // A worker of an earlier release ignores values that it does not know.
  const rest: SlicePolicy = completion === 'Once' ? { completion: 'Once' } : {};
  if (maxRestarts === undefined) return rest;
  return isVersion(maxRestarts) && maxRestarts <= MOST_RESTARTS
    ? { maxRestarts, ...rest }
    : undefined;
}

/**
 * No pool reaches this version. After a larger, forged version the operator would count beyond
 * exact integers.
 */
export const HIGHEST_VERSION = 1_000_000_000_000;

export const isVersion = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= HIGHEST_VERSION;
const isSlot = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const no = (problem: string): ReadAssignment => ({ ok: false, problem: oneLine(problem) });
/** Cut to the space in a message. */
const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 253);

/**
 * The operator writes it on a worker's pod. It wakes the kubelet, so that the mounted file follows
 * at once, and permits the slice of exactly this pod: a re-created pod may read an old file first.
 */
export const ASSIGNED_ANNOTATION = 'k8slab.info/assigned';

export type Assigned = {
  readonly version: number;
  readonly uid: string;
  readonly digest: string;
  /** Grows with each repetition: the same value again would not wake the kubelet. */
  readonly attempt: number;
};

export const writeAssigned = ({ version, uid, digest, attempt }: Assigned): string =>
  JSON.stringify({ version, uid, digest, attempt });

export function readAssigned(text: string | undefined): Assigned | undefined {
  const { version, uid, digest, attempt } = asRecord(parseJson(text)) ?? {};
  return isVersion(version) &&
    typeof uid === 'string' &&
    typeof digest === 'string' &&
    isAttempt(attempt)
    ? { version, uid, digest, attempt }
    : undefined;
}

/** The operator adds one each time, in the end once a minute. A fraction would end its pauses. */
const MOST_ATTEMPTS = 1_000_000;
const isAttempt = (value: unknown): value is number => isVersion(value) && value <= MOST_ATTEMPTS;

export const textDigest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Equal for two slices with the same streams and settings, whatever their versions. */
export function digestOf(slice: Slice): string {
  const asked = [slice.jobs, slice.releasing ?? [], slice.parameters ?? {}, slice.weights ?? {}];
  return textDigest(JSON.stringify(asked));
}
