// Does a changed answer wake its pool, under the right worker?
import { describe, expect, it } from '@jest/globals';
import { probeOf, setUp } from './probing.ts';

describe('an answer', () => {
  it('an answer wakes its key once when it differs from the one before', async () => {
    const { clock, woken, answers, workers } = setUp();
    workers.probe('k', [probeOf('a')]);
    await clock.advance(5_000);
    expect(woken).toEqual(['k']);
    answers.set('http://a', '{"version":2,"jobs":["x"]}');
    await clock.advance(5_000);
    expect(woken).toEqual(['k', 'k']);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: true, report: { version: 2, jobs: ['x'] } },
    });
  });

  it('answers of one moment wake their key together, and wait 25 ms at most for a silent worker', async () => {
    const { clock, woken, answers, workers } = setUp();
    workers.probe('k', [probeOf('a'), probeOf('b'), probeOf('c')]);
    await clock.advance(0);
    expect(woken).toEqual(['k']);
    answers.set('http://x', 'silence');
    workers.probe('other', [probeOf('x'), probeOf('y')]);
    await clock.advance(24);
    expect(woken).toEqual(['k']);
    await clock.advance(1);
    expect(woken).toEqual(['k', 'other']);
  });

  it('the answers of a key are the same object until one changes or its worker is dropped', async () => {
    const { clock, answers, workers } = setUp();
    workers.probe('k', [probeOf('a'), probeOf('b')]);
    await clock.advance(100);
    const first = workers.answersOf('k');
    expect(Object.keys(first)).toEqual(['a', 'b']);
    workers.probe('k', [probeOf('a'), probeOf('b')]);
    expect(workers.answersOf('k')).toBe(first);
    answers.set('http://a', '{"version":2,"jobs":["x"]}');
    await clock.advance(5_000);
    expect(workers.answersOf('k')).not.toBe(first);
    workers.probe('k', [probeOf('b')]);
    expect(Object.keys(workers.answersOf('k'))).toEqual(['b']);
  });

  it('a failed probe says why, and wakes its key once', async () => {
    const { clock, woken, answers, workers } = setUp();
    answers.set('http://a', new Error('connect ECONNREFUSED'));
    answers.set('http://b', '<html>');
    workers.probe('k', [probeOf('a'), probeOf('b')]);
    await clock.advance(30_000);
    expect(woken).toEqual(['k']);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: false, reason: 'http://a: connect ECONNREFUSED' },
      b: { ok: false, reason: 'http://b answers an invalid version report' },
    });
  });

  it('a failed probe has a reason of one line and bounded length', async () => {
    const { clock, answers, workers } = setUp();
    answers.set(
      'http://a',
      new Error(
        '40B7F0:error:0A00010B:SSL routines:wrong version number:\n  ../deps/openssl.c:354:\n',
      ),
    );
    answers.set('http://b', new Error('x'.repeat(10_000)));
    workers.probe('k', [probeOf('a'), probeOf('b')]);
    await clock.advance(100);
    expect(workers.answersOf('k')).toEqual({
      a: {
        ok: false,
        reason:
          'http://a: 40B7F0:error:0A00010B:SSL routines:wrong version number: ../deps/openssl.c:354:',
      },
      b: { ok: false, reason: `http://b: ${'x'.repeat(255)}…` },
    });
  });

  it('one failed probe after answers does not count, but the second in a row does', async () => {
    const { clock, woken, answers, workers } = setUp();
    workers.probe('k', [probeOf('a', { isOutstanding: false })]);
    await clock.advance(29_000);
    answers.set('http://a', new Error('no answer within 2 s'));
    await clock.advance(1_500);
    answers.set('http://a', '{"version":1}');
    await clock.advance(31_500);
    expect(woken).toEqual(['k']);
    answers.set('http://a', new Error('no answer within 2 s'));
    await clock.advance(31_000);
    expect(woken).toEqual(['k', 'k']);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: false, reason: 'http://a: no answer within 2 s', last: { version: 1 } },
    });
  });

  it('a failing probe keeps its first reason until another one comes three times in a row', async () => {
    const { clock, woken, answers, workers } = setUp();
    const reasons = ['connect ECONNREFUSED', 'no answer within 2 s', 'connect ETIMEDOUT'];
    answers.set('http://a', new Error(reasons[0]));
    workers.probe('k', [probeOf('a')]);
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

  it('a failed probe has at once the reason of the present address of its worker', async () => {
    const { clock, answers, workers } = setUp();
    for (const url of ['http://a', 'http://b']) answers.set(url, new Error('refused'));
    workers.probe('k', [probeOf('a')]);
    await clock.advance(1_000);
    workers.probe('k', [probeOf('a', { url: 'http://b' })]);
    await clock.advance(30);
    expect(workers.answersOf('k')).toEqual({ a: { ok: false, reason: 'http://b: refused' } });
  });

  it('an answer from an address that its worker has left does not count', async () => {
    const { clock, answers, workers, timesOf } = setUp();
    answers.set('http://a', 'silence');
    workers.probe('k', [probeOf('a', { isOutstanding: false })]);
    await clock.advance(1_000);
    workers.probe('k', [probeOf('a', { isOutstanding: false, url: 'http://b' })]);
    await clock.advance(5_000);
    expect(workers.answersOf('k')).toEqual({ a: { ok: true, report: { version: 1 } } });
    expect(timesOf('b')).toEqual([2_000]);
  });

  it('a failure at an address that its worker has left counts as the first failure', async () => {
    const { clock, answers, workers } = setUp();
    workers.probe('k', [probeOf('a', { isOutstanding: false })]);
    await clock.advance(29_000);
    answers.set('http://a', 'silence');
    answers.set('http://b', new Error('refused'));
    await clock.advance(2_000);
    workers.probe('k', [probeOf('a', { isOutstanding: false, url: 'http://b' })]);
    await clock.advance(1_100);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: false, reason: 'http://b: refused', last: { version: 1 } },
    });
  });

  it('an answer from an address that its worker has left does not stand in for the same bytes later', async () => {
    const { clock, answers, workers } = setUp();
    const other = '{"version":7,"jobs":["other"]}';
    workers.probe('k', [probeOf('a')]);
    await clock.advance(40);
    answers.set('http://a', () => {
      workers.probe('k', [probeOf('a', { url: 'http://b' })]);
      return other;
    });
    answers.set('http://b', other);
    await clock.advance(1_000);
    expect(workers.answersOf('k')).toEqual({
      a: { ok: true, report: { version: 7, jobs: ['other'] } },
    });
  });
});

describe('a worker that is dropped', () => {
  it('a dropped worker is not probed any more, even if it was next', async () => {
    const { clock, answers, workers, probed } = setUp(1);
    answers.set('http://a', 'silence');
    workers.probe('k', [probeOf('a'), probeOf('b'), probeOf('c')]);
    await clock.advance(1_000);
    workers.probe('k', [probeOf('c')]);
    await clock.advance(1_000);
    expect(probed.slice(0, 2).map(({ url }) => url)).toEqual(['http://a', 'http://c']);
    workers.forgetAll();
    const { length } = probed;
    await clock.advance(60_000);
    expect(probed).toHaveLength(length);
    expect(workers.answersOf('k')).toEqual({});
    expect(clock.pending).toBe(0);
  });

  it('a worker that one pool drops stays with another pool that took over its target', async () => {
    const { clock, woken, workers } = setUp();
    workers.probe('old', [probeOf('a')]);
    await clock.advance(10_000);
    workers.probe('new', [probeOf('a')]);
    workers.probe('old', []);
    await clock.advance(10_000);
    expect(woken).toEqual(['old', 'new']);
    expect(workers.answersOf('new')).toEqual({ a: { ok: true, report: { version: 1 } } });
  });
});
