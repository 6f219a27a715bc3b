// Where do weightless streams go, and how are streams of a spread group kept apart?
import type { Work } from '../../core/work.ts';
import { GroupCounts } from './placement.ts';
import { type AssignmentProblem, countsAt, NONE } from './problem/problem.ts';

/** This number of looks takes some tenths of a millisecond. */
const LOOKS_PER_TURN = 1_024;

/** `owner` holds the current worker of each stream, and is changed to the next one. */
type EvenInput = {
  readonly problem: AssignmentProblem;
  readonly owner: Int32Array;
  /** By stream: 1 if it is weightless and takes part. */
  readonly isWeightless: Uint8Array;
  /** By worker: 1 if it may get such streams. */
  readonly isOpen: Uint8Array;
  /** By worker: the weights of reserved streams there. */
  readonly load: Float64Array;
  /** False: only streams without a worker get one. */
  readonly rebalances: boolean;
};

/**
 * Numbers of streams differ by at most one (except for pins). A stream stays unless its worker is
 * closed or has more than its share, so the moves are the fewest that balance allows. Among equal
 * workers, those with the least reserved load get one more. Without earlier workers, each gets a
 * contiguous part of the list.
 */
export function* spreadEvenly(input: EvenInput): Work<void> {
  const { weightless, counts, pinned } = countedNow(input);
  const shares = sharesOf(weightless, counts, pinned, input);
  if (shares === undefined) return;
  yield;
  if (input.rebalances) releaseSurplus(input, counts, shares);
  yield* fillUp(input, counts, shares);
}

type Counted = {
  readonly weightless: number;
  /** By worker. */
  readonly counts: Int32Array;
  readonly pinned: Int32Array;
};

/** Takes streams from closed workers, and puts pinned ones on theirs. */
function countedNow({ problem, owner, isWeightless, isOpen }: EvenInput): Counted {
  const { pin, isPinned, workers } = problem;
  const counts = new Int32Array(workers);
  const pinned = new Int32Array(workers);
  const isSkewed = problem.left.length > 0;
  let weightless = 0;
  for (let at = 0; at < owner.length; at += 1) {
    if (isWeightless[at] === 0) continue;
    weightless += 1;
    const pinnedTo = isPinned ? (pin[at] ?? NONE) : NONE;
    let worker = pinnedTo === NONE ? (owner[at] ?? NONE) : pinnedTo;
    if (worker === NONE) continue;
    if (pinnedTo === NONE && isOpen[worker] === 0) worker = NONE;
    owner[at] = worker;
    if (worker === NONE) continue;
    const counted = isSkewed ? countsAt(problem, at, worker) : worker;
    counts[counted] = (counts[counted] ?? 0) + 1;
    if (pinnedTo !== NONE) pinned[counted] = (pinned[counted] ?? 0) + 1;
  }
  return { weightless, counts, pinned };
}

/** The number of streams that each open worker should have. Undefined: no worker is open. */
function sharesOf(
  weightless: number,
  counts: Int32Array,
  pinned: Int32Array,
  { isOpen, load, rebalances }: EvenInput,
): Int32Array | undefined {
  const shares = Int32Array.from(pinned);
  const open = Array.from(counts.keys()).filter((worker) => isOpen[worker] === 1);
  if (open.length === 0) return undefined;
  // A worker above the common level that can give nothing away keeps its streams.
  const fixed = rebalances ? pinned : counts;
  const closed = pinned.reduce((sum, count, worker) => sum + (isOpen[worker] === 0 ? count : 0), 0);
  let left = weightless - closed;
  const level = [...open].sort((a, b) => (fixed[b] ?? 0) - (fixed[a] ?? 0) || a - b);
  while (level.length > 0) {
    const highest = level[0] ?? 0;
    if ((fixed[highest] ?? 0) <= Math.ceil(left / level.length)) break;
    shares[highest] = fixed[highest] ?? 0;
    left -= shares[highest] ?? 0;
    level.shift();
  }
  const even = Math.floor(left / Math.max(1, level.length));
  const extra = left - even * level.length;
  const gain = (worker: number): number => Math.min(counts[worker] ?? 0, even + 1);
  level.sort(
    (a, b) =>
      Number((fixed[b] ?? 0) > even) - Number((fixed[a] ?? 0) > even) ||
      gain(b) - gain(a) ||
      (load[a] ?? 0) - (load[b] ?? 0) ||
      a - b,
  );
  level.forEach((worker, rank) => {
    shares[worker] = even + (rank < extra ? 1 : 0);
  });
  return shares;
}

