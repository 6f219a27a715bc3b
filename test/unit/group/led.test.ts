// Which workloads does a group leave to a pool that scales them? The pool's spec says so, before it
// has a status.
import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, type Kind, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { swarmGroupController } from '../../../src/group/controller.ts';
import { poolMarks } from '../../../src/pool/controller.ts';
import { MetricReadings } from '../../../src/runtime/metric-sources/readings.ts';
import { ScaleReadings } from '../../../src/runtime/scales/readings.ts';
import { makeStore } from '../../../src/runtime/store/store.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const object = (
  kind: Kind,
  name: string,
  rest: object = {},
  metadata: object = {},
): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', ...metadata },
  ...rest,
});

const labels = { app: 'worker', tier: 'one' };
const workload = (kind: Kind, metadata: object = { labels }): KubeObject =>
  object(kind, 'worker', { spec: { replicas: 2 } }, metadata);
const pool = (workers: object, name = 'tv', metadata: object = {}): KubeObject =>
  object(kinds.SwarmPool, name, { spec: { workers } }, metadata);
const group = (kind: string): KubeObject =>
  object(kinds.SwarmGroup, 'shop', { spec: { members: [{ kind, name: 'worker' }] } });

/** A controller that learns of objects as watches report them. */
function setUp() {
  const clock = new VirtualClock();
  const woken: string[] = [];
  const api = new MemoryApi(clock);
  const store = makeStore(api, poolMarks);
  const metrics = new MetricReadings({ clock, sources: [], onAnswer: () => undefined });
  const scales = new ScaleReadings({ api, clock, kinds: [] });
  const controller = swarmGroupController({ clock, store, metrics, scales });
  const subscriptions = controller.subscriptions((key) => woken.push(key));
  const tell = (type: 'ADDED' | 'MODIFIED' | 'DELETED', it: KubeObject): void => {
    for (const { kind, onChange } of subscriptions)
      if (kind.kind === it.kind) onChange({ type, object: it });
  };
  return {
    woken,
    tell,
    see: (...objects: readonly KubeObject[]): void => {
      for (const it of objects) tell('ADDED', it);
    },
    conflict: async (): Promise<string | undefined> => {
      const world = await controller.observe('shop/shop', undefined);
      return world?.members[0]?.conflict?.message;
    },
  };
}

const byName = { targetRef: { name: 'worker' } };
const byLabels = { selector: { matchLabels: { app: 'worker' } } };
const told = 'SwarmPool tv scales it: make the pool the member instead';

describe('a group leaves a member to a pool', () => {
  it.each([
    ['that leads it, named', 'StatefulSet', { ...byName, scaling: 'Lead' }, told],
    ['that leads it, by labels', 'StatefulSet', { ...byLabels, scaling: 'Lead' }, told],
    ['that scales it by its streams', 'StatefulSet', { ...byName, scaling: 'Auto' }, told],
    [
      'that leads a Deployment',
      'Deployment',
      { targetRef: { kind: 'Deployment', name: 'worker' }, scaling: 'Lead' },
      told,
    ],
    [
      'that leads Deployments by labels',
      'Deployment',
      { ...byLabels, kind: 'Deployment', scaling: 'Lead' },
      told,
    ],
  ])(
    "a group leaves a member to a pool %s, before the pool's first status",
    async (_, kind, workers, want) => {
      const { see, conflict } = setUp();
      see(group(kind), workload(kinds[kind as 'StatefulSet']), pool(workers));
      expect(await conflict()).toBe(want);
    },
  );

  it.each([
    ['that follows', 'StatefulSet', byName],
    ['that says nothing of scaling but Follow', 'StatefulSet', { ...byName, scaling: 'Follow' }],
    ['of another name', 'StatefulSet', { targetRef: { name: 'other' }, scaling: 'Lead' }],
    ['of another kind', 'Deployment', { ...byName, scaling: 'Lead' }],
    [
      'with one label more',
      'StatefulSet',
      { selector: { matchLabels: { ...labels, tier: 'two' } }, scaling: 'Lead' },
    ],
    ['whose spec is invalid', 'StatefulSet', { ...byName, scaling: 'Alone' }],
  ])('a group does not leave a member to a pool %s', async (_, kind, workers) => {
    const { see, conflict } = setUp();
    see(group(kind), workload(kinds[kind as 'StatefulSet']), pool(workers));
    expect(await conflict()).toBeUndefined();
  });

  it('a group does not leave a member to a pool that is being deleted, or gone', async () => {
    const { see, tell, conflict } = setUp();
    const lead = { ...byName, scaling: 'Lead' };
    see(group('StatefulSet'), workload(kinds.StatefulSet), pool(lead));
    tell('MODIFIED', pool(lead, 'tv', { deletionTimestamp: '2026-01-01T00:00:00Z' }));
    expect(await conflict()).toBeUndefined();
    tell('MODIFIED', pool(lead));
    expect(await conflict()).toBe(told);
    tell('DELETED', pool(lead));
    expect(await conflict()).toBeUndefined();
  });

  it('a group does not leave a member to a pool that loses it to an older pool', async () => {
    const { see, conflict } = setUp();
    const at = (year: number): object => ({ creationTimestamp: `${year}-01-01T00:00:00Z` });
    see(
      group('StatefulSet'),
      workload(kinds.StatefulSet),
      pool({ ...byName, scaling: 'Lead' }, 'a-young', at(2026)),
      pool({ ...byLabels, scaling: 'Follow' }, 'old', at(2025)),
    );
    expect(await conflict()).toBeUndefined();
  });

  it('a group goes by the spec of a pool, not by the target in its status', async () => {
    const { see, conflict } = setUp();
    const status = { target: 'StatefulSet/worker' };
    const other = { targetRef: { name: 'other' }, scaling: 'Lead' };
    see(group('StatefulSet'), workload(kinds.StatefulSet), { ...pool(other), status });
    expect(await conflict()).toBeUndefined();
  });
});

