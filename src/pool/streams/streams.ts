// Which streams does a pool have, by its spec and its lists, and which of them are to be restarted?
import { MOST_OF_POOL, MOST_PROBLEMS, MOST_STREAMS } from '../../api/bounds.ts';
import { type ObjectMeta, own } from '../../api/objects.ts';
import type { Problem } from '../../api/own-object.ts';
import { oneLine } from '../../api/text.ts';
import type { PoolStream, SwarmPoolSpec } from '../../api/validate.ts';
import { endsPiece, runToEnd, type Work } from '../../core/work.ts';
import type { AssignStream } from '../assign/problem/problem.ts';
import type { ObstacleReason } from '../reasons.ts';
import type { NamedList } from '../world.ts';

export type Stream = AssignStream & {
  readonly parameters?: Readonly<Record<string, string>>;
  /** It keeps its worker, and does not run. */
  readonly isSuspended?: true;
  /** Known from the publication alone: the list lacks it, or cannot be read. */
  readonly isReadBack?: true;
  /** Published since a removal is held. */
  readonly isAdded?: true;
};

export type StreamList =
  | { readonly ok: true; readonly streams: readonly Stream[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly reason: ListReason };

export type ListReason = Extract<
  ObstacleReason,
  'StreamsNotFound' | 'InvalidStreams' | 'TooManyStreams'
>;

export const sourceOf = ({ name, key }: { readonly name: string; readonly key: string }): string =>
  `${name}/${key}`;

/**
 * By spec, and freed with it. Joined once: a decision on 100,000 streams at rest takes 110 ms, and
 * 200 without this.
 */
const known = new WeakMap<
  SwarmPoolSpec,
  { readonly lists: readonly NamedList[]; readonly list: StreamList }
>();

/** At once, where nothing else waits, or after `joinStreams` has joined them. */
export const streamsOf = (spec: SwarmPoolSpec, lists: readonly NamedList[]): StreamList =>
  runToEnd(joinStreams(spec, lists));

export function* joinStreams(spec: SwarmPoolSpec, lists: readonly NamedList[]): Work<StreamList> {
  const before = known.get(spec);
  const isSame =
    before?.lists.length === lists.length &&
    lists.every(
      ({ read, source }, index) =>
        read === before.lists[index]?.read && source === before.lists[index]?.source,
    );
  if (before !== undefined && isSame) return before.list;
  const list = yield* joined(spec, lists);
  known.set(spec, { lists, list });
  return list;
}

function* joined(spec: SwarmPoolSpec, lists: readonly NamedList[]): Work<StreamList> {
  const missing = lists.filter(({ read }) => read === undefined);
  if (missing.length > 0) {
    const problems = missing.map(({ source }) => ({
      field: 'spec.streamsFrom',
      message: `there is no ConfigMap key ${source} yet`,
    }));
    return { ok: false, problems, reason: 'StreamsNotFound' };
  }
  const unread = lists.flatMap(({ read }) => (read?.ok === false ? [read] : []));
  const surplus = unread.filter(({ isTooMany }) => isTooMany).flatMap((read) => read.problems);
  if (surplus.length > 0) return { ok: false, problems: surplus, reason: 'TooManyStreams' };
  const own = spec.streams ?? [];
  const count = own.length + countIn(lists);
  if (count > MOST_STREAMS)
    return tooMany(`${count} streams, but a pool can have at most ${MOST_STREAMS}`);
  const defined = yield* definedIn(own, lists);
  const problems = [
    ...unread.flatMap((read) => read.problems),
    ...(yield* duplicates(defined)),
    ...(yield* badParameterNames(defined)),
  ];
  if (problems.length > 0) return { ok: false, problems, reason: 'InvalidStreams' };
  const streams: Stream[] = [];
  let length = 0;
  for (const [index, { stream }] of defined.entries()) {
    length += lengthOf(stream);
    streams.push(complete(stream, spec.streamDefaults.weight));
    if (endsPiece(index)) yield;
  }
  if (length > MOST_OF_POOL.length)
    return tooMany(
      `written out, the streams and their parameters have ${length} characters, but a pool can have at most ${MOST_OF_POOL.length}`,
    );
  return { ok: true, streams };
}

function* definedIn(
  own: readonly PoolStream[],
  lists: readonly NamedList[],
): Work<readonly DefinedStream[]> {
  const defined = own.map(
    (stream, index): DefinedStream => ({ stream, source: undefined, at: index }),
  );
  for (const { source, read } of lists)
    for (const { stream, line } of read?.ok === true ? read.streams : []) {
      defined.push({ stream, source, at: line });
      if (endsPiece(defined.length)) yield;
    }
  return defined;
}

/** How many streams the readable lists have. */
export const countIn = (lists: readonly NamedList[]): number =>
  lists.reduce((sum, { read }) => sum + (read?.ok === true ? read.streams.length : 0), 0);

function tooMany(what: string): StreamList {
  const message = `${what}; divide them between several pools`;
  const problems = [{ field: 'spec.streams, spec.streamsFrom', message }];
  return { ok: false, problems, reason: 'TooManyStreams' };
}

/** The least it takes in an assignment, with indentation, dashes and line breaks. */
const lengthOf = ({ name, parameters = {} }: PoolStream): number =>
  Object.entries(parameters).reduce(
    (sum, [key, text]) => sum + key.length + text.length + 11,
    name.length + 9,
  );

type DefinedStream = {
  readonly stream: PoolStream;
  readonly source: string | undefined;
  readonly at: number;
};

const fieldOf = ({ source, at }: DefinedStream): string =>
  source === undefined ? `spec.streams[${at}]` : `${source} line ${at}`;

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

/** Names from a list are not quoted: the ConfigMap may belong to another user. */
function duplicates(defined: readonly DefinedStream[]): Work<readonly Problem[]> {
  const first = new Map<string, DefinedStream>();
  return firstProblems(defined, (it) => {
    const { name } = it.stream;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, it);
      return undefined;
    }
    return it.source === undefined
      ? {
          field: `${fieldOf(it)}.name`,
          message: `"${name}" is already defined in ${fieldOf(earlier)}`,
        }
      : { field: fieldOf(it), message: `the same name as ${fieldOf(earlier)}` };
  });
}

