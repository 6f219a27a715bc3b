// Which worker does each reserved stream have, what does each worker carry, and which one the
// least?
import { type AssignmentProblem, countsAt, NONE } from './problem/problem.ts';

export class Placement {
  readonly problem: AssignmentProblem;
  /** By stream: its worker; -1 if it is not placed. */
  readonly owner: Int32Array;
  /** By worker: the sum of weights. */
  readonly load: Float64Array;
  /**
   * By worker: the load that should be even. A stream that failed counts at the worker that it
   * left.
   */
  readonly share: Float64Array;
  /**
   * By worker: the number of streams that count there, including the weightless ones that it had
   * before.
   */
  readonly counts: Int32Array;
  /** By worker: the stream that needs the whole worker. */
  readonly dedicated: Int32Array;
  /** By worker: 1 if a stream failed there that needs a whole worker. */
  readonly #isVacated: Uint8Array;
  /** By worker: the weights of the streams that failed there and left. */
  readonly #vacated: Float64Array;
  readonly #groups: GroupCounts;

  constructor(problem: AssignmentProblem) {
    this.problem = problem;
    this.owner = new Int32Array(problem.count).fill(NONE);
    this.load = new Float64Array(problem.workers);
    this.share = new Float64Array(problem.workers);
    this.counts = Int32Array.from(problem.weightless);
    this.dedicated = new Int32Array(problem.workers).fill(NONE);
    this.#isVacated = new Uint8Array(problem.workers);
    this.#vacated = new Float64Array(problem.workers);
    this.#groups = new GroupCounts(problem);
    for (const stream of problem.left) {
      const from = problem.away[stream] ?? NONE;
      if (this.isWhole(stream)) this.#isVacated[from] = 1;
      this.#vacated[from] = (this.#vacated[from] ?? 0) + this.weightOf(stream);
    }
  }

  weightOf(stream: number): number {
    return this.problem.weight[stream] ?? 0;
  }

  isWhole(stream: number): boolean {
    return this.weightOf(stream) >= this.problem.capacity;
  }

  isShared(worker: number): boolean {
    return this.problem.isCordoned[worker] === 0 && this.dedicated[worker] === NONE;
  }

  /** The worker may have other streams, but its load is not evened out. */
  isVacated(worker: number): boolean {
    return this.#isVacated[worker] === 1;
  }

  fits(stream: number, worker: number): boolean {
    if (!this.isShared(worker)) return false;
    if (this.isWhole(stream)) return this.load[worker] === 0;
    return this.weightOf(stream) <= this.roomOn(worker);
  }

  /** A stream that may stay where it is does not take the room of a stream that failed and left. */
  mayMove(stream: number, worker: number): boolean {
    const { pin, before: befores, isCordoned } = this.problem;
    const before = befores[stream] ?? NONE;
    if (before === NONE || before === worker || pin[stream] === worker) return true;
    if (isCordoned[before] === 1) return true;
    return this.weightOf(stream) <= this.roomOn(worker) - (this.#vacated[worker] ?? 0);
  }

  put(stream: number, worker: number): void {
    this.owner[stream] = worker;
    this.load[worker] = (this.load[worker] ?? 0) + this.weightOf(stream);
    this.#count(stream, worker, 1);
    if (this.isWhole(stream)) this.dedicated[worker] = stream;
  }

  take(stream: number): void {
    const worker = this.owner[stream] ?? NONE;
    if (worker === NONE) return;
    this.owner[stream] = NONE;
    this.load[worker] = (this.load[worker] ?? 0) - this.weightOf(stream);
    this.#count(stream, worker, -1);
    if (this.dedicated[worker] === stream) this.dedicated[worker] = NONE;
  }

  #count(stream: number, worker: number, by: 1 | -1): void {
    const at = countsAt(this.problem, stream, worker);
    this.share[at] = (this.share[at] ?? 0) + by * this.weightOf(stream);
    this.counts[at] = (this.counts[at] ?? 0) + by;
    this.#groups.change(stream, worker, by);
  }

  /** The number of streams of the stream's group on the worker. */
  together(stream: number, worker: number): number {
    return this.#groups.on(stream, worker);
  }

  /** Workers that several streams may share. */
  shared(): readonly number[] {
    return Array.from(this.load.keys()).filter((worker) => this.isShared(worker));
  }

  /** Shared workers whose loads are evened out. */
  even(): readonly number[] {
    return this.shared().filter((worker) => !this.isVacated(worker));
  }

