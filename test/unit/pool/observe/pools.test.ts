// A pool that there is no room for is known without its streams, and whole again when there is.
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { isWithheld, PoolStore } from '../../../../src/pool/observe/pools.ts';
import { readRestarts } from '../../../../src/pool/streams/restarts.ts';
import { TurnScheduler } from '../../../../src/runtime/queue/turn-scheduler.ts';
import { names } from '../../../integration/support/shape.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';
import { gathering, object } from './gathering.ts';

const streams = names(1_000, 'stream-').map((name) => ({ name }));
const ours = { 'k8slab.info/paused': 'true', 'k8slab.info/confirm-removal': '4f1c2a9b' };
const targetRef = { name: 'worker' };
const tv = (spec: object = {}, metadata: object = {}): KubeObject =>
  object(
    kinds.SwarmPool,
    'tv',
    { spec: { workers: { targetRef }, streams, ...spec } },
    { generation: 1, ...metadata },
  );
const place = { namespace: 'swarm', name: 'tv' };

async function setUp() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const room = { isThere: false };
  const pools = new PoolStore({
    api,
    scheduler: new TurnScheduler({ clock }),
    tryReserve: () => room.isThere,
  });
  const see = (it: KubeObject) => pools.apply({ type: 'MODIFIED', object: pools.slim(it) });
  const created = await api.create(
    kinds.SwarmPool,
    tv({}, { annotations: { ...ours, other: 'x'.repeat(5_000) } }),
  );
  see(created);
  const known = () => {
    const pool = pools.get(place);
    if (pool?.spec.ok !== true) throw new Error('there is no such pool, or its spec is wrong');
    return { pool, spec: pool.spec };
  };
  return { api, room, pools, see, created, known };
}

it('the annotation that restarts streams is known up to its greatest length', async () => {
  const { see, known } = await setUp();
  const asking = (text: string): string | undefined => {
    see(tv({}, { annotations: { 'k8slab.info/restart': text } }));
    return known().pool.meta.annotations['k8slab.info/restart'];
  };
  const longest = `${'x'.repeat(128)} ${'t'.repeat(64)}\n`.repeat(100);
  expect(asking(longest)).toBe(longest);
  const kept = asking('x t\n'.repeat(60_000)) ?? '';
  expect(kept.length).toBeLessThan(20_100);
  expect(readRestarts(kept)).toMatchObject({ tokens: new Map(), problem: 'it is too long' });
});

describe('a pool without room', () => {
  it('a pool without room is known without its streams: its target, its annotations and its size', async () => {
    const { pools, known } = await setUp();
    const { pool, spec } = known();
    expect(JSON.stringify(pool).length).toBeLessThan(3_000);
    expect(spec.value.workers.targetRef).toMatchObject(targetRef);
    expect(pool.meta.annotations).toEqual(ours);
    expect(pools.sizeOf(pool)).toMatchObject({ streams: 1_000 });
    expect(pools.by('sought', 'swarm/name worker')).toHaveLength(1);
    expect(pools.by('configMap', 'swarm/tv-assignments')).toHaveLength(1);
  });

  it('another version of a pool with the same spec has the same spec object', async () => {
    const { see, created, known } = await setUp();
    const before = known().spec;
    see({ ...created, metadata: { ...created.metadata, resourceVersion: '99' }, status: {} });
    expect(known().spec).toBe(before);
    see({ ...tv({ streams: streams.slice(1) }), metadata: { ...created.metadata, generation: 2 } });
    expect(known().spec).not.toBe(before);
  });

  it('the streams of a pool that loses its room are let go', async () => {
    const { pools, room, see, created, known } = await setUp();
    room.isThere = true;
    see({ ...created, metadata: { ...created.metadata, generation: 2 } });
    const { pool, spec } = known();
    expect(spec.value.streams).toHaveLength(1_000);
    const size = pools.sizeOf(pool);
    pools.withhold(pool);
    expect(isWithheld(known().pool)).toBe(true);
    expect(known().spec.value.streams).toBeUndefined();
    expect(pools.sizeOf(known().pool)).toEqual(size);
  });

  it('a version that the watch reported meanwhile stays when a pool is withheld', async () => {
    const { pools, room, see, created, known } = await setUp();
    room.isThere = true;
    see({ ...created, metadata: { ...created.metadata, generation: 2 } });
    const seen = known().pool;
    see({ ...created, metadata: { ...created.metadata, generation: 3, resourceVersion: '99' } });
    expect(pools.withhold(seen).meta.generation).toBe(3);
    expect(known().pool.meta.resourceVersion).toBe('99');
  });

  it('what was computed from the streams of lists is freed with the spec', async () => {
    const { pools, room, see, known } = await setUp();
    room.isThere = true;
    see(tv({ streams: [] }));
    const { value } = known().spec;
    pools.withhold(known().pool);
    expect(known().spec.value).not.toBe(value);
    expect(known().spec.value).toEqual(value);
    expect(isWithheld(known().pool)).toBe(false);
  });
});

describe('a deleted pool', () => {
  const key = 'swarm/tv';

  it('a deleted pool is decided about once more by the leader', async () => {
    const { keys, remove, stop } = await gathering([tv()]);
    remove(tv());
    expect(keys()).toEqual([key]);
    await stop();
  });

  it('a standby remembers a deleted pool as long as one of its ConfigMaps exists', async () => {
    const labels = { 'k8slab.info/pool': 'tv' };
    const left = object(kinds.ConfigMap, 'tv-assignments', {}, { labels });
    const { keys, remove, skip, stop } = await gathering([tv(), left]);
    remove(tv());
    skip(key);
    expect(keys()).toEqual([key]);
    remove(left);
    skip(key);
    expect(keys()).toEqual([]);
    await stop();
  });
});

describe('a withheld pool', () => {
  it('a withheld pool is read again when there is room', async () => {
    const { pools, room, known } = await setUp();
    room.isThere = true;
    pools.apply(await pools.readWhole(known().pool));
    expect(known().spec.value.streams).toHaveLength(1_000);
    expect(isWithheld(known().pool)).toBe(false);
  });

  it('a pool that the watch reported as deleted meanwhile does not come back', async () => {
    const { api, pools, room, created, known } = await setUp();
    const { pool } = known();
    room.isThere = true;
    api.faults = { after: () => void pools.apply({ type: 'DELETED', object: created }) };
    await expect(pools.readWhole(pool)).rejects.toMatchObject({ code: 'Unavailable' });
  });

  it('a reading is ignored when it has another version than the watch reported', async () => {
    const { api, pools, known } = await setUp();
    const { pool } = known();
    await api.patch(kinds.SwarmPool, place, {
      type: 'merge',
      body: { metadata: { labels: { a: 'b' } } },
    });
    await expect(pools.readWhole(pool)).rejects.toMatchObject({ code: 'Unavailable' });
    await api.delete(kinds.SwarmPool, place);
    await expect(pools.readWhole(pool)).rejects.toMatchObject({ code: 'Unavailable' });
  });
});

it('a pool without streams of its own is never withheld', async () => {
  const { see, created, known } = await setUp();
  const streamsFrom = [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }];
  see({ ...created, spec: { workers: { targetRef }, streamsFrom } });
  expect(isWithheld(known().pool)).toBe(false);
});
