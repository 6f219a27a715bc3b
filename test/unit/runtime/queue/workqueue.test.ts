// Is every key handled at the right time, never twice at once, and never forgotten?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { WorkQueue } from '../../../../src/runtime/queue/workqueue.ts';
import { settle, VirtualClock } from '../../../support/virtual-clock.ts';
import { setUp } from './workqueue-under-test.ts';

describe('an observer', () => {
  it('an observer learns how long each key was due, and of every retry', async () => {
    const seen: (number | string)[] = [];
    const clock = new VirtualClock();
    const done = Promise.withResolvers<void>();
    const observer = {
      waited: (ms: number) => void seen.push(ms),
      retried: () => void seen.push('retried'),
    };
    const queue = new WorkQueue({
      clock,
      concurrency: 1,
      observer,
      handle: (key) => (key === 'a' ? done.promise : Promise.resolve()),
    });
    queue.add('a');
    await clock.advance(60_000);
    queue.start();
    queue.add('b');
    queue.add('a');
    await clock.advance(3_000);
    queue.add('b');
    queue.retry('c');
    done.resolve();
    await clock.advance(0);
    expect(seen).toEqual([0, 'retried', 3_000, 3_000]);
    await clock.advance(100);
    expect(seen.slice(4)).toEqual([0]);
  });
});

describe('a key', () => {
  it('a key that changes often before it is handled is handled once', async () => {
    const { queue, keys } = setUp();
    for (let change = 0; change < 5; change += 1) queue.add('a');
    queue.start();
    await settle();
    expect(keys()).toEqual(['a']);
    expect(queue.figures).toEqual({ waiting: 0, processing: 0, delayed: 0 });
  });

  it('a key that changes while it is handled is handled again afterwards', async () => {
    const { queue, begun, keys } = setUp({ byItself: false });
    queue.start();
    queue.add('a');
    await settle();
    for (let change = 0; change < 3; change += 1) queue.add('a');
    await settle();
    expect(keys()).toEqual(['a']);
    expect(queue.figures).toEqual({ waiting: 1, processing: 1, delayed: 0 });
    begun[0]?.finish();
    await settle();
    expect(keys()).toEqual(['a', 'a']);
    begun[1]?.finish();
    await settle();
    expect(keys()).toEqual(['a', 'a']);
  });

  it('keys are handled in the order of arrival, with limited concurrency', async () => {
    const { queue, begun, keys } = setUp({ byItself: false, concurrency: 2 });
    queue.start();
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await settle();
    expect(keys()).toEqual(['a', 'b']);
    begun[1]?.finish();
    await settle();
    expect(keys()).toEqual(['a', 'b', 'c']);
  });
});

describe('several delays of a key', () => {
  it('of several delays the shortest counts, in whichever order they come', async () => {
    const { clock, queue, times } = setUp();
    queue.start();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 900);
    await clock.advance(2_000);
    expect(times()).toEqual([100]);
    expect(clock.pending).toBe(0);
  });

  it('no delay counts once the key has changed', async () => {
    const { clock, queue, times } = setUp();
    queue.start();
    queue.addAfter('a', 500);
    await clock.advance(100);
    queue.add('a');
    await clock.advance(2_000);
    expect(times()).toEqual([100]);
  });

  it('no delay of an old decision counts when the key changed meanwhile', async () => {
    const { clock, queue, begun, times } = setUp({ byItself: false });
    queue.start();
    queue.add('a');
    await settle();
    queue.add('a');
    queue.addAfter('a', 500);
    begun[0]?.finish();
    await settle();
    begun[1]?.finish();
    await clock.advance(2_000);
    expect(times()).toEqual([0, 0]);
  });
});

describe('a key that rests', () => {
  it('a resting key is handled once when its rest is over, however often it changes meanwhile', async () => {
    const { clock, queue, times } = setUp({ handle: (key) => queue.rest(key, 300) });
    queue.start();
    queue.add('a');
    await settle();
    for (let round = 0; round < 5; round += 1) {
      queue.add('a');
      await clock.advance(10);
    }
    await clock.advance(2_000);
    expect(times()).toEqual([0, 300]);
  });

  it('a key that changes while it is handled, or was due before, is handled after its rest', async () => {
    const { clock, queue, begun, times } = setUp({ byItself: false });
    queue.start();
    queue.add('a');
    await settle();
    queue.rest('a', 300);
    queue.add('a');
    queue.addAfter('a', 100);
    begun[0]?.finish();
    await clock.advance(299);
    expect(times()).toEqual([0]);
    await clock.advance(1);
    begun[1]?.finish();
    await clock.advance(5_000);
    expect(times()).toEqual([0, 300]);
  });

  it('a resting key delays no other key', async () => {
    const { clock, queue, keys } = setUp({ handle: (key) => queue.rest(key, 300) });
    queue.start();
    queue.add('a');
    await settle();
    queue.add('a');
    queue.add('b');
    await clock.advance(10);
    expect(keys()).toEqual(['a', 'b']);
  });
});