/**
 * The last streams in list order go first: a list that grows at its end moves the fewest streams.
 */
function releaseSurplus(
  { problem, owner, isWeightless }: EvenInput,
  counts: Int32Array,
  shares: Int32Array,
): void {
  let surplus = 0;
  for (let worker = 0; worker < counts.length; worker += 1)
    surplus += Math.max(0, (counts[worker] ?? 0) - (shares[worker] ?? 0));
  for (let at = owner.length - 1; at >= 0 && surplus > 0; at -= 1) {
    const worker = owner[at] ?? NONE;
    if (
      worker === NONE ||
      isWeightless[at] === 0 ||
      (counts[worker] ?? 0) <= (shares[worker] ?? 0) ||
      (problem.isPinned && problem.pin[at] !== NONE)
    )
      continue;
    owner[at] = NONE;
    counts[worker] = (counts[worker] ?? 0) - 1;
    surplus -= 1;
  }
}

function* fillUp(input: EvenInput, counts: Int32Array, shares: Int32Array): Work<void> {
  const { problem, owner, isWeightless } = input;
  if (problem.groups > 0) yield* fillGroups(input, counts, shares);
  let worker = 0;
  for (let at = owner.indexOf(NONE); at >= 0; at = owner.indexOf(NONE, at + 1)) {
    if (isWeightless[at] === 0) continue;
    while (worker < problem.workers && (counts[worker] ?? 0) >= (shares[worker] ?? 0)) worker += 1;
    if (worker === problem.workers) return;
    owner[at] = worker;
    counts[worker] = (counts[worker] ?? 0) + 1;
  }
}

/** Streams of groups choose first: each takes the worker with the fewest streams of its group. */
function* fillGroups(
  { problem, owner, isWeightless }: EvenInput,
  counts: Int32Array,
  shares: Int32Array,
): Work<void> {
  const together = new GroupCounts(problem, owner);
  const unfilled = new UnfilledWorkers(counts, shares);
  const searches = new Map<number, Search>();
  for (let at = 0; at < problem.count; at += 1) {
    const group = problem.group[at] ?? NONE;
    if (isWeightless[at] === 0 || owner[at] !== NONE || group === NONE) continue;
    const search = searches.get(group) ?? { level: 0, next: 0, above: Number.POSITIVE_INFINITY };
    searches.set(group, search);
    const best = yield* fewestOf(search, unfilled, (worker) => together.on(at, worker));
    if (best === NONE) return;
    owner[at] = best;
    counts[best] = (counts[best] ?? 0) + 1;
    together.change(at, best, 1);
  }
}

/**
 * The progress for a group: workers before `next` are full, or have more than `level` of the group.
 * Workers only gain streams, so none of them is looked at again before the level rises.
 */
type Search = {
  level: number;
  next: number;
  /** The fewest streams of the group on a worker with room, above this level. */
  above: number;
};

function* fewestOf(
  search: Search,
  unfilled: UnfilledWorkers,
  countOn: (worker: number) => number,
): Work<number> {
  for (let looks = 1; ; looks += 1) {
    if (looks % LOOKS_PER_TURN === 0) yield;
    const worker = unfilled.from(search.next);
    if (worker === NONE) {
      if (search.next === 0) return NONE;
      Object.assign(search, { level: search.above, next: 0, above: Number.POSITIVE_INFINITY });
      continue;
    }
    const count = countOn(worker);
    search.next = worker + 1;
    search.above = Math.min(search.above, Math.max(count, search.level + 1));
    if (count <= search.level) return worker;
  }
}

/** Finds workers below their share. A worker that has reached its share never falls below it. */
class UnfilledWorkers {
  readonly #counts: Int32Array;
  readonly #shares: Int32Array;
  /** By full worker: a later worker, with no unfilled one between the two. */
  readonly #behind: Int32Array;

  constructor(counts: Int32Array, shares: Int32Array) {
    this.#counts = counts;
    this.#shares = shares;
    this.#behind = Int32Array.from(counts, (_, worker) => worker + 1);
  }

