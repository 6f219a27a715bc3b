// Does every change become a decision, and every decision its writes, while this replica leads?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { Step } from '../../../../src/core/decision.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import type { Observer } from '../../../../src/runtime/engine/controller.ts';
import { settle } from '../../../support/virtual-clock.ts';
import { setUp, type World } from './trivial-controller.ts';

describe('the engine', () => {
  it('the engine decides when a key is woken, and writes nothing once the state is as wanted', async () => {
    const { clock, api, engine, want, seen } = setUp({ resyncMs: 60_000 });
    want('n/a', 1);
    engine.start();
    await clock.advance(1_000);
    expect(seen('n/a')).toBe(1);
    const { length } = api.writes;
    await clock.advance(10 * 60_000);
    expect(api.writes).toHaveLength(length);
  });

  it('the engine reads its own writes: the next decision sees them before any watch does', async () => {
    const { clock, api, engine, want } = setUp();
    engine.start();
    want('n/a', 1);
    await clock.advance(0);
    want('n/a', 2);
    await clock.advance(1_000);
    expect(api.writes.map(({ body }) => body)).toMatchObject([
      { status: { seen: 1 } },
      { status: { seen: 2 } },
    ]);
  });

  it('the engine decides about all keys again from time to time', async () => {
    const { clock, engine, want, timesOf } = setUp({ resyncMs: 60_000 });
    want('n/a', 0);
    engine.start();
    await clock.advance(200_000);
    expect(timesOf('n/a').filter((at) => at > 0)).toEqual([60_000, 120_000, 180_000]);
  });

  it('the engine spreads the resync over its whole period, and begins with all keys at once', async () => {
    const { clock, engine, want, timesOf } = setUp({ resyncMs: 60_000 });
    const keys = ['n/a', 'n/b', 'n/c', 'm/d'];
    for (const key of keys) want(key, 0);
    engine.start();
    await clock.advance(0);
    expect(keys.map((key) => timesOf(key)[0])).toEqual([0, 0, 0, 0]);
    await clock.advance(120_000);
    expect(keys.map((key) => timesOf(key).filter((at) => at > 0))).toEqual([
      [15_000, 75_000],
      [30_000, 90_000],
      [45_000, 105_000],
      [60_000, 120_000],
    ]);
  });

  it('the engine resyncs few of very many keys in one moment', async () => {
    const { clock, engine, want, decisions } = setUp({ resyncMs: 600_000 });
    for (let index = 0; index < 1_500; index += 1) want(`n${index}/a`, 0);
    engine.start();
    await clock.advance(0);
    decisions.splice(0);
    await clock.advance(600_000);
    const moments = new Map<number, number>();
    for (const { at } of decisions) moments.set(at, (moments.get(at) ?? 0) + 1);
    expect(decisions).toHaveLength(1_500);
    expect(Math.max(...moments.values())).toBe(3);
  });

  it('the engine decides again when time alone could change the decision', async () => {
    const { clock, engine, want, hooks, timesOf } = setUp();
    hooks.decide = () => ({ steps: [], requeueAfterMs: 5_000 });
    want('n/a', 0);
    engine.start();
    await clock.advance(11_000);
    expect(timesOf('n/a')).toEqual([0, 5_000, 10_000]);
  });

  it('the engine forgets deleted objects', async () => {
    const { clock, engine, want, gone, forgotten } = setUp();
    want('n/a', 1);
    engine.start();
    await clock.advance(10);
    gone('n/a');
    await clock.advance(10);
    expect(forgotten).toEqual(['n/a']);
  });

  it('the engine passes each decision to its kind, also when a write is refused', async () => {
    const { clock, api, engine, want, hooks, followed } = setUp();
    hooks.decide = () => ({ requeueAfterMs: 60_000 });
    api.faults = { before: () => Promise.reject(new KubeError('Forbidden', 'no')) };
    want('n/a', 1);
    engine.start();
    await clock.advance(10);
    expect(followed[0]).toMatchObject({ key: 'n/a', decision: { requeueAfterMs: 60_000 } });
  });
});

