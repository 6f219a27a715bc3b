// Which worker has each stream so far? Names are looked up only in the lists that have changed since
// the last assignment.
import { endsPiece, type Work } from '../../../core/work.ts';
import { type LastAssignment, spliceSince } from '../result.ts';
import { type AssignInput, NONE } from './problem.ts';

export type OwnersBefore = {
  /** By stream: its worker. Where two claim it, the first in order counts. */
  readonly owner: Int32Array;
  readonly hasDoubles: boolean;
};

export function* ownersBefore(input: AssignInput, last?: LastAssignment): Work<OwnersBefore> {
  const known = last && ownersSince(input, last);
  if (known !== undefined) return known;
  const { streams, workers, previous } = input;
  const owner = new Int32Array(streams.length).fill(NONE);
  const lists = workers.map(({ name }) => previous.get(name) ?? []);
  const hasDoubles = followOrder(streams, lists, owner)
    ? false
    : yield* lookUp(streams, lists, owner);
  return { owner, hasDoubles };
}

/** By worker of the last assignment: the worker by its number now, if its list is the one it had. */
type Unchanged = {
  /** The list that the last assignment gave it. */
  readonly asGiven: Int32Array;
  /** The list that it had before that. */
  readonly asBefore: Int32Array;
};

type Lists = readonly (readonly [worker: number, list: readonly string[]])[];

/** Undefined: most lists are new. */
function ownersSince(input: AssignInput, last: LastAssignment): OwnersBefore | undefined {
  const { streams, previous } = input;
  const { unchanged, old, changed } = compared(input, last);
  const names = changed.reduce((sum, [, list]) => sum + list.length, 0);
  if (names * 4 > streams.length) return undefined;
  const { start, removed, inserted } = spliceSince(last, streams);
  const claims = new Claims(streams.length);
  const shift = inserted - removed;
  const { owner: given } = last.result;
  const { owner: before } = last.before;
  /** Also of a pool that is as the last assignment left it. */
  const claimAgain = (from: number, to: number, by: number): void => {
    copyThrough(unchanged.asGiven, given, claims.owner, { from, to, by });
    if (old.length === 0) return;
    for (let at = from; at < to; at += 1)
      claims.make(at + by, unchanged.asBefore[before[at] ?? NONE] ?? NONE);
  };
  claimAgain(0, start, 0);
  claimAgain(start + removed, given.length, shift);
  const fresh = new Map<string, number>();
  for (let at = start; at < start + inserted; at += 1) fresh.set(streams[at]?.name ?? '', at);
  for (let at = start; at < start + removed && fresh.size > 0; at += 1) {
    const now = fresh.get(last.input.streams[at]?.name ?? '');
    if (now !== undefined) claimAgain(at, at + 1, now - at);
  }
  claimByName(old, fresh, claims);
  if (names > 0) claimByName(changed, indexesOf(streams, changed), claims);
  return claims;
}

type Range = { readonly from: number; readonly to: number; readonly by: number };

function copyThrough(
  numbers: Int32Array,
  owners: Int32Array,
  target: Int32Array,
  { from, to, by }: Range,
): void {
  for (let at = from; at < to; at += 1) {
    const worker = owners[at] ?? NONE;
    target[at + by] = worker === NONE ? NONE : (numbers[worker] ?? NONE);
  }
}

/** Which lists are the same objects as at the last assignment? */
function compared(
  { workers, previous }: AssignInput,
  { input, result, before }: LastAssignment,
): { readonly unchanged: Unchanged; readonly old: Lists; readonly changed: Lists } {
  const then = new Map(input.workers.map(({ name }, index) => [name, index]));
  const asGiven = new Int32Array(input.workers.length).fill(NONE);
  const asBefore = new Int32Array(input.workers.length).fill(NONE);
  const old: [number, readonly string[]][] = [];
  const changed: [number, readonly string[]][] = [];
  for (const [now, { name }] of workers.entries()) {
    const list = previous.get(name);
    if (list === undefined || list.length === 0) continue;
    const index = then.get(name) ?? NONE;
    if (index !== NONE && result.jobs.get(name) === list) asGiven[index] = now;
    else if (index === NONE || before.hasDoubles || input.previous.get(name) !== list)
      changed.push([now, list]);
    else {
      asBefore[index] = now;
      old.push([now, list]);
    }
  }
  return { unchanged: { asGiven, asBefore }, old, changed };
}

