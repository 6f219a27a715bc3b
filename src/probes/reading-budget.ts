// How many bytes of answers does the operator read per second, of one pool and of one namespace?
// Beyond that, it probes them more slowly.
import type { Clock } from '../runtime/clock.ts';
import { namespaceOf } from './fair-queue.ts';

/** Parsing 4 MiB takes about 0.1 s of processor time; answers about 100,000 streams are less. */
const BYTES_PER_SECOND = { pool: 4 * 1024 * 1024, namespace: 8 * 1024 * 1024 };
/** So much of it may come at once: all workers of a large pool may confirm together. */
const BURST_SECONDS = 2;

/** A pool or namespace whose use has drained is forgotten. */
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
    // The namespace's use stays until it has drained: deleting a pool and creating another gains
    // nothing.
    this.#namespaces.waitMs(namespaceOf(key));
  }

  /** How long the next probe of this pool has to wait. */
  waitMs(key: string): number {
    return Math.max(this.#pools.waitMs(key), this.#namespaces.waitMs(namespaceOf(key)));
  }
}

class Bucket {
  readonly #clock: Clock;
  readonly #perSecond: number;
  /** The bytes that had not drained at the moment `at`. */
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
