// Are the contents of ConfigMaps read when they are needed, once for each version, and dropped when
// they are not?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { ConfigMaps } from '../../../../src/runtime/store/config-maps.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const ref = { namespace: 'n', name: 'list' };

async function setUp() {
  const api = new MemoryApi(new VirtualClock());
  const configMaps = new ConfigMaps(api, { label: 'app', annotation: 'note' });
  const reads = (): number => api.calls.filter(({ verb }) => verb === 'get').length;
  const write = (object: KubeObject): void => {
    const { apiVersion, kind, metadata } = object;
    configMaps.apply({ type: 'MODIFIED', object: { apiVersion, kind, metadata } });
  };
  const created = await api.create(kinds.ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: ref,
    data: { a: '1' },
  });
  write(created);
  return { api, configMaps, write, reads };
}

describe('the contents of a ConfigMap', () => {
  it('the contents of a ConfigMap are read once for each version', async () => {
    const { api, configMaps, write, reads } = await setUp();
    expect((await configMaps.get(ref))?.data).toEqual({ a: '1' });
    await configMaps.get(ref);
    expect(reads()).toBe(1);
    write(await api.patch(kinds.ConfigMap, ref, { type: 'merge', body: { data: { a: '2' } } }));
    expect((await configMaps.get(ref))?.data).toEqual({ a: '2' });
    expect(reads()).toBe(2);
  });

  it('all that need a version at the same time share one read of it', async () => {
    const { api, configMaps, write, reads } = await setUp();
    const first = await Promise.all([configMaps.get(ref), configMaps.get(ref)]);
    expect(first.map((it) => it?.data)).toEqual([{ a: '1' }, { a: '1' }]);
    expect(reads()).toBe(1);
    configMaps.release(ref);
    const earlier = configMaps.get(ref);
    write(await api.patch(kinds.ConfigMap, ref, { type: 'merge', body: { data: { a: '2' } } }));
    const later = await Promise.all([configMaps.get(ref), configMaps.get(ref)]);
    expect(later.map((it) => it?.data)).toEqual([{ a: '2' }, { a: '2' }]);
    await earlier;
    expect(reads()).toBe(3);
  });

  it('a read that fails fails for all that share it, and is made again', async () => {
    const { api, configMaps, reads } = await setUp();
    const { apiVersion, kind, metadata } = api.store.get(kinds.ConfigMap, ref);
    await api.delete(kinds.ConfigMap, ref);
    const both = [configMaps.get(ref), configMaps.get(ref)];
    for (const read of both) await expect(read).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(configMaps.get(ref)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(reads()).toBe(2);
    configMaps.apply({ type: 'DELETED', object: { apiVersion, kind, metadata } });
    expect(await configMaps.get(ref)).toBeUndefined();
  });

  it('released contents are dropped, and read again when they are needed again', async () => {
    const { configMaps, reads } = await setUp();
    const first = await configMaps.get(ref);
    configMaps.release(ref);
    expect(await configMaps.get(ref)).toEqual(first);
    expect(reads()).toBe(2);
  });

  it('contents are read again when they are older than the known version', async () => {
    const { api, configMaps, write } = await setUp();
    const changed = await api.patch(kinds.ConfigMap, ref, {
      type: 'merge',
      body: { data: { a: '2' } },
    });
    const ahead = {
      ...changed,
      metadata: {
        ...changed.metadata,
        resourceVersion: `${Number(changed.metadata.resourceVersion) + 1}`,
      },
    };
    write(ahead);
    await expect(configMaps.get(ref)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('n/list'),
    });
    write(await api.patch(kinds.ConfigMap, ref, { type: 'merge', body: { data: { a: '3' } } }));
    expect((await configMaps.get(ref))?.data).toEqual({ a: '3' });
  });

  it('contents are read again after etcd was restored, whatever their version', async () => {
    const { api, configMaps, write, reads } = await setUp();
    const { version } = api.store;
    write(await api.patch(kinds.ConfigMap, ref, { type: 'merge', body: { data: { a: 'lost' } } }));
    expect((await configMaps.get(ref))?.data).toEqual({ a: 'lost' });
    api.store.restore(version, undefined);
    const { apiVersion, kind, metadata } = api.store.get(kinds.ConfigMap, ref);
    configMaps.apply({
      type: 'MODIFIED',
      object: { apiVersion, kind, metadata },
      isRestored: true,
    });
    expect((await configMaps.get(ref))?.data).toEqual({ a: '1' });
    expect(reads()).toBe(2);
  });

  it('a read from before a restoration is not shared with those that need a version from after it', async () => {
    const { api, configMaps, reads } = await setUp();
    const before = configMaps.get(ref);
    const { apiVersion, kind, metadata } = api.store.get(kinds.ConfigMap, ref);
    configMaps.apply({
      type: 'MODIFIED',
      object: { apiVersion, kind, metadata },
      isRestored: true,
    });
    await Promise.all([before, configMaps.get(ref)]);
    expect(reads()).toBe(2);
  });

  it('the contents of a ConfigMap that no watch has reported yet are read where a pool names it', async () => {
    const { api, configMaps } = await setUp();
    await api.create(kinds.ConfigMap, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...ref, name: 'new' },
      data: { a: '9' },
    });
    expect(await configMaps.get({ ...ref, name: 'new' })).toBeUndefined();
    expect((await configMaps.seek({ ...ref, name: 'new' }))?.data).toEqual({ a: '9' });
    expect(await configMaps.seek({ ...ref, name: 'none' })).toBeUndefined();
  });

  it('a ConfigMap counts as deleted only once the watch has reported it', async () => {
    const { api, configMaps } = await setUp();
    const { apiVersion, kind, metadata } = api.store.get(kinds.ConfigMap, ref);
    await api.delete(kinds.ConfigMap, ref);
    await expect(configMaps.get(ref)).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('n/list'),
    });
    configMaps.apply({ type: 'DELETED', object: { apiVersion, kind, metadata } });
    expect(await configMaps.get(ref)).toBeUndefined();
  });

  it('contents are dropped as soon as the watch reports another version', async () => {
    const { api, configMaps, write } = await setUp();
    await configMaps.get(ref);
    expect(configMaps.size).toBe(1);
    const body = { metadata: { labels: { app: 'other' } } };
    write(await api.patch(kinds.ConfigMap, ref, { type: 'merge', body }));
    expect(configMaps.size).toBe(0);
  });

  it('the contents of a ConfigMap that is deleted while it is read are not kept', async () => {
    const { api, configMaps } = await setUp();
    const { apiVersion, kind, metadata } = api.store.get(kinds.ConfigMap, ref);
    api.faults = {
      after: () => configMaps.apply({ type: 'DELETED', object: { apiVersion, kind, metadata } }),
    };
    expect((await configMaps.get(ref))?.data).toEqual({ a: '1' });
    expect(configMaps.size).toBe(0);
  });

  it('the contents of a missing ConfigMap are undefined', async () => {
    const { configMaps, reads } = await setUp();
    expect(await configMaps.get({ namespace: 'n', name: 'other' })).toBeUndefined();
    expect(reads()).toBe(0);
  });
});

it('ConfigMaps are found by the value of their label, as long as they have it', async () => {
  const { configMaps } = await setUp();
  const labelled = (value?: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...ref, ...(value !== undefined && { labels: { app: value } }) },
  });
  const named = (value: string) => configMaps.labelled({ namespace: 'n', name: value });
  configMaps.apply({ type: 'MODIFIED', object: labelled('a') });
  expect([named('a'), named('b')]).toEqual([['list'], []]);
  configMaps.apply({ type: 'MODIFIED', object: labelled('b') });
  expect([named('a'), named('b')]).toEqual([[], ['list']]);
  configMaps.apply({ type: 'DELETED', object: labelled('b') });
  expect(named('b')).toEqual([]);
});

it('a listener learns which label a ConfigMap had before', async () => {
  const { configMaps } = await setUp();
  const told: (string | undefined)[] = [];
  configMaps.listen((_, labelBefore) => told.push(labelBefore));
  for (const app of ['a', 'b']) {
    const metadata = { ...ref, labels: { app } };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    configMaps.apply({ type: 'MODIFIED', object });
  }
  expect(told).toEqual([undefined, 'a']);
});
