// Where does each reserved stream stand, and what does each worker carry?
import { GroupCounts } from './groups.ts';
import { type AssignmentProblem, countsAt, NONE } from './problem.ts';

export class Placement {
  readonly problem: AssignmentProblem;
  /** By stream: its worker; -1 when it is not placed. */
  readonly owner: Int32Array;
  /** By worker: the sum of weights. */
  readonly load: Float64Array;
  /** By worker: the load that is to be even. A stream that failed counts at the worker it left. */
  readonly share: Float64Array;
  /** By worker: how many streams count there, those that reserve nothing as before. */
  readonly counts: Int32Array;
  /** By worker: the stream that needs all of it. */
  readonly dedicated: Int32Array;
  /** By worker: 1 where a stream failed that needs all of a worker. */
  readonly #isVacated: Uint8Array;
  /** By worker: the weights of the streams that failed there and left. */
  readonly #vacated: Float64Array;
  readonly #groups: GroupCounts;

  constructor(problem: AssignmentProblem) {
    this.problem = problem;
    this.owner = new Int32Array(problem.count).fill(NONE);
    this.load = new Float64Array(problem.workers);
    this.share = new Float64Array(problem.workers);
    this.counts = Int32Array.from(problem.light);
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

  /** Others may stand there, but nothing is made even with it. */
  isVacated(worker: number): boolean {
    return this.#isVacated[worker] === 1;
  }

  fits(stream: number, worker: number): boolean {
    if (!this.isShared(worker)) return false;
    if (this.isWhole(stream)) return this.load[worker] === 0;
    return this.weightOf(stream) <= this.roomOn(worker);
  }

  /** A stream that may stay where it is takes no room that one which failed there has left. */
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

  /** How many of the stream's group stand on the worker. */
  together(stream: number, worker: number): number {
    return this.#groups.on(stream, worker);
  }

  /** Workers that several streams may share. */
  shared(): readonly number[] {
    return Array.from(this.load.keys()).filter((worker) => this.isShared(worker));
  }

  /** Of these, the ones that are made even. */
  even(): readonly number[] {
    return this.shared().filter((worker) => !this.isVacated(worker));
  }

  /** By worker: 1 where streams may be that reserve nothing. */
  open(): Uint8Array {
    const open = this.even();
    const isOpen = new Uint8Array(this.problem.workers);
    for (const worker of open.length > 0 ? open : this.shared()) isOpen[worker] = 1;
    return isOpen;
  }

  /** The room of the freest of them. */
  mostRoom(): number {
    return this.shared().reduce((most, worker) => Math.max(most, this.roomOn(worker)), 0);
  }

  roomOn(worker: number): number {
    return this.problem.capacity - (this.load[worker] ?? 0);
  }
}
