// Is a source asked once in a period for all that ask the same, within bounds, and only while one
// of them asks?
import { describe, expect, it } from '@jest/globals';
import type { MetricAnswer } from '../../../../src/core/metric.ts';
import { metricFailure } from '../../../../src/runtime/metric-sources/answer.ts';
import {
  MetricReadings,
  type MetricRequestReport,
} from '../../../../src/runtime/metric-sources/readings.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

type Asked = { readonly query: string; readonly atMs: number };

function setUp({ tookMs = 0, namespaces = ['shop', 'tv', 'c', 'd', 'e', 'f'] } = {}) {
  const clock = new VirtualClock();
  const asked: Asked[] = [];
  const woken: string[] = [];
  const reports: MetricRequestReport[] = [];
  const underWay = new Map<string, number>();
  let most = 0;
  let answer = (_: string): MetricAnswer => ({ state: 'sampled', value: 1, ageMs: 0 });
  const source = {
    name: 'default',
    allows: (namespace: string) => namespaces.includes(namespace),
    ask: async (query: string): Promise<MetricAnswer> => {
      asked.push({ query, atMs: clock.monotonic() });
      underWay.set(query, (underWay.get(query) ?? 0) + 1);
      most = Math.max(most, underWay.size);
      await new Promise<void>((resolve) => void clock.after(tookMs, resolve));
      underWay.delete(query);
      return answer(query);
    },
    close: async () => undefined,
  };
  const readings = new MetricReadings({
    clock,
    sources: [source],
    onAnswer: (asker) => void woken.push(asker),
    observe: (report) => void reports.push(report),
  });
  const read = (asker: string, query = 'up', periodMs = 60_000, from = 'default') => {
    readings.follow(asker, asker.split('/')[0] ?? '', { source: from, query, periodMs });
    return readings.reading(asker);
  };
  return {
    ...{ clock, asked, woken, reports, readings, read },
    most: () => most,
    answers: (next: typeof answer) => {
      answer = next;
    },
  };
}

describe('a query', () => {
  it('a query is asked once in a period for all, and its answer wakes each asker', async () => {
    const { clock, asked, woken, reports, read } = setUp();
    expect(read('shop/a')).toEqual({ state: 'pending' });
    expect(read('tv/b')).toEqual({ state: 'pending' });
    await clock.advance(1);
    expect(woken).toEqual(['shop/a', 'tv/b']);
    expect(read('shop/a')).toEqual({ state: 'sampled', value: 1, ageMs: 1 });
    await clock.advance(299_999);
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 1, 2, 3, 4, 5].map((n) => n * 60_000));
    expect(reports[0]).toEqual({ source: 'default', result: 'sample', ms: 0 });
  });

  it('a reading is as old as when it was answered, and grows older', async () => {
    const { clock, read, answers } = setUp();
    answers(() => ({ state: 'sampled', value: 1, ageMs: 5_000 }));
    read('shop/a');
    await clock.advance(20_000);
    expect(read('shop/a')).toMatchObject({ ageMs: 25_000 });
  });

  it('a reading says why there is no answer, until there is one', async () => {
    const { clock, read, answers, woken } = setUp();
    answers(() => metricFailure('empty'));
    read('shop/a');
    await clock.advance(1);
    expect(read('shop/a')).toEqual({ state: 'failed', trouble: 'empty', detail: '' });
    answers(() => ({ state: 'sampled', value: 2, ageMs: 0 }));
    await clock.advance(60_000);
    expect(read('shop/a')).toMatchObject({ value: 2 });
    expect(woken).toHaveLength(2);
  });

  it('a source that throws gives a failed reading', async () => {
    const { clock, read, answers } = setUp();
    answers(() => {
      throw new Error('a mistake');
    });
    read('shop/a');
    await clock.advance(60_001);
    expect(read('shop/a')).toMatchObject({ state: 'failed', trouble: 'not-understood' });
  });

  it('a query is asked at the shortest period of all its askers', async () => {
    const { clock, asked, read, readings } = setUp();
    read('shop/a', 'up', 60_000);
    await clock.advance(10_000);
    read('shop/b', 'up', 20_000);
    await clock.advance(40_000);
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 20_000, 40_000]);
    readings.release('shop/b');
    await clock.advance(120_000);
    expect(asked.map(({ atMs }) => atMs).slice(3)).toEqual([60_000, 120_000]);
  });

  it('a query is asked no more when no asker is left, or when it is edited', async () => {
    const { clock, asked, read, readings, woken } = setUp();
    read('shop/a', 'one');
    await clock.advance(1);
    read('shop/a', 'two');
    await clock.advance(120_000);
    expect(asked.filter(({ query }) => query === 'one')).toHaveLength(1);
    readings.release('shop/a');
    const count = asked.length;
    await clock.advance(600_000);
    expect(asked).toHaveLength(count);
    expect(clock.pending).toBe(0);
    expect(woken).toHaveLength(count);
  });

  it('a query that is released on its way wakes no asker, and can be asked again', async () => {
    const { clock, asked, read, readings, woken } = setUp({ tookMs: 1_000 });
    read('shop/a');
    await clock.advance(500);
    readings.releaseAll();
    read('shop/a');
    await clock.advance(700);
    expect(woken).toEqual([]);
    await clock.advance(1_000);
    expect(woken).toEqual(['shop/a']);
    expect(asked).toHaveLength(2);
  });

  it('a query that takes longer than its period has one request under way', async () => {
    const { clock, asked, read, most } = setUp({ tookMs: 8_000 });
    read('shop/a', 'up', 5_000);
    await clock.advance(40_000);
    expect(asked.map(({ atMs }) => atMs)).toEqual([0, 8_000, 16_000, 24_000, 32_000, 40_000]);
    expect(most()).toBe(1);
  });
});

