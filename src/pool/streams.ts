// Which streams does a pool have? Those in the spec and in its lists, checked and with defaults.
import { MOST_OF_POOL, MOST_PROBLEMS, MOST_STREAMS } from '../api/bounds.ts';
import type { Problem } from '../api/own-object.ts';
import { oneLine } from '../api/text.ts';
import type { PoolStream, SwarmPoolSpec } from '../api/validate.ts';
import type { AssignStream } from './assign/problem.ts';
import type { ObstacleReason } from './reasons.ts';
import type { NamedList } from './world.ts';

export type Stream = AssignStream & {
  readonly parameters?: Readonly<Record<string, string>>;
  /** It keeps its place, and does not run. */
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

export function streamsOf(spec: SwarmPoolSpec, lists: readonly NamedList[]): StreamList {
  const before = known.get(spec);
  const isSame =
    before?.lists.length === lists.length &&
    lists.every(
      ({ read, source }, index) =>
        read === before.lists[index]?.read && source === before.lists[index]?.source,
    );
  if (before !== undefined && isSame) return before.list;
  const list = joined(spec, lists);
  known.set(spec, { lists, list });
  return list;
}

function joined(spec: SwarmPoolSpec, lists: readonly NamedList[]): StreamList {
  const missing = lists.filter(({ read }) => read === undefined);
  if (missing.length > 0) {
    const problems = missing.map(({ source }) => ({
      field: 'spec.streamsFrom',
      message: `there is no ConfigMap key ${source} yet`,
    }));
    return { ok: false, problems, reason: 'StreamsNotFound' };
  }
  const unread = lists.flatMap(({ read }) => (read?.ok === false ? [read] : []));
  const excess = unread.filter(({ isTooMany }) => isTooMany).flatMap((read) => read.problems);
  if (excess.length > 0) return { ok: false, problems: excess, reason: 'TooManyStreams' };
  const own = spec.streams ?? [];
  const count = own.length + countIn(lists);
  if (count > MOST_STREAMS)
    return tooMany(`${count} streams, but a pool can have at most ${MOST_STREAMS}`);
  const placed: readonly Placed[] = [
    ...own.map((stream, index) => ({ stream, source: undefined, at: index })),
    ...lists.flatMap(({ source, read }) =>
      read?.ok === true
        ? read.streams.map(({ stream, line }) => ({ stream, source, at: line }))
        : [],
    ),
  ];
  const problems = [
    ...unread.flatMap((read) => read.problems),
    ...duplicates(placed),
    ...badParameterNames(placed),
  ];
  if (problems.length > 0) return { ok: false, problems, reason: 'InvalidStreams' };
  const length = placed.reduce((sum, { stream }) => sum + lengthOf(stream), 0);
  if (length > MOST_OF_POOL.length)
    return tooMany(
      `written out, the streams and their parameters have ${length} characters, but a pool can have at most ${MOST_OF_POOL.length}`,
    );
  return {
    ok: true,
    streams: placed.map(({ stream }) => complete(stream, spec.streamDefaults.weight)),
  };
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

type Placed = {
  readonly stream: PoolStream;
  readonly source: string | undefined;
  readonly at: number;
};

const placeOf = ({ source, at }: Placed): string =>
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
function duplicates(placed: readonly Placed[]): readonly Problem[] {
  const first = new Map<string, Placed>();
  return firstProblems(placed, (it) => {
    const { name } = it.stream;
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, it);
      return undefined;
    }
    return it.source === undefined
      ? {
          field: `${placeOf(it)}.name`,
          message: `"${name}" is already defined in ${placeOf(earlier)}`,
        }
      : { field: placeOf(it), message: `the same name as ${placeOf(earlier)}` };
  });
}

function firstProblems(
  placed: readonly Placed[],
  problemOf: (it: Placed) => Problem | undefined,
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const it of placed) {
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
const badParameterNames = (placed: readonly Placed[]): readonly Problem[] =>
  firstProblems(placed, (it) => {
    const bad = Object.keys(it.stream.parameters ?? {}).find((name) => !parameterName.test(name));
    if (bad === undefined) return undefined;
    const name = it.source === undefined ? `the name ${shown(bad)}` : 'a name';
    const message = `${name} is not allowed; ${ALLOWED_NAMES}`;
    return { field: `${placeOf(it)}.parameters`, message };
  });

const shown = (name: string): string =>
  oneLine(JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name));
