// Does a list that a broken program empties stop nothing, until a user confirms it?
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
  pool = await swarm.pool('removal', { streams: [], workers: 2, spec });
  await swarm.create(kinds.ConfigMap, 'removal', 'lineup', {
    data: { 'streams.txt': names(4).join('\n') },
  });
  await pool.converged(names(4), 2);
});

afterAll(() => swarm.stop());

const write = (text: string): Promise<unknown> =>
  swarm.api.patch(
    kinds.ConfigMap,
    { namespace: 'removal', name: 'lineup' },
    { type: 'merge', body: { data: { 'streams.txt': text } } },
  );

const running = async (): Promise<readonly string[]> =>
  (await pool.running()).flatMap(({ jobs }) => jobs).sort();

describe('a list that is suddenly empty', () => {
  it('a list that is suddenly empty stops no stream, and the pool says what would be removed', async () => {
    await write('# nothing\n');
    const { removal } = await pool.until('holds it', (status) => status.removal !== undefined);
    expect(removal).toMatchObject({ total: 4, message: '4 of 4 streams would be removed' });
    const wanted = { reason: 'LargeRemoval' };
    expect(await pool.condition('Ready')).toMatchObject({ status: 'False', ...wanted });
    expect(await pool.condition('Stalled')).toMatchObject({ status: 'True', ...wanted });
    expect((await pool.published()).version).toBe(1);
    expect(await running()).toEqual(names(4));
  });

  it('held streams run on while workers come and new streams are listed', async () => {
    await pool.scale(4);
    await write('new\n');
    await pool.until('all run', async () => (await running()).length === 5);
    expect(await running()).toEqual(['new', ...names(4)]);
  });

  it('a held removal is followed when the annotation has the digest of the status', async () => {
    const { removal } = await pool.until('holds it', (status) => status.removal?.total === 4);
    const confirmation = `k8slab.info/confirm-removal=${removal?.digest}`;
    await swarm.kubectl('-n', 'removal', 'annotate', 'swarmpool/tv', confirmation);
    await pool.converged(['new'], 4);
    expect((await pool.status())?.removal).toBeUndefined();
    expect((await pool.events()).map(({ reason }) => reason)).toContain('LargeRemoval');
  });
});
