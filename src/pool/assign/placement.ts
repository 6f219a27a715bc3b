// Where does each reserved stream stand, and what does each worker carry?
import { GroupCounts } from './groups.ts';
import { type AssignmentProblem, NONE } from './problem.ts';

export class Placement {
  readonly problem: AssignmentProblem;
  /** By stream: its worker; -1 when it is not placed. */
  readonly owner: Int32Array;
  /** By worker: the sum of weights. */
  readonly load: Float64Array;
  /** By worker: how many streams it has, those that reserve nothing as before. */
  readonly counts: Int32Array;
  /** By worker: the stream that needs all of it. */
  readonly dedicated: Int32Array;
  readonly #groups: GroupCounts;

  constructor(problem: AssignmentProblem) {
    this.problem = problem;
    this.owner = new Int32Array(problem.count).fill(NONE);
    this.load = new Float64Array(problem.workers);
    this.counts = Int32Array.from(problem.light);
    this.dedicated = new Int32Array(problem.workers).fill(NONE);
    this.#groups = new GroupCounts(problem);
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

  fits(stream: number, worker: number): boolean {
    if (!this.isShared(worker)) return false;
    if (this.isWhole(stream)) return this.load[worker] === 0;
    return this.weightOf(stream) <= this.roomOn(worker);
  }

  put(stream: number, worker: number): void {
    this.owner[stream] = worker;
    this.load[worker] = (this.load[worker] ?? 0) + this.weightOf(stream);
    this.counts[worker] = (this.counts[worker] ?? 0) + 1;
    if (this.isWhole(stream)) this.dedicated[worker] = stream;
    this.#groups.change(stream, worker, 1);
  }

  take(stream: number): void {
    const worker = this.owner[stream] ?? NONE;
    if (worker === NONE) return;
    this.owner[stream] = NONE;
    this.load[worker] = (this.load[worker] ?? 0) - this.weightOf(stream);
    this.counts[worker] = (this.counts[worker] ?? 0) - 1;
    if (this.dedicated[worker] === stream) this.dedicated[worker] = NONE;
    this.#groups.change(stream, worker, -1);
  }

  /** How many of the stream's group stand on the worker. */
  together(stream: number, worker: number): number {
    return this.#groups.on(stream, worker);
  }

  /** Workers that several streams may share. */
  shared(): readonly number[] {
    return Array.from(this.load.keys()).filter((worker) => this.isShared(worker));
  }

  /** The room of the freest of them. */
  mostRoom(): number {
    return this.shared().reduce((most, worker) => Math.max(most, this.roomOn(worker)), 0);
  }

  roomOn(worker: number): number {
    return this.problem.capacity - (this.load[worker] ?? 0);
  }
}
