// Does a pool with scaling Auto give its StatefulSet as many workers as its streams need, and lose
// no stream on the way down?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import { eventually } from '../../../support/processes.ts';
import type { Pool } from '../../support/pool.ts';
import { Swarm } from '../../support/swarm.ts';

const namespace = 'sized';
let swarm: Swarm;
let pool: Pool;

const heavy = (count: number): readonly { readonly name: string; readonly weight: number }[] =>
  Array.from({ length: count }, (_, index) => ({ name: `cam-${index}`, weight: 60 }));
const namesOf = (count: number): readonly string[] => heavy(count).map(({ name }) => name);

const patch = (spec: object): Promise<string> =>
  swarm.kubectl(
    ...['-n', namespace, 'patch', 'swarmpool/tv', '--type=merge'],
    ...['-p', JSON.stringify({ spec })],
  );

async function hasSize(replicas: number): Promise<void> {
  await eventually(`the StatefulSet has ${replicas} replicas`, async () => {
    const set = await swarm.api.get(kinds.StatefulSet, { namespace, name: 'worker' });
    return dig(set, 'spec', 'replicas') === replicas;
  });
}

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  const workers = { scaling: 'Auto', maxReplicas: 4, scaleDownDelaySeconds: 1 };
  pool = await swarm.pool(namespace, {
    streams: [],
    workers: 1,
    spec: {
      workers: { selector: { matchLabels: { app: 'worker' } }, ...workers },
      streams: heavy(3),
    },
  });
});

afterAll(() => swarm.stop());

describe('a pool with scaling Auto', () => {
  it('scaling Auto scales up to what the weights need', async () => {
    await hasSize(3);
    await pool.converged(namesOf(3), 3);
    const scaled = (await pool.events()).filter(({ reason }) => reason === 'Scaled');
    expect(scaled.map(({ note }) => note)).toEqual([
      'StatefulSet/worker 1 -> 3: the streams need 3 workers',
    ]);
  });

  it('scaling Auto scales down again, and empties the workers that go', async () => {
    await patch({ streams: heavy(1) });
    await hasSize(1);
    await pool.converged(namesOf(1), 1);
    const notes = (await pool.events()).map(({ note }) => note);
    expect(notes).toContain('StatefulSet/worker 3 -> 1: the surplus workers are drained');
  });

  it('the condition Overcommitted says that maxReplicas is the bound', async () => {
    await patch({ streams: heavy(6) });
    await hasSize(4);
    await eventually('the condition says so', async () => {
      const conditions = (await pool.status())?.conditions ?? [];
      const overcommitted = conditions.find(({ type }) => type === 'Overcommitted');
      return overcommitted?.message.includes('spec.workers.maxReplicas is 4') === true;
    });
  });

  it('a scale of a pool with scaling Auto is refused', async () => {
    const scale = swarm.kubectl('-n', namespace, 'scale', 'swarmpool/tv', '--replicas=2');
    await expect(scale).rejects.toThrow('with Auto the streams');
  });
});
