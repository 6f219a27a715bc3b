// What is to be consumed? The spec's list and those it names, with defaults, checked for what a schema cannot say.
import type { ReadStreamList } from '../../api/stream-list.ts';
import type { PoolStream, Problem, SwarmPoolSpec } from '../../api/validate.ts';
import type { AssignStream } from './assign/assign.ts';

export type Stream = AssignStream & { readonly parameters?: Readonly<Record<string, string>> };

/** A key of a ConfigMap that the spec names; nothing was read when it is not there. */
export type NamedList = { readonly source: string; readonly read: ReadStreamList | undefined };

export type StreamList =
  | { readonly ok: true; readonly streams: readonly Stream[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly isMissing: boolean };

export const sourceOf = ({ name, key }: { readonly name: string; readonly key: string }): string => `${name}/${key}`;

/** Put together once for the same spec and lists. */
const known = new WeakMap<SwarmPoolSpec, { readonly lists: readonly NamedList[]; readonly list: StreamList }>();

export function streamsOf(spec: SwarmPoolSpec, lists: readonly NamedList[]): StreamList {
  const before = known.get(spec);
  const isSame =
    before?.lists.length === lists.length &&
    lists.every(({ read, source }, index) => read === before.lists[index]?.read && source === before.lists[index]?.source);
  if (before !== undefined && isSame) return before.list;
  const list = joined(spec, lists);
  known.set(spec, { lists, list });
  return list;
}

function joined(spec: SwarmPoolSpec, lists: readonly NamedList[]): StreamList {
  const missing = lists.filter(({ read }) => read === undefined);
  if (missing.length > 0) {
    const problems = missing.map(({ source }) => ({ field: 'spec.streamsFrom', message: `there is no ConfigMap key ${source} yet` }));
    return { ok: false, problems, isMissing: true };
  }
  const placed: Placed[] = (spec.streams ?? []).map((stream, index) => ({ stream, place: `spec.streams[${index}]` }));
  const problems: Problem[] = [];
  for (const { source, read } of lists) {
    if (read?.ok === true) placed.push(...read.streams.map(({ stream, line }) => ({ stream, place: `${source} line ${line}` })));
    else problems.push(...(read?.problems ?? []));
  }
  problems.push(...duplicates(placed));
  if (problems.length > 0) return { ok: false, problems, isMissing: false };
  return { ok: true, streams: placed.map(({ stream }) => complete(stream, spec.streamDefaults.weight)) };
}

type Placed = { readonly stream: PoolStream; readonly place: string };

function complete({ name, weight, priority, spreadGroup, ordinal, parameters }: PoolStream, defaultWeight: number): Stream {
  return {
    name,
    weight: weight ?? defaultWeight,
    priority: priority ?? 0,
    ...(spreadGroup !== undefined && { spreadGroup }),
    ...(ordinal !== undefined && { ordinal }),
    ...(parameters !== undefined && { parameters }),
  };
}

function duplicates(placed: readonly Placed[]): readonly Problem[] {
  const first = new Map<string, string>();
  return placed.flatMap(({ stream: { name }, place }) => {
    const earlier = first.get(name);
    if (earlier !== undefined)
      return [{ field: place.startsWith('spec.') ? `${place}.name` : place, message: `"${name}" is already ${earlier}` }];
    first.set(name, place);
    return [];
  });
}
