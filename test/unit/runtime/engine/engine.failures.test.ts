// What does the engine do after a failure, and when does it try again?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { Step } from '../../../../src/core/decision.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { hang } from '../../../support/memory-api.ts';
import { decided, kind, setUp } from './trivial-controller.ts';

describe('the engine after a failure', () => {
  it('after a conflict the engine decides again on the newer view', async () => {
    const { clock, engine, want, wantUnseen, see, seen, levels } = setUp();
    want('n/a', 1);
    const newer = wantUnseen('n/a', 2);
    engine.start();
    await clock.advance(100);
    expect(seen('n/a')).toBeUndefined();
    see(newer);
    await clock.advance(100);
    expect(seen('n/a')).toBe(2);
    expect(new Set(levels())).toEqual(
      new Set(['debug conflict with a newer version: deciding again']),
    );
  });

  it('after a refusal the engine retries slowly, without end', async () => {
    const { clock, api, engine, want, seen, timesOf, levels } = setUp();
    api.faults = { before: () => Promise.reject(new KubeError('Forbidden', 'exceeded quota')) };
    want('n/a', 1);
    engine.start();
    await clock.advance(50_000);
    // The second decision at the same instant is for the status that reports the first.
    expect(timesOf('n/a')).toEqual([0, 0, 15_000, 30_000, 45_000]);
    expect(levels().filter((level) => level.startsWith('warn'))).toEqual(
      Array.from({ length: 4 }, () => 'warn the API server refused a write Forbidden'),
    );
    api.faults = {};
    await clock.advance(15_000);
    expect(seen('n/a')).toBe(1);
  });

  it('the engine reports the namespace of a forbidden request, and of no other failure', async () => {
    const { clock, api, engine, want, forbidden } = setUp();
    api.faults = { before: () => Promise.reject(new KubeError('Unavailable', 'try again')) };
    want('n/a', 1);
    engine.start();
    await clock.advance(1_000);
    expect(forbidden).toEqual([]);
    api.faults = { before: () => Promise.reject(new KubeError('Forbidden', 'no rule')) };
    await clock.advance(15_000);
    expect(new Set(forbidden)).toEqual(new Set(['n']));
  });

  it('after a refusal the engine writes the status with its events, and nothing else', async () => {
    const { clock, api, engine, want, hooks, seen } = setUp();
    const regarding = { apiVersion: 'v1', kind: 'X', name: 'a', uid: 'u' };
    const event = (reason: string): Step => ({
      do: 'event',
      regarding,
      event: { type: 'Warning', reason, action: 'A', message: 'm' },
    });
    const object: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'n', name: 'c' },
    };
    const create: Step = { do: 'create', kind: kinds.ConfigMap, object };
    hooks.decide = ({ object: pool, extra }) => {
      const status: Step = { do: 'status', kind, ref: decided(pool), status: { seen: 1 } };
      return {
        steps:
          extra.length === 0
            ? [
                event('Before'),
                create,
                status,
                event('First'),
                event('Second'),
                create,
                event('After'),
              ]
            : [],
      };
    };
    hooks.extra = ({ status }) => (status === undefined ? [] : [event('Done')]);
    api.faults = {
      before: (call) => {
        if (call.kind.kind === 'ConfigMap') throw new KubeError('Forbidden', 'exceeded quota');
      },
    };
    want('n/a', 1);
    engine.start();
    await clock.advance(100);
    expect(seen('n/a')).toBe(1);
    expect(
      api.writes.map(({ verb, kind: of, body }) =>
        `${verb} ${of.kind} ${asString(dig(body, 'reason')) ?? ''}`.trim(),
      ),
    ).toEqual([
      'create Event Before',
      'create ConfigMap',
      'replace SwarmPool',
      'create Event First',
      'create Event Second',
    ]);
  });

  it('in a namespace that is being deleted the engine creates nothing more, without a warning', async () => {
    const { clock, api, engine, want, seen, hooks, levels } = setUp({ resyncMs: 60_000 });
    const terminating = new KubeError(
      'NamespaceTerminating',
      'unable to create new content in namespace n',
    );
    let creations = 0;
    api.faults = {
      before: ({ verb }) => {
        if (verb !== 'create') return Promise.resolve();
        creations += 1;
        return Promise.reject(terminating);
      },
    };
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace: 'n' },
      data: {},
    };
    const create: Step = { do: 'create', kind: kinds.ConfigMap, object };
    hooks.extra = ({ spec }) => (dig(spec, 'want') === 2 ? [create] : []);
    want('n/a', 2);
    engine.start();
    await clock.advance(50_000);
    expect(creations).toBe(1);
    want('n/a', 2);
    await clock.advance(5_000);
    expect(creations).toBe(1);
    expect(seen('n/a')).toBeUndefined();
    want('n/a', 1);
    await clock.advance(1);
    expect(seen('n/a')).toBe(1);
    expect(new Set(levels())).toEqual(
      new Set(['debug the namespace is being deleted: creating nothing in it']),
    );
    want('n/a', 2);
    await clock.advance(60_000);
    expect(creations).toBe(2);
  });

  it('after 429 the engine retries when the server asked for it', async () => {
    const { clock, api, engine, want, timesOf } = setUp();
    let calls = 0;
    api.faults = {
      before: () => {
        calls += 1;
        return calls > 1
          ? Promise.resolve()
          : Promise.reject(new KubeError('TooManyRequests', 'slow down', { retryAfterMs: 7_000 }));
      },
    };
    want('n/a', 1);
    engine.start();
    await clock.advance(6_999);
    expect(timesOf('n/a')).toEqual([0]);
    await clock.advance(1);
    expect(timesOf('n/a').slice(0, 2)).toEqual([0, 7_000]);
  });

  it("the engine retries ever more slowly, and is up to date within ten seconds of the server's return", async () => {
    const { clock, api, engine, want, seen, timesOf } = setUp();
    api.faults = { before: () => Promise.reject(new KubeError('Unreachable', 'refused')) };
    want('n/a', 1);
    engine.start();
    await clock.advance(60_000);
    expect(timesOf('n/a').length).toBeLessThan(16);
    api.faults = {};
    await clock.advance(10_000);
    expect(seen('n/a')).toBe(1);
  });

  it('after a lost response the engine finds its own write, and does not repeat it', async () => {
    const { clock, api, engine, want, seen, see, timesOf } = setUp();
    api.faults = { after: () => hang() };
    want('n/a', 1);
    engine.start();
    await clock.advance(10_000);
    expect(seen('n/a')).toBe(1);
    api.faults = {};
    for (const object of api.store.all({ kind })) see(object);
    await clock.advance(20_000);
    expect(api.store.get(kind, { namespace: 'n', name: 'a' }).metadata.resourceVersion).toBe('12');
    expect(timesOf('n/a').length).toBeGreaterThan(1);
  });

  it.each([['decide'], ['gather']])(
    'after an exception in %s of one key the engine handles the others, and retries',
    async (where) => {
      const { clock, engine, want, hooks, seen, levels } = setUp({ concurrency: 1 });
      let isMistaken = true;
      const fail = (key: string): void => {
        if (key.endsWith('bad') && isMistaken) throw new TypeError('a mistake');
      };
      if (where === 'gather') hooks.gather = async (key) => fail(key);
      else {
        hooks.decide = ({ object }) => {
          fail(object.metadata.name);
          return {};
        };
      }
      want('n/bad', 1);
      want('n/good', 1);
      engine.start();
      await clock.advance(100);
      expect([seen('n/bad'), seen('n/good')]).toEqual([undefined, 1]);
      expect(levels()).toEqual(['error a decision failed; this is a bug in the operator']);
      isMistaken = false;
      await clock.advance(15_000);
      expect(seen('n/bad')).toBe(1);
    },
  );
});

describe('an observation or a decision that fails', () => {
  it.each([
    ['through a bug of the operator', () => new RangeError('Maximum call stack'), 'a mistake'],
    [
      'through a missing permission',
      () => new KubeError('Forbidden', 'configmaps is forbidden'),
      'configmaps is forbidden',
    ],
  ])('a failure %s is reported in status all the same', async (_, error, told) => {
    const { clock, api, engine, want, hooks } = setUp();
    hooks.tellsFailures = true;
    hooks.gather = () => Promise.reject(error());
    want('n/a', 1);
    engine.start();
    await clock.advance(1_000);
    expect(dig(api.store.find(kind, { namespace: 'n', name: 'a' }), 'status')).toEqual({
      failed: told,
    });
    hooks.gather = () => Promise.resolve();
    await clock.advance(20_000);
    expect(dig(api.store.find(kind, { namespace: 'n', name: 'a' }), 'status')).toEqual({ seen: 1 });
  });
});
