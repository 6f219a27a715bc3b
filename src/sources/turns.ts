// Whose turn is it to be asked, and may anybody be asked at all by now?
import type { Clock } from '../kube/clock.ts';

/** A question and its answer cost the operator about a quarter of a millisecond of processor time; so many are no burden. */
const PER_SECOND = 1_000;
/** Those who are told at one moment are asked at one moment, unless they are many. */
const BURST = 256;

/** Of so many turns one is that of whoever has waited longest, whatever the rank: earlier ranks alone may be more than the pace allows. */
const ONE_OF = 8;

/** Those of a later one wait for those of an earlier one. */
export const RANKS = ['Told', 'Unheard', 'Patient', 'Doubtful'] as const;
export type Rank = (typeof RANKS)[number];

/** First in, first out within a rank; the pace is that of all together, so that a thousand pools cost no more than it. */
export class Turns<T> {
  readonly #clock: Clock;
  readonly #queues = new Map(RANKS.map((rank) => [rank, new Queue<Waiting<T>>()]));
  #left = BURST;
  /** How many have come, and how many were taken. */
  #come = 0;
  #taken = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  add(it: T, rank: Rank): void {
    this.#come += 1;
    this.#queues.get(rank)?.add({ it, at: this.#come });
  }

  /** Who is taken uses up a part of the pace. */
  take(mayDoubt: boolean): T | undefined {
    this.#refill();
    if (this.#left < 1) return undefined;
    const waiting = this.#waiting(mayDoubt);
    const taken = (this.#taken % ONE_OF === ONE_OF - 1 ? longestWaiting(waiting) : waiting[0])?.take();
    if (taken === undefined) return undefined;
    this.#left -= 1;
    this.#taken += 1;
    return taken.it;
  }

  /** Undefined: nobody waits for the pace. */
  waitMs(mayDoubt: boolean): number | undefined {
    this.#refill();
    if (this.#waiting(mayDoubt).length === 0 || this.#left >= 1) return undefined;
    return Math.ceil(((1 - this.#left) * 1000) / PER_SECOND);
  }

  /** In the order of their ranks. */
  #waiting(mayDoubt: boolean): readonly Queue<Waiting<T>>[] {
    return [...this.#queues].flatMap(([rank, queue]) => (queue.length > 0 && (mayDoubt || rank !== 'Doubtful') ? [queue] : []));
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) * PER_SECOND) / 1000);
    this.#at = now;
  }
}

type Waiting<T> = { readonly it: T; readonly at: number };

const longestWaiting = <T>(queues: readonly Queue<Waiting<T>>[]): Queue<Waiting<T>> | undefined =>
  queues.toSorted((one, other) => (one.first?.at ?? 0) - (other.first?.at ?? 0))[0];

/** An array's own shift moves all that follow, and ten thousand may wait. */
class Queue<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    const item = this.first;
    if (item !== undefined) this.#taken += 1;
    if (this.#taken > 64 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
