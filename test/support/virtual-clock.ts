// What if time passed only when the test says so? Hours in milliseconds, and every timer at its exact moment.
import type { Clock } from '../../src/kube/clock.ts';

type Timer = { readonly dueAt: number; readonly run: () => void };

export class VirtualClock implements Clock {
  #passed = 0;
  readonly #startedAt: number;
  readonly #timers = new Set<Timer>();

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
    const timer = { dueAt: this.#passed + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that nobody has called off. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Each timer runs at its moment, and what it set going comes to rest before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#passed + ms;
    await settle();
    for (let next = this.#nextUntil(end); next !== undefined; next = this.#nextUntil(end)) {
      this.#passed = Math.max(this.#passed, next.dueAt);
      this.#timers.delete(next);
      next.run();
      await settle();
    }
    this.#passed = end;
  }

  /** In steps of at most `stepMs`, until it is so; fails when it is not so after `withinMs`. Answers how long it took. */
  async until(what: string, condition: () => boolean, withinMs = 60_000, stepMs = 50): Promise<number> {
    const started = this.#passed;
    await settle();
    while (!condition()) {
      if (this.#passed - started >= withinMs) throw new Error(`after ${withinMs} virtual ms still not: ${what}`);
      await this.advance(stepMs);
    }
    return this.#passed - started;
  }

  /** The first of the earliest: sets keep the order in which timers were made. */
  #nextUntil(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) if (timer.dueAt <= end && (next === undefined || timer.dueAt < next.dueAt)) next = timer;
    return next;
  }
}

/** Lets promises that are already decided run their course. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
