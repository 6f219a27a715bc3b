// How much time on the thread has each group used up, and when may it begin again?
import type { Clock } from '../clock.ts';
import { Debts } from './debts.ts';

/** At once, in milliseconds: enough to publish a large pool and to see it confirmed. */
const BURST_MS = 2_000;
/**
 * Share of the time from then on: several such groups leave room for the others and for the Lease.
 */
const SHARE = 0.1;

/**
 * A group owes what it was charged, and pays as time passes. Guarantees: within any time t, a group
 * is charged at most BURST_MS + SHARE * t, and the work that it had begun by then.
 */
export class Budgets {
  readonly #debts: Debts;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#debts = new Debts(clock, SHARE);
  }

  charge(group: string, workedMs: number): void {
    if (workedMs > 0) this.#debts.add(group, workedMs);
  }

  /** How long until it may begin again; 0: now. */
  waitMs(group: string): number {
    return Math.max(0, Math.ceil((this.#debts.of(group) - BURST_MS) / SHARE));
  }
}
