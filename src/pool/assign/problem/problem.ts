// What is the input of an assignment? Indexes instead of objects: a million take milliseconds.
import type { Reason } from '../../../core/reason.ts';
import type { PlacementReason } from '../../reasons.ts';

export type AssignStream = {
  readonly name: string;
  /**
   * 0: the stream is weightless, and reserves nothing. The whole capacity means a worker of its
   * own.
   */
  readonly weight: number;
  readonly priority: number;
  readonly spreadGroup?: string;
  readonly ordinal?: number;
};

export type AssignWorker = {
  readonly name: string;
  readonly ordinal: number;
  /** The worker is emptied, and gets no streams. */
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
  /** The most streams that may leave a worker that could keep them; undefined: no limit. */
  readonly maxMoves: number | undefined;
  /** By stream: the worker at which it stays, whatever its pin. */
  readonly kept?: ReadonlyMap<number, number>;
  /** Omitted: no stream moves because it fails. */
  readonly elsewhere?: Elsewhere | undefined;
};

/** Streams that move because they fail at their worker, and those that have done so. */
type Elsewhere = {
  /** By stream: the worker at which it failed, and which it avoids. */
  readonly away: ReadonlyMap<string, string>;
  /** Streams that should leave their worker, the most urgent first. */
  readonly due: readonly string[];
  /** The number of these streams that may leave now. */
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
   * By stream: the worker at which it failed and that it left; -1 for all others. The stream stays
   * at its new worker as if it were pinned there. For even loads and numbers it counts at the
   * worker that it left, so that no other stream moves there because of it, or makes room for it.
   */
  readonly away: Int32Array;
  /** The streams that have left a worker. */
  readonly left: readonly number[];
  readonly group: Int32Array;
  readonly groups: number;
  /** False: no stream has a pin. */
  readonly isPinned: boolean;
  /** False: no stream reserves anything. */
  readonly isWeighted: boolean;
  /** The earlier worker, if it still exists. */
  readonly before: Int32Array;
  /** By worker: the number of its earlier weightless streams. */
  readonly weightless: Int32Array;
  readonly workers: number;
  readonly isCordoned: Uint8Array;
  readonly capacity: number;
};

export type OwnersBefore = {
  /** By stream: its worker. If two workers claim it, the first in order counts. */
  readonly owner: Int32Array;
  /** Each name in a worker's list is a stream, and is in no other list. */
  readonly isExact: boolean;
};

/** The worker at which a stream counts that has this worker. */
export const countsAt = ({ away }: AssignmentProblem, stream: number, worker: number): number => {
  const left = away[stream] ?? NONE;
  return left === NONE ? worker : left;
};

/** The number of workers that may get streams. */
export const usableWorkers = ({ isCordoned }: AssignmentProblem): number =>
  isCordoned.reduce((count, cordoned) => count + 1 - cordoned, 0);

/** Streams that cannot be placed: their pin cannot be kept, or they exceed a worker's capacity. */
export type Excluded = Reason<PlacementReason> & { readonly index: number };

export function presentText(workers: readonly AssignWorker[]): string {
  const [first] = workers;
  const last = workers.at(-1);
  if (first === undefined || last === undefined) return 'none at all';
  return first === last ? `only ${first.ordinal}` : `only ${first.ordinal} to ${last.ordinal}`;
}

export function countWeightless(
  before: Int32Array,
  weight: Int32Array,
  workers: number,
): Int32Array {
  const weightless = new Int32Array(workers);
  for (let at = 0; at < before.length; at += 1) {
    const worker = before[at] ?? NONE;
    if (worker !== NONE && weight[at] === 0) weightless[worker] = (weightless[worker] ?? 0) + 1;
  }
  return weightless;
}

/** The number of items at the start of the list that are below; the list is sorted accordingly. */
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

/** Creates each message once: 100,000 streams with the same figure share one. */
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
