// Is each worker probed at the right pace?
import { describe, expect, it } from '@jest/globals';
import type { WorkerProbe } from '../../../src/api/report.ts';
import { probeOf, setUp } from './probing.ts';

describe('the pace', () => {
  it('the pace is quick while a worker is outstanding, and slow after a minute', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.probe('k', [probeOf('a')]);
    await clock.advance(120_000);
    const gaps = timesOf('a').map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(gaps.slice(0, 17)).toEqual([
      0, 50, 50, 100, 100, 100, 100, 100, 150, 150, 150, 200, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(gaps.at(-1)).toBe(10_000);
  });

  it('the pace is one probe in 30 seconds when nothing is outstanding', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.probe('k', [probeOf('a', { isOutstanding: false })]);
    await clock.advance(100_000);
    expect(timesOf('a')).toEqual([0, 30_000, 60_000, 90_000]);
  });

  it('the pace is quick again for another version, and slow again once that is confirmed', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.probe('k', [probeOf('a', { isOutstanding: false })]);
    await clock.advance(10_000);
    workers.probe('k', [probeOf('a', { awaiting: '2' })]);
    await clock.advance(60);
    workers.probe('k', [probeOf('a', { awaiting: '2', isOutstanding: false })]);
    await clock.advance(60_000);
    expect(timesOf('a').slice(0, 4)).toEqual([0, 10_050, 10_100, 40_100]);
  });

  it('the pace is slower with more outstanding workers', async () => {
    const { clock, workers, timesOf } = setUp(1_000);
    const crowd = (count: number): readonly WorkerProbe[] =>
      Array.from({ length: 200 }, (_, at) => probeOf(`w${at}`, { isOutstanding: at < count }));
    workers.probe('k', crowd(200));
    await clock.advance(1_300);
    expect(timesOf('w0')).toEqual([0, 400, 800, 1_200]);
    workers.probe('k', crowd(10));
    await clock.advance(2_000);
    expect(timesOf('w0').slice(4)).toEqual([
      1_600, 1_700, 1_800, 1_900, 2_050, 2_200, 2_350, 2_550, 2_750, 3_150,
    ]);
  });

  it('the first probe after a nudge is not delayed, however many workers are outstanding', async () => {
    const { clock, workers, timesOf } = setUp(1_000);
    const crowd = (awaiting: string): readonly WorkerProbe[] =>
      Array.from({ length: 250 }, (_, at) =>
        probeOf(`w${at}`, { awaiting, isOutstanding: awaiting === '2' }),
      );
    workers.probe('k', crowd('1'));
    await clock.advance(10_000);
    workers.probe('k', crowd('2'));
    expect(workers.unprobedOf('k').size).toBe(250);
    await clock.advance(600);
    expect(timesOf('w249')).toEqual([0, 10_050, 10_550]);
    expect(workers.unprobedOf('k').size).toBe(0);
  });

  it('all pools share one pace, and a worker that was just nudged comes before one long probed', async () => {
    const { clock, probed, workers, timesOf } = setUp();
    const pool = (index: number): readonly WorkerProbe[] =>
      Array.from({ length: 10 }, (_, at) => probeOf(`w${index}-${at}`));
    for (let index = 0; index < 500; index += 1) workers.probe(`k${index}`, pool(index));
    await clock.advance(30_000);
    const before = probed.length;
    workers.probe('late', [probeOf('late')]);
    await clock.advance(100);
    expect(timesOf('late').length).toBeGreaterThan(1);
    await clock.advance(900);
    expect(probed.length - before).toBeLessThanOrEqual(1_001);
    expect(new Set(probed.slice(0, before).map(({ url }) => url)).size).toBe(5_000);
  });

  it('audits wait for a worker that was just nudged, however many they are', async () => {
    const { clock, workers, timesOf } = setUp();
    const crowd = Array.from({ length: 5_000 }, (_, at) =>
      probeOf(`w${at}`, { isOutstanding: false }),
    );
    workers.probe('k', crowd);
    workers.probe('late', [probeOf('late')]);
    await clock.advance(200);
    expect(timesOf('late').length).toBeGreaterThan(2);
    expect(timesOf('w4999')).toEqual([]);
  });

  it('a silent worker is probed again even where audits alone would take the whole pace', async () => {
    const { clock, workers, answers, timesOf } = setUp(128, 1_000);
    const crowd = Array.from({ length: 3_000 }, (_, at) =>
      probeOf(`w${at}`, { isOutstanding: false }),
    );
    workers.probe('k', [...crowd, probeOf('late')]);
    answers.set('http://late', new Error('refused'));
    await clock.advance(5_000);
    answers.delete('http://late');
    await clock.advance(5_000);
    expect(workers.answersOf('k')['late']).toEqual({ ok: true, report: { version: 1 } });
    expect(timesOf('w2999').length).toBeGreaterThan(1);
  });

  it('the same probes again do not change the pace', async () => {
    const { clock, workers, timesOf } = setUp();
    for (let round = 0; round < 20; round += 1) {
      workers.probe('k', [probeOf('a', { isOutstanding: false })]);
      await clock.advance(1_000);
    }
    expect(timesOf('a')).toEqual([0]);
  });
});

describe('a worker with a stream that fails', () => {
  it('a worker with a failing stream is probed every five seconds for five minutes, then as any other', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.probe('k', [probeOf('a', { isOutstanding: false })]);
    await clock.advance(1_000);
    workers.probe('k', [probeOf('a', { isOutstanding: false, isWatched: true })]);
    await clock.advance(400_000);
    const times = timesOf('a');
    expect(times.slice(0, 4)).toEqual([0, 6_000, 11_000, 16_000]);
    expect(times.slice(-3).map((at, index, all) => at - (all[index - 1] ?? at))).toEqual([
      0, 30_000, 30_000,
    ]);
    expect(times.filter((at) => at <= 305_000)).toHaveLength(61);
  });
});
