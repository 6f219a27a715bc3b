// Where do streams go that fail at their worker? To a worker with room for them: no other stream
// makes room. Afterwards they stay there, as if they were pinned.
import type { Work } from '../../core/work.ts';
import { GroupCounts, type Placement } from './placement.ts';
import {
  type AssignInput,
  type AssignmentProblem,
  countWeightless,
  NONE,
} from './problem/problem.ts';

/** By stream: the worker at which it failed. */
type Left = ReadonlyMap<number, number>;

export type Leavers = {
  /** Streams that have left their worker, including those that leave it in this assignment. */
  readonly left: Map<number, number>;
  /** Streams that left a worker which takes no part now, with the worker's name. */
  readonly leftAbsent: ReadonlyMap<number, string>;
  /** Streams that should leave their worker, the most urgent first. */
  readonly due: readonly number[];
  /** The number of these streams that may leave. */
  most: number;
};

/**
 * Pinned streams never leave, and no stream has to avoid a cordoned worker, which gets no streams
 * anyway.
 */
export function leaversOf(
  { streams, workers, elsewhere, maxMoves }: AssignInput,
  { pin, isCordoned }: AssignmentProblem,
): Leavers {
  const left = new Map<number, number>();
  const leftAbsent = new Map<number, string>();
  const urgency = new Map(elsewhere?.due.map((name, rank) => [name, rank]));
  const due: (readonly [rank: number, stream: number])[] = [];
  if (elsewhere === undefined || elsewhere.away.size + urgency.size === 0)
    return { left, leftAbsent, due: [], most: 0 };
  const byName = new Map(workers.map(({ name }, worker) => [name, worker]));
  const indexes = indexesOf(streams, [...elsewhere.away.keys(), ...elsewhere.due]);
  for (const [name, stream] of indexes) {
    if (stream === NONE || pin[stream] !== NONE) continue;
    const worker = elsewhere.away.get(name);
    const from = byName.get(worker ?? '');
    if (worker !== undefined && from === undefined) leftAbsent.set(stream, worker);
    if (from !== undefined && isCordoned[from] === 0) left.set(stream, from);
    const rank = urgency.get(name);
    if (rank !== undefined) due.push([rank, stream]);
  }
  const most = Math.min(elsewhere.most, maxMoves ?? elsewhere.most);
  const inOrder = due.sort(([a], [b]) => a - b).map(([, stream]) => stream);
  return { left, leftAbsent, due: inOrder, most };
}

/** The result for the last names: searching 100,000 streams for them takes 5 ms. */
const known = new WeakMap<AssignInput['streams'], ReadonlyMap<string, number>>();

/** In list order; -1: no stream has the name. */
function indexesOf(
  streams: AssignInput['streams'],
  names: readonly string[],
): ReadonlyMap<string, number> {
  const before = known.get(streams);
  const wanted = new Set(names);
  if (before?.size === wanted.size && names.every((name) => before.has(name))) return before;
  const indexes = new Map<string, number>();
  streams.forEach(({ name }, stream) => {
    if (wanted.has(name)) indexes.set(name, stream);
  });
  for (const name of wanted) if (!indexes.has(name)) indexes.set(name, NONE);
  known.set(streams, indexes);
  return indexes;
}

/** Streams that have another usable worker now. */
export const heldElsewhere = (
  left: Left,
  before: Int32Array,
  { isCordoned }: AssignmentProblem,
): ReadonlySet<number> =>
  new Set(
    [...left].flatMap(([stream, from]) => {
      const worker = before[stream] ?? NONE;
      return worker !== NONE && worker !== from && isCordoned[worker] === 0 ? [stream] : [];
    }),
  );

/**
 * Streams outside of `held` are treated as if they were still where they failed; then they leave it
 * again.
 */
export function withHeld(
  problem: AssignmentProblem,
  befores: Int32Array,
  left: Left,
  held: ReadonlySet<number>,
): AssignmentProblem {
  if (left.size === 0) return { ...problem, before: befores };
  const before = Int32Array.from(befores);
  const counted = Int32Array.from(befores);
  const pin = Int32Array.from(problem.pin);
  const away = Int32Array.from(problem.away);
  for (const [stream, from] of left) {
    counted[stream] = from;
    if (!held.has(stream)) before[stream] = from;
    else {
      pin[stream] = before[stream] ?? NONE;
      away[stream] = from;
    }
  }
  const weightless = countWeightless(counted, problem.weight, problem.workers);
  return { ...problem, before, pin, isPinned: true, away, left: [...held], weightless };
}

