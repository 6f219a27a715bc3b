// Whose turn is it to be asked, and may anybody be asked at all by now?
import type { Clock } from '../runtime/clock.ts';
import { FairQueue, type Open, type Waiting } from './fair-queue.ts';

/**
 * A question and its answer cost the operator about a quarter of a millisecond of processor time;
 * so many are no burden.
 */
const PER_SECOND = 1_000;
/** Those who are told at one moment are asked at one moment, unless they are many. */
const BURST = 256;

/**
 * Of so many turns one is that of whoever has waited longest, whatever the rank: earlier ranks
 * alone may be more than the pace allows.
 */
const ONE_OF = 8;

/** Those of a later one wait for those of an earlier one. */
const RANKS = ['new', 'unknown', 'pending', 'failing'] as const;
export type Rank = (typeof RANKS)[number];

/** The namespaces and pools that have not used up their share, by rank. */
export type OpenTo = (rank: Rank) => Open;

export type ScheduledProbe<T> = { readonly it: T } | { readonly waitMs: number };

/**
 * Within a rank, pools take turns. The pace is one for all pools, so that a thousand pools cost no
 * more than one.
 */
export class ProbeScheduler<T> {
  readonly #clock: Clock;
  readonly #queues = new Map(RANKS.map((rank) => [rank, new FairQueue<T>()]));
  #left = BURST;
  /** How many have come, and how many were taken. */
  #come = 0;
  #taken = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  add(it: T, key: string, rank: Rank): void {
    this.#come += 1;
    this.#queues.get(rank)?.add(it, key, this.#come);
  }

  /**
   * Takes the next worker, and a part of the pace. Undefined: no worker waits that may be probed
   * now.
   */
  take(openTo: OpenTo): ScheduledProbe<T> | undefined {
    const waiting = [...this.#queues].flatMap(([rank, queue]) => {
      const first = queue.first(openTo(rank));
      return first === undefined ? [] : [{ first, queue }];
    });
    const next = this.#taken % ONE_OF === ONE_OF - 1 ? longestWaiting(waiting) : waiting[0];
    if (next === undefined) return undefined;
    this.#refill();
    if (this.#left < 1) return { waitMs: Math.ceil(((1 - this.#left) * 1000) / PER_SECOND) };
    next.queue.take(next.first.key);
    this.#left -= 1;
    this.#taken += 1;
    return { it: next.first.it };
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) * PER_SECOND) / 1000);
    this.#at = now;
  }
}

type Head<T> = { readonly first: Waiting<T>; readonly queue: FairQueue<T> };

const longestWaiting = <T>(heads: readonly Head<T>[]): Head<T> | undefined =>
  heads.toSorted((one, other) => one.first.at - other.first.at)[0];
