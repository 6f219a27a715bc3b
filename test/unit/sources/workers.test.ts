// Is each worker asked at the right pace, and its answer told when it is news?
import { describe, expect, it } from '@jest/globals';
import type { Ask } from '../../../src/core/decision.ts';
import { Workers } from '../../../src/sources/workers.ts';
import { settle, VirtualClock } from '../../support/virtual-clock.ts';

const ask = (podUid: string, changed: Partial<Ask> = {}): Ask => ({
  podUid,
  url: `http://${podUid}`,
  awaiting: '1',
  isOutstanding: true,
  most: { jobs: 1_000, bytes: 64 * 1024 },
  ...changed,
});

/** Workers answer at once what the test says, or never. */
function setUp(concurrency = 128, auditMs = 30_000) {
  const clock = new VirtualClock();
  const asked: { readonly url: string; readonly at: number }[] = [];
  const woken: string[] = [];
  const answers = new Map<string, string | Error | 'silence' | 'slow' | (() => string)>();
  const open = new Map<string, (error: Error) => void>();
  let underWay = 0;
  let most = 0;
  const get = async (url: string): Promise<string> => {
    asked.push({ url, at: clock.monotonic() });
    underWay += 1;
    most = Math.max(most, underWay);
    try {
      const answer = answers.get(url) ?? '{"version":1}';
      if (answer === 'silence') {
        await new Promise<void>((_, reject) => {
          open.set(url, reject);
          clock.after(2_000, () => reject(new Error('no answer in time')));
        });
      }
      if (answer === 'slow') {
        await new Promise<void>((resolve) => void clock.after(1_900, resolve));
        return '{"version":1}';
      }
      if (answer instanceof Error) throw answer;
      return typeof answer === 'string' ? answer : answer();
    } finally {
      underWay -= 1;
    }
  };
  const workers = new Workers({ clock, concurrency, auditMs, get, onChange: (key) => woken.push(key) });
  const timesOf = (uid: string): readonly number[] => asked.filter(({ url }) => url === `http://${uid}`).map(({ at }) => at);
  return { clock, asked, woken, answers, workers, timesOf, most: () => most };
}