class Claims implements OwnersBefore {
  readonly owner: Int32Array;
  hasDoubles = false;

  constructor(streams: number) {
    this.owner = new Int32Array(streams).fill(NONE);
  }

  make(stream: number, worker: number): void {
    if (worker === NONE) return;
    const other = this.owner[stream] ?? NONE;
    if (other !== NONE && other !== worker) this.hasDoubles = true;
    if (other === NONE || worker < other) this.owner[stream] = worker;
  }
}

function claimByName(lists: Lists, indexes: ReadonlyMap<string, number>, claims: Claims): void {
  if (indexes.size === 0) return;
  for (const [worker, list] of lists)
    for (const name of list) {
      const at = indexes.get(name);
      if (at !== undefined) claims.make(at, worker);
    }
}

/** Of the names in these lists. */
function indexesOf(streams: AssignInput['streams'], lists: Lists): ReadonlyMap<string, number> {
  const wanted = new Set(lists.flatMap(([, list]) => list));
  const indexes = new Map<string, number>();
  streams.forEach(({ name }, at) => {
    if (wanted.has(name)) indexes.set(name, at);
  });
  return indexes;
}

/**
 * Slices keep list order, so the next stream is usually the next one of the same worker. Reading
 * along is several times faster than a table of a million names. False: the order differs.
 */
function followOrder(
  streams: AssignInput['streams'],
  lists: readonly (readonly string[])[],
  owner: Int32Array,
): boolean {
  const next = new Int32Array(lists.length);
  const heads = new Map<string, number>();
  let total = 0;
  for (let worker = 0; worker < lists.length; worker += 1) {
    const list = lists[worker] ?? [];
    total += list.length;
    const head = list[0];
    if (head === undefined) continue;
    if (heads.has(head)) return false;
    heads.set(head, worker);
  }
  let found = 0;
  let misses = 0;
  let worker = NONE;
  for (let at = 0; at < streams.length; at += 1) {
    const name = streams[at]?.name ?? '';
    if (worker === NONE || lists[worker]?.[next[worker] ?? 0] !== name) {
      const other = heads.get(name);
      // A new stream; too many in a row mean that the lists are in another order.
      if (other === undefined) {
        misses += 1;
        if (misses > 64 + (at >> 3)) return false;
        continue;
      }
      worker = other;
    }
    heads.delete(name);
    owner[at] = worker;
    found += 1;
    next[worker] = (next[worker] ?? 0) + 1;
    const head = lists[worker]?.[next[worker] ?? 0];
    if (head === undefined) continue;
    if (heads.has(head)) return abandon(owner);
    heads.set(head, worker);
  }
  // Names that are left over are not in the list any more, or in another order.
  return found === total || abandon(owner);
}

function abandon(owner: Int32Array): false {
  owner.fill(NONE);
  return false;
}

/** True: two workers claim the same stream. */
function* lookUp(
  streams: AssignInput['streams'],
  lists: readonly (readonly string[])[],
  owner: Int32Array,
): Work<boolean> {
  let hasDoubles = false;
  const position = new Map<string, number>();
  for (let at = 0; at < streams.length; at += 1) {
    position.set(streams[at]?.name ?? '', at);
    if (endsPiece(at)) yield;
  }
  for (let worker = 0; worker < lists.length; worker += 1) {
    yield;
    for (const job of lists[worker] ?? []) {
      const at = position.get(job);
      if (at === undefined) continue;
      if (owner[at] === NONE) owner[at] = worker;
      else hasDoubles = true;
    }
  }
  return hasDoubles;
}
