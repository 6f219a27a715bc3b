// Which worker does each stream have so far? Names are looked up only in lists that have changed
// since the last assignment.
import { eachOf, type Work } from '../../../core/work.ts';
import { type LastAssignment, spliceSince } from '../result.ts';
import { type AssignInput, NONE, type OwnersBefore } from './problem.ts';

export function* ownersBefore(input: AssignInput, last?: LastAssignment): Work<OwnersBefore> {
  const known = last && ownersSince(input, last);
  if (known !== undefined) return known;
  const { streams, workers, previous } = input;
  const owner = new Int32Array(streams.length).fill(NONE);
  const lists = workers.map(({ name }) => previous.get(name) ?? []);
  if (!followOrder(streams, lists, owner)) yield* lookUp(streams, lists, owner);
  return { owner, isExact: isExact(owner, lists) };
}

function isExact(owner: Int32Array, lists: readonly (readonly string[])[]): boolean {
  let left = lists.reduce((sum, { length }) => sum + length, 0);
  for (let at = 0; at < owner.length; at += 1) if (owner[at] !== NONE) left -= 1;
  return left === 0;
}

/** Undefined: most lists are new. */
function ownersSince(input: AssignInput, last: LastAssignment): OwnersBefore | undefined {
  const { streams, workers, previous } = input;
  const { asGiven, asBefore, changed } = compared(input, last);
  const names = changed.reduce((sum, [, list]) => sum + list.length, 0);
  if (names * 4 > streams.length) return undefined;
  const { start, removed, inserted } = spliceSince(last, streams);
  const owner = new Int32Array(streams.length).fill(NONE);
  const claimAgain = (from: number, to: number, by: number): void => {
    if (asGiven !== undefined) claim(owner, last.result.owner, asGiven, { from, to, by });
    if (asBefore !== undefined) claim(owner, last.before.owner, asBefore, { from, to, by });
  };
  claimAgain(0, start, 0);
  claimAgain(start + removed, last.input.streams.length, inserted - removed);
  // A stream whose definition has changed is still found at its worker by its name.
  const fresh = new Map<string, number>();
  for (let at = start; at < start + inserted; at += 1) fresh.set(streams[at]?.name ?? '', at);
  for (let at = start; at < start + removed && fresh.size > 0; at += 1) {
    const now = fresh.get(last.input.streams[at]?.name ?? '');
    if (now !== undefined) claimAgain(at, at + 1, now - at);
  }
  if (names > 0) claimByName(changed, indexesOf(streams, changed), owner);
  const lists = workers.map(({ name }) => previous.get(name) ?? []);
  return { owner, isExact: isExact(owner, lists) };
}

type Range = { readonly from: number; readonly to: number; readonly by: number };

/** By the current numbers of workers. If two workers claim a stream, the first in order counts. */
function claim(
  owner: Int32Array,
  then: Int32Array,
  nowOf: Int32Array,
  { from, to, by }: Range,
): void {
  for (let at = from; at < to; at += 1) {
    const before = then[at] ?? NONE;
    const worker = before === NONE ? NONE : (nowOf[before] ?? NONE);
    if (worker === NONE) continue;
    const other = owner[at + by] ?? NONE;
    if (other === NONE || worker < other) owner[at + by] = worker;
  }
}

type Lists = readonly (readonly [worker: number, list: readonly string[]])[];

type Compared = {
  /**
   * By earlier worker: its current number, if it has the list that it was given. Undefined: there
   * is none.
   */
  readonly asGiven: Int32Array | undefined;
  /** By earlier worker: its current number, if it has the list from before that. */
  readonly asBefore: Int32Array | undefined;
  readonly changed: Lists;
};

/** Which lists are the same objects as at the last assignment? */
function compared(
  { workers, previous }: AssignInput,
  { input, result, before: { isExact } }: LastAssignment,
): Compared {
  const then = new Map(input.workers.map(({ name }, index) => [name, index]));
  const asGiven = new Int32Array(input.workers.length).fill(NONE);
  const asBefore = new Int32Array(input.workers.length).fill(NONE);
  let given = 0;
  let before = 0;
  const changed: [number, readonly string[]][] = [];
  for (const [now, { name }] of workers.entries()) {
    const list = previous.get(name);
    if (list === undefined || list.length === 0) continue;
    const index = then.get(name) ?? NONE;
    if (index !== NONE && result.jobs.get(name) === list) {
      asGiven[index] = now;
      given += 1;
    } else if (index !== NONE && isExact && input.previous.get(name) === list) {
      asBefore[index] = now;
      before += 1;
    } else changed.push([now, list]);
  }
  return {
    asGiven: given > 0 ? asGiven : undefined,
    asBefore: before > 0 ? asBefore : undefined,
    changed,
  };
}

function claimByName(lists: Lists, indexes: ReadonlyMap<string, number>, owner: Int32Array): void {
  for (const [worker, list] of lists)
    for (const name of list) {
      const at = indexes.get(name);
      if (at === undefined) continue;
      const other = owner[at] ?? NONE;
      if (other === NONE || worker < other) owner[at] = worker;
    }
}

/** The indexes of the names in these lists. */
function indexesOf(streams: AssignInput['streams'], lists: Lists): ReadonlyMap<string, number> {
  const wanted = new Set(lists.flatMap(([, list]) => list));
  const indexes = new Map<string, number>();
  streams.forEach(({ name }, at) => {
    if (wanted.has(name)) indexes.set(name, at);
  });
  return indexes;
}

/**
 * Slices keep list order, so the next stream usually is the next one of the same worker. Following
 * this order is several times faster than a table of a million names. False: the order differs.
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
    if (worker !== NONE) {
      const place = next[worker] ?? 0;
      const head = lists[worker]?.[place];
      if (head === name) {
        owner[at] = worker;
        next[worker] = place + 1;
        found += 1;
        continue;
      }
      // The run of this worker ends here; it may continue later.
      if (head !== undefined && heads.has(head)) return abandon(owner);
      if (head !== undefined) heads.set(head, worker);
      worker = NONE;
    }
    const other = heads.get(name);
    // A new stream; too many in a row mean that the lists have another order.
    if (other === undefined) {
      misses += 1;
      if (misses > 64 + (at >> 3)) return abandon(owner);
      continue;
    }
    heads.delete(name);
    worker = other;
    owner[at] = worker;
    next[worker] = (next[worker] ?? 0) + 1;
    found += 1;
  }
  // Remaining names are no longer in the list, or in another order.
  return found === total || abandon(owner);
}

function abandon(owner: Int32Array): false {
  owner.fill(NONE);
  return false;
}

function* lookUp(
  streams: AssignInput['streams'],
  lists: readonly (readonly string[])[],
  owner: Int32Array,
): Work<void> {
  const position = new Map<string, number>();
  yield* eachOf(streams, ({ name }, at) => position.set(name, at));
  for (let worker = 0; worker < lists.length; worker += 1) {
    yield;
    for (const job of lists[worker] ?? []) {
      const at = position.get(job);
      if (at !== undefined && owner[at] === NONE) owner[at] = worker;
    }
  }
}
