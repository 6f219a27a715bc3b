// Does each step become its write, and does a failing step stop later ones?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig } from '../../../../src/api/objects.ts';
import type { Step } from '../../../../src/core/decision.ts';
import { KubeError, type KubeErrorCode } from '../../../../src/runtime/client/errors.ts';
import { execute } from '../../../../src/runtime/engine/execute.ts';
import { hang } from '../../../support/memory-api.ts';
import { configMap, event, regarding, setUp, status } from './executor-under-test.ts';
import { decided } from './trivial-controller.ts';

describe('a step', () => {
  it('a create step fails on an existing object', async () => {
    const { api, executor, observed } = setUp();
    const step: Step = { do: 'create', kind: kinds.ConfigMap, object: configMap };
    await execute(executor, [step]);
    await expect(execute(executor, [step])).rejects.toMatchObject({ code: 'AlreadyExists' });
    expect(observed).toEqual(['ConfigMap c 11']);
    expect(api.writes).toHaveLength(2);
  });

  it.each([
    ['ssh', ['host_key', 'host_key.pub', 'user_key', 'user_key.pub']],
    ['curve', ['curve.cert']],
  ] as const)(
    'keys for %s are made when their Secret is created, stay as they are, and reach no cache',
    async (keys, files) => {
      const { api, executor, observed } = setUp();
      const metadata = { name: 'keys', namespace: 'n' };
      const object = { apiVersion: 'v1', kind: 'Secret', metadata };
      const step: Step = { do: 'createKeys', keys, object };
      await execute(executor, [step]);
      await execute(executor, [step]);
      const [first] = api.writes;
      expect(Object.keys(Object(first?.body).stringData).sort()).toEqual(files);
      const stored = api.store.find(kinds.Secret, metadata);
      expect(stored?.['stringData']).toEqual(Object(first?.body).stringData);
      expect(observed).toEqual([]);
      api.faults = {
        before: () => {
          throw new KubeError('Forbidden', 'exceeded quota');
        },
      };
      await expect(execute(executor, [step])).rejects.toMatchObject({ code: 'Forbidden' });
    },
  );

  it('a patch step names the UID and the version that it was decided on, and keeps its other metadata', async () => {
    const { api, executor } = setUp();
    const present = api.store.create(kinds.ConfigMap, configMap);
    const body = { metadata: { labels: { a: 'b' } }, data: { k: 'v' } };
    await execute(executor, [{ do: 'patch', kind: kinds.ConfigMap, ref: decided(present), body }]);
    expect(api.writes[0]?.body).toEqual({
      metadata: { labels: { a: 'b' }, uid: 'uid-1', resourceVersion: '11' },
      data: { k: 'v' },
    });
    await expect(
      execute(executor, [{ do: 'patch', kind: kinds.ConfigMap, ref: decided(present), body }]),
    ).rejects.toMatchObject({
      code: 'Conflict',
    });
  });

  it('a lost response marks the cached object as outdated; a refusal does not', async () => {
    const { api, executor, observed, outdated } = setUp();
    const present = api.store.create(kinds.ConfigMap, configMap);
    const patch: Step = {
      do: 'patch',
      kind: kinds.ConfigMap,
      ref: decided(present),
      body: { data: { k: 'v' } },
    };
    const failing = (code: KubeErrorCode) => (): never => {
      throw new KubeError(code, 'it fails');
    };
    api.faults = { after: failing('Unreachable') };
    await expect(execute(executor, [patch])).rejects.toMatchObject({ code: 'Unreachable' });
    expect([observed, outdated]).toEqual([[], ['ConfigMap c']]);
    api.faults = { before: failing('Forbidden') };
    await expect(execute(executor, [patch])).rejects.toMatchObject({ code: 'Forbidden' });
    expect(outdated).toHaveLength(1);
  });

  it('a scale step passes on the scale that it was answered with', async () => {
    const { api, executor, scaled, outdated } = setUp();
    const set = api.store.put(kinds.StatefulSet, { namespace: 'n', name: 's' });
    const step: Step = { do: 'scale', kind: kinds.StatefulSet, ref: decided(set), replicas: 2 };
    await execute(executor, [step]);
    expect([scaled, outdated]).toEqual([['StatefulSet s 12'], []]);
  });

  it.each<[KubeErrorCode, boolean]>([
    ['Conflict', true],
    ['NotFound', true],
    ['Timeout', true],
    ['Forbidden', false],
  ])(
    'a scale step that fails with %s marks the cached object as outdated: %s',
    async (code, isOutdated) => {
      const { api, executor, scaled, outdated } = setUp();
      const set = api.store.put(kinds.StatefulSet, { namespace: 'n', name: 's' });
      const step: Step = { do: 'scale', kind: kinds.StatefulSet, ref: decided(set), replicas: 2 };
      api.faults = {
        before: () => {
          throw new KubeError(code, 'as it is');
        },
      };
      await expect(execute(executor, [step])).rejects.toThrow('as it is');
      expect([scaled, outdated]).toEqual([[], isOutdated ? ['StatefulSet s'] : []]);
    },
  );

  it('an annotate step goes through the status of the pod, and not to a successor with its name', async () => {
    const { api, executor, pod, annotate, find } = setUp();
    const first = pod('a');
    await execute(executor, [annotate(first)]);
    expect([api.writes[0]?.subresource, find('a')?.metadata.annotations]).toEqual([
      'status',
      { x: '1' },
    ]);
    api.store.remove(kinds.Pod, { namespace: 'n', name: 'a' });
    pod('a');
    await expect(execute(executor, [annotate(first)])).rejects.toMatchObject({ code: 'Conflict' });
    expect(find('a')?.metadata.annotations).toBeUndefined();
  });

  it('a status step replaces the status whole, and nothing else', async () => {
    const { api, executor } = setUp();
    const present = api.store.put(
      kinds.SwarmPool,
      { namespace: 'n', name: 'p' },
      { spec: { a: 1 }, status: { old: true } },
    );
    await execute(executor, [status(present)]);
    expect(api.store.find(kinds.SwarmPool, { namespace: 'n', name: 'p' })).toMatchObject({
      spec: { a: 1 },
      status: { version: 1 },
    });
    await expect(execute(executor, [status(present)])).rejects.toMatchObject({ code: 'Conflict' });
  });
});

