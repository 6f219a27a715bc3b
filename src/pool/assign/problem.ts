// What is given to an assignment? Indexes instead of objects: a million take milliseconds.
import type { Reason } from '../../core/reason.ts';
import { endsPiece, type Work } from '../../core/work.ts';
import type { PlacementReason } from '../reasons.ts';

export type AssignStream = {
  readonly name: string;
  /** 0 reserves nothing; the whole capacity means a worker of its own. */
  readonly weight: number;
  readonly priority: number;
  readonly spreadGroup?: string;
  readonly ordinal?: number;
};

type AssignWorker = {
  readonly name: string;
  readonly ordinal: number;
  /** Emptied, and given nothing. */
  readonly isCordoned: boolean;
};

export type AssignInput = {
  /** Unique by name, in list order. */
  readonly streams: readonly AssignStream[];
  readonly workers: readonly AssignWorker[];
  readonly previous: ReadonlyMap<string, readonly string[]>;
  readonly capacity: number;
  readonly overcommit: boolean;
  /** False: only streams that lost their worker move. */
  readonly rebalances: boolean;
  /** How many streams may leave a worker that could keep them; undefined: any number. */
  readonly maxMoves: number | undefined;
  /** By stream: the worker that it stays at, whatever its pin says. */
  readonly kept?: ReadonlyMap<number, number>;
  /** Left out: no stream moves because it fails. */
  readonly elsewhere?: Elsewhere | undefined;
};

/** Streams that move because they fail at their worker, and those that have done so. */
type Elsewhere = {
  /** By stream: the worker that it failed at, and is kept away from. */
  readonly away: ReadonlyMap<string, string>;
  /** Streams that are to leave their worker, the most urgent first. */
  readonly due: readonly string[];
  /** How many of these may do so now. */
  readonly most: number;
};

/** No worker, or no group. */
export const NONE = -1;

export type AssignmentProblem = {
  readonly count: number;
  readonly weight: Int32Array;
  /** By stream: the worker that it is pinned to; -1 without a pin. */
  readonly pin: Int32Array;
  /**
   * By stream: the worker that it failed at and left; -1 for all others. It stays where it went as
   * if it were pinned there. Where loads and numbers are made even it counts at the worker that it
   * left: so no other stream moves there because of it, or makes room for it.
   */
  readonly away: Int32Array;
  /** The streams that left one. */
  readonly left: readonly number[];
  readonly group: Int32Array;
  readonly groups: number;
  /** The worker that had it and is still there. */
  readonly before: Int32Array;
  /** By worker: how many streams that reserve nothing it had. */
  readonly light: Int32Array;
  readonly workers: number;
  readonly isCordoned: Uint8Array;
  readonly capacity: number;
};

/** The worker at which a stream of this worker counts. */
export const countsAt = ({ away }: AssignmentProblem, stream: number, worker: number): number => {
  const left = away[stream] ?? NONE;
  return left === NONE ? worker : left;
};

/** How many workers may be given streams. */
export const usableWorkers = ({ isCordoned }: AssignmentProblem): number =>
  isCordoned.reduce((count, cordoned) => count + 1 - cordoned, 0);

/** Streams that nothing can place: their pin cannot be kept, or they exceed a worker's capacity. */
export type Excluded = Reason<PlacementReason> & { readonly index: number };

type Posed = {
  readonly problem: AssignmentProblem;
  readonly excluded: readonly Excluded[];
};