  /** By worker: 1 if it may have weightless streams. */
  open(): Uint8Array {
    const open = this.even();
    const isOpen = new Uint8Array(this.problem.workers);
    for (const worker of open.length > 0 ? open : this.shared()) isOpen[worker] = 1;
    return isOpen;
  }

  /** The room on the shared worker with the most. */
  mostRoom(): number {
    return this.shared().reduce((most, worker) => Math.max(most, this.roomOn(worker)), 0);
  }

  roomOn(worker: number): number {
    return this.problem.capacity - (this.load[worker] ?? 0);
  }
}

/** The number of streams of each group that count at each worker. */
export class GroupCounts {
  readonly #problem: AssignmentProblem;
  readonly #counts = new Map<number, number>();

  /** `owner` has the current workers of streams. */
  constructor(problem: AssignmentProblem, owner?: Int32Array) {
    this.#problem = problem;
    if (problem.groups === 0 || owner === undefined) return;
    for (let stream = 0; stream < problem.count; stream += 1)
      this.change(stream, owner[stream] ?? NONE, 1);
  }

  /** The number for the stream's own group; 0 for a stream without a group. */
  on(stream: number, worker: number): number {
    const group = this.#problem.group[stream] ?? NONE;
    return group === NONE ? 0 : (this.#counts.get(this.#key(group, worker)) ?? 0);
  }

  /** The smaller, the more evenly each group is spread. */
  squares(): number {
    let sum = 0;
    for (const count of this.#counts.values()) sum += count * count;
    return sum;
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

/** A binary heap of workers whose shares change. */
export class WorkerHeap {
  readonly #load: Float64Array;
  readonly #counts: Int32Array;
  readonly #sign: 1 | -1;
  readonly #heap: Int32Array;
  readonly #position: Int32Array;
  #size = 0;

  /** `sign` 1: the least loaded on top; -1: the most loaded. Ties fall to the order of workers. */
  constructor(
    { share, counts }: Pick<Placement, 'share' | 'counts'>,
    workers: readonly number[],
    sign: 1 | -1,
  ) {
    this.#load = share;
    this.#counts = counts;
    this.#sign = sign;
    this.#heap = new Int32Array(workers.length);
    this.#position = new Int32Array(share.length).fill(-1);
    for (const worker of workers) {
      this.#heap[this.#size] = worker;
      this.#position[worker] = this.#size;
      this.#size += 1;
    }
    for (let at = (this.#size >> 1) - 1; at >= 0; at -= 1) this.#down(at);
  }

  get top(): number | undefined {
    return this.#size === 0 ? undefined : this.#heap[0];
  }

  /** Called after the load of a worker has changed. */
  update(worker: number): void {
    const at = this.#position[worker] ?? -1;
    if (at < 0) return;
    this.#up(at);
    this.#down(this.#position[worker] ?? 0);
  }

  remove(worker: number): void {
    const at = this.#position[worker] ?? -1;
    if (at < 0) return;
    this.#size -= 1;
    const last = this.#heap[this.#size] ?? 0;
    this.#position[worker] = -1;
    if (at === this.#size) return;
    this.#heap[at] = last;
    this.#position[last] = at;
    this.update(last);
  }

  #isBefore(a: number, b: number): boolean {
    const difference =
      (this.#load[a] ?? 0) - (this.#load[b] ?? 0) ||
      (this.#counts[a] ?? 0) - (this.#counts[b] ?? 0);
    return difference === 0 ? a < b : difference * this.#sign < 0;
  }

  #up(start: number): void {
    let at = start;
    while (at > 0 && this.#isBefore(this.#heap[at] ?? 0, this.#heap[(at - 1) >> 1] ?? 0)) {
      this.#swap(at, (at - 1) >> 1);
      at = (at - 1) >> 1;
    }
  }

  #down(start: number): void {
    let at = start;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#size) return;
      const right = left + 1;
      const child =
        right < this.#size && this.#isBefore(this.#heap[right] ?? 0, this.#heap[left] ?? 0)
          ? right
          : left;
      if (!this.#isBefore(this.#heap[child] ?? 0, this.#heap[at] ?? 0)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #swap(a: number, b: number): void {
    const first = this.#heap[a] ?? 0;
    const second = this.#heap[b] ?? 0;
    this.#heap[a] = second;
    this.#heap[b] = first;
    this.#position[second] = a;
    this.#position[first] = b;
  }
}