/** By name: streams that have another worker now, and the worker that each left. */
export function movedFrom(
  { streams, workers }: AssignInput,
  owner: Int32Array,
  { left, leftAbsent }: Leavers,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const note = (stream: number, worker: string | undefined): void =>
    void names.set(streams[stream]?.name ?? '', worker ?? '');
  for (const [stream, from] of left)
    if (owner[stream] !== NONE && owner[stream] !== from) note(stream, workers[from]?.name);
  for (const [stream, worker] of leftAbsent) if (owner[stream] !== NONE) note(stream, worker);
  return names;
}

/** Moves streams to workers with room. False: no stream has moved. */
export function* moveElsewhere(
  placement: Placement,
  leavers: Leavers,
  befores: Int32Array,
): Work<boolean> {
  const { owner } = placement;
  const { left, due } = leavers;
  const leaving = [
    ...[...left].filter(([stream, from]) => owner[stream] === from),
    ...due.flatMap((stream) => {
      const from = befores[stream] ?? NONE;
      return from !== NONE && owner[stream] === from && !left.has(stream)
        ? [[stream, from] as const]
        : [];
    }),
  ];
  if (leaving.length === 0) return false;
  const destinations = new Destinations(placement, leaving);
  let hasMoved = false;
  for (const [stream, from] of leaving) {
    yield;
    const cost = left.has(stream) ? 0 : 1;
    if (cost > leavers.most || !destinations.move(stream, from)) continue;
    left.set(stream, from);
    leavers.most -= cost;
    hasMoved = true;
  }
  return hasMoved;
}

/** Which worker has room for one more stream, and carries the least? */
class Destinations {
  readonly #placement: Placement;
  readonly #isOpen: Uint8Array;
  /** By worker: the number of its weightless streams. */
  readonly #weightless: Int32Array;
  /**
   * By worker, for reserved and for weightless streams: its load, plus the load that fails or
   * failed there. So a worker at which much fails gets no streams that failed elsewhere.
   */
  readonly #burden: { readonly reserved: Float64Array; readonly weightless: Float64Array };
  /** Numbers of streams of each group, by their current workers. */
  readonly #together: GroupCounts;

  constructor(placement: Placement, leaving: readonly (readonly [number, number])[]) {
    const { problem, owner, load } = placement;
    this.#placement = placement;
    this.#isOpen = placement.open();
    this.#weightless = new Int32Array(problem.workers);
    for (let at = 0; at < problem.count; at += 1) {
      const worker = owner[at] ?? NONE;
      if (worker !== NONE && problem.weight[at] === 0)
        this.#weightless[worker] = (this.#weightless[worker] ?? 0) + 1;
    }
    this.#burden = {
      reserved: Float64Array.from(load),
      weightless: Float64Array.from(this.#weightless),
    };
    for (const stream of problem.left) this.#add(stream, problem.away[stream] ?? NONE);
    for (const [stream, from] of leaving) this.#add(stream, from);
    const away = new Int32Array(problem.count).fill(NONE);
    this.#together = new GroupCounts({ ...problem, away }, owner);
  }

  #add(stream: number, worker: number): void {
    const weight = this.#placement.weightOf(stream);
    const burden = weight === 0 ? this.#burden.weightless : this.#burden.reserved;
    burden[worker] = (burden[worker] ?? 0) + (weight === 0 ? 1 : weight);
  }

  /** False: no other worker has room. */
  move(stream: number, from: number): boolean {
    const to = this.#best(stream, from);
    if (to === NONE) return false;
    const { owner } = this.#placement;
    if (this.#placement.weightOf(stream) > 0) {
      this.#placement.take(stream);
      this.#placement.put(stream, to);
    } else {
      owner[stream] = to;
      this.#weightless[from] = (this.#weightless[from] ?? 0) - 1;
      this.#weightless[to] = (this.#weightless[to] ?? 0) + 1;
    }
    this.#add(stream, to);
    this.#together.change(stream, from, -1);
    this.#together.change(stream, to, 1);
    return true;
  }

  #best(stream: number, from: number): number {
    const weight = this.#placement.weightOf(stream);
    const burden = weight === 0 ? this.#burden.weightless : this.#burden.reserved;
    let best = NONE;
    for (let worker = 0; worker < this.#weightless.length; worker += 1) {
      if (worker === from || !this.#hasRoom(stream, worker)) continue;
      const difference =
        best === NONE
          ? -1
          : this.#together.on(stream, worker) - this.#together.on(stream, best) ||
            (burden[worker] ?? 0) - (burden[best] ?? 0);
      if (difference < 0) best = worker;
    }
    return best;
  }

  /** Weightless streams make no room for a stream that needs a whole worker. */
  #hasRoom(stream: number, worker: number): boolean {
    if (this.#placement.weightOf(stream) === 0)
      return this.#isOpen[worker] === 1 && this.#placement.isShared(worker);
    if (!this.#placement.fits(stream, worker)) return false;
    return !this.#placement.isWhole(stream) || this.#weightless[worker] === 0;
  }
}
