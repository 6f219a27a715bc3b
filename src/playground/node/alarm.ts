// Wakes a loop when something has happened, or at the earliest time that it asked for.
import type { Clock } from '../../runtime/clock.ts';

/** What happens while the loop works makes it run once more. */
export class Alarm {
  readonly #clock: Clock;
  #isRung = Promise.withResolvers<void>();
  #at = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#isRung.resolve();
  }

  /** The earliest of several times counts, and only for the next wait. */
  ringAfter(ms: number): void {
    this.#at = Math.min(this.#at, this.#clock.monotonic() + Math.max(0, ms));
  }

  async wait(): Promise<void> {
    const ms = Math.max(0, this.#at - this.#clock.monotonic());
    const cancel = this.#clock.after(ms, () => this.ring());
    await this.#isRung.promise;
    cancel();
    this.#isRung = Promise.withResolvers();
    this.#at = Number.POSITIVE_INFINITY;
  }
}
