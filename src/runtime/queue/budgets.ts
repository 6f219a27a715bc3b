// How much time on the thread has each group used up, and when may it begin again?
import type { Clock } from '../clock.ts';

/** At once, in milliseconds: enough to publish a large pool and to see it confirmed. */
const BURST_MS = 2_000;
/**
 * Share of the time from then on: several such groups leave room for the others and for the Lease.
 */
const SHARE = 0.1;

type Account = { owedMs: number; at: number };

/**
 * A group owes what it was charged, and pays as time passes. Guarantees: within any time t, a group
 * is charged at most BURST_MS + SHARE * t, and the work that it had begun by then.
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

  /** How long until it may begin again; 0: now. */
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
