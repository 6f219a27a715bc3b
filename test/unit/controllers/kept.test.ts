// A pool that there is no room for: nothing of it is read, and it says so.
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../src/core/pool/decide.ts';
import { names } from '../../integration/support/shape.ts';
import { configMap, gathered, tv, workers } from './gathering.ts';

const streamsFrom = [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }];
const lineup = (count: number) => configMap('lineup', { 'streams.txt': names(count, 'stream-').join('\n') });

describe('a pool with a list', () => {
  const with1000 = (memory: number) => gathered([tv({ streamsFrom }), workers(2), lineup(1_000)], memory);

  it('is gathered where there is room for it', async () => {
    const { excess, lists } = await with1000(1_000_000);
    expect(excess).toBeUndefined();
    expect(lists).toMatchObject([{ read: { ok: true } }]);
  });

  it('is stalled where there is none, before the list is parsed, and says what would be enough', async () => {
    const world = await with1000(300_000);
    expect(world.lists).toEqual([]);
    const { steps, asks } = decidePool(world, 0);
    expect(asks).toEqual([]);
    expect(steps.map(({ do: what }) => what)).toEqual(['status', 'event']);
    expect(JSON.stringify(steps)).toContain('NamespaceTooLarge');
    expect(world.excess).toMatch(/^1000 streams and 2 workers take 1 MiB of the operator's memory, and namespace swarm can have 1 MiB /);
  });
});

it('many workers take room as well, and those beyond what a pool can have take no more', async () => {
  const { excess } = await gathered([tv({ streams: [{ name: 'a' }] }), workers(9_000)], 20_000_000);
  expect(excess).toContain('9000 workers take 22 MiB');
  expect((await gathered([tv({ streams: [{ name: 'a' }] }), workers(2_147_483_647)], 30_000_000)).excess).toBeUndefined();
});
