// A pool that leads: its scale subresource drives the StatefulSet, and no stream is dropped on the way down.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { names, type Pool, Swarm } from './swarm.ts';

let swarm: Swarm;
let pool: Pool;
const streams = names(8);

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  const spec = { workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead' } };
  pool = await swarm.pool('lead', { streams, workers: 2, spec });
}, 300_000);

afterAll(() => swarm.stop());

const scaleTo = (replicas: number): Promise<string> => swarm.kubectl('-n', 'lead', 'scale', 'swarmpool/tv', `--replicas=${replicas}`);

describe('a pool that leads', () => {
  it('takes its size over from the StatefulSet', async () => {
    await pool.converged(streams, 2);
    await eventually('the size stands in the spec', async () => {
      const object = await swarm.api.get(kinds.SwarmPool, { namespace: 'lead', name: 'tv' });
      return dig(object, 'spec', 'workers', 'replicas') === 2;
    });
    const scale = await swarm.kubectl('get', '--raw', '/apis/k8slab.info/v1alpha1/namespaces/lead/swarmpools/tv/scale');
    expect(JSON.parse(scale)).toMatchObject({ spec: { replicas: 2 }, status: { replicas: 2, selector: 'app=worker' } });
  });

  it('grows by kubectl scale swarmpool', async () => {
    await scaleTo(4);
    await pool.converged(streams, 4);
  });

  it('shrinks the StatefulSet only when the workers that stay run everything', async () => {
    await scaleTo(1);
    await eventually('the StatefulSet shrinks', async () => {
      const set = await swarm.api.get(kinds.StatefulSet, { namespace: 'lead', name: 'worker' });
      return dig(set, 'spec', 'replicas') === 1;
    });
    const stays = (await pool.running()).find(({ name }) => name === 'worker-0');
    expect([...(stays?.jobs ?? [])].sort()).toEqual([...streams].sort());
    await pool.converged(streams, 1);
    expect((await pool.events()).find(({ reason, note }) => reason === 'Scaled' && note.includes('4 -> 1'))?.note).toContain(
      'have nothing left',
    );
  });

  it('is not scaled when it follows: the message says what to do instead', async () => {
    const following = await swarm.pool('follow', { streams: names(2), workers: 1 });
    await following.converged(names(2), 1);
    await expect(swarm.kubectl('-n', 'follow', 'scale', 'swarmpool/tv', '--replicas=3')).rejects.toThrow(
      'workers.replicas is for scaling: Lead',
    );
  });

  it('stands back for an autoscaler of the StatefulSet, and says so', async () => {
    await swarm.create(kinds.HorizontalPodAutoscaler, 'lead', 'rival', {
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'worker' }, minReplicas: 1, maxReplicas: 3 },
    });
    await pool.until(
      'is stalled',
      ({ conditions }) => conditions?.some(({ reason, status }) => reason === 'AutoscalerConflict' && status === 'True') === true,
    );
    await swarm.api.delete(kinds.HorizontalPodAutoscaler, { namespace: 'lead', name: 'rival' });
    await pool.until(
      'works again',
      ({ conditions }) => conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
  });
});
