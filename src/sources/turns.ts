// Whose turn is it to be asked, and may anybody be asked at all by now?
import type { Clock } from '../kube/clock.ts';

/** A question and its answer cost the operator about a quarter of a millisecond of processor time; so many are no burden. */
const PER_SECOND = 1_000;
/** Those who are told at one moment are asked at one moment, unless they are many. */
const BURST = 256;

/** Those of a later one wait for all of an earlier one. */
export const RANKS = ['Told', 'Unheard', 'Patient', 'Doubtful'] as const;
export type Rank = (typeof RANKS)[number];

/** First in, first out within a rank; the pace is that of all together, so that a thousand pools cost no more than it. */
export class Turns<T> {
  readonly #clock: Clock;
  readonly #queues = new Map(RANKS.map((rank) => [rank, new Queue<T>()]));
  #left = BURST;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  add(it: T, rank: Rank): void {
    this.#queues.get(rank)?.add(it);
  }

  /** Who is taken uses up a part of the pace. */
  take(mayDoubt: boolean): T | undefined {
    this.#refill();
    if (this.#left < 1) return undefined;
    const taken = this.#first(mayDoubt)?.take();
    if (taken !== undefined) this.#left -= 1;
    return taken;
  }

  /** Undefined: nobody waits for the pace. */
  waitMs(mayDoubt: boolean): number | undefined {
    this.#refill();
    if (this.#first(mayDoubt) === undefined || this.#left >= 1) return undefined;
    return Math.ceil(((1 - this.#left) * 1000) / PER_SECOND);
  }

  #first(mayDoubt: boolean): Queue<T> | undefined {
    for (const [rank, queue] of this.#queues) if (queue.length > 0 && (mayDoubt || rank !== 'Doubtful')) return queue;
    return undefined;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) * PER_SECOND) / 1000);
    this.#at = now;
  }
}

/** An array's own shift moves all that follow, and ten thousand may wait. */
class Queue<T> {
  #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    const item = this.#items[this.#taken];
    if (item !== undefined) this.#taken += 1;
    if (this.#taken > 64 && this.#taken * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }
}
