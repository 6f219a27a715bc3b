// After etcd was restored from a snapshot, does the watcher report the objects that exist now,
// whatever their versions?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { Change } from '../../../../src/runtime/client/api.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { Watcher } from '../../../../src/runtime/watch/watcher.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const kind = kinds.ConfigMap;
const at = (name: string) => ({ namespace: 'n', name });

/** A running watcher; `away` is how long the server is down for the restoration. */
async function setUp() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const changes: Change[] = [];
  const restorations: number[] = [];
  let isDown = false;
  api.faults = {
    before: () => {
      if (isDown) throw new KubeError('Unreachable', 'connect ECONNREFUSED');
    },
  };
  const watcher = new Watcher(
    api,
    { kind },
    { clock, random: () => 0.5, onRestored: () => restorations.push(clock.monotonic()) },
    (change) => changes.push(change),
  );
  const stopping = new AbortController();
  const done = watcher.run(stopping.signal);
  const present = (): Readonly<Record<string, unknown>> => {
    const found = new Map<string, unknown>();
    for (const { type, object } of changes)
      if (type === 'DELETED') found.delete(object.metadata.name);
      else found.set(object.metadata.name, object['data']);
    return Object.fromEntries(found);
  };
  const restore = async (
    version: number,
    { bumpedBy, awayMs }: { bumpedBy?: number; awayMs: number },
  ): Promise<void> => {
    isDown = true;
    await clock.advance(8_000 + awayMs);
    api.store.restore(version, bumpedBy);
    isDown = false;
  };
  await clock.advance(100);
  return {
    ...{ api, clock, watcher, changes, restorations, present, restore },
    put: (name: string, data: string) => api.store.put(kind, at(name), { data }),
    end: async () => {
      stopping.abort();
      await clock.advance(0);
      await done;
    },
  };
}

describe('a restored etcd', () => {
  it.each([
    ['not bumped', undefined],
    ['bumped', 1_000],
  ])('a change that a restore of etcd undid is reported (%s)', async (_, bumpedBy) => {
    const it = await setUp();
    it.put('kept', 'old');
    it.put('changed', 'old');
    it.put('deleted', 'old');
    const { version } = it.api.store;
    it.put('changed', 'new');
    it.put('made', 'new');
    it.api.store.remove(kind, at('deleted'));
    await it.clock.advance(1_000);
    await it.restore(version, { ...(bumpedBy !== undefined && { bumpedBy }), awayMs: 3_000 });
    await it.clock.advance(15_000);
    expect(it.present()).toEqual({ kept: 'old', changed: 'old', deleted: 'old' });
    it.put('changed', 'newer');
    await it.clock.advance(1_000);
    expect(it.present()['changed']).toBe('newer');
    await it.end();
  });

  it('a restore of etcd is detected although versions have passed those seen before', async () => {
    const it = await setUp();
    it.put('undone', 'old');
    const { version } = it.api.store;
    it.put('undone', 'new');
    await it.clock.advance(1_000);
    await it.restore(version, { awayMs: 2_000 });
    for (let count = 0; count < 5; count += 1) it.put('busy', String(count));
    await it.clock.advance(5_000);
    expect(it.present()).toEqual({ undone: 'old', busy: '4' });
    expect(it.restorations).toHaveLength(1);
    expect(
      it.changes.filter(({ isRestored }) => isRestored).map(({ object }) => object.metadata.name),
    ).toContain('undone');
    await it.end();
  });

  it('an own write that a restore of etcd undid is not taken for newer than the list', async () => {
    const it = await setUp();
    it.put('own', 'old');
    await it.clock.advance(100);
    const { version } = it.api.store;
    for (let count = 0; count < 9; count += 1) it.api.store.compact();
    it.watcher.observe(it.api.store.put(kind, at('own'), { data: 'new' }));
    await it.restore(version, { awayMs: 2_000 });
    await it.clock.advance(15_000);
    expect(it.present()).toEqual({ own: 'old' });
    await it.end();
  });

  it('a watcher that is told of a restore accepts an older list at once, and reports all objects again', async () => {
    const it = await setUp();
    it.put('a', 'old');
    const { version } = it.api.store;
    it.put('a', 'new');
    await it.clock.advance(1_000);
    it.api.store.restore(version, undefined);
    const { length } = it.changes;
    it.watcher.restored();
    await it.clock.advance(50);
    expect(it.changes.slice(length)).toMatchObject([
      { type: 'MODIFIED', isRestored: true, object: { data: 'old' } },
    ]);
    expect(it.restorations).toEqual([]);
    await it.end();
  });

  it('one broken watch is enough to notice that etcd is behind what was seen', async () => {
    const it = await setUp();
    it.put('a', 'old');
    const { version } = it.api.store;
    it.put('a', 'new');
    await it.clock.advance(1_000);
    it.api.store.restore(version, undefined);
    let isBroken = true;
    it.api.faults = {
      before: ({ verb }) => {
        if (verb !== 'watch' || !isBroken) return;
        isBroken = false;
        throw new KubeError('Unreachable', 'socket hang up');
      },
    };
    await it.clock.advance(30_000);
    expect(it.present()).toEqual({ a: 'old' });
    expect(it.restorations).toHaveLength(1);
    await it.end();
  });

  it('one broken watch costs one request for the version, and no list', async () => {
    const it = await setUp();
    it.put('a', 'old');
    await it.clock.advance(1_000);
    const lists = (): number => it.api.calls.filter(({ verb }) => verb === 'list').length;
    const before = lists();
    let isBroken = true;
    it.api.faults = {
      before: ({ verb }) => {
        if (verb !== 'watch' || !isBroken) return;
        isBroken = false;
        throw new KubeError('Unreachable', 'socket hang up');
      },
    };
    await it.clock.advance(20_000);
    expect(lists() - before).toBe(1);
    expect(it.changes).toHaveLength(1);
    await it.end();
  });
});
