// How many bytes of answers does the operator read per second, of one pool and of one namespace?
// Beyond that, it probes them more slowly.
import type { Clock } from '../runtime/clock.ts';
import { Debts } from '../runtime/queue/debts.ts';
import { namespaceOf } from './fair-queue.ts';

/** Parsing 4 MiB takes about 0.1 s of processor time; answers about 100,000 streams are less. */
const BYTES_PER_SECOND = { pool: 4 * 1024 * 1024, namespace: 8 * 1024 * 1024 };
/** So much of it may come at once: all workers of a large pool may confirm together. */
const BURST_SECONDS = 2;

export class ReadingBudget {
  readonly #pools: Debts;
  readonly #namespaces: Debts;

  constructor(clock: Clock) {
    this.#pools = new Debts(clock, BYTES_PER_SECOND.pool / 1000);
    this.#namespaces = new Debts(clock, BYTES_PER_SECOND.namespace / 1000);
  }

  charge(key: string, bytes: number): void {
    this.#pools.add(key, bytes);
    this.#namespaces.add(namespaceOf(key), bytes);
  }

  /** What its namespace has used stays: deleting a pool and creating another gains nothing. */
  forget(key: string): void {
    this.#pools.forget(key);
  }

  /** How long the next probe of this pool has to wait. */
  waitMs(key: string): number {
    return Math.max(
      waitMs(this.#pools.of(key), BYTES_PER_SECOND.pool),
      waitMs(this.#namespaces.of(namespaceOf(key)), BYTES_PER_SECOND.namespace),
    );
  }
}

const waitMs = (used: number, perSecond: number): number =>
  Math.max(0, Math.ceil(((used - BURST_SECONDS * perSecond) * 1000) / perSecond));
