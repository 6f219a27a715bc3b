// What does a pool report for which there is no memory, and is nothing of it read?
import { describe, expect, it } from '@jest/globals';
import { parseTarget } from '../../../../../src/api/observed.ts';
import { parseSwarmPool } from '../../../../../src/api/validate.ts';
import { decidePool } from '../../../../../src/pool/decide.ts';
import { PoolMemory } from '../../../../../src/pool/observe/memory.ts';
import { names } from '../../../../integration/support/shape.ts';
import { configMap, gathered, gathering, tv, workers } from '../gathering.ts';

const streamsFrom = [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }];
const lineup = (count: number) =>
  configMap('lineup', { 'streams.txt': names(count, 'stream-').join('\n') });

describe('a pool with a list', () => {
  const with1000 = (memory: number) =>
    gathered([tv({ streamsFrom }), workers(2), lineup(1_000)], memory);

  it('a pool with a list is observed where there is room for it', async () => {
    const { exceededBy, lists } = await with1000(1_000_000);
    expect(exceededBy).toBeUndefined();
    expect(lists).toMatchObject([{ read: { ok: true } }]);
  });

  it('a pool without room is stalled before its list is parsed, and says what it needs', async () => {
    const world = await with1000(300_000);
    expect(world.lists).toEqual([]);
    const { steps, probes } = decidePool(world, 0);
    expect(probes).toEqual([]);
    expect(steps.map(({ do: what }) => what)).toEqual(['status', 'event']);
    expect(JSON.stringify(steps)).toContain('NamespaceTooLarge');
    expect(world.exceededBy).toMatch(
      /^1000 streams and 2 workers need 1 MiB of the operator's memory; all pools together have 1 MiB, and namespace swarm already uses its part/,
    );
  });
});

it('many workers need memory as well, and those beyond the maximum of a pool need no more', async () => {
  const { exceededBy } = await gathered(
    [tv({ streams: [{ name: 'a' }] }), workers(9_000)],
    20_000_000,
  );
  expect(exceededBy).toContain('9000 workers need 22 MiB');
  expect(
    (await gathered([tv({ streams: [{ name: 'a' }] }), workers(2_147_483_647)], 30_000_000))
      .exceededBy,
  ).toBeUndefined();
});

describe('pools with streams of their own', () => {
  const own = tv({ streams: names(1_000, 'stream-').map((name) => ({ name })) });

  it('a pool whose own streams have no room is stalled, and its streams are not kept', async () => {
    const { pool, exceededBy } = await gathered([own, workers(2)], 300_000);
    expect(exceededBy).toMatch(/^1000 streams and 2 workers need 1 MiB /);
    expect(JSON.stringify(pool)).not.toContain('stream-');
  });

  it('a pool that was in a failed list and is gone in the next one takes no memory', async () => {
    const { gather, listAgain, stop } = await gathering([own, workers(2)], 800_000, new Map(), [
      { ...own, metadata: { ...own.metadata, name: 'gone' } },
    ]);
    expect((await gather()).exceededBy).toContain('1000 streams');
    listAgain();
    expect((await gather()).exceededBy).toBeUndefined();
    await stop();
  });

  it('a pool without room is read again and decided about when there is room', async () => {
    const other = { ...own, metadata: { ...own.metadata, name: 'other', uid: 'other' } };
    const story = await gathering([other, own, workers(2)], 800_000);
    expect((await story.gather()).exceededBy).toContain('1000 streams');
    story.remove(other);
    const world = await story.gather();
    expect(world.exceededBy).toBeUndefined();
    expect(JSON.stringify(world.pool)).toContain('stream-999');
  });
});

it('a pool whose streams are not kept takes no room for its workers either', () => {
  const told: string[] = [];
  const kept = new PoolMemory({
    configMaps: { versionOf: () => '' },
    most: 1_000_000,
    onChange: () => undefined,
    onSpec: (key) => void told.push(key),
    sizeOf: () => ({ streams: 1_000, characters: 0 }),
  });
  const pool = parseSwarmPool(tv({ streams: [] }));
  const target = parseTarget('StatefulSet')(workers(100));
  expect(kept.tryReserve(pool, [target])).toBe(true);
  expect(kept.holds(pool.meta)).toBe(true);
  for (const namespace of ['a', 'b'])
    expect(kept.tryReserveSpec({ namespace, name: 'other' }, { streams: 600, characters: 0 })).toBe(
      true,
    );
  expect(told).toEqual(['swarm/tv']);
  expect(kept.tryReserve(pool, [target])).toBe(false);
  expect(kept.exceededBy(pool, [target])).toContain('1000 streams and 100 workers need 1 MiB');
  expect(kept.holds(pool.meta)).toBe(false);
});
