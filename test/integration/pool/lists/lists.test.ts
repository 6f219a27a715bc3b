// Does a pool follow lists of streams in ConfigMaps, and survive invalid ones?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { Pool } from '../../support/pool.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;
let pool: Pool;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  const spec = { streamsFrom: [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }] };
  pool = await swarm.pool('lists', { streams: names(2), workers: 2, spec });
});

afterAll(() => swarm.stop());

const write = (text: string): Promise<unknown> =>
  swarm.api.patch(
    kinds.ConfigMap,
    { namespace: 'lists', name: 'lineup' },
    { type: 'merge', body: { data: { 'streams.txt': text } } },
  );

describe('streams from a ConfigMap', () => {
  it('a pool waits for its list until the list exists', async () => {
    await pool.until(
      'waits for its list',
      ({ conditions }) => conditions?.some(({ reason }) => reason === 'StreamsNotFound') === true,
    );
  });

  it('streams of a list are assigned as soon as the list exists, and follow its changes', async () => {
    await swarm.create(kinds.ConfigMap, 'lists', 'lineup', {
      data: { 'streams.txt': 'cnbc=100\na\nb\n' },
    });
    await pool.converged([...names(2), 'cnbc', 'a', 'b'], 2);
    const [own] = [...(await pool.published()).slices.values()].filter(({ jobs }) =>
      jobs.includes('cnbc'),
    );
    expect(own).toMatchObject({ jobs: ['cnbc'], weights: { cnbc: 100 } });
    await write('cnbc=100\na\n');
    await pool.converged([...names(2), 'cnbc', 'a'], 2);
  });

  it('a pool keeps its last valid list when the new one has a mistake, whose line the status names', async () => {
    await write('cnbc=100\na\nb=lots\n');
    await pool.until(
      'status names the line',
      ({ conditions }) =>
        conditions?.some(
          ({ type, message }) =>
            type === 'Stalled' &&
            message.includes('lineup/streams.txt line 3.weight: must be integer'),
        ) === true,
    );
    await pool.scale(3);
    await pool.converged([...names(2), 'cnbc', 'a'], 3);
    await write('cnbc=100\na\nb\n');
    await pool.converged([...names(2), 'cnbc', 'a', 'b'], 3);
  });

  it('streams stay published when their ConfigMap is deleted', async () => {
    const before = await pool.published();
    await swarm.api.delete(kinds.ConfigMap, { namespace: 'lists', name: 'lineup' });
    await pool.until(
      'waits again',
      ({ conditions }) => conditions?.some(({ reason }) => reason === 'StreamsNotFound') === true,
    );
    expect((await pool.published()).version).toBe(before.version);
  });
});
