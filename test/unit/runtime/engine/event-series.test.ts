// Does a repeated event become a count, in few objects?
import { describe, expect, it } from '@jest/globals';
import type { EventText } from '../../../../src/core/decision.ts';
import {
  EventSeries,
  MOST_OBJECTS,
  WINDOW_MS,
} from '../../../../src/runtime/engine/event-series.ts';

const regarding = {
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  namespace: 'n',
  name: 'p',
  uid: 'u',
};
const published: EventText = {
  type: 'Normal',
  reason: 'Published',
  action: 'Publish',
  message: 'version 1',
};

type Told = { readonly at: number; readonly event?: Partial<EventText>; readonly uid?: string };

const countIn = (series: EventSeries, { at, event, uid = 'u' }: Told) =>
  series.count({ ...regarding, uid }, { ...published, ...event }, { monotonic: at, now: at });

/** The count of each, and when its series began: `2 of 0`. */
const run = (told: readonly Told[], series = new EventSeries()): readonly string[] =>
  told.map((it) => {
    const { count, began } = countIn(series, it);
    return `${count} of ${began.monotonic}`;
  });

const version = (number: number): Partial<EventText> => ({ message: `version ${number}` });

describe('an event', () => {
  it.each<[string, readonly Told[], readonly string[]]>([
    ['that is repeated is counted', [{ at: 0 }, { at: 5 }], ['1 of 0', '2 of 0']],
    [
      'that is repeated after the window is a new one',
      [{ at: 0 }, { at: WINDOW_MS }],
      ['1 of 0', '1 of 600000'],
    ],
    [
      'that is repeated within each window is one series',
      [{ at: 0 }, { at: WINDOW_MS - 1 }, { at: 2 * WINDOW_MS - 2 }],
      ['1 of 0', '2 of 0', '3 of 0'],
    ],
    [
      'with another note is a new one',
      [{ at: 0 }, { at: 1, event: version(2) }],
      ['1 of 0', '1 of 1'],
    ],
    [
      'with another reason is a new one',
      [{ at: 0 }, { at: 1, event: { reason: 'Converged' } }],
      ['1 of 0', '1 of 1'],
    ],
    [
      'with another action is a new one',
      [{ at: 0 }, { at: 1, event: { action: 'Verify' } }],
      ['1 of 0', '1 of 1'],
    ],
    [
      'of another type is a new one',
      [{ at: 0 }, { at: 1, event: { type: 'Warning' } }],
      ['1 of 0', '1 of 1'],
    ],
    ['about another object is a new one', [{ at: 0 }, { at: 1, uid: 'v' }], ['1 of 0', '1 of 1']],
  ])('an event %s', (_, told, wanted) => {
    expect(run(told)).toEqual(wanted);
  });
});

describe('events of one object and reason', () => {
  const edits = (count: number): readonly Told[] =>
    Array.from({ length: count }, (_, index) => ({ at: index, event: version(index) }));

  it('events of one object and reason become at most ten objects: further ones count in the last', () => {
    const counts = run(edits(200));
    expect(counts.slice(0, MOST_OBJECTS + 1)).toEqual([
      ...Array.from({ length: MOST_OBJECTS }, (_, index) => `1 of ${index}`),
      '2 of 9',
    ]);
    expect(counts.at(-1)).toBe('191 of 9');
  });

  it('each object and each reason has ten events of its own, and ten more after the window', () => {
    const series = new EventSeries();
    expect(run(edits(11), series).at(-1)).toBe('2 of 9');
    expect(run([{ at: 20, uid: 'v', event: version(20) }], series)).toEqual(['1 of 20']);
    expect(run([{ at: 20, event: { reason: 'Converged' } }], series)).toEqual(['1 of 20']);
    const after = WINDOW_MS + 20;
    expect(run([{ at: after, event: version(20) }], series)).toEqual([`1 of ${after}`]);
  });

  it('an event that matches one of the ten is counted there', () => {
    const series = new EventSeries();
    run(edits(12), series);
    expect(run([{ at: 20, event: version(3) }], series)).toEqual(['2 of 3']);
  });
});

describe('a series', () => {
  it('a series knows its last event', () => {
    const series = new EventSeries();
    run([{ at: 0 }, { at: 1 }, { at: 2 }], series);
    expect(countIn(series, { at: 3 })).toMatchObject({
      ...{ count: 4, event: published, began: { now: 0 } },
      last: { now: 3, event: published },
    });
  });

  it('a forgotten series starts over, and the old one is not used any more', () => {
    const series = new EventSeries();
    const first = countIn(series, { at: 0 });
    series.forget(first);
    expect(series.knows(first)).toBe(false);
    expect(run([{ at: 1 }], series)).toEqual(['1 of 1']);
    series.forget(first);
    expect(run([{ at: 2 }], series)).toEqual(['2 of 1']);
  });

  it('the last 4,000 series are kept, for as long as the window', () => {
    const series = new EventSeries();
    run(
      Array.from({ length: 5_000 }, (_, index) => ({ at: index, uid: `u${index}` })),
      series,
    );
    expect(series.size).toBe(4_000);
    expect(run([{ at: 5_000, uid: 'u999' }], series)).toEqual(['1 of 5000']);
    expect(run([{ at: 5_000, uid: 'u4999' }], series)).toEqual(['2 of 4999']);
    run([{ at: 5_000 + WINDOW_MS }], series);
    expect(series.size).toBe(1);
  });
});
