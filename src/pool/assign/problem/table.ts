// Which numbers describe the streams of a list? Computed once for a list; after an edit in one
// place, only that place is read.
import type { Splice } from '../../../core/splice.ts';
import { type LastAssignment, spliceSince } from '../result.ts';
import { type AssignStream, NONE } from './problem.ts';

export type StreamTable = {
  readonly weight: Int32Array;
  /** -1 without a pin. */
  readonly ordinal: Int32Array;
  /** Groups are numbered in the order of the list; -1 without a group. */
  readonly group: Int32Array;
  readonly groups: number;
  readonly isPinned: boolean;
  readonly isWeighted: boolean;
};

/** The largest number of an Int32Array: far beyond every capacity. */
const HEAVIEST = 2 ** 31 - 1;

const known = new WeakMap<readonly AssignStream[], StreamTable>();

export function tableOf(streams: readonly AssignStream[], last?: LastAssignment): StreamTable {
  const present = known.get(streams);
  if (present !== undefined) return present;
  const earlier = last && known.get(last.input.streams);
  const table =
    last === undefined || earlier === undefined
      ? madeFrom(streams)
      : edited(earlier, streams, spliceSince(last, streams));
  known.set(streams, table);
  return table;
}

function madeFrom(streams: readonly AssignStream[]): StreamTable {
  const count = streams.length;
  const weight = new Int32Array(count);
  const ordinal = new Int32Array(count).fill(NONE);
  const groups = new Map<string, number>();
  const group = new Int32Array(count).fill(NONE);
  let isPinned = false;
  let isWeighted = false;
  for (let at = 0; at < count; at += 1) {
    const stream = streams[at];
    if (stream === undefined) continue;
    // A ConfigMap that was edited by hand may contain any number.
    weight[at] = Math.min(stream.weight, HEAVIEST);
    isWeighted ||= stream.weight !== 0;
    if (stream.spreadGroup !== undefined) group[at] = numberOf(groups, stream.spreadGroup);
    if (stream.ordinal === undefined) continue;
    ordinal[at] = stream.ordinal;
    isPinned = true;
  }
  return { weight, ordinal, group, groups: groups.size, isPinned, isWeighted };
}

function numberOf(groups: Map<string, number>, name: string): number {
  const present = groups.get(name);
  if (present !== undefined) return present;
  groups.set(name, groups.size);
  return groups.size - 1;
}

/** Another stream of a group may change the numbers of all groups. */
function edited(
  earlier: StreamTable,
  streams: readonly AssignStream[],
  { start, removed, inserted }: Splice,
): StreamTable {
  const part = madeFrom(streams.slice(start, start + inserted));
  const hadGroup = earlier.group.subarray(start, start + removed).some((it) => it !== NONE);
  if (hadGroup || part.groups > 0) return madeFrom(streams);
  const joined = (old: Int32Array, fresh: Int32Array): Int32Array => {
    const all = new Int32Array(streams.length);
    all.set(old.subarray(0, start));
    all.set(fresh, start);
    all.set(old.subarray(start + removed), start + inserted);
    return all;
  };
  const weight = joined(earlier.weight, part.weight);
  const ordinal = joined(earlier.ordinal, part.ordinal);
  return {
    weight,
    ordinal,
    group: joined(earlier.group, part.group),
    groups: earlier.groups,
    isPinned: part.isPinned || (earlier.isPinned && ordinal.some((it) => it !== NONE)),
    isWeighted: part.isWeighted || (earlier.isWeighted && weight.some((it) => it !== 0)),
  };
}