describe('the pace', () => {
  it('is quick while something is outstanding, and patient after a minute', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.ask('k', [ask('a')]);
    await clock.advance(120_000);
    const gaps = timesOf('a').map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(gaps.slice(0, 17)).toEqual([0, 50, 50, 100, 100, 100, 100, 100, 150, 150, 150, 200, 200, 400, 800, 1_000, 1_000]);
    expect(gaps.at(-1)).toBe(10_000);
  });

  it('is that of an audit when nothing is', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.ask('k', [ask('a', { isOutstanding: false })]);
    await clock.advance(100_000);
    expect(timesOf('a')).toEqual([0, 30_000, 60_000, 90_000]);
  });

  it('is quick again as soon as something else is awaited, and an audit once it is confirmed', async () => {
    const { clock, workers, timesOf } = setUp();
    workers.ask('k', [ask('a', { isOutstanding: false })]);
    await clock.advance(10_000);
    workers.ask('k', [ask('a', { awaiting: '2' })]);
    await clock.advance(60);
    workers.ask('k', [ask('a', { awaiting: '2', isOutstanding: false })]);
    await clock.advance(60_000);
    expect(timesOf('a').slice(0, 4)).toEqual([0, 10_050, 10_100, 40_100]);
  });

  it('is the slower, the more are outstanding', async () => {
    const { clock, workers, timesOf } = setUp(1_000);
    const crowd = (count: number): readonly Ask[] => Array.from({ length: 200 }, (_, at) => ask(`w${at}`, { isOutstanding: at < count }));
    workers.ask('k', crowd(200));
    await clock.advance(1_300);
    expect(timesOf('w0')).toEqual([0, 400, 800, 1_200]);
    workers.ask('k', crowd(10));
    await clock.advance(2_000);
    expect(timesOf('w0').slice(4)).toEqual([1_600, 1_700, 1_800, 1_900, 2_050, 2_200, 2_350, 2_550, 2_750, 3_150]);
  });

  it('does not keep any waiting for its first question for the sake of what else is outstanding in its pool', async () => {
    const { clock, workers, timesOf } = setUp(1_000);
    const crowd = (awaiting: string): readonly Ask[] =>
      Array.from({ length: 250 }, (_, at) => ask(`w${at}`, { awaiting, isOutstanding: awaiting === '2' }));
    workers.ask('k', crowd('1'));
    await clock.advance(10_000);
    workers.ask('k', crowd('2'));
    expect(workers.unaskedOf('k').size).toBe(250);
    await clock.advance(600);
    expect(timesOf('w249')).toEqual([0, 10_050, 10_550]);
    expect(workers.unaskedOf('k').size).toBe(0);
  });

  it('is the same for all pools together, and who was told just now comes before who has long been asked', async () => {
    const { clock, asked, workers, timesOf } = setUp();
    const pool = (index: number): readonly Ask[] => Array.from({ length: 10 }, (_, at) => ask(`w${index}-${at}`));
    for (let index = 0; index < 500; index += 1) workers.ask(`k${index}`, pool(index));
    await clock.advance(30_000);
    const before = asked.length;
    workers.ask('late', [ask('late')]);
    await clock.advance(100);
    expect(timesOf('late').length).toBeGreaterThan(1);
    await clock.advance(900);
    expect(asked.length - before).toBeLessThanOrEqual(1_001);
    expect(new Set(asked.slice(0, before).map(({ url }) => url)).size).toBe(5_000);
  });

  it('lets those of whom nothing is awaited wait, however many they are, for who was told just now', async () => {
    const { clock, workers, timesOf } = setUp();
    const crowd = Array.from({ length: 5_000 }, (_, at) => ask(`w${at}`, { isOutstanding: false }));
    workers.ask('k', crowd);
    workers.ask('late', [ask('late')]);
    await clock.advance(200);
    expect(timesOf('late').length).toBeGreaterThan(2);
    expect(timesOf('w4999')).toEqual([]);
  });

  it('lets nobody wait for ever: who was silent is asked again, also when audits alone would take more than there is', async () => {
    const { clock, workers, answers, timesOf } = setUp(128, 1_000);
    const crowd = Array.from({ length: 3_000 }, (_, at) => ask(`w${at}`, { isOutstanding: false }));
    workers.ask('k', [...crowd, ask('late')]);
    answers.set('http://late', new Error('refused'));
    await clock.advance(5_000);
    answers.delete('http://late');
    await clock.advance(5_000);
    expect(workers.answersOf('k')['late']).toEqual({ ok: true, report: { version: 1 } });
    expect(timesOf('w2999').length).toBeGreaterThan(1);
  });

  it('is not taken from others by a pool of very many: pools take turns', async () => {
    const { clock, workers, timesOf } = setUp();
    const crowd = (awaiting: string): readonly Ask[] => Array.from({ length: 5_000 }, (_, at) => ask(`w${at}`, { awaiting }));
    for (let round = 0; round < 5; round += 1) {
      workers.ask('their/pool', crowd(String(round)));
      await clock.advance(200);
    }
    workers.ask('our/pool', [ask('late')]);
    await clock.advance(60);
    expect(timesOf('late')).toHaveLength(2);
  });

  it('is not taken from others by very many pools of one namespace', async () => {
    const { clock, workers, timesOf } = setUp();
    for (let index = 0; index < 2_000; index += 1) workers.ask(`their/pool-${index}`, [ask(`w${index}`)]);
    workers.ask('our/pool', [ask('late')]);
    await clock.advance(60);
    expect(timesOf('late')).toHaveLength(2);
  });

  it('is that of its answers’ length for a pool whose workers answer very much, and for no other', async () => {
    const { clock, asked, workers, answers, timesOf } = setUp();
    const long = 60_000;
    const crowd = Array.from({ length: 500 }, (_, at) => ask(`w${at}`));
    let count = 0;
    for (const { url } of crowd)
      answers.set(url, () => {
        count += 1;
        return `{"version":1,"more":"${String(count).padEnd(long)}"}`;
      });
    workers.ask('their/pool', crowd);
    await clock.advance(10_000);
    workers.ask('our/pool', [ask('late')]);
    await clock.advance(160);
    expect(timesOf('late')).toHaveLength(3);
    const bytes = asked.filter(({ url }) => url !== 'http://late').length * long;
    expect(bytes).toBeLessThan(13 * 4 * 1024 * 1024);
    await clock.advance(60_000);
    expect(new Set(asked.map(({ url }) => url)).size).toBe(501);
  });

  it('is not disturbed by being told the same again', async () => {
    const { clock, workers, timesOf } = setUp();
    for (let round = 0; round < 20; round += 1) {
      workers.ask('k', [ask('a', { isOutstanding: false })]);
      await clock.advance(1_000);
    }
    expect(timesOf('a')).toEqual([0]);
  });
});

