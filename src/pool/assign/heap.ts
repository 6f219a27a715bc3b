// Which worker has the smallest share of the load now, and of those the fewest streams? A binary
// heap of workers whose shares change.
import type { Placement } from './placement.ts';

export class WorkerHeap {
  readonly #load: Float64Array;
  readonly #counts: Int32Array;
  readonly #sign: 1 | -1;
  readonly #heap: Int32Array;
  readonly #place: Int32Array;
  #size = 0;

  /** `sign` 1: the least loaded on top; -1: the most loaded. Ties fall to the first in order. */
  constructor(
    { share, counts }: Pick<Placement, 'share' | 'counts'>,
    workers: readonly number[],
    sign: 1 | -1,
  ) {
    this.#load = share;
    this.#counts = counts;
    this.#sign = sign;
    this.#heap = new Int32Array(workers.length);
    this.#place = new Int32Array(share.length).fill(-1);
    for (const worker of workers) {
      this.#heap[this.#size] = worker;
      this.#place[worker] = this.#size;
      this.#size += 1;
    }
    for (let at = (this.#size >> 1) - 1; at >= 0; at -= 1) this.#down(at);
  }

  get top(): number | undefined {
    return this.#size === 0 ? undefined : this.#heap[0];
  }

  /** After the load of a worker has changed. */
  update(worker: number): void {
    const at = this.#place[worker] ?? -1;
    if (at < 0) return;
    this.#up(at);
    this.#down(this.#place[worker] ?? 0);
  }

  remove(worker: number): void {
    const at = this.#place[worker] ?? -1;
    if (at < 0) return;
    this.#size -= 1;
    const last = this.#heap[this.#size] ?? 0;
    this.#place[worker] = -1;
    if (at === this.#size) return;
    this.#heap[at] = last;
    this.#place[last] = at;
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
    this.#place[second] = a;
    this.#place[first] = b;
  }
}
