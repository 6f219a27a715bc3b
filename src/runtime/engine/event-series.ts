// Is an event a new Event, or one more of a series? Repetitions are counted, so that an unstable
// pool does not fill the list of events.
import type { Ref } from '../../api/objects.ts';
import type { EventText, Regarding } from '../../core/decision.ts';

/** A repetition later than this begins a new series. */
export const WINDOW_MS = 10 * 60_000;
/**
 * For one object and reason within the window; further events count in the last series.
 */
export const MOST_OBJECTS = 10;
/** The first repetition is written at once, later ones no more often than this. */
export const PATCH_EVERY_MS = 10_000;
/**
 * A thousand pools with a few each. Beyond it the oldest are forgotten; their next repetition is a
 * new Event.
 */
const REMEMBERED = 4_000;

type Instant = { readonly monotonic: number; readonly now: number };

/** One Event, and how often it has happened. */
export type Series = {
  readonly key: string;
  readonly ref: Ref;
  readonly count: number;
  /** Wall time of the last repetition. */
  readonly lastObserved: number;
};

export type EventWrite =
  | { readonly do: 'create'; readonly series: Series }
  | { readonly do: 'patch'; readonly series: Series }
  /** To be written after this time, unless an earlier write included it. */
  | { readonly do: 'wait'; readonly series: Series; readonly ms: number };

type Known = {
  readonly key: string;
  /** Object and reason. */
  readonly group: string;
  readonly ref: Ref;
  readonly createdMs: number;
  count: number;
  lastObserved: number;
  lastMs: number;
  /** Last write of the series; -Infinity before the first. */
  patchedMs: number;
  patchedCount: number;
};

/** Writes nothing: the caller does what `record` returns. */
export class EventSeries {
  /** In the order of their last repetition. */
  readonly #known = new Map<string, Known>();

  get size(): number {
    return this.#known.size;
  }

  /** `ref`: the name of the Event, if it is a new one. */
  record(regarding: Regarding, event: EventText, ref: Ref, at: Instant): EventWrite {
    this.#forgetOld(at.monotonic);
    const group = `${regarding.uid} ${event.reason}`;
    const key = `${group} ${event.type} ${event.action} ${event.message}`;
    const present = this.#known.get(key) ?? this.#overflowOf(group, at.monotonic);
    if (present === undefined)
      return { do: 'create', series: this.#begin({ key, group, ref }, at) };
    present.count += 1;
    present.lastObserved = at.now;
    present.lastMs = at.monotonic;
    this.#known.delete(present.key);
    this.#known.set(present.key, present);
    const ms = present.patchedMs + PATCH_EVERY_MS - at.monotonic;
    return ms > 0 ? { do: 'wait', series: { ...present }, ms } : this.#patch(present, at.monotonic);
  }

  /** Takes the unwritten count, if there is one; the caller writes it. */
  due(series: Series, monotonic: number): EventWrite | undefined {
    const known = this.#find(series);
    return known === undefined || known.count === known.patchedCount
      ? undefined
      : this.#patch(known, monotonic);
  }

  /** The Event is gone, or may be: the next repetition is a new Event. */
  forget(series: Series): void {
    if (this.#find(series) !== undefined) this.#known.delete(series.key);
  }

  #begin(
    { key, group, ref }: Pick<Known, 'key' | 'group' | 'ref'>,
    { monotonic, now }: Instant,
  ): Series {
    const counted = {
      count: 1,
      lastObserved: now,
      lastMs: monotonic,
      patchedMs: Number.NEGATIVE_INFINITY,
      patchedCount: 1,
    };
    const known: Known = { key, group, ref, createdMs: monotonic, ...counted };
    this.#known.set(key, known);
    const oldest = this.#known.keys().next();
    if (this.#known.size > REMEMBERED && oldest.done !== true) this.#known.delete(oldest.value);
    return { ...known };
  }

  #patch(known: Known, monotonic: number): EventWrite {
    known.patchedMs = monotonic;
    known.patchedCount = known.count;
    return { do: 'patch', series: { ...known } };
  }

  #overflowOf(group: string, monotonic: number): Known | undefined {
    const recent = [...this.#known.values()].filter(
      (it) => it.group === group && monotonic - it.createdMs < WINDOW_MS,
    );
    return recent.length < MOST_OBJECTS
      ? undefined
      : recent.reduce((last, it) => (it.createdMs >= last.createdMs ? it : last));
  }

  #forgetOld(monotonic: number): void {
    for (const { key, lastMs } of this.#known.values()) {
      if (monotonic - lastMs < WINDOW_MS) return;
      this.#known.delete(key);
    }
  }

  /** Unless a new series has begun since. */
  #find({ key, ref }: Series): Known | undefined {
    const known = this.#known.get(key);
    return known?.ref.name === ref.name ? known : undefined;
  }
}