describe('an event', () => {
  it('an event that cannot be written undoes nothing', async () => {
    const { api, told, lost } = setUp();
    const pool = api.store.put(kinds.SwarmPool, { namespace: 'n', name: 'p' });
    api.faults = {
      before: ({ kind }) => {
        if (kind.kind === 'Event') throw new KubeError('Forbidden', 'no events');
      },
    };
    await told(event('lost'), status(pool));
    expect(lost.map(String)).toEqual(['KubeError: no events']);
    expect(api.store.find(kinds.SwarmPool, { namespace: 'n', name: 'p' })).toMatchObject({
      status: { version: 1 },
    });
  });

  it('an event that takes long to be written delays no later step', async () => {
    const { clock, api, executor, events } = setUp();
    const pool = api.store.put(kinds.SwarmPool, { namespace: 'n', name: 'p' });
    api.faults = { before: ({ kind }) => (kind.kind === 'Event' ? hang() : undefined) };
    await execute(executor, [event('a'), status(pool), event('b')]);
    expect(api.store.find(kinds.SwarmPool, { namespace: 'n', name: 'p' })).toMatchObject({
      status: { version: 1 },
    });
    events.forget();
    await clock.advance(10_000);
    expect(clock.pending).toBe(0);
  });

  it('an event contains what happened to which object, when, and its reporter', async () => {
    const { api, told } = setUp();
    await told(event('version 7'));
    expect(api.store.all({ kind: kinds.Event })).toMatchObject([
      {
        apiVersion: 'v1',
        metadata: { namespace: 'n', name: expect.stringMatching(/^p\.[0-9a-f]{21}$/) },
        eventTime: '2026-01-01T00:00:00.000000Z',
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
        count: 1,
        source: { component: 'k8slab.info/swarm-operator' },
        reportingComponent: 'k8slab.info/swarm-operator',
        reportingInstance: 'me',
        involvedObject: regarding,
        message: 'version 7',
        type: 'Normal',
        reason: 'Published',
        action: 'Publish',
      },
    ]);
  });

  it.each([
    ['of one byte', 'x', 2_000],
    ['of three bytes', '日', 500],
    ['of four bytes', '🐝', 300],
    ['of one byte and a few of four', 'xxxxxxx🐝', 120],
  ])('an event is shortened to the API’s limit, in characters %s', async (_, text, times) => {
    const { api, told } = setUp();
    await told(event(text.repeat(times)));
    const message = asString(dig(api.writes[0]?.body, 'message')) ?? '';
    const bytes = Buffer.byteLength(message);
    expect(bytes).toBeLessThanOrEqual(1_024);
    expect(bytes).toBeGreaterThan(1_015);
    expect(message.isWellFormed() && message.endsWith('…')).toBe(true);
  });

  it('an event that fits is not shortened, and one about a long name gets a name that fits', async () => {
    const { api, told } = setUp();
    await told(event('x'.repeat(1_024), `${'n'.repeat(230)}-${'n'.repeat(22)}`));
    expect(dig(api.writes[0]?.body, 'message')).toBe('x'.repeat(1_024));
    expect(dig(api.writes[0]?.body, 'metadata', 'name')).toMatch(/^n{230}\.[0-9a-f]{21}$/);
  });
});
