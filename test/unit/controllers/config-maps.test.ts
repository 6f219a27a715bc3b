// Contents of ConfigMaps are read when they are needed, once for each version, and not kept when nobody needs them.
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { ConfigMaps } from '../../../src/controllers/config-maps.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const ref = { namespace: 'n', name: 'list' };

async function setUp() {
  const api = new MemoryApi(new VirtualClock());
  const configMaps = new ConfigMaps(api);
  const reads = (): number => api.calls.filter(({ verb }) => verb === 'get').length;
  const write = (object: KubeObject): void => {
    const { apiVersion, kind, metadata } = object;
    configMaps.apply({ type: 'MODIFIED', object: { apiVersion, kind, metadata } });
  };
  const created = await api.create(kinds.ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { a: '1' } });
  write(created);
  return { api, configMaps, write, reads };
}

describe('the contents of a ConfigMap', () => {
  it('are read once for each version', async () => {
    const { api, configMaps, write, reads } = await setUp();
    expect((await configMaps.get(ref))?.data).toEqual({ a: '1' });
    await configMaps.get(ref);
    expect(reads()).toBe(1);
    write(await api.patch(kinds.ConfigMap, ref, { type: 'merge', body: { data: { a: '2' } } }));
    expect((await configMaps.get(ref))?.data).toEqual({ a: '2' });
    expect(reads()).toBe(2);
  });

  it('are not kept once they are released, and are read again when they are needed again', async () => {
    const { configMaps, reads } = await setUp();
    const first = await configMaps.get(ref);
    configMaps.release(ref);
    expect(await configMaps.get(ref)).toEqual(first);
    expect(reads()).toBe(2);
  });

  it('are nothing when there is no such ConfigMap', async () => {
    const { configMaps, reads } = await setUp();
    expect(await configMaps.get({ namespace: 'n', name: 'other' })).toBeUndefined();
    expect(reads()).toBe(0);
  });
});
