// Which worker is probed next, and when? At one pace for all pools, which take turns; sooner when
// it has something to confirm.
import type { Clock } from '../runtime/clock.ts';
import { FairQueue, type Open, type Waiting } from './fair-queue.ts';

/** A probe costs the operator about a quarter of a millisecond of processor time. */
const PER_SECOND = 1_000;
/** So many workers that are nudged together are probed together. */
const BURST = 256;
/**
 * One in so many probes goes to the worker that has waited longest, whatever its rank: the earlier
 * ranks alone may be more than the pace allows.
 */
const ONE_OF = 8;

/** Workers of a later rank wait for those of an earlier one. */
const RANKS = ['new', 'unknown', 'pending', 'failing'] as const;
export type Rank = (typeof RANKS)[number];

type ScheduledProbe<T> = { readonly it: T } | { readonly waitMs: number };

/** A thousand pools cost no more than one. */
export class ProbeScheduler<T> {
  readonly #clock: Clock;
  readonly #queues = new Map(RANKS.map((rank) => [rank, new FairQueue<T>()]));
  /** How many may be probed at once; grows with time. */
  #left = BURST;
  #added = 0;
  #taken = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  add(it: T, key: string, rank: Rank): void {
    this.#added += 1;
    this.#queues.get(rank)?.add(it, key, this.#added);
  }

  /** Undefined: no worker is waiting whose namespace and pool have room for its rank. */
  take(openTo: (rank: Rank) => Open): ScheduledProbe<T> | undefined {
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

/** After a nudge, the kubelet updates the mounted files within 30 ms to a second. */
const QUICK_MS = [50, 50, 100, 100, 100, 100, 100, 150, 150, 150, 200, 200, 400, 800];
const QUICK_AT_LAST_MS = 1_000;
/** With many workers outstanding, more probes would cost more than a sooner answer is worth. */
const QUICK_PER_WORKER_MS = 2;
/** About a minute of quick probes; a worker that has not confirmed by then is slow or silent. */
const QUICK_PROBES = 60;
const PATIENT_MS = 10_000;

/**
 * After `probed` probes, in a pool with so many workers outstanding. The first probe is as soon for
 * many workers as for one: until then no worker is nudged again.
 */
export function pauseMs(probed: number, outstanding: number): number {
  if (probed > QUICK_PROBES) return PATIENT_MS;
  const quick = QUICK_MS[Math.max(0, probed - 1)] ?? QUICK_AT_LAST_MS;
  const shared = Math.min(outstanding * QUICK_PER_WORKER_MS, QUICK_AT_LAST_MS);
  return probed === 0 ? quick : Math.max(quick, shared);
}
