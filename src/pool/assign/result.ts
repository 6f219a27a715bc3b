// What is the result of an assignment, and which lists do workers get? A worker whose streams stay
// keeps its list, the same object.
import type { Reason } from '../../core/reason.ts';
import { type Splice, spliceBetween } from '../../core/splice.ts';
import type { PlacementReason } from '../reasons.ts';
import { type AssignInput, NONE, type OwnersBefore } from './problem/problem.ts';

export type Unassigned = Reason<PlacementReason> & { readonly name: string };

export type AssignResult = {
  /** Every worker has a list, in list order. */
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  /** By stream: the index of its worker, or -1. */
  readonly owner: Int32Array;
  readonly unassigned: readonly Unassigned[];
  /** The number of workers that is enough for all weights and pins. */
  readonly enough: number;
  /**
   * The number of workers for the weights of all streams that more workers can help: not those
   * that, for example, have an impossible pin.
   */
  readonly neededForWeights: number;
  /** The number of workers that also keeps the streams of each spread group apart. */
  readonly required: number;
  /** Moves that wait because of the limit on moves. */
  readonly deferred: number;
  /** Some worker carries more than its capacity. */
  readonly isOvercommitted: boolean;
  /** Streams that failed at a worker and have another one now: the worker that each left. */
  readonly movedFrom: ReadonlyMap<string, string>;
};

/** An assignment of the same pool: unchanged parts are not computed again. */
export type LastAssignment = {
  readonly input: AssignInput;
  readonly result: AssignResult;
  readonly before: OwnersBefore;
};

const splices = new WeakMap<
  LastAssignment,
  { readonly streams: AssignInput['streams']; readonly splice: Splice }
>();

/** The place in which the list of streams differs now: found once, and used several times. */
export function spliceSince(last: LastAssignment, streams: AssignInput['streams']): Splice {
  const known = splices.get(last);
  if (known?.streams === streams) return known.splice;
  const splice = spliceBetween(last.input.streams, streams);
  splices.set(last, { streams, splice });
  return splice;
}

/** By worker, in list order. */
export function listsOf(
  { streams, workers }: AssignInput,
  owner: Int32Array,
  last?: LastAssignment,
): ReadonlyMap<string, readonly string[]> {
  const kept = last === undefined ? [] : listsSince({ streams, workers }, owner, last);
  const sizes = new Int32Array(workers.length);
  for (let at = 0; at < owner.length; at += 1) {
    const worker = owner[at] ?? NONE;
    if (worker !== NONE) sizes[worker] = (sizes[worker] ?? 0) + 1;
  }
  const made = workers.map((_, worker): string[] | undefined =>
    kept[worker] === undefined ? new Array<string>(sizes[worker] ?? 0) : undefined,
  );
  const next = new Int32Array(workers.length);
  for (let at = 0; at < owner.length; at += 1) {
    const worker = owner[at] ?? NONE;
    if (worker === NONE) continue;
    const list = made[worker];
    if (list === undefined) continue;
    const place = next[worker] ?? 0;
    list[place] = streams[at]?.name ?? '';
    next[worker] = place + 1;
  }
  return new Map(
    workers.map(({ name }, worker) => [name, kept[worker] ?? made[worker] ?? []] as const),
  );
}

/** By worker: its last list; undefined if its streams have changed. */
function listsSince(
  { streams, workers }: Pick<AssignInput, 'streams' | 'workers'>,
  owner: Int32Array,
  last: LastAssignment,
): readonly (readonly string[] | undefined)[] {
  const { input, result } = last;
  const numbers = new Map(workers.map(({ name }, worker) => [name, worker]));
  const nowOf = Int32Array.from(input.workers, ({ name }) => numbers.get(name) ?? NONE);
  const isChanged = new Uint8Array(workers.length);
  const change = (worker: number): void => {
    if (worker !== NONE) isChanged[worker] = 1;
  };
  const then = result.owner;
  const compare = (from: number, to: number, by: number): void => {
    for (let at = from; at < to; at += 1) {
      const earlier = then[at] ?? NONE;
      const before = earlier === NONE ? NONE : (nowOf[earlier] ?? NONE);
      const after = owner[at + by] ?? NONE;
      if (before === after) continue;
      change(before);
      change(after);
    }
  };
  const { start, removed, inserted } = spliceSince(last, streams);
  compare(0, start, 0);
  compare(start + removed, then.length, inserted - removed);
  for (let at = start; at < start + removed; at += 1) change(nowOf[then[at] ?? NONE] ?? NONE);
  for (let at = start; at < start + inserted; at += 1) change(owner[at] ?? NONE);
  return workers.map(({ name }, worker) =>
    isChanged[worker] === 1 ? undefined : result.jobs.get(name),
  );
}
