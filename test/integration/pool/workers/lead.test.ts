// Does a pool that leads scale its StatefulSet, from its scale subresource and from Kubernetes' own
// HorizontalPodAutoscaler, without losing a stream on the way down?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, kinds } from '../../../../src/api/kinds.ts';
import { asList, dig } from '../../../../src/api/objects.ts';
import { parsePod } from '../../../../src/api/observed.ts';
import { eventually } from '../../../support/processes.ts';
import type { AggregatedApi } from '../../support/aggregated-api.ts';
import { serveExternalMetrics } from '../../support/external-metrics.ts';
import type { Pool } from '../../support/pool.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;
let pool: Pool;
let scaled: Pool;
let metrics: AggregatedApi;
let bitrate = 20;
const streams = names(8);

beforeAll(async () => {
  swarm = await Swarm.start({
    controlPlane: {
      extraArguments: { controllerManager: ['--horizontal-pod-autoscaler-sync-period=1s'] },
    },
  });
  await swarm.operator('--leader-election', 'false');
  const spec = { workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead' } };
  pool = await swarm.pool('lead', { streams, workers: 2, spec });
  scaled = await swarm.pool('auto', { streams, workers: 2, spec });
  metrics = await serveExternalMetrics(swarm, () => bitrate);
  // Created early: the controller manager takes up to half a minute to discover a new kind.
  await swarm.create(kinds.HorizontalPodAutoscaler, 'auto', 'tv', { spec: autoscaler });
});

afterAll(async () => {
  await metrics.close();
  await swarm.stop();
});

/** One worker for 10 of the metric. */
const autoscaler = {
  scaleTargetRef: { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmPool', name: 'tv' },
  minReplicas: 1,
  maxReplicas: 4,
  metrics: [
    {
      type: 'External',
      external: {
        metric: { name: 'bitrate' },
        target: { type: 'AverageValue', averageValue: '10' },
      },
    },
  ],
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
};

async function sizeOf(namespace: string): Promise<unknown> {
  return dig(
    await swarm.api.get(kinds.StatefulSet, { namespace, name: 'worker' }),
    'spec',
    'replicas',
  );
}

/** The StatefulSet has one replica left: by then that one runs all streams. */
async function shrinksDrained(at: Pool): Promise<void> {
  await eventually('the StatefulSet shrinks', async () => (await sizeOf(at.namespace)) === 1);
  const stays = (await at.running()).find(({ name }) => name === 'worker-0');
  expect([...(stays?.jobs ?? [])].sort()).toEqual([...streams].sort());
  await at.converged(streams, 1);
  expect(
    (await at.events()).find(({ reason, note }) => reason === 'Scaled' && note.includes('4 -> 1'))
      ?.note,
  ).toContain('the surplus workers are drained');
}

const scaleTo = (replicas: number): Promise<string> =>
  swarm.kubectl('-n', 'lead', 'scale', 'swarmpool/tv', `--replicas=${replicas}`);

describe('a pool with scaling Lead', () => {
  it('a pool with scaling Lead adopts the size of its StatefulSet', async () => {
    await pool.converged(streams, 2);
    await eventually('the size is in the spec', async () => {
      const object = await swarm.api.get(kinds.SwarmPool, { namespace: 'lead', name: 'tv' });
      return dig(object, 'spec', 'workers', 'replicas') === 2;
    });
    const scale = await swarm.kubectl(
      'get',
      '--raw',
      '/apis/k8slab.info/v1alpha1/namespaces/lead/swarmpools/tv/scale',
    );
    expect(JSON.parse(scale)).toMatchObject({
      spec: { replicas: 2 },
      status: { replicas: 2, selector: 'app=worker' },
    });
  });

  it('a pool with scaling Lead grows by kubectl scale swarmpool', async () => {
    await scaleTo(4);
    await pool.converged(streams, 4);
  });

  it('a StatefulSet shrinks only when the remaining workers run all streams', async () => {
    await scaleTo(1);
    await shrinksDrained(pool);
  });

  it('scaling Lead waits for a worker that never confirms only until drainTimeoutSeconds', async () => {
    const workers = {
      selector: { matchLabels: { app: 'worker' } },
      scaling: 'Lead',
      replicas: 2,
      drainTimeoutSeconds: 2,
    };
    const late = await swarm.pool('late', { streams: names(4), workers: 2, spec: { workers } });
    await late.converged(names(4), 2);
    const deaf = swarm.playground.nodes[0]?.pods.find(
      ({ name, namespace }) => name === 'worker-1' && namespace === 'late',
    );
    for (const pid of deaf?.pids ?? []) process.kill(pid, 'SIGSTOP');
    await swarm.kubectl('-n', 'late', 'scale', 'swarmpool/tv', '--replicas=1');
    await late.converged(names(4), 1);
    expect((await late.events()).find(({ reason }) => reason === 'Scaled')?.note).toBe(
      'StatefulSet/worker 2 -> 1: not drained after 2 s (spec.workers.drainTimeoutSeconds)',
    );
  });

  it('a pool with scaling Follow refuses kubectl scale, and says what to do instead', async () => {
    const following = await swarm.pool('follow', { streams: names(2), workers: 1 });
    await following.converged(names(2), 1);
    await expect(
      swarm.kubectl('-n', 'follow', 'scale', 'swarmpool/tv', '--replicas=3'),
    ).rejects.toThrow('workers.replicas is for scaling: Lead');
    await swarm.create(kinds.HorizontalPodAutoscaler, 'follow', 'idle', { spec: autoscaler });
    await following.until('names the autoscaler that cannot scale it', ({ conditions }) =>
      (conditions ?? []).some(
        ({ reason, message }) =>
          reason === 'AutoscalerIgnored' && message.includes('idle cannot scale SwarmPool tv'),
      ),
    );
    await swarm.api.delete(kinds.HorizontalPodAutoscaler, { namespace: 'follow', name: 'idle' });
    await following.until('no longer names it', ({ conditions }) =>
      (conditions ?? []).some(({ reason }) => reason === 'Working'),
    );
  });

  it('a pool follows its StatefulSet again with scaling Follow, and a new size is refused', async () => {
    const workers = { selector: { matchLabels: { app: 'worker' } } };
    const once = await swarm.pool('once', {
      streams: names(4),
      workers: 2,
      spec: { workers: { ...workers, scaling: 'Lead' } },
    });
    const scale = (size: number): Promise<string> =>
      swarm.kubectl('-n', 'once', 'scale', 'swarmpool/tv', `--replicas=${size}`);
    const applied = (rest: object): Promise<string> => {
      const object = {
        apiVersion: apiVersionOf(kinds.SwarmPool),
        kind: 'SwarmPool',
        metadata: { name: 'tv', namespace: 'once' },
      };
      const manifest = swarm.file({ ...object, spec: { workers: { ...workers, ...rest } } });
      return swarm.kubectl(
        'apply',
        '--server-side',
        '--field-manager=git',
        '--force-conflicts',
        '-f',
        manifest,
      );
    };
    await scale(3);
    await once.converged(names(4), 3);
    await expect(applied({ scaling: 'Follow', replicas: 2 })).rejects.toThrow(
      'workers.replicas is for scaling: Lead',
    );
    await applied({ scaling: 'Follow' });
    const { spec } = await swarm.api.get(kinds.SwarmPool, { namespace: 'once', name: 'tv' });
    expect(dig(spec, 'workers')).toMatchObject({ scaling: 'Follow', replicas: 3 });
    await expect(scale(1)).rejects.toThrow('workers.replicas is for scaling: Lead');
    await once.scale(2);
    await once.converged(names(4), 2);
  });

  it('scaling Lead does not scale while an autoscaler does, reports it, and scales again afterwards', async () => {
    await swarm.create(kinds.HorizontalPodAutoscaler, 'lead', 'rival', {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'worker' },
        minReplicas: 1,
        maxReplicas: 3,
      },
    });
    const conflict =
      'HorizontalPodAutoscaler rival scales StatefulSet/worker, so the pool does not scale it: point the autoscaler at SwarmPool tv';
    await pool.until(
      'is stalled',
      ({ conditions }) =>
        conditions?.some(
          ({ type, status, message }) =>
            type === 'Stalled' && status === 'True' && message.includes(conflict),
        ) === true,
    );
    await pool.scale(2);
    await eventually(
      'the autoscaler has set its size',
      async () => (await pool.pods()).filter((pod) => parsePod(pod).isReady).length === 2,
    );
    expect(await sizeOf('lead')).toBe(2);
    await swarm.api.delete(kinds.HorizontalPodAutoscaler, { namespace: 'lead', name: 'rival' });
    await pool.converged(streams, 1);
    await pool.until(
      'works again',
      ({ conditions }) =>
        conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
  });
});

describe('a HorizontalPodAutoscaler of a pool', () => {
  const condition = async (type: string): Promise<unknown> => {
    const object = await swarm.api.get(kinds.HorizontalPodAutoscaler, {
      namespace: 'auto',
      name: 'tv',
    });
    return asList(dig(object, 'status', 'conditions')).find((it) => dig(it, 'type') === type);
  };

  it('an HPA of a pool reads its size, and keeps it while the metric asks for just that', async () => {
    await eventually(
      'a size is computed, and is that which is there',
      async () =>
        dig(await condition('ScalingActive'), 'status') === 'True' &&
        dig(await condition('AbleToScale'), 'reason') === 'ReadyForNewScale',
      120,
    );
    expect((await scaled.converged(streams, 2)).version).toBe(1);
  });

  it('an HPA scales a pool up: spec, StatefulSet and assignment follow the metric', async () => {
    bitrate = 40;
    await scaled.converged(streams, 4);
    const object = await swarm.api.get(kinds.SwarmPool, { namespace: 'auto', name: 'tv' });
    expect(dig(object, 'spec', 'workers', 'replicas')).toBe(4);
    const said = async (): Promise<string> =>
      JSON.stringify((await swarm.api.list(kinds.Event, 'auto')).items);
    await eventually('the autoscaler says why', async () =>
      (await said()).includes('New size: 4; reason: external metric bitrate'),
    );
  });

  it('an HPA scales a pool down, and streams move before the StatefulSet shrinks', async () => {
    bitrate = 10;
    await shrinksDrained(scaled);
  });

  it('a pool keeps its size while the metric of its HPA is unavailable', async () => {
    await metrics.close();
    await eventually(
      'the autoscaler reports it',
      async () => dig(await condition('ScalingActive'), 'status') === 'False',
    );
    await scaled.converged(streams, 1);
  });
});