function* firstProblems(
  defined: readonly DefinedStream[],
  problemOf: (it: DefinedStream) => Problem | undefined,
): Work<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const [index, it] of defined.entries()) {
    if (endsPiece(index)) yield;
    const problem = problemOf(it);
    if (problem !== undefined) problems.push(problem);
    if (problems.length === MOST_PROBLEMS) break;
  }
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

/** Also checks spec.streams: a pool may be older than this rule in the definition. */
const badParameterNames = (defined: readonly DefinedStream[]): Work<readonly Problem[]> =>
  firstProblems(defined, (it) => {
    const bad = Object.keys(it.stream.parameters ?? {}).find((name) => !parameterName.test(name));
    if (bad === undefined) return undefined;
    const name = it.source === undefined ? `the name ${shown(bad)}` : 'a name';
    const message = `${name} is not allowed; ${ALLOWED_NAMES}`;
    return { field: `${fieldOf(it)}.parameters`, message };
  });

const shown = (name: string): string =>
  oneLine(JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name));

/**
 * On a pool: streams to restart, a line `NAME TOKEN` each. With another token than was published
 * for it, a stream is restarted where it is.
 */
export const ANNOTATION_RESTART = 'k8slab.info/restart';

/** In one annotation, and of one worker in the assignment. */
export const MOST_RESTARTS = 100;
const LONGEST_TOKEN = 64;
/** A hundred lines with the longest names. */
const LONGEST_TEXT = 20_000;

type Tokens = ReadonlyMap<string, string>;

const none: Tokens = new Map();

type ReadRestarts = { readonly tokens: Tokens; readonly problem: string | undefined };

export function readRestarts(text: string | undefined): ReadRestarts {
  if (text === undefined) return { tokens: none, problem: undefined };
  if (text.length > LONGEST_TEXT) return { tokens: none, problem: 'it is too long' };
  const tokens = new Map<string, string>();
  let problem: string | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '') continue;
    if (index >= MOST_RESTARTS) {
      problem ??= `it has more than ${MOST_RESTARTS} lines`;
      break;
    }
    const at = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t'));
    const token = line.slice(at + 1);
    if (at < 0 || token.length > LONGEST_TOKEN)
      problem ??= `line ${index + 1} is not a name and a token`;
    else tokens.set(line.slice(0, at).trim(), token);
  }
  return { tokens, problem };
}

/** What is kept of the annotation in memory: of one that is too long, enough to say so. */
export function keptRestarts({
  annotations = {},
}: Pick<ObjectMeta, 'annotations'>): Readonly<Record<string, string>> {
  const text = annotations[ANNOTATION_RESTART];
  return text === undefined ? {} : { [ANNOTATION_RESTART]: text.slice(0, LONGEST_TEXT + 1) };
}

/** A name has no line break, and no blank at its end. */
export const restartText = (tokens: Tokens): string =>
  [...tokens].map(([stream, token]) => `${stream} ${token}`).join('\n');

/**
 * A published token stays while its stream does: so a worker that has not read it yet does, and an
 * annotation that is removed changes nothing.
 */
export function restartsOf(
  tokens: Tokens,
  jobs: readonly string[],
  published: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  if (tokens.size === 0 && published === undefined) return {};
  const wanted: (readonly [string, string])[] = [];
  const kept: (readonly [string, string])[] = [];
  for (const job of jobs) {
    const token = tokens.get(job);
    const before = own(published, job);
    if (token !== undefined) wanted.push([job, token]);
    else if (before !== undefined && before.length <= LONGEST_TOKEN) kept.push([job, before]);
  }
  return Object.fromEntries([...wanted, ...kept].slice(0, MOST_RESTARTS));
}