describe('an answer', () => {
  it('wakes its key once when it differs from the one before', async () => {
    const { clock, woken, answers, workers } = setUp();
    workers.ask('k', [ask('a')]);
    await clock.advance(5_000);
    expect(woken).toEqual(['k']);
    answers.set('http://a', '{"version":2,"jobs":["x"]}');
    await clock.advance(5_000);
    expect(woken).toEqual(['k', 'k']);
    expect(workers.answersOf('k')).toEqual({ a: { ok: true, report: { version: 2, jobs: ['x'] } } });
  });

  it('is told together with others that come at the same time, and waits for a silent one no longer than a moment', async () => {
    const { clock, woken, answers, workers } = setUp();
    workers.ask('k', [ask('a'), ask('b'), ask('c')]);
    await clock.advance(0);
    expect(woken).toEqual(['k']);
    answers.set('http://x', 'silence');
    workers.ask('other', [ask('x'), ask('y')]);
    await clock.advance(24);
    expect(woken).toEqual(['k']);
    await clock.advance(1);
    expect(woken).toEqual(['k', 'other']);
  });

  it('that is none says why, and wakes its key once', async () => {
    const { clock, woken, answers, workers } = setUp();
    answers.set('http://a', new Error('connect ECONNREFUSED'));
    answers.set('http://b', '<html>');
    workers.ask('k', [ask('a'), ask('b')]);
    await clock.advance(30_000);
    expect(woken).toEqual(['k']);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: false, reason: 'http://a: connect ECONNREFUSED' },
      b: { ok: false, reason: 'http://b answers what is no version report' },
    });
  });

  it('that is none is told in one line of bounded length', async () => {
    const { clock, answers, workers } = setUp();
    answers.set('http://a', new Error('40B7F0:error:0A00010B:SSL routines:wrong version number:\n  ../deps/openssl.c:354:\n'));
    answers.set('http://b', new Error('x'.repeat(10_000)));
    workers.ask('k', [ask('a'), ask('b')]);
    await clock.advance(100);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: false, reason: 'http://a: 40B7F0:error:0A00010B:SSL routines:wrong version number: ../deps/openssl.c:354:' },
      b: { ok: false, reason: `http://b: ${'x'.repeat(256)}` },
    });
  });

  it('that fails once after others came counts for nothing; the second failure in a row does', async () => {
    const { clock, woken, answers, workers } = setUp();
    workers.ask('k', [ask('a', { isOutstanding: false })]);
    await clock.advance(29_000);
    answers.set('http://a', new Error('no answer within 2 s'));
    await clock.advance(1_500);
    answers.set('http://a', '{"version":1}');
    await clock.advance(31_500);
    expect(woken).toEqual(['k']);
    answers.set('http://a', new Error('no answer within 2 s'));
    await clock.advance(31_000);
    expect(woken).toEqual(['k', 'k']);
    expect(workers.answersOf('k')).toEqual({ a: { ok: false, reason: 'http://a: no answer within 2 s', last: { version: 1 } } });
  });

  it('that is none keeps its first reason while others alternate with it, until one comes three times in a row', async () => {
    const { clock, woken, answers, workers } = setUp();
    const reasons = ['connect ECONNREFUSED', 'no answer within 2 s', 'connect ETIMEDOUT'];
    answers.set('http://a', new Error(reasons[0]));
    workers.ask('k', [ask('a')]);
    await clock.advance(10_000);
    for (let round = 0; round < 30; round += 1) {
      answers.set('http://a', new Error(reasons[round % 3]));
      await clock.advance(1_000);
    }
    expect(woken).toEqual(['k']);
    expect(workers.answersOf('k')).toEqual({ a: { ok: false, reason: `http://a: ${reasons[0]}` } });
    answers.set('http://a', new Error(reasons[2]));
    await clock.advance(30_000);
    expect(woken).toEqual(['k', 'k']);
    expect(workers.answersOf('k')).toEqual({ a: { ok: false, reason: `http://a: ${reasons[2]}` } });
  });

  it('that is none has at once the reason of the address that the worker has now', async () => {
    const { clock, answers, workers } = setUp();
    for (const url of ['http://a', 'http://b']) answers.set(url, new Error('refused'));
    workers.ask('k', [ask('a')]);
    await clock.advance(1_000);
    workers.ask('k', [ask('a', { url: 'http://b' })]);
    await clock.advance(30);
    expect(workers.answersOf('k')).toEqual({ a: { ok: false, reason: 'http://b: refused' } });
  });

  it('from an address that the worker has left is not taken for its own', async () => {
    const { clock, answers, workers, timesOf } = setUp();
    answers.set('http://a', 'silence');
    workers.ask('k', [ask('a', { isOutstanding: false })]);
    await clock.advance(1_000);
    workers.ask('k', [ask('a', { isOutstanding: false, url: 'http://b' })]);
    await clock.advance(5_000);
    expect(workers.answersOf('k')).toEqual({ a: { ok: true, report: { version: 1 } } });
    expect(timesOf('b')).toEqual([2_000]);
  });

  it('from an address that the worker has left is not what the same words mean later', async () => {
    const { clock, answers, workers } = setUp();
    const other = '{"version":7,"jobs":["other"]}';
    workers.ask('k', [ask('a')]);
    await clock.advance(40);
    answers.set('http://a', () => {
      workers.ask('k', [ask('a', { url: 'http://b' })]);
      return other;
    });
    answers.set('http://b', other);
    await clock.advance(1_000);
    expect(workers.answersOf('k')).toEqual({ a: { ok: true, report: { version: 7, jobs: ['other'] } } });
  });
});