describe('a replica that does not lead', () => {
  it('a replica that does not lead writes nothing, and catches up once it leads', async () => {
    const { clock, api, engine, want, hooks, seen } = setUp();
    hooks.isLeading = false;
    want('n/a', 1);
    engine.start();
    await clock.advance(60_000);
    expect(api.writes).toEqual([]);
    await engine.pause();
    hooks.isLeading = true;
    engine.start();
    await clock.advance(100);
    expect(seen('n/a')).toBe(1);
  });

  it('a replica that does not lead keeps no key that is woken, and its kind frees what it has', async () => {
    const { clock, engine, want, gone, skipped } = setUp();
    want('n/a', 1);
    gone('n/a');
    want('n/b', 1);
    expect(engine.queue.figures).toEqual({ waiting: 0, processing: 0, delayed: 0 });
    expect(skipped).toEqual(['n/a', 'n/a', 'n/b']);
    engine.start();
    await clock.advance(100);
    expect(skipped).toHaveLength(3);
  });

  it('a replica that stops leading keeps no waiting key, and forgets what was deleted meanwhile', async () => {
    const { clock, api, engine, want, gone, forgotten } = setUp({ concurrency: 1 });
    want('n/a', 1);
    want('n/b', 1);
    engine.start();
    await clock.advance(100);
    const answer = Promise.withResolvers<void>();
    api.faults = { before: () => answer.promise };
    want('n/a', 2);
    await settle();
    gone('n/a');
    gone('n/b');
    const paused = engine.pause();
    answer.resolve();
    await paused;
    expect(engine.queue.figures).toEqual({ waiting: 0, processing: 0, delayed: 0 });
    expect([...forgotten].sort()).toEqual(['n/a', 'n/b']);
    expect(clock.pending).toBe(0);
  });

  it('a replica that stops leading stops between two steps', async () => {
    const { clock, api, engine, want, hooks, levels } = setUp();
    hooks.extra = ({ metadata }) => [
      {
        do: 'event',
        regarding: { apiVersion: 'v1', kind: 'X', name: metadata.name, uid: 'u' },
        event: { type: 'Normal', reason: 'R', action: 'A', message: 'm' },
      },
    ];
    api.faults = {
      after: () => {
        hooks.isLeading = false;
      },
    };
    want('n/a', 1);
    engine.start();
    await clock.advance(60_000);
    expect(api.writes).toHaveLength(1);
    expect(levels()).toEqual(['info no longer leading: the next leader will do it']);
  });
});

describe('an observer', () => {
  it('an observer is called for decisions, for failures, and for deleted objects', async () => {
    const told: string[] = [];
    const observer: Observer<World> = {
      decided: (key, { decision }) => told.push(`${key} decided ${decision.steps.length}`),
      failed: (key) => told.push(`${key} failed`),
      forgotten: (key) => told.push(`${key} forgotten`),
    };
    const { clock, api, engine, want, gone } = setUp({ observers: [observer] });
    engine.start();
    want('n/a', 1);
    await clock.advance(100);
    api.faults = { before: () => Promise.reject(new KubeError('Forbidden', 'no')) };
    want('n/a', 2);
    await clock.advance(10);
    gone('n/a');
    await clock.advance(10);
    expect(told).toEqual([
      'n/a decided 1',
      'n/a decided 0',
      'n/a decided 1',
      'n/a failed',
      'n/a forgotten',
    ]);
    api.faults = {};
    want('n/b', 1);
    await clock.advance(100);
    await engine.pause();
    expect(told.at(-1)).toBe('n/b forgotten');
  });

  it('an observer that throws cannot break the engine', async () => {
    const fail = (): never => {
      throw new Error('a mistake');
    };
    const { clock, engine, want, seen, levels } = setUp({
      observers: [{ decided: fail, failed: fail, forgotten: fail }],
    });
    want('n/a', 1);
    engine.start();
    await clock.advance(100);
    expect(seen('n/a')).toBe(1);
    expect(levels()[0]).toBe('error an observer failed; this is a bug in the operator');
  });
});

describe('pause and stop', () => {
  it.each([['pause'], ['stop']] as const)(
    'the engine finishes its current work on %s, and starts no more',
    async (how) => {
      const { clock, api, engine, want, forgotten } = setUp({ concurrency: 1, resyncMs: 1_000 });
      const answer = Promise.withResolvers<void>();
      api.faults = { before: () => answer.promise };
      want('n/a', 1);
      want('n/b', 1);
      engine.start();
      await settle();
      let isOver = false;
      const over = engine[how]().then(() => {
        isOver = true;
      });
      await clock.advance(5_000);
      expect(isOver).toBe(false);
      answer.resolve();
      await over;
      await clock.advance(60_000);
      expect(api.writes).toHaveLength(1);
      expect(clock.pending).toBe(0);
      // What the kind remembered belongs to this term.
      if (how === 'pause') expect(forgotten).toEqual(['n/a', 'n/b']);
    },
  );
});

describe('events', () => {
  const event: Step = {
    do: 'event',
    regarding: { apiVersion: 'v1', kind: 'X', name: 'a', namespace: 'n', uid: 'u' },
    event: { type: 'Normal', reason: 'R', action: 'A', message: 'm' },
  };

  it.each([
    ['in time', 500, 1],
    ['too late', 5_000, 0],
  ])(
    'an event that the API server takes %s is waited for at the end, for a second',
    async (_, ms, written) => {
      const { clock, api, engine, want, hooks, seen } = setUp();
      const slow = (): Promise<void> => new Promise((resolve) => void clock.after(ms, resolve));
      api.faults = { before: (call) => (call.kind.kind === 'Event' ? slow() : undefined) };
      hooks.extra = ({ status }) => (status === undefined ? [event] : []);
      want('n/a', 1);
      engine.start();
      await clock.advance(0);
      expect(seen('n/a')).toBe(1);
      let isOver = false;
      void engine.stop().then(() => {
        isOver = true;
      });
      await clock.advance(1_000);
      expect(isOver).toBe(true);
      expect(api.store.all({ kind: kinds.Event })).toHaveLength(written);
    },
  );
});
