// Which streams does a pool have, from its spec and its lists? After an edit of lists, only the
// changed part is checked.
import { MOST_OF_POOL, MOST_PROBLEMS, MOST_STREAMS } from '../../api/bounds.ts';
import type { Problem } from '../../api/own-object.ts';
import { oneLine } from '../../api/text.ts';
import type { PoolStream, SwarmPoolSpec } from '../../api/validate.ts';
import { isSameJson } from '../../core/json.ts';
import { spliceBetween } from '../../core/splice.ts';
import { eachOf, eachUpTo, runToEnd, someOf, type Work } from '../../core/work.ts';
import { noteEdited, readNames } from './names.ts';
import type { NamedList, Stream, StreamList } from './streams.ts';

/** Streams of the spec, or of one list. */
type Part = {
  /** Undefined: the spec. */
  readonly source: string | undefined;
  readonly defined: readonly PoolStream[];
  readonly lines: Int32Array | undefined;
  readonly streams: readonly Stream[];
};

/** The streams of a pool, and the spec and lists that they come from. */
export type Joined = {
  readonly lists: readonly NamedList[];
  readonly list: StreamList;
  readonly defaultWeight: number;
  readonly parts: readonly Part[];
  /** The least length of the streams in an assignment. */
  readonly length: number;
};

/** By spec, and freed with it. */
const known = new WeakMap<SwarmPoolSpec, Joined>();

/** Joins at once, for callers without other work, unless `joinStreams` has joined them. */
export const streamsOf = (spec: SwarmPoolSpec, lists: readonly NamedList[]): StreamList =>
  runToEnd(joinStreams(spec, lists)).list;

/** `last` is a result for the same pool, perhaps with another spec. */
export function* joinStreams(
  spec: SwarmPoolSpec,
  lists: readonly NamedList[],
  last?: Joined,
): Work<Joined> {
  const present = known.get(spec);
  if (present !== undefined && areSame(present.lists, lists)) return present;
  const before = present?.list.ok === true ? present : last;
  const since = before && (yield* joinedSince(spec, lists, before));
  const joined = since ?? (yield* joinedFromNothing(spec, lists));
  known.set(spec, joined);
  return joined;
}

const areSame = (before: readonly NamedList[], lists: readonly NamedList[]): boolean =>
  before.length === lists.length &&
  lists.every(
    ({ read, source }, index) => read === before[index]?.read && source === before[index]?.source,
  );

/**
 * Undefined: the spec names other lists, or the new streams have a problem: then all are checked.
 */
function* joinedSince(
  spec: SwarmPoolSpec,
  lists: readonly NamedList[],
  before: Joined,
): Work<Joined | undefined> {
  const { weight: defaultWeight } = spec.streamDefaults;
  const defined = partsIn(spec, lists);
  if (!before.list.ok || before.defaultWeight !== defaultWeight || defined === undefined)
    return undefined;
  if (defined.length !== before.parts.length) return undefined;
  const news: News = {
    ...{ names: new Set(), gone: [], come: [] },
    ...{ length: before.length, isSound: true },
  };
  const parts: Part[] = [];
  for (const [index, part] of defined.entries()) {
    const old = before.parts[index];
    if (old === undefined || old.source !== part.source) return undefined;
    parts.push(
      old.defined === part.defined ? old : yield* partSince(part, old, defaultWeight, news),
    );
  }
  const { length, isSound } = news;
  if (!isSound || length > MOST_OF_POOL.length || countIn(parts) > MOST_STREAMS) return undefined;
  if (parts.every(({ streams }, index) => streams === before.parts[index]?.streams))
    return { lists, list: before.list, defaultWeight, parts, length };
  const had = yield* readNames(before.list.streams);
  const gone = new Set(news.gone.map(({ name }) => name));
  if (news.come.some(({ name }) => had.get(name) !== undefined && !gone.has(name)))
    return undefined;
  const streams = together(parts);
  noteEdited(before.list.streams, streams, news.gone, news.come);
  return { lists, list: { ok: true, streams }, defaultWeight, parts, length };
}

/** The totals of the new streams of all parts. */
type News = {
  readonly names: Set<string>;
  readonly gone: Stream[];
  readonly come: Stream[];
  length: number;
  isSound: boolean;
};