describe('a failure', () => {
  it('a failure is retried after a delay that doubles up to ten seconds, and starts over after a success', async () => {
    const { clock, queue, times } = setUp({ handle: (key) => queue.retry(key) });
    queue.start();
    queue.add('a');
    await clock.advance(60_000);
    const gaps = times().map((at, index) => at - (times()[index - 1] ?? 0));
    expect(gaps.slice(0, 13)).toEqual([
      0, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_000, 10_000, 10_000,
    ]);
    queue.forget('a');
    queue.add('a');
    await clock.advance(20);
    expect(times().slice(-2)).toEqual([60_000, 60_020]);
  });

  it('a failure is retried when the server asked for it', async () => {
    const { clock, queue, times } = setUp({
      handle: (key) => times().length === 1 && queue.retry(key, 3_000),
    });
    queue.start();
    queue.add('a');
    await clock.advance(10_000);
    expect(times()).toEqual([0, 3_000]);
  });

  it('a key that fails with an exception is retried, and the queue goes on', async () => {
    const { clock, queue, keys } = setUp({
      concurrency: 1,
      handle: (key) => {
        if (key === 'bad' && keys().length < 4) throw new Error('a mistake');
      },
    });
    queue.start();
    for (const key of ['bad', 'good']) queue.add(key);
    await clock.advance(1_000);
    expect(keys()).toEqual(['bad', 'good', 'bad', 'bad']);
    await queue.pause();
  });
});

describe('a queue', () => {
  it('a paused queue finishes its current work, starts none, and keeps what waits', async () => {
    const { clock, queue, begun, keys } = setUp({ byItself: false, concurrency: 1 });
    queue.start();
    for (const key of ['a', 'b']) queue.add(key);
    queue.addAfter('c', 50);
    await settle();
    let isPaused = false;
    const paused = queue.pause().then(() => {
      isPaused = true;
    });
    await clock.advance(100);
    expect(isPaused).toBe(false);
    begun[0]?.finish();
    await paused;
    await clock.advance(1_000);
    expect(keys()).toEqual(['a']);
    queue.start();
    await settle();
    begun[1]?.finish();
    await settle();
    expect(keys()).toEqual(['a', 'b', 'c']);
  });

  it('a stopped queue leaves no timer, not even of current work', async () => {
    const { clock, queue, begun, keys } = setUp({ byItself: false });
    queue.start();
    queue.add('a');
    queue.addAfter('b', 1_000);
    await settle();
    const stopped = queue.stop();
    queue.addAfter('a', 10);
    queue.retry('a');
    queue.add('c');
    begun[0]?.finish();
    await stopped;
    queue.start();
    await clock.advance(60_000);
    expect(keys()).toEqual(['a']);
    expect(clock.pending).toBe(0);
    expect(queue.figures).toEqual({ waiting: 0, processing: 0, delayed: 0 });
  });

  it('over any history each key is handled after its last change, and never twice at a time', async () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const deed = fc.oneof(
      fc.record({
        do: fc.constantFrom('add' as const, 'pause' as const, 'start' as const),
        key,
        ms: fc.constant(0),
      }),
      fc.record({
        do: fc.constantFrom('after' as const, 'pass' as const),
        key,
        ms: fc.integer({ min: 0, max: 300 }),
      }),
    );
    const property = fc.asyncProperty(
      fc.array(deed, { maxLength: 30 }),
      fc.integer({ min: 1, max: 3 }),
      async (deeds, concurrency) => {
        const clock = new VirtualClock();
        const inHand = new Set<string>();
        const owed = new Set<string>();
        let most = 0;
        let calls = 0;
        const queue = new WorkQueue({
          clock,
          concurrency,
          handle: async (it) => {
            if (inHand.has(it)) throw new Error('twice at a time');
            inHand.add(it);
            owed.delete(it);
            most = Math.max(most, inHand.size);
            calls += 1;
            const call = calls;
            await new Promise<void>((resolve) => clock.after(37, resolve));
            inHand.delete(it);
            if (call % 4 === 0) queue.retry(it);
            if (call % 5 === 0) throw new Error('a mistake');
          },
        });
        for (const it of deeds) {
          if (it.do === 'pass') await clock.advance(it.ms);
          else if (it.do === 'pause') void queue.pause();
          else if (it.do === 'start') queue.start();
          else {
            owed.add(it.key);
            if (it.do === 'add') queue.add(it.key);
            else queue.addAfter(it.key, it.ms);
          }
        }
        queue.start();
        await clock.advance(5_000);
        expect([...owed]).toEqual([]);
        expect(most).toBeLessThanOrEqual(concurrency);
        expect(queue.figures.processing + queue.figures.waiting).toBe(0);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });
});

describe('capacity that becomes free', () => {
  it('free capacity is used also when the key that left it rests and is due again', async () => {
    const { queue, begun, keys } = setUp({ byItself: false, concurrency: 1 });
    queue.start();
    queue.add('a');
    await settle();
    queue.add('b');
    queue.add('a');
    queue.rest('a', 300);
    begun[0]?.finish();
    await settle();
    expect(keys()).toEqual(['a', 'b']);
    begun[1]?.finish();
    await queue.stop();
  });
});
