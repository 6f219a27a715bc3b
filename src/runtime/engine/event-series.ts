// Is an event a new Event, or one more of a series? Repetitions are counted, so that an unstable
// pool does not fill the list of events.
import type { Ref } from '../../api/objects.ts';
import type { EventText, Regarding } from '../../core/decision.ts';

/** A repetition later than this begins a new series. */
export const WINDOW_MS = 10 * 60_000;
/** For one object and reason within the window; further events count in the last series. */
export const MOST_OBJECTS = 10;
/**
 * A thousand pools with a few each. Beyond it the oldest are forgotten; their next repetition is a
 * new Event.
 */
const REMEMBERED = 4_000;

type Instant = { readonly monotonic: number; readonly now: number };

/** One Event: what it says first and last, and how often. */
export type Series = {
  readonly key: string;
  /** Object and reason. */
  readonly group: string;
  readonly regarding: Regarding;
  readonly event: EventText;
  readonly began: Instant;
  /** The first series has 1, the next one 2. */
  readonly number: number;
  last: Instant & { readonly event: EventText };
  count: number;
  /** The Event, its count, and when that may be written next; undefined: there is none yet. */
  written: { readonly ref: Ref; readonly count: number; readonly nextMs: number } | undefined;
};

/** Writes nothing. */
export class EventSeries {
  /** In the order of their last repetition. */
  readonly #known = new Map<string, Series>();
  #begun = 0;

  get size(): number {
    return this.#known.size;
  }

  /** The series that counts this event from now on. */
  count(regarding: Regarding, event: EventText, at: Instant): Series {
    for (const [key, { last }] of this.#known)
      if (at.monotonic - last.monotonic < WINDOW_MS) break;
      else this.#known.delete(key);
    const group = `${regarding.uid} ${event.reason}`;
    const key = `${group} ${event.type} ${event.action} ${event.message}`;
    const last = { ...at, event };
    const series =
      this.#known.get(key) ??
      this.#fullOf(group, at) ??
      this.#begin({ key, group, regarding, event, began: at, last });
    series.last = last;
    series.count += 1;
    this.#known.delete(series.key);
    this.#known.set(series.key, series);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
    return series;
  }

  #begin(series: Omit<Series, 'number' | 'count' | 'written'>): Series {
    this.#begun += 1;
    return { ...series, number: this.#begun, count: 0, written: undefined };
  }

  knows(series: Series): boolean {
    return this.#known.get(series.key) === series;
  }

  /** The next repetition is a new Event. */
  forget(series: Series): void {
    if (this.knows(series)) this.#known.delete(series.key);
  }

  /** The last of a group that has as many as it may. */
  #fullOf(group: string, { monotonic }: Instant): Series | undefined {
    const recent = [...this.#known.values()]
      .filter((it) => it.group === group && monotonic - it.began.monotonic < WINDOW_MS)
      .sort((a, b) => a.began.monotonic - b.began.monotonic);
    return recent.length < MOST_OBJECTS ? undefined : recent.at(-1);
  }
}
