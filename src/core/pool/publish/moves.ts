// Which streams change their worker by a publication?
import type { Assignment, Slice } from '../../../api/assignment.ts';
import type { Member } from '../workers/members.ts';

export type Move = { readonly stream: string; readonly from?: string; readonly to?: string; readonly reason: string };

/** What each worker goes on from, under the name that it has now; and what those had that nobody goes on from. */
export function carriedOn(previous: Assignment | undefined, members: readonly Member[]): ReadonlyMap<string, Slice> {
  const known = new Set(members.flatMap(({ name, from }) => [name, from]));
  const left = [...(previous?.workloads ?? [])].filter(([worker]) => !known.has(worker));
  return new Map([...members.flatMap(({ name, before }) => (before === undefined ? [] : [[name, before] as const])), ...left]);
}

type Owners = ReadonlyMap<string, string>;

const ownersIn = (lists: Iterable<readonly [string, readonly string[]]>): Owners =>
  new Map([...lists].flatMap(([worker, streams]) => streams.map((stream) => [stream, worker] as const)));

/** A stream that is let go before it is given on moves when it is let go, and once. */
export function movesOf(
  carried: ReadonlyMap<string, Slice>,
  all: ReadonlyMap<string, Slice>,
  wanted: ReadonlyMap<string, readonly string[]>,
  reason: string,
): readonly Move[] {
  const listsOf = (slices: ReadonlyMap<string, Slice>, field: 'jobs' | 'releasing') =>
    [...slices].map(([worker, slice]) => [worker, slice[field] ?? []] as const);
  // Slices that stay as they are say nothing of moves, and mostly nearly all do.
  const others = (slices: ReadonlyMap<string, Slice>, than: ReadonlyMap<string, Slice>): ReadonlyMap<string, Slice> =>
    new Map([...slices].filter(([worker, slice]) => than.get(worker) !== slice));
  const last = others(carried, all);
  const next = others(all, carried);
  const before = ownersIn(listsOf(last, 'jobs'));
  const wasLeaving = ownersIn(listsOf(last, 'releasing'));
  const after = ownersIn(listsOf(next, 'jobs'));
  const given = [...after].flatMap(([stream, to]) => {
    const from = before.get(stream);
    return from === to || (from === undefined && wasLeaving.has(stream))
      ? []
      : [{ stream, ...(from !== undefined && { from }), to, reason }];
  });
  const gone = [...before].filter(([stream]) => !after.has(stream));
  const lost = new Set(gone.map(([stream]) => stream));
  const heirs = ownersIn(
    [...wanted].map(([worker, streams]) => [worker, lost.size === 0 ? [] : streams.filter((stream) => lost.has(stream))] as const),
  );
  const taken = gone.map(([stream, from]) => {
    const to = heirs.get(stream);
    return { stream, from, ...(to !== undefined && { to }), reason };
  });
  return [...given, ...taken];
}