describe('a group is woken', () => {
  it.each([
    ['a pool that leads its member is created', undefined, { ...byLabels, scaling: 'Lead' }],
    ['a pool begins to lead', byName, { ...byName, scaling: 'Lead' }],
    [
      'a pool turns to another workload',
      { ...byName, scaling: 'Lead' },
      { targetRef: { name: 'other' }, scaling: 'Lead' },
    ],
    ['a pool is deleted', { ...byName, scaling: 'Lead' }, undefined],
  ])('a group is woken when %s', (_, before, after) => {
    const { see, tell, woken } = setUp();
    see(group('StatefulSet'), workload(kinds.StatefulSet));
    if (before !== undefined) see(pool(before));
    woken.length = 0;
    if (after === undefined) tell('DELETED', pool(before ?? {}));
    else tell(before === undefined ? 'ADDED' : 'MODIFIED', pool(after));
    expect(woken).toEqual(['shop/shop']);
  });

  it('a group is not woken when a pool changes in fields that do not concern it', () => {
    const { see, tell, woken } = setUp();
    const lead = { ...byName, scaling: 'Lead' };
    see(group('StatefulSet'), workload(kinds.StatefulSet), pool(lead));
    woken.length = 0;
    tell('MODIFIED', pool({ ...lead, replicas: 5 }));
    expect(woken).toEqual([]);
  });
});

describe('an older group', () => {
  const crowd = { crowd: 'yes' };
  const older = object(
    kinds.SwarmGroup,
    'older',
    { spec: { selector: { matchLabels: crowd } } },
    { creationTimestamp: '2025-01-01T00:00:00Z' },
  );
  const one = (index: number): KubeObject =>
    object(kinds.Deployment, `one-${index}`, { spec: { replicas: 1 } }, { labels: crowd });
  const younger = object(
    kinds.SwarmGroup,
    'shop',
    { spec: { members: [{ kind: 'Deployment', name: 'one-0' }] } },
    { creationTimestamp: '2026-01-01T00:00:00Z' },
  );

  it('an older group keeps its members, unless it is blocked by too many', async () => {
    const { see, tell, woken, conflict } = setUp();
    const told = 'the older SwarmGroup older scales it';
    see(older, younger, ...Array.from({ length: 100 }, (_, index) => one(index)));
    expect(await conflict()).toBe(told);
    woken.length = 0;
    tell('ADDED', one(100));
    expect(woken).toContain('shop/shop');
    expect(await conflict()).toBeUndefined();
    woken.length = 0;
    tell('DELETED', one(100));
    expect(woken).toContain('shop/shop');
    expect(await conflict()).toBe(told);
  });
});
