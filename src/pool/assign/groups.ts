// How are streams of a spread group kept apart? Streams of equal weight change places.
import type { Work } from '../../core/work.ts';
import { type AssignmentProblem, countsAt, NONE } from './problem.ts';

/** How many streams of each group count at each worker. */
export class GroupCounts {
  readonly #problem: AssignmentProblem;
  readonly #counts = new Map<number, number>();

  /** `owner`: where streams are already. */
  constructor(problem: AssignmentProblem, owner?: Int32Array) {
    this.#problem = problem;
    if (problem.groups === 0 || owner === undefined) return;
    for (let stream = 0; stream < problem.count; stream += 1)
      this.change(stream, owner[stream] ?? NONE, 1);
  }

  /** Of the stream's own group; 0 for a stream without one. */
  on(stream: number, worker: number): number {
    const group = this.#problem.group[stream] ?? NONE;
    return group === NONE ? 0 : (this.#counts.get(this.#key(group, worker)) ?? 0);
  }

  change(stream: number, worker: number, by: 1 | -1): void {
    const group = this.#problem.group[stream] ?? NONE;
    if (worker === NONE || group === NONE) return;
    const key = this.#key(group, countsAt(this.#problem, stream, worker));
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  #key(group: number, worker: number): number {
    return group * this.#problem.workers + worker;
  }
}

/** About a fraction of a second. Beyond it groups stay as they are until the next change. */
const MOST_LOOKS = 20_000_000;

/** Each exchange brings one group nearer to even and none further from it, so it ends. */
export function* spreadGroups(
  problem: AssignmentProblem,
  owner: Int32Array,
  isOpen: Uint8Array,
): Work<void> {
  if (problem.groups === 0) return;
  const exchanges = new Exchanges(problem, owner, isOpen);
  const groups = streamsByGroup(problem);
  // An exchange of one group may allow one of another, also of a group that was done.
  for (let isMoving = true; isMoving; ) {
    isMoving = false;
    for (const streams of groups) while (yield* exchanges.one(streams)) isMoving = true;
  }
}

function streamsByGroup(problem: AssignmentProblem): readonly number[][] {
  const streams: number[][] = Array.from({ length: problem.groups }, () => []);
  for (let stream = 0; stream < problem.count; stream += 1)
    streams[problem.group[stream] ?? NONE]?.push(stream);
  return streams;
}

class Exchanges {
  readonly #problem: AssignmentProblem;
  readonly #owner: Int32Array;
  readonly #counts: GroupCounts;
  /** By worker: the streams that may leave it. */
  readonly #free: readonly number[][];
  readonly #open: readonly number[];
  readonly #isOpen: Uint8Array;
  #looks = 0;

  constructor(problem: AssignmentProblem, owner: Int32Array, isOpen: Uint8Array) {
    this.#problem = problem;
    this.#owner = owner;
    this.#isOpen = isOpen;
    this.#counts = new GroupCounts(problem, owner);
    this.#free = freeByWorker(problem, owner, isOpen);
    this.#open = this.#free.flatMap((_, worker) => (isOpen[worker] === 1 ? [worker] : []));
  }

  /** True: a stream of the group has changed places with another. */
  *one(group: readonly number[]): Work<boolean> {
    const [first] = group;
    if (first === undefined || this.#looks > MOST_LOOKS) return false;
    const count = (worker: number): number => this.#counts.on(first, worker);
    const owners = new Set(group.map((stream) => this.#owner[stream] ?? NONE));
    yield;
    // Those with the most first.
    const holders = [...owners]
      .filter((worker) => this.#isOpen[worker] === 1)
      .sort((a, b) => count(b) - count(a) || a - b);
    const crowded = holders.filter((worker) => count(worker) > 1);
    if (crowded.length === 0) return false;
    const others = [
      ...[...this.#open].reverse().filter((worker) => count(worker) === 0),
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

  /** Of the same weight, and of a group that is no worse off for it. */
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

function freeByWorker(
  problem: AssignmentProblem,
  owner: Int32Array,
  isOpen: Uint8Array,
): readonly number[][] {
  const lists: number[][] = Array.from({ length: problem.workers }, () => []);
  for (let stream = 0; stream < problem.count; stream += 1) {
    const worker = owner[stream] ?? NONE;
    if (worker !== NONE && isOpen[worker] === 1 && problem.pin[stream] === NONE)
      lists[worker]?.push(stream);
  }
  return lists;
}
