// How much may be read of the answers of one pool, and of one namespace? Who costs much is asked at a pace of their own.
import type { Clock } from '../kube/clock.ts';
import { namespaceOf } from './fair-queue.ts';

/** To read so much and to understand it takes about a tenth of a second of processor time, and all of 100,000 streams are less. */
const BYTES_PER_SECOND = { pool: 4 * 1024 * 1024, namespace: 8 * 1024 * 1024 };
/** What may come at once, in seconds of that: all workers of a large pool that were told together. */
const BURST_SECONDS = 2;

/** Nothing is remembered of who has not used anything of late. */
export class ReadingBudget {
  readonly #pools: Bucket;
  readonly #namespaces: Bucket;

  constructor(clock: Clock) {
    this.#pools = new Bucket(clock, BYTES_PER_SECOND.pool);
    this.#namespaces = new Bucket(clock, BYTES_PER_SECOND.namespace);
  }

  charge(key: string, bytes: number): void {
    this.#pools.charge(key, bytes);
    this.#namespaces.charge(namespaceOf(key), bytes);
  }

  forget(key: string): void {
    this.#pools.forget(key);
    // Only what was used up long ago: who deletes a pool and makes another gains nothing.
    this.#namespaces.waitMs(namespaceOf(key));
  }

  /** Until something may be read again; 0: now. */
  waitMs(key: string): number {
    return Math.max(this.#pools.waitMs(key), this.#namespaces.waitMs(namespaceOf(key)));
  }
}

class Bucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  /** By name: what was used, as it was at that moment. */
  readonly #used = new Map<string, { readonly bytes: number; readonly at: number }>();

  constructor(clock: Clock, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  charge(name: string, bytes: number): void {
    this.#used.set(name, { bytes: this.#usedBy(name) + bytes, at: this.#clock.monotonic() });
  }

  waitMs(name: string): number {
    const over = this.#usedBy(name) - BURST_SECONDS * this.#perSecond;
    return over <= 0 ? 0 : Math.ceil((over * 1000) / this.#perSecond);
  }

  forget(name: string): void {
    this.#used.delete(name);
  }

  #usedBy(name: string): number {
    const used = this.#used.get(name);
    if (used === undefined) return 0;
    const bytes = used.bytes - ((this.#clock.monotonic() - used.at) * this.#perSecond) / 1000;
    if (bytes <= 0) this.#used.delete(name);
    return Math.max(0, bytes);
  }
}
