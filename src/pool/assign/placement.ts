// Where does each reserved stream stand, and what does each worker carry?
import { type AssignmentProblem, NOBODY } from './problem.ts';

export class Placement {
  readonly problem: AssignmentProblem;
  /** By stream; NOBODY: not placed. */
  readonly owner: Int32Array;
  /** By worker: the sum of weights. */
  readonly load: Float64Array;
  /** By worker: the stream that needs all of it. */
  readonly dedicated: Int32Array;
  readonly #inGroup: Map<number, number>;

  constructor(problem: AssignmentProblem, owner = new Int32Array(problem.count).fill(NOBODY)) {
    this.problem = problem;
    this.owner = owner;
    this.load = new Float64Array(problem.workers);
    this.dedicated = new Int32Array(problem.workers).fill(NOBODY);
    this.#inGroup = new Map();
  }

  weightOf(stream: number): number {
    return this.problem.weight[stream] ?? 0;
  }

  isWhole(stream: number): boolean {
    return this.weightOf(stream) >= this.problem.capacity;
  }

  isShared(worker: number): boolean {
    return this.problem.isCordoned[worker] === 0 && this.dedicated[worker] === NOBODY;
  }

  fits(stream: number, worker: number): boolean {
    const { problem } = this;
    if (problem.isCordoned[worker] === 1 || this.dedicated[worker] !== NOBODY) return false;
    if (this.isWhole(stream)) return this.load[worker] === 0;
    return (this.load[worker] ?? 0) + this.weightOf(stream) <= problem.capacity;
  }

  put(stream: number, worker: number): void {
    this.owner[stream] = worker;
    this.load[worker] = (this.load[worker] ?? 0) + this.weightOf(stream);
    if (this.isWhole(stream)) this.dedicated[worker] = stream;
    this.#count(stream, worker, 1);
  }

  take(stream: number): void {
    const worker = this.owner[stream] ?? NOBODY;
    if (worker === NOBODY) return;
    this.owner[stream] = NOBODY;
    this.load[worker] = (this.load[worker] ?? 0) - this.weightOf(stream);
    if (this.dedicated[worker] === stream) this.dedicated[worker] = NOBODY;
    this.#count(stream, worker, -1);
  }

  /** How many of the stream's group stand on the worker. */
  together(stream: number, worker: number): number {
    const group = this.problem.group[stream] ?? NOBODY;
    return group === NOBODY ? 0 : (this.#inGroup.get(group * this.problem.workers + worker) ?? 0);
  }

  /** Workers that several streams may share. */
  shared(): readonly number[] {
    return Array.from({ length: this.problem.workers }, (_, worker) => worker).filter((worker) =>
      this.isShared(worker),
    );
  }

  #count(stream: number, worker: number, change: number): void {
    const group = this.problem.group[stream] ?? NOBODY;
    if (group === NOBODY) return;
    const key = group * this.problem.workers + worker;
    this.#inGroup.set(key, (this.#inGroup.get(key) ?? 0) + change);
  }
}