export function* problemOf(input: AssignInput): Work<Posed> {
  const { streams, workers, capacity } = input;
  const count = streams.length;
  const weight = new Int32Array(count);
  const pin = new Int32Array(count).fill(NONE);
  const group = new Int32Array(count).fill(NONE);
  const groupIndex = new Map<string, number>();
  const byOrdinal = new Map(workers.map(({ ordinal }, index) => [ordinal, index]));
  const excluded: Excluded[] = [];
  const tooHeavy = onceFor((own) => `needs ${own}, but a worker's whole capacity is ${capacity}`);
  for (let index = 0; index < count; index += 1) {
    const stream = streams[index];
    if (stream === undefined) continue;
    weight[index] = stream.weight;
    if (stream.spreadGroup !== undefined) group[index] = indexIn(groupIndex, stream.spreadGroup);
    const keeper = input.kept?.get(index);
    if (keeper !== undefined) {
      pin[index] = keeper;
      continue;
    }
    if (stream.ordinal !== undefined) {
      const worker = byOrdinal.get(stream.ordinal);
      pin[index] = worker ?? NONE;
      const why = pinProblem(stream.ordinal, workers[worker ?? NONE], workers);
      if (why !== undefined) excluded.push({ index, ...why });
    }
    if (stream.weight > capacity && !input.overcommit) {
      excluded.push({ index, reason: 'TooHeavy', message: tooHeavy(stream.weight) });
    }
  }
  yield;
  const before = yield* previousOwners(input);
  return {
    problem: {
      count,
      weight,
      pin,
      away: new Int32Array(count).fill(NONE),
      left: [],
      group,
      groups: groupIndex.size,
      before,
      light: lightOf(before, weight, workers.length),
      workers: workers.length,
      isCordoned: Uint8Array.from(workers, (worker) => (worker.isCordoned ? 1 : 0)),
      capacity,
    },
    excluded,
  };
}

function pinProblem(
  ordinal: number,
  worker: AssignWorker | undefined,
  workers: readonly AssignWorker[],
): Omit<Excluded, 'index'> | undefined {
  if (worker === undefined) {
    return {
      reason: 'PinnedWorkerMissing',
      message: `is pinned to ordinal ${ordinal}, but there is no such worker, ${presentText(workers)}`,
    };
  }
  if (worker.isCordoned)
    return {
      reason: 'PinnedWorkerCordoned',
      message: `is pinned to ordinal ${ordinal}, which is cordoned`,
    };
  return undefined;
}

export function presentText(workers: readonly AssignWorker[]): string {
  const [first] = workers;
  const last = workers.at(-1);
  if (first === undefined || last === undefined) return 'none at all';
  return first === last ? `only ${first.ordinal}` : `only ${first.ordinal} to ${last.ordinal}`;
}

function indexIn(indexes: Map<string, number>, name: string): number {
  const present = indexes.get(name);
  if (present !== undefined) return present;
  indexes.set(name, indexes.size);
  return indexes.size - 1;
}

/** By stream: the worker that has it. Where two claim it, the first in order counts. */
function* previousOwners({ streams, workers, previous }: AssignInput): Work<Int32Array> {
  const owner = new Int32Array(streams.length).fill(NONE);
  const lists = workers.map(({ name }) => previous.get(name) ?? []);
  if (!followOrder(streams, lists, owner)) yield* lookUp(streams, lists, owner);
  return owner;
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

function* lookUp(
  streams: AssignInput['streams'],
  lists: readonly (readonly string[])[],
  owner: Int32Array,
): Work<void> {
  const position = new Map<string, number>();
  for (let at = 0; at < streams.length; at += 1) {
    position.set(streams[at]?.name ?? '', at);
    if (endsPiece(at)) yield;
  }
  for (let worker = 0; worker < lists.length; worker += 1) {
    yield;
    for (const job of lists[worker] ?? []) {
      const at = position.get(job);
      if (at !== undefined && owner[at] === NONE) owner[at] = worker;
    }
  }
}

export function lightOf(before: Int32Array, weight: Int32Array, workers: number): Int32Array {
  const light = new Int32Array(workers);
  for (let at = 0; at < before.length; at += 1) {
    const worker = before[at] ?? NONE;
    if (worker !== NONE && weight[at] === 0) light[worker] = (light[worker] ?? 0) + 1;
  }
  return light;
}

/** How many items at the beginning of the list are below; the list is sorted accordingly. */
export function partitionPoint(
  list: readonly number[],
  isBelow: (item: number) => boolean,
): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(list[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 100,000 streams with the same figure share one message. */
export function onceFor<T>(make: (figure: number) => T): (figure: number) => T {
  const made = new Map<number, T>();
  return (figure) => {
    let value = made.get(figure);
    if (value === undefined) {
      value = make(figure);
      made.set(figure, value);
    }
    return value;
  };
}
