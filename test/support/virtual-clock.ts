// A clock whose time passes only when the test says so: hours in milliseconds, and every timer at
// its exact moment.
import type { Clock } from '../../src/runtime/clock.ts';

type Timer = { readonly dueAt: number; readonly made: number; run: (() => void) | undefined };

export class VirtualClock implements Clock {
  #passed = 0;
  #made = 0;
  #pending = 0;
  readonly #startedAt: number;
  /** A heap, the next to run first; cancelled timers stay in it until their turn comes. */
  readonly #timers: Timer[] = [];

  constructor(startedAt = Date.UTC(2026, 0, 1)) {
    this.#startedAt = startedAt;
  }

  now(): number {
    return this.#startedAt + this.#passed;
  }

  monotonic(): number {
    return this.#passed;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { dueAt: this.#passed + Math.max(0, ms), made: this.#made, run };
    this.#made += 1;
    this.#pending += 1;
    this.#push(timer);
    return () => {
      if (timer.run === undefined) return;
      timer.run = undefined;
      this.#pending -= 1;
    };
  }

  /** Timers that are not cancelled. */
  get pending(): number {
    return this.#pending;
  }

  /** Each timer runs at its moment, and all that it triggers settles before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#passed + ms;
    await settle();
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#passed = Math.max(this.#passed, next.dueAt);
      this.#pending -= 1;
      const { run } = next;
      next.run = undefined;
      run?.();
      await settle();
    }
    this.#passed = end;
  }

  /**
   * In steps of at most `stepMs`, until the condition holds; fails after `withinMs`. Returns how
   * long it took.
   */
  async until(
    what: string,
    condition: () => boolean,
    withinMs = 60_000,
    stepMs = 50,
  ): Promise<number> {
    const started = this.#passed;
    await settle();
    while (!condition()) {
      if (this.#passed - started >= withinMs)
        throw new Error(`after ${withinMs} virtual ms still not: ${what}`);
      await this.advance(stepMs);
    }
    return this.#passed - started;
  }

  /** The first of the earliest. */
  #nextUntil(end: number): Timer | undefined {
    for (
      let next = this.#timers[0];
      next !== undefined && next.dueAt <= end;
      next = this.#timers[0]
    ) {
      this.#pop();
      if (next.run !== undefined) return next;
    }
    return undefined;
  }

  #push(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || isBefore(parent, timer)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#timers;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = heap[2 * at + 1];
      const right = heap[2 * at + 2];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || isBefore(last, child)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
  }
}

const isBefore = (a: Timer, b: Timer): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.made < b.made);

/** Lets resolved promises run their callbacks. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