describe('a source', () => {
  it('a source has four requests under way, and one of each namespace', async () => {
    const { clock, asked, read, most } = setUp({ tookMs: 1_000 });
    for (const namespace of ['shop', 'tv', 'c', 'd', 'e', 'f'])
      for (const query of ['one', 'two']) read(`${namespace}/a-${query}`, `${namespace} ${query}`);
    await clock.advance(999);
    expect(asked.map(({ query }) => query)).toEqual(['shop one', 'tv one', 'c one', 'd one']);
    await clock.advance(5_000);
    expect(most()).toBe(4);
    expect(asked).toHaveLength(12);
  });

  it('a query of several namespaces is asked in the turn of the one that waits least', async () => {
    const { clock, asked, read } = setUp({ tookMs: 10_000 });
    for (const query of ['slow', 'slower', 'slowest']) read(`shop/${query}`, query);
    await clock.advance(1);
    read('shop/both', 'both');
    read('tv/both', 'both');
    await clock.advance(1);
    expect(asked.map(({ query }) => query)).toEqual(['slow', 'both']);
  });

  it('a source that is unknown, or not for the namespace, is asked nothing', async () => {
    const { clock, asked, read } = setUp({ namespaces: ['shop'] });
    const unknown = (detail: string) => ({ state: 'failed', trouble: 'unknown-source', detail });
    expect(read('tv/a')).toEqual(unknown('default'));
    expect(read('shop/a', 'up', 60_000, 'other')).toEqual(unknown('other'));
    await clock.advance(120_000);
    expect(asked).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('a source is asked at most a hundred different queries by a namespace', async () => {
    const { clock, asked, read, readings } = setUp();
    for (let index = 0; index < 100; index += 1) read(`shop/g${index}`, `q${index}`);
    const many = { state: 'failed', trouble: 'too-many-queries', detail: '100' };
    expect(read('shop/more', 'more')).toEqual(many);
    // What is asked already costs nothing; other namespaces have their own.
    expect(read('shop/same', 'q7')).toEqual({ state: 'pending' });
    expect(read('tv/more', 'more')).toEqual({ state: 'pending' });
    readings.release('tv/more');
    await clock.advance(1);
    expect(asked.some(({ query }) => query === 'more')).toBe(false);
    readings.release('shop/g3');
    expect(read('shop/more', 'more')).toEqual({ state: 'pending' });
  });
});