describe('who is dropped', () => {
  it('is asked no more, also when its turn was about to come', async () => {
    const { clock, answers, workers, asked } = setUp(1);
    answers.set('http://a', 'silence');
    workers.ask('k', [ask('a'), ask('b'), ask('c')]);
    await clock.advance(1_000);
    workers.ask('k', [ask('c')]);
    await clock.advance(1_000);
    expect(asked.slice(0, 2).map(({ url }) => url)).toEqual(['http://a', 'http://c']);
    workers.forgetAll();
    const { length } = asked;
    await clock.advance(60_000);
    expect(asked).toHaveLength(length);
    expect(workers.answersOf('k')).toEqual({});
    expect(clock.pending).toBe(0);
  });

  it('by one key stays with another: a target passes from one pool to the next', async () => {
    const { clock, woken, workers } = setUp();
    workers.ask('old', [ask('a')]);
    await clock.advance(10_000);
    workers.ask('new', [ask('a')]);
    workers.ask('old', []);
    await clock.advance(10_000);
    expect(woken).toEqual(['old', 'new']);
    expect(workers.answersOf('new')).toEqual({ a: { ok: true, report: { version: 1 } } });
  });
});

describe('of many workers', () => {
  it('no more are asked at a time than agreed, and all are asked', async () => {
    const { clock, workers, asked, most } = setUp(8);
    workers.ask(
      'k',
      Array.from({ length: 100 }, (_, index) => ask(`w${index}`, { isOutstanding: false })),
    );
    await clock.advance(100);
    expect(new Set(asked.map(({ url }) => url)).size).toBe(100);
    expect(most()).toBeLessThanOrEqual(8);
  });

  it.each(['silence', 'slow'] as const)(
    'no pool holds all places, nor does a namespace: %s of others keeps nobody waiting',
    async (how) => {
      const { clock, answers, workers, timesOf } = setUp(16);
      for (const namespace of ['one', 'two']) {
        for (let index = 0; index < 5; index += 1) {
          const uids = Array.from({ length: 10 }, (_, at) => `${namespace}-${index}-${at}`);
          for (const uid of uids) answers.set(`http://${uid}`, how);
          workers.ask(
            `${namespace}/pool-${index}`,
            uids.map((uid) => ask(uid)),
          );
        }
        await clock.advance(namespace === 'one' ? 1_000 : 60_000);
        const ours = `our/${namespace}`;
        workers.ask(ours, [ask(ours)]);
        const started = clock.monotonic();
        await clock.advance(300);
        expect(timesOf(ours).map((at) => at - started)).toEqual([0, 50, 100, 200, 300]);
      }
    },
  );

  it('those that never answer hold half of the places at most: the others are asked as if they were not there', async () => {
    const { clock, answers, workers, timesOf } = setUp(8);
    const silent = Array.from({ length: 50 }, (_, index) => ask(`s${index}`));
    for (const { url } of silent) answers.set(url, 'silence');
    workers.ask('silent', silent);
    await clock.advance(60_000);
    workers.ask('good', [ask('g')]);
    const started = clock.monotonic();
    await settle();
    await clock.advance(1_950);
    expect(timesOf('g').map((at) => at - started)).toEqual([0, 50, 100, 200, 300, 400, 500, 600, 750, 900, 1_050, 1_250, 1_450, 1_850]);
  });
});
