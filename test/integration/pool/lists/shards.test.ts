// Does a pool work with its assignment in several ConfigMaps, which workers mount into one folder?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readAssignment } from '../../../../src/api/assignment.ts';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig } from '../../../../src/api/objects.ts';
import { eventually } from '../../../support/processes.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm.stop());

const source = (name: string): object => ({ configMap: { name, optional: true } });
const folder = {
  projected: { sources: ['tv-assignments', 'tv-assignments-0', 'tv-assignments-1'].map(source) },
};
const field = (name: string, fieldPath: string): object => ({
  name,
  valueFrom: { fieldRef: { fieldPath } },
});
const worker = {
  env: [
    field('POD_NAME', 'metadata.name'),
    field('POD_UID', 'metadata.uid'),
    field('POD_IP', 'status.podIP'),
    { name: 'SWARM_CONFIG_FILE', value: '/app/config' },
  ],
};

async function workersIn(name: string): Promise<readonly string[]> {
  const object = await swarm.api.get(kinds.ConfigMap, { namespace: 'shards', name });
  const [text] = Object.values(Object(dig(object, 'data')));
  const read = readAssignment(asString(text) ?? '');
  return read.ok ? [...read.assignment.workloads.keys()] : [];
}

describe('shards', () => {
  const streams = names(8);

  it('shards divide the workers, which read their own entry, and changing their number moves no stream', async () => {
    const spec = { assignments: { shards: 2 } };
    const pool = await swarm.pool('shards', { streams, workers: 4, spec, worker, volume: folder });
    const isRight = async (wanted: readonly string[]): Promise<boolean> =>
      [...wanted].sort().join() ===
      (await pool.running())
        .flatMap(({ jobs }) => jobs)
        .sort()
        .join();
    await pool.until(
      'converges',
      async ({ convergedReplicas }) => convergedReplicas === 4 && (await isRight(streams)),
    );
    expect(await workersIn('tv-assignments-0')).toEqual(['worker-0', 'worker-2']);
    expect(await workersIn('tv-assignments-1')).toEqual(['worker-1', 'worker-3']);
    await pool.streams([...streams, 'late']);
    await pool.until(
      'converges again',
      async ({ convergedReplicas }) =>
        convergedReplicas === 4 && (await isRight([...streams, 'late'])),
    );
    const before = await pool.running();
    await pool.edit({ assignments: { shards: 1 } });
    await eventually(
      'one ConfigMap holds all',
      async () => (await workersIn('tv-assignments').catch(() => [])).length === 4,
    );
    await pool.until(
      'converges at last',
      async ({ convergedReplicas, version }) => convergedReplicas === 4 && version === 3,
    );
    expect((await pool.running()).map(({ jobs }) => jobs)).toEqual(before.map(({ jobs }) => jobs));
  });

  it('a list that needs more shards is refused with the number that is enough, and the assignment stays', async () => {
    const pool = await swarm.pool('large', { streams: names(2), workers: 2 });
    await pool.converged(names(2), 2);
    const text = Array.from(
      { length: 7_000 },
      (_, index) => `stream-${String(index).padStart(110, '0')}`,
    ).join('\n');
    await swarm.create(kinds.ConfigMap, 'large', 'lineup', { data: { 'all.txt': text } });
    await pool.edit({ streamsFrom: [{ configMapKeyRef: { name: 'lineup', key: 'all.txt' } }] });
    const status = await pool.until(
      'is refused',
      ({ conditions }) =>
        conditions?.some(({ reason }) => reason === 'AssignmentTooLarge') === true,
    );
    expect(status.conditions?.find(({ type }) => type === 'Stalled')?.message).toContain(
      'spec.assignments.shards: 2 is enough',
    );
    expect((await pool.running()).flatMap(({ jobs }) => jobs).sort()).toEqual(names(2));
  });
});
