// How much does each debtor still owe of what time pays off, such as time on the thread, or bytes?
import type { Clock } from '../clock.ts';

type Debt = { readonly owed: number; readonly at: number };

/** So many debtors may be remembered in any case. */
const FEW = 64;

/** Remembers at most about twice as many debtors as owe something. */
export class Debts {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Of each debtor. */
  readonly #paidPerMs: number;
  readonly #debts = new Map<string, Debt>();
  /** With more debtors than this, those that have paid are removed. */
  #most = FEW;

  constructor(clock: Pick<Clock, 'monotonic'>, paidPerMs: number) {
    this.#clock = clock;
    this.#paidPerMs = paidPerMs;
  }

  /** How many debtors are remembered. */
  get size(): number {
    return this.#debts.size;
  }

  add(name: string, amount: number): void {
    this.#debts.set(name, { owed: this.of(name) + amount, at: this.#clock.monotonic() });
    if (this.#debts.size <= this.#most) return;
    this.#forgetPaid();
    this.#most = Math.max(FEW, 2 * this.#debts.size);
  }

  of(name: string): number {
    const debt = this.#debts.get(name);
    if (debt === undefined) return 0;
    return Math.max(0, debt.owed - this.#paidPerMs * (this.#clock.monotonic() - debt.at));
  }

  #forgetPaid(): void {
    for (const name of [...this.#debts.keys()]) if (this.of(name) === 0) this.#debts.delete(name);
  }

  forget(name: string): void {
    this.#debts.delete(name);
  }
}