/** A stream with the same definition as before stays the same object. */
function* partSince(part: Defined, old: Part, defaultWeight: number, news: News): Work<Part> {
  const { start, removed, inserted } = spliceBetween(old.defined, part.defined);
  const streams: Stream[] = [];
  let isChanged = inserted !== removed;
  yield* eachUpTo(Math.max(inserted, removed), (at) => {
    const gone = at < removed ? old.defined[start + at] : undefined;
    const come = at < inserted ? part.defined[start + at] : undefined;
    if (gone !== undefined) news.length -= lengthOf(gone);
    if (come !== undefined) news.length += lengthOf(come);
    const had = at < removed ? old.streams[start + at] : undefined;
    if (had !== undefined && come !== undefined && gone !== undefined && isSame(come, gone)) {
      streams.push(had);
      return;
    }
    isChanged = true;
    if (had !== undefined) news.gone.push(had);
    if (come === undefined) return;
    if (news.names.has(come.name) || badParameterName(come) !== undefined) news.isSound = false;
    news.names.add(come.name);
    const stream = complete(come, defaultWeight);
    news.come.push(stream);
    streams.push(stream);
  });
  if (!isChanged) return { ...part, streams: old.streams };
  const rest = old.streams.slice(start + removed);
  return { ...part, streams: old.streams.slice(0, start).concat(streams, rest) };
}

/** Compares the order of parameters, too, in which they are published. */
const isSame = (a: PoolStream, b: PoolStream): boolean =>
  isSameJson(a, b) &&
  Object.keys(a.parameters ?? {}).join() === Object.keys(b.parameters ?? {}).join();

const together = (parts: readonly Part[]): readonly Stream[] => {
  const [first, ...others] = parts.filter(({ streams }) => streams.length > 0);
  if (first === undefined) return [];
  return others.length === 0
    ? first.streams
    : first.streams.concat(...others.map(({ streams }) => streams));
};

type Defined = Omit<Part, 'streams'>;

/** The spec comes first. Undefined: some list cannot be read. */
function partsIn(
  { streams = none }: SwarmPoolSpec,
  lists: readonly NamedList[],
): readonly Defined[] | undefined {
  const parts: Defined[] = [{ source: undefined, defined: streams, lines: undefined }];
  for (const { source, read } of lists) {
    if (read?.ok !== true) return undefined;
    parts.push({ source, defined: read.streams, lines: read.lines });
  }
  return parts;
}

const none: readonly PoolStream[] = [];

function* joinedFromNothing(spec: SwarmPoolSpec, lists: readonly NamedList[]): Work<Joined> {
  const { weight: defaultWeight } = spec.streamDefaults;
  const refused = (list: StreamList): Joined => ({
    lists,
    list,
    defaultWeight,
    parts: [],
    length: 0,
  });
  const missing = lists.filter(({ read }) => read === undefined);
  if (missing.length > 0) {
    const problems = missing.map(({ source }) => ({
      field: 'spec.streamsFrom',
      message: `there is no ConfigMap key ${source} yet`,
    }));
    return refused({ ok: false, problems, reason: 'StreamsNotFound' });
  }
  const unread = lists.flatMap(({ read }) => (read?.ok === false ? [read] : []));
  const surplus = unread.filter(({ isTooMany }) => isTooMany).flatMap((read) => read.problems);
  if (surplus.length > 0)
    return refused({ ok: false, problems: surplus, reason: 'TooManyStreams' });
  const defined =
    partsIn(
      spec,
      lists.filter(({ read }) => read?.ok === true),
    ) ?? [];
  const count = countIn(defined);
  if (count > MOST_STREAMS)
    return refused(tooMany(`${count} streams, but a pool can have at most ${MOST_STREAMS}`));
  const problems = [
    ...unread.flatMap((read) => read.problems),
    ...(yield* duplicates(defined)),
    ...(yield* badParameterNames(defined)),
  ];
  if (problems.length > 0) return refused({ ok: false, problems, reason: 'InvalidStreams' });
  const parts: Part[] = [];
  let length = 0;
  for (const part of defined) {
    const streams: Stream[] = [];
    yield* eachOf(part.defined, (it) => {
      length += lengthOf(it);
      streams.push(complete(it, defaultWeight));
    });
    parts.push({ ...part, streams });
  }
  if (length > MOST_OF_POOL.length)
    return refused(
      tooMany(
        `written out, the streams and their parameters have ${length} characters, but a pool can have at most ${MOST_OF_POOL.length}`,
      ),
    );
  return { lists, list: { ok: true, streams: together(parts) }, defaultWeight, parts, length };
}

