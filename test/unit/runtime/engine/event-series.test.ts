// Does a repeated event become a count, with few objects and few patches?
import { describe, expect, it } from '@jest/globals';
import type { EventText } from '../../../../src/core/decision.ts';
import {
  EventSeries,
  type EventWrite,
  MOST_OBJECTS,
  PATCH_EVERY_MS,
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

/** Each with its result: `create e0`, `patch e0 2`, `wait e0 9000`. */
function run(told: readonly Told[], series = new EventSeries()): readonly string[] {
  return told.map(({ at, event, uid = 'u' }, index) => {
    const ref = { namespace: 'n', name: `e${index}` };
    return textOf(
      series.record({ ...regarding, uid }, { ...published, ...event }, ref, {
        monotonic: at,
        now: at,
      }),
    );
  });
}

function textOf(write: EventWrite): string {
  const { name } = write.series.ref;
  if (write.do === 'create') return `create ${name}`;
  return write.do === 'patch' ? `patch ${name} ${write.series.count}` : `wait ${name} ${write.ms}`;
}

const version = (number: number): Partial<EventText> => ({ message: `version ${number}` });

describe('an event', () => {
  it.each<[string, readonly Told[], readonly string[]]>([
    ['that is repeated is counted at once', [{ at: 0 }, { at: 5 }], ['create e0', 'patch e0 2']],
    [
      'that goes on is counted in few patches',
      [{ at: 0 }, { at: 0 }, { at: 1_000 }, { at: 9_999 }, { at: 10_000 }, { at: 10_001 }],
      ['create e0', 'patch e0 2', 'wait e0 9000', 'wait e0 1', 'patch e0 5', 'wait e0 9999'],
    ],
    [
      'that is repeated after the window is a new one',
      [{ at: 0 }, { at: WINDOW_MS }],
      ['create e0', 'create e1'],
    ],
    [
      'that is repeated within each window is one series',
      [{ at: 0 }, { at: WINDOW_MS - 1 }, { at: 2 * WINDOW_MS - 2 }],
      ['create e0', 'patch e0 2', 'patch e0 3'],
    ],
    [
      'with another note is a new one',
      [{ at: 0 }, { at: 1, event: version(2) }],
      ['create e0', 'create e1'],
    ],
    [
      'with another reason is a new one',
      [{ at: 0 }, { at: 1, event: { reason: 'Converged' } }],
      ['create e0', 'create e1'],
    ],
    [
      'with another action is a new one',
      [{ at: 0 }, { at: 1, event: { action: 'Verify' } }],
      ['create e0', 'create e1'],
    ],
    [
      'of another type is a new one',
      [{ at: 0 }, { at: 1, event: { type: 'Warning' } }],
      ['create e0', 'create e1'],
    ],
    [
      'about another object is a new one',
      [{ at: 0 }, { at: 1, uid: 'v' }],
      ['create e0', 'create e1'],
    ],
  ])('%s', (_, told, wanted) => {
    expect(run(told)).toEqual(wanted);
  });
});

describe('of one object and reason', () => {
  const edits = (count: number, everyMs: number): readonly Told[] =>
    Array.from({ length: count }, (_, index) => ({ at: index * everyMs, event: version(index) }));

  it('become at most ten objects: further ones count in the last', () => {
    const writes = run(edits(200, 100));
    expect(writes.filter((text) => text.startsWith('create'))).toHaveLength(MOST_OBJECTS);
    expect(writes.filter((text) => text.startsWith('patch'))).toEqual([
      'patch e9 2',
      'patch e9 102',
    ]);
  });

  it('do not use up the ten of another object or reason, and after the window there are ten more', () => {
    const series = new EventSeries();
    const full = run(edits(11, 1), series);
    expect(full.at(-1)).toBe('patch e9 2');
    expect(run([{ at: 20, uid: 'v', event: version(20) }], series)).toEqual(['create e0']);
    expect(run([{ at: 20, event: { reason: 'Converged' } }], series)).toEqual(['create e0']);
    expect(run([{ at: WINDOW_MS + 20, event: version(20) }], series)).toEqual(['create e0']);
  });

  it('that match one of the ten are counted there', () => {
    const series = new EventSeries();
    run(edits(12, 1), series);
    expect(run([{ at: 20, event: version(3) }], series)).toEqual(['patch e3 2']);
  });
});

describe('a series', () => {
  const at = (ms: number) => ({ monotonic: ms, now: ms });
  const told = (series: EventSeries, ms: number): EventWrite =>
    series.record(regarding, published, { name: `e${ms}` }, at(ms));

  it('is written once, with the time of the last event', () => {
    const series = new EventSeries();
    told(series, 0);
    told(series, 1);
    told(series, 2);
    const { series: last } = told(series, 3);
    expect(series.due(last, PATCH_EVERY_MS + 1)).toMatchObject({
      do: 'patch',
      series: { ref: { name: 'e0' }, count: 4, lastObserved: 3 },
    });
    expect(series.due(last, PATCH_EVERY_MS + 1)).toBeUndefined();
  });

  it('of a deleted Event starts over, and the old one is not used any more', () => {
    const series = new EventSeries();
    const { series: first } = told(series, 0);
    series.forget(first);
    expect(textOf(told(series, 1))).toBe('create e1');
    series.forget(first);
    told(series, 2);
    told(series, 3);
    expect(series.due(first, 4)).toBeUndefined();
    expect(textOf(told(series, 20_000))).toBe('patch e1 4');
  });

  it('is kept for some thousands of events, for as long as the window', () => {
    const series = new EventSeries();
    run(
      Array.from({ length: 5_000 }, (_, index) => ({ at: index, uid: `u${index}` })),
      series,
    );
    expect(series.size).toBe(4_000);
    expect(run([{ at: 5_000, uid: 'u999' }], series)).toEqual(['create e0']);
    expect(run([{ at: 5_000, uid: 'u4999' }], series)).toEqual(['patch e4999 2']);
    told(series, 5_000 + WINDOW_MS);
    expect(series.size).toBe(1);
  });
});
