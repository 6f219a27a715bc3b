// Do pools share the pace and the permits, so that none takes them from another?
import { describe, expect, it } from '@jest/globals';
import type { WorkerProbe } from '../../../src/api/report.ts';
import { settle } from '../../support/virtual-clock.ts';
import { probeOf, setUp } from './probing.ts';

describe('the pace', () => {
  it('a pool of very many workers leaves a share of the pace to others', async () => {
    const { clock, workers, timesOf } = setUp();
    const crowd = (awaiting: string): readonly WorkerProbe[] =>
      Array.from({ length: 5_000 }, (_, at) => probeOf(`w${at}`, { awaiting }));
    for (let round = 0; round < 5; round += 1) {
      workers.probe('their/pool', crowd(String(round)));
      await clock.advance(200);
    }
    workers.probe('our/pool', [probeOf('late')]);
    await clock.advance(60);
    expect(timesOf('late')).toHaveLength(2);
  });

  it('very many pools of one namespace leave a share of the pace to others', async () => {
    const { clock, workers, timesOf } = setUp();
    for (let index = 0; index < 2_000; index += 1)
      workers.probe(`their/pool-${index}`, [probeOf(`w${index}`)]);
    workers.probe('our/pool', [probeOf('late')]);
    await clock.advance(60);
    expect(timesOf('late')).toHaveLength(2);
  });

  it('the pace is slower for a pool with long answers, and for no other pool', async () => {
    const { clock, probed, workers, answers, timesOf } = setUp();
    const long = 60_000;
    const crowd = Array.from({ length: 500 }, (_, at) => probeOf(`w${at}`));
    let count = 0;
    for (const { url } of crowd)
      answers.set(url, () => {
        count += 1;
        return `{"version":1,"more":"${String(count).padEnd(long)}"}`;
      });
    workers.probe('their/pool', crowd);
    await clock.advance(10_000);
    workers.probe('our/pool', [probeOf('late')]);
    await clock.advance(160);
    expect(timesOf('late')).toHaveLength(3);
    const bytes = probed.filter(({ url }) => url !== 'http://late').length * long;
    expect(bytes).toBeLessThan(13 * 4 * 1024 * 1024);
    await clock.advance(60_000);
    expect(new Set(probed.map(({ url }) => url)).size).toBe(501);
  });
});

describe('many workers', () => {
  it('no more workers are probed at a time than `concurrency`, and all are probed', async () => {
    const { clock, workers, probed, most } = setUp(8);
    workers.probe(
      'k',
      Array.from({ length: 100 }, (_, index) => probeOf(`w${index}`, { isOutstanding: false })),
    );
    await clock.advance(100);
    expect(new Set(probed.map(({ url }) => url)).size).toBe(100);
    expect(most()).toBeLessThanOrEqual(8);
  });

  it.each(['silence', 'slow'] as const)(
    'no pool and no namespace holds all permits: %s workers of others make no worker wait',
    async (how) => {
      const { clock, answers, workers, timesOf } = setUp(16);
      for (const namespace of ['one', 'two']) {
        for (let index = 0; index < 5; index += 1) {
          const uids = Array.from({ length: 10 }, (_, at) => `${namespace}-${index}-${at}`);
          for (const uid of uids) answers.set(`http://${uid}`, how);
          workers.probe(
            `${namespace}/pool-${index}`,
            uids.map((uid) => probeOf(uid)),
          );
        }
        await clock.advance(namespace === 'one' ? 1_000 : 60_000);
        const ours = `our/${namespace}`;
        workers.probe(ours, [probeOf(ours)]);
        const started = clock.monotonic();
        await clock.advance(300);
        expect(timesOf(ours).map((at) => at - started)).toEqual([0, 50, 100, 200, 300]);
      }
    },
  );

  it('silent workers hold at most half of the permits, and the others are probed without delay', async () => {
    const { clock, answers, workers, timesOf } = setUp(8);
    const silent = Array.from({ length: 50 }, (_, index) => probeOf(`s${index}`));
    for (const { url } of silent) answers.set(url, 'silence');
    workers.probe('silent', silent);
    await clock.advance(60_000);
    workers.probe('good', [probeOf('g')]);
    const started = clock.monotonic();
    await settle();
    await clock.advance(1_950);
    expect(timesOf('g').map((at) => at - started)).toEqual([
      0, 50, 100, 200, 300, 400, 500, 600, 750, 900, 1_050, 1_250, 1_450, 1_850,
    ]);
  });
});
