// How are events written? Beside everything else: each at most once, as a new Event or as the count
// of a series. A lost event has no consequence.
import { kinds } from '../../api/kinds.ts';
import type { EventText, Regarding } from '../../core/decision.ts';
import type { KubeApi } from '../client/api.ts';
import { hasCode } from '../client/errors.ts';
import { type Clock, sleep } from '../clock.ts';
import { FairSemaphore } from '../queue/fair-semaphore.ts';
import { eventCount, eventObject, newEventRef, shortened } from './event-object.ts';
import { EventSeries, type Series } from './event-series.ts';

/** The first repetition is written at once, later ones no more often than this. */
export const PATCH_EVERY_MS = 10_000;
/** So many namespaces at a time, with one event each: other requests need the connections. */
const AT_A_TIME = 4;
/** A namespace with a thousand pools has an event for each when they start. */
const MOST_WAITING = { all: 4_000, ofNamespace: 1_000 };

/** Dropped: too many wait to be written. */
export type EventLoss = 'dropped' | 'refused';

type EventWriterOptions = {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly identity: string;
  readonly isLeading: () => boolean;
  readonly onLost: (why: EventLoss, error?: unknown) => void;
};

/** Guarantees: no other write waits for an event; the events of one object keep their order. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  #series = new EventSeries();
  /** Counts that are to be written later. */
  readonly #timers = new Map<Series, () => void>();
  readonly #writes = new Map<Series, Promise<void>>();
  readonly #requests = new FairSemaphore(AT_A_TIME);

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  tell(regarding: Regarding, event: EventText): void {
    const { clock } = this.#options;
    const at = { monotonic: clock.monotonic(), now: clock.now() };
    this.#schedule(this.#series.count(regarding, shortened(event), at));
  }

  /** Resolves when what waits now is written, or after this time. */
  async drained(ms: number): Promise<void> {
    if (this.#writes.size === 0) return;
    const over = new AbortController();
    const all = Promise.all(this.#writes.values());
    await Promise.race([all, sleep(this.#options.clock, ms, over.signal)]);
    over.abort();
  }

  /** Leadership ended: what waits is lost, and each next repetition is a new Event. */
  forget(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#requests.abandon(this, new Error('another replica is the leader'));
    this.#series = new EventSeries();
  }

  /** Repetitions in the meantime are counted with it. */
  #schedule(series: Series): void {
    const { count, written } = series;
    const { clock } = this.#options;
    const isActive = this.#timers.has(series) || this.#writes.has(series);
    if (isActive || count === written?.count || !this.#series.knows(series)) return;
    const ms = (written?.nextMs ?? 0) - clock.monotonic();
    if (ms > 0)
      this.#timers.set(
        series,
        clock.after(ms, () => this.#enqueue(series)),
      );
    else this.#enqueue(series);
  }

  #enqueue(series: Series): void {
    this.#timers.delete(series);
    const waiting = this.#requests.waitingOf(series.regarding.namespace ?? '');
    if (this.#writes.size < MOST_WAITING.all && waiting < MOST_WAITING.ofNamespace) {
      this.#writes.set(series, this.#writeInTurn(series));
      return;
    }
    this.#lose(series);
    this.#options.onLost('dropped');
  }

  async #writeInTurn(series: Series): Promise<void> {
    const { namespace = '' } = series.regarding;
    try {
      await this.#requests.acquire(namespace, this);
      await this.#write(series).finally(() => this.#requests.release(namespace));
    } catch {
      // Abandoned.
      this.#lose(series);
    }
    this.#writes.delete(series);
    this.#schedule(series);
  }

  async #write(series: Series): Promise<void> {
    const { api, clock, identity, isLeading, onLost } = this.#options;
    if (!isLeading()) return this.#lose(series);
    const { count, written, regarding, last } = series;
    const ref = written?.ref ?? newEventRef(series);
    try {
      if (written === undefined) {
        series.written = { ref, count: 1, nextMs: 0 };
        await api.create(kinds.Event, eventObject(ref, series, identity));
      } else {
        series.written = { ref, count, nextMs: clock.monotonic() + PATCH_EVERY_MS };
        await api.patch(kinds.Event, ref, { type: 'merge', body: eventCount(series) });
      }
    } catch (error) {
      const isGone = written !== undefined && hasCode(error, 'NotFound');
      if (written === undefined || isGone) this.#series.forget(series);
      if (isGone) this.tell(regarding, last.event);
      else onLost('refused', error);
    }
  }

  /** Nothing more is written of it until its next repetition. */
  #lose(series: Series): void {
    if (series.written === undefined) this.#series.forget(series);
    else series.written = { ...series.written, count: series.count };
  }
}
