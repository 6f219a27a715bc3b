// What is to be consumed? The spec's list and those it names, with defaults, checked for what a
// schema cannot say.
import { MOST_OF_POOL, MOST_PROBLEMS, MOST_STREAMS } from '../api/bounds.ts';
import { oneLine } from '../api/one-line.ts';
import type { Problem } from '../api/own-object.ts';
import type { ReadStreamList } from '../api/stream-list.ts';
import type { PoolStream, SwarmPoolSpec } from '../api/validate.ts';
import type { AssignStream } from './assign/assign.ts';
import type { ObstacleReason } from './reasons.ts';

export type Stream = AssignStream & { readonly parameters?: Readonly<Record<string, string>> };

/** A key of a ConfigMap that the spec names; nothing was read when it is not there. */
export type NamedList = { readonly source: string; readonly read: ReadStreamList | undefined };

type StreamList =
  | { readonly ok: true; readonly streams: readonly Stream[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly reason: ListReason };

type ListReason = Extract<ObstacleReason, 'StreamsNotFound' | 'InvalidStreams' | 'TooManyStreams'>;

export const sourceOf = ({ name, key }: { readonly name: string; readonly key: string }): string =>
  `${name}/${key}`;

/**
 * Put together once for the same spec and lists: with 100,000 streams a decision at rest takes 110
 * ms, and 200 without this.
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

/** There is no room for them: they would stay for as long as the spec does. */
export const forgetStreams = (spec: SwarmPoolSpec): boolean => known.delete(spec);

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
  const excess = unread.filter(({ isTooMany }) => isTooMany);
  if (excess.length > 0)
    return {
      ok: false,
      problems: excess.flatMap(({ problems }) => problems),
      reason: 'TooManyStreams',
    };
  const own = spec.streams ?? [];
  const count = lists.reduce(
    (sum, { read }) => sum + (read?.ok === true ? read.streams.length : 0),
    own.length,
  );
  if (count > MOST_STREAMS) return tooMany(`${count} streams, and a pool can have ${MOST_STREAMS}`);
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
      `written out, the streams and their parameters have ${length} characters, and a pool can have ${MOST_OF_POOL.length}`,
    );
  return {
    ok: true,
    streams: placed.map(({ stream }) => complete(stream, spec.streamDefaults.weight)),
  };
}

const tooMany = (message: string): StreamList => ({
  ok: false,
  problems: [
    {
      field: 'spec.streams, spec.streamsFrom',
      message: `${message}; divide them between several pools`,
    },
  ],
  reason: 'TooManyStreams',
});

/** In an assignment, at least: with indentation, dashes and line breaks. */
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
  { name, weight, priority, spreadGroup, ordinal, parameters }: PoolStream,
  defaultWeight: number,
): Stream {
  return {
    name,
    weight: weight ?? defaultWeight,
    priority: priority ?? 0,
    ...(spreadGroup !== undefined && { spreadGroup }),
    ...(ordinal !== undefined && { ordinal }),
    ...(parameters !== undefined && { parameters }),
  };
}

/** What stands in a list is not quoted: it may be a ConfigMap of somebody else. */
function duplicates(placed: readonly Placed[]): readonly Problem[] {
  const first = new Map<string, Placed>();
  const problems: Problem[] = [];
  for (const it of placed) {
    const { name } = it.stream;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, it);
    else if (it.source === undefined)
      problems.push({
        field: `${placeOf(it)}.name`,
        message: `"${name}" is already ${placeOf(earlier)}`,
      });
    else problems.push({ field: placeOf(it), message: `the same name as ${placeOf(earlier)}` });
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

/**
 * Also checks spec.streams: the API server keeps pools that were made before the definition had
 * this rule.
 */
function badParameterNames(placed: readonly Placed[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const it of placed) {
    const bad = Object.keys(it.stream.parameters ?? {}).find((name) => !parameterName.test(name));
    if (bad === undefined) continue;
    const name = it.source === undefined ? `the name ${shown(bad)}` : 'a name';
    problems.push({
      field: `${placeOf(it)}.parameters`,
      message: `${name} is not allowed; ${ALLOWED_NAMES}`,
    });
    if (problems.length === MOST_PROBLEMS) break;
  }
  return problems;
}

const shown = (name: string): string =>
  oneLine(JSON.stringify(name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name));
