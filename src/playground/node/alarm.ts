// When does a loop go on? As soon as something has happened, or at the earliest time that it set
// itself.
import type { Clock } from '../../runtime/clock.ts';

/** A timer cannot run longer than 24 days; waking for nothing costs nothing. */
const LONGEST_MS = 3_600_000;

/** What happens while the loop is at work is not lost: it goes round once more. */
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

  /** Of several times the earliest counts; all are forgotten once the loop goes on. */
  ringAfter(ms: number): void {
    this.#at = Math.min(this.#at, this.#clock.monotonic() + Math.max(0, ms));
  }

  async wait(): Promise<void> {
    const ms = Math.max(0, this.#at - this.#clock.monotonic());
    const cancel =
      this.#at === Number.POSITIVE_INFINITY
        ? undefined
        : this.#clock.after(Math.min(ms, LONGEST_MS), () => this.ring());
    await this.#isRung.promise;
    cancel?.();
    this.#isRung = Promise.withResolvers();
    this.#at = Number.POSITIVE_INFINITY;
  }
}