  /** The first unfilled worker from this index on; -1: all are full. */
  from(worker: number): number {
    const behind = this.#behind;
    let found = worker;
    while (found < behind.length && (this.#counts[found] ?? 0) >= (this.#shares[found] ?? 0))
      found = behind[found] ?? behind.length;
    for (let at = worker; at < found; ) {
      const next = behind[at] ?? found;
      behind[at] = found;
      at = next;
    }
    return found < behind.length ? found : NONE;
  }
}

/** Takes about a fraction of a second. Beyond it, groups stay as they are until the next change. */
const MOST_LOOKS = 20_000_000;

/** Each exchange makes one group more even and none less even, so the loop ends. */
export function* spreadGroups(
  problem: AssignmentProblem,
  owner: Int32Array,
  isOpen: Uint8Array,
  /** The most exchanges. */
  most: number,
): Work<void> {
  if (problem.groups === 0 || most === 0) return;
  const exchanges = new Exchanges(problem, owner, isOpen);
  const groups = gathered(problem.groups, problem.count, (it) => problem.group[it] ?? NONE);
  let left = most;
  // An exchange for one group may allow one for another, even for a group that was done.
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const streams of groups) {
      while (yield* exchanges.one(streams)) {
        isMoving = true;
        left -= 1;
        if (left === 0) return;
      }
    }
  }
}

/** `of` returns the list of a stream; -1: none. */
function gathered(count: number, streams: number, of: (stream: number) => number): number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  for (let stream = 0; stream < streams; stream += 1) lists[of(stream)]?.push(stream);
  return lists;
}

class Exchanges {
  readonly #problem: AssignmentProblem;
  readonly #owner: Int32Array;
  readonly #counts: GroupCounts;
  /** By worker: the streams that may leave it. */
  readonly #free: readonly number[][];
  readonly #isOpen: Uint8Array;
  #looks = 0;

  constructor(problem: AssignmentProblem, owner: Int32Array, isOpen: Uint8Array) {
    this.#problem = problem;
    this.#owner = owner;
    this.#isOpen = isOpen;
    this.#counts = new GroupCounts(problem, owner);
    this.#free = gathered(problem.workers, problem.count, (stream) => {
      const worker = owner[stream] ?? NONE;
      return isOpen[worker] === 1 && problem.pin[stream] === NONE ? worker : NONE;
    });
  }

  /** True: a stream of the group was exchanged for another stream. */
  *one(group: readonly number[]): Work<boolean> {
    const [first] = group;
    if (first === undefined || this.#looks > MOST_LOOKS) return false;
    const count = (worker: number): number => this.#counts.on(first, worker);
    const owners = new Set(group.map((stream) => this.#owner[stream] ?? NONE));
    yield;
    const fullestFirst = (a: number, b: number): number => count(b) - count(a) || a - b;
    const holders = [...owners].filter((it) => this.#isOpen[it] === 1).sort(fullestFirst);
    const crowded = holders.filter((worker) => count(worker) > 1);
    if (crowded.length === 0) return false;
    const others = [
      ...[...this.#isOpen.keys()]
        .reverse()
        .filter((it) => this.#isOpen[it] === 1 && count(it) === 0),
      ...[...holders].reverse(),
    ];
    for (const from of crowded) {
      const leaving = (this.#free[from] ?? []).filter(
        (stream) => this.#problem.group[stream] === this.#problem.group[first],
      );
      for (const to of others) {
        if (count(from) - count(to) < 2) break;
        for (const stream of leaving) {
          const other = this.#partner(stream, from, to);
          if (other !== undefined) {
            this.#exchange(stream, from, other, to);
            return true;
          }
          yield;
        }
      }
    }
    return false;
  }

  /** A stream of the same weight, whose group does not become less even. */
  #partner(stream: number, from: number, to: number): number | undefined {
    const { weight, group } = this.#problem;
    const there = this.#free[to] ?? [];
    this.#looks += there.length;
    return there.find((other) => {
      if (weight[other] !== weight[stream] || group[other] === group[stream]) return false;
      return group[other] === NONE || this.#counts.on(other, from) < this.#counts.on(other, to);
    });
  }

  #exchange(one: number, from: number, other: number, to: number): void {
    for (const [stream, leaves, joins] of [
      [one, from, to],
      [other, to, from],
    ] as const) {
      this.#owner[stream] = joins;
      this.#counts.change(stream, leaves, -1);
      this.#counts.change(stream, joins, 1);
      const list = this.#free[leaves] ?? [];
      list.splice(list.indexOf(stream), 1);
      this.#free[joins]?.push(stream);
    }
  }
}
