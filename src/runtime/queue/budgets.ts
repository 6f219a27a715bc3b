// Whose work held the one thread for long, and may not hold it again yet? A little at once, and a
// part of the time for long.
import type { Clock } from '../clock.ts';

/** So much at once, in milliseconds: a large pool is published, and its workers have confirmed. */
const BURST_MS = 2_000;
/**
 * Of the time, from then on: several such groups together still leave room for the others, and for
 * the lease.
 */
const SHARE = 0.1;

type Account = { owedMs: number; at: number };

/**
 * Each group owes what it was charged, and pays by the time that passes. Guarantees: over any time
 * t, a group is charged at most BURST_MS + SHARE * t, and what it had begun by then.
 */
export class Budgets {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #accounts = new Map<string, Account>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  charge(group: string, workedMs: number): void {
    if (workedMs > 0)
      this.#accounts.set(group, {
        owedMs: this.#owedMs(group) + workedMs,
        at: this.#clock.monotonic(),
      });
  }

  /** Until it may begin something again; 0: now. */
  waitMs(group: string): number {
    return Math.max(0, Math.ceil((this.#owedMs(group) - BURST_MS) / SHARE));
  }

  #owedMs(group: string): number {
    const account = this.#accounts.get(group);
    if (account === undefined) return 0;
    const owedMs = account.owedMs - SHARE * (this.#clock.monotonic() - account.at);
    if (owedMs <= 0) this.#accounts.delete(group);
    return Math.max(0, owedMs);
  }
}