const countIn = (parts: readonly Defined[]): number =>
  parts.reduce((sum, { defined }) => sum + defined.length, 0);

function tooMany(what: string): StreamList {
  const message = `${what}; divide them between several pools`;
  const problems = [{ field: 'spec.streams, spec.streamsFrom', message }];
  return { ok: false, problems, reason: 'TooManyStreams' };
}

/** The least length in an assignment, with indentation, dashes and line breaks. */
const lengthOf = ({ name, parameters = {} }: PoolStream): number =>
  Object.entries(parameters).reduce(
    (sum, [key, text]) => sum + key.length + text.length + 11,
    name.length + 9,
  );

function complete(
  { name, weight, priority, spreadGroup, ordinal, parameters, suspend }: PoolStream,
  defaultWeight: number,
): Stream {
  return {
    name,
    weight: weight ?? defaultWeight,
    priority: priority ?? 0,
    ...(spreadGroup !== undefined && { spreadGroup }),
    ...(ordinal !== undefined && { ordinal }),
    ...(parameters !== undefined && { parameters }),
    ...(suspend === true && { isSuspended: true }),
  };
}

/** Only a list in brackets has no lines. */
function fieldOf({ source, lines }: Defined, index: number): string {
  if (source === undefined) return `spec.streams[${index}]`;
  const line = lines?.[index] ?? 0;
  return line === 0 ? `${source} item ${index + 1}` : `${source} line ${line}`;
}

/** Names from a list are not quoted: the ConfigMap may belong to another user. */
function duplicates(parts: readonly Defined[]): Work<readonly Problem[]> {
  const first = new Map<string, number>();
  const starts = parts.map((_, at) => countIn(parts.slice(0, at)));
  const fieldAt = (place: number): string => {
    const at = starts.findLastIndex((start) => start <= place);
    const part = parts[at];
    return part === undefined ? '' : fieldOf(part, place - (starts[at] ?? 0));
  };
  let place = -1;
  return firstProblems(parts, ({ name }, { source }, field) => {
    place += 1;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, place);
      return undefined;
    }
    const where = fieldAt(earlier);
    return source === undefined
      ? { field: `${field()}.name`, message: `"${name}" is already defined in ${where}` }
      : { field: field(), message: `the same name as ${where}` };
  });
}

function* firstProblems(
  parts: readonly Defined[],
  problemOf: (it: PoolStream, part: Defined, field: () => string) => Problem | undefined,
): Work<readonly Problem[]> {
  const problems: Problem[] = [];
  const isFull = (part: Defined) => (it: PoolStream, index: number) => {
    const problem = problemOf(it, part, () => fieldOf(part, index));
    if (problem !== undefined) problems.push(problem);
    return problems.length === MOST_PROBLEMS;
  };
  for (const part of parts) if (yield* someOf(part.defined, isFull(part))) break;
  return problems;
}

/**
 * JSON escapes no character of such a name. V8 may read an escaped key as a key of an earlier text
 * that has a backslash (nodejs/node#63785): a pool or a worker could change the names of another
 * pool's parameters.
 */
const parameterName = /^[-._a-zA-Z0-9]{1,253}$/;
const ALLOWED_NAMES = "allowed are 1 to 253 letters, digits, '-', '_' and '.'";
const LONGEST_SHOWN = 100;

const badParameterName = ({ parameters }: PoolStream): string | undefined =>
  parameters && Object.keys(parameters).find((name) => !parameterName.test(name));

/** Also checks spec.streams: a pool may be older than this rule of the CRD. */
const badParameterNames = (parts: readonly Defined[]): Work<readonly Problem[]> =>
  firstProblems(parts, (it, { source }, field) => {
    const bad = badParameterName(it);
    if (bad === undefined) return undefined;
    const name = source === undefined ? `the name ${shown(bad)}` : 'a name';
    return { field: `${field()}.parameters`, message: `${name} is not allowed; ${ALLOWED_NAMES}` };
  });

const shown = (name: string): string =>
  oneLine(JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name));
