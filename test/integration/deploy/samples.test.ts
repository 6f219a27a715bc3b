// Does every sample do what its first line says? All of them at once, on one cluster; manifests.test.ts has each as it is typed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asString, dig } from '../../../src/api/objects.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../../src/api/validate.ts';
import { Swarm } from '../support/swarm.ts';
import { Overlays, only } from './overlays.ts';

let swarm: Swarm;
let overlays: Overlays;

const features = [
  'autoscaling',
  'failover',
  'lists',
  'paused',
  'placement',
  'priorities',
  'rebalance',
  'restart',
  'shards',
  'two-sets',
  'weights',
];

beforeAll(async () => {
  swarm = await Swarm.start({ node: { maxPods: 200 } });
  overlays = new Overlays(swarm);
  await swarm.kubectl('create', 'namespace', 'swarm');
  await swarm.operator('--leader-election', 'false');
  const samples = [...features.map((feature) => `features/${feature}`), 'overlay/staging'];
  await swarm.kubectl('apply', '-k', overlays.write('all', { resources: samples.map((sample) => `repository/samples/${sample}`) }));
}, 300_000);

afterAll(async () => {
  await swarm?.stop();
  overlays?.remove();
});

async function statusOf(pool: string): Promise<SwarmPoolStatus> {
  return parseSwarmPool(await swarm.api.get(kinds.SwarmPool, { namespace: 'swarm', name: pool })).status ?? {};
}

const waitFor = (pool: string, condition: string): Promise<string> =>
  swarm.kubectl('-n', 'swarm', 'wait', `swarmpool/${pool}`, `--for=condition=${condition}`, '--timeout=50s').catch(async (error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(await statusOf(pool))}`);
  });

/** Streams by worker, the way status tells them; it tells them once all is verified. */
async function streamsOf(pool: string, condition = 'Ready'): Promise<Readonly<Record<string, readonly string[]>>> {
  await waitFor(pool, condition);
  const { workers = [] } = await statusOf(pool);
  return Object.fromEntries(workers.map(({ name, jobs = [] }) => [name, jobs]));
}

const sorted = (lists: Readonly<Record<string, readonly string[]>>): readonly string[] => Object.values(lists).flat().sort();

describe('samples/features', () => {
  it('weights: a worker of its own for who needs all of it, and no worker above 100', async () => {
    const streams = await streamsOf('weights-pool');
    expect(Object.values(streams)).toContainEqual(expect.arrayContaining(['cinema']));
    const { workers = [] } = await statusOf('weights-pool');
    expect(workers.find(({ jobs }) => jobs?.includes('cinema'))?.jobs).toEqual(['cinema']);
    expect(Math.max(...workers.map(({ load = 0 }) => load))).toBeLessThanOrEqual(100);
  });

  it('priorities: the least important stream waits, with a reason', async () => {
    expect(sorted(await streamsOf('priorities-pool', 'Converged'))).toEqual(['live', 'replay']);
    const { unassigned } = await statusOf('priorities-pool');
    expect(unassigned).toMatchObject([{ name: 'archive', reason: 'InsufficientCapacity' }]);
    await waitFor('priorities-pool', 'Overcommitted');
  });

  it('placement: pinned, kept apart, and nothing on the cordoned worker', async () => {
    const streams = await streamsOf('placement-pool');
    expect(streams['placement-worker-0']).toContain('tuner');
    expect(streams['placement-worker-3']).toEqual([]);
    expect(Object.values(streams).filter((jobs) => jobs.some((job) => job.startsWith('studio-')))).toHaveLength(3);
  });

  it('lists: the file beside the pool is the list', async () => {
    expect(sorted(await streamsOf('lists-pool'))).toEqual(['3sat', 'arte', 'cnbc', 'phoenix', 'test-card']);
  });

  it('restart: pods are replaced, and each says in its log what it read', async () => {
    const streams = await streamsOf('restart-pool');
    expect(sorted(streams)).toEqual(['invoices', 'orders', 'returns']);
    for (const [pod, jobs] of Object.entries(streams)) {
      const log = await swarm.kubectl('-n', 'swarm', 'logs', pod);
      for (const job of jobs) expect(log).toContain(`- ${job}`);
    }
  });

  it('autoscaling: the autoscaler finds the pool and its workers', async () => {
    expect(sorted(await streamsOf('autoscaling-pool'))).toHaveLength(6);
    await swarm.kubectl('-n', 'swarm', 'wait', 'hpa/autoscaling-pool', '--for=condition=AbleToScale', '--timeout=40s');
    // Its least number of workers is the pool's, and so the StatefulSet's.
    await swarm.kubectl('-n', 'swarm', 'wait', 'statefulset/autoscaling-worker', '--for=jsonpath={.spec.replicas}=2', '--timeout=40s');
  });

  it('shards: each worker reads its part from one of two ConfigMaps', async () => {
    expect(sorted(await streamsOf('shards-pool'))).toEqual(['s1', 's2', 's3', 's4']);
    for (const index of [0, 1]) {
      const { data } = await swarm.api.get(kinds.ConfigMap, { namespace: 'swarm', name: `shards-lineup-${index}` });
      expect(Object.values(Object(data)).join()).toContain(`shards-worker-${index}:`);
    }
  });

  it('paused: a plan, and nothing else', async () => {
    const paused = '--for=jsonpath={.status.plan.total}=2';
    await swarm.kubectl('-n', 'swarm', 'wait', 'swarmpool/paused-pool', paused, '--timeout=40s');
    await expect(swarm.api.get(kinds.ConfigMap, { namespace: 'swarm', name: 'paused-pool' })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('two-sets: pods of both are workers', async () => {
    const streams = await streamsOf('two-sets');
    expect(Object.keys(streams).sort()).toEqual(['large-worker-0', 'small-worker-0']);
    expect(sorted(streams)).toEqual(['east', 'north', 'south', 'west']);
  });

  it.each(['failover', 'rebalance'])('%s: converges', async (name) => {
    expect(sorted(await streamsOf(`${name}-pool`)).length).toBeGreaterThan(2);
  });
});

describe('samples/overlay/staging', () => {
  it('names what it has made: everything that refers to a name follows it', async () => {
    const objects = await overlays.build('samples/overlay/staging');
    const pool = only(objects, 'SwarmPool');
    const list = only(objects, 'ConfigMap').metadata.name;
    expect(list).toMatch(/^staging-lineup-[a-z0-9]{10}$/);
    expect(pool['spec']).toMatchObject({
      streamsFrom: [{ configMapKeyRef: { name: list } }],
      assignments: { configMapName: 'staging-tv' },
      workers: { selector: { matchLabels: { app: 'tv', environment: 'staging' } } },
    });
    expect(only(objects, 'StatefulSet').metadata.labels).toMatchObject({ app: 'tv', environment: 'staging' });
  });

  it('changes one field of one stream, and leaves the others', async () => {
    const pool = only(await overlays.build('samples/overlay/staging'), 'SwarmPool');
    expect(asList(dig(pool, 'spec', 'streams'))).toEqual([
      { name: 'cnbc', weight: 50, parameters: { url: 'rtsp://staging-cam/main', codec: 'h264' } },
      { name: 'arte', weight: 20 },
    ]);
  });

  it('converges', async () => {
    const streams = await streamsOf('staging-tv');
    expect(Object.keys(streams)).toHaveLength(3);
    expect(sorted(streams)).toEqual(['3sat', 'arte', 'cnbc', 'one-more', 'phoenix']);
  });
});

const poolOf = (name: string): object => ({ apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmPool', metadata: { name } });

describe('an overlay of a user', () => {
  /** A pool that names its target, and an autoscaler that names the pool; an overlay over the overlay of the sample of it. */
  const twice = (): string => {
    overlays.write('once', {
      namePrefix: 'a-',
      nameSuffix: '-z',
      resources: ['repository/samples/features/autoscaling'],
      replicas: [{ name: 'pool', count: 5 }],
    });
    const patch =
      'kind: StatefulSet\napiVersion: apps/v1\nmetadata: { name: worker }\nspec: { template: { spec: { containers: [{ name: beside, image: sidecar }] } } }';
    return overlays.write('twice', {
      namespace: 'elsewhere',
      resources: ['../once'],
      patches: [{ target: { kind: 'StatefulSet' }, patch }],
    });
  };

  it('renames the target, the autoscaler and the volume along, through any number of overlays', async () => {
    const objects = await overlays.build(twice());
    expect(only(objects, 'SwarmPool')).toMatchObject({
      metadata: { name: 'a-autoscaling-pool-z', namespace: 'elsewhere' },
      spec: { workers: { targetRef: { name: 'a-autoscaling-worker-z' } }, assignments: { configMapName: 'a-autoscaling-pool-z' } },
    });
    expect(only(objects, 'HorizontalPodAutoscaler')).toMatchObject({ spec: { scaleTargetRef: { name: 'a-autoscaling-pool-z' } } });
    const [volume] = asList(dig(only(objects, 'StatefulSet'), 'spec', 'template', 'spec', 'volumes'));
    expect(dig(volume, 'configMap', 'name')).toBe('a-autoscaling-pool-z');
  });

  it('still merges into the lists of Kubernetes’ own kinds', async () => {
    const set = only(await overlays.build(twice()), 'StatefulSet');
    const containers = asList(dig(set, 'spec', 'template', 'spec', 'containers')).map((container) => asString(dig(container, 'name')));
    expect([...containers].sort()).toEqual(['beside', 'worker']);
  });

  it('takes one stream away by its name', async () => {
    const patch = JSON.stringify({ ...poolOf('tv'), spec: { streams: [{ name: 'cnbc', $patch: 'delete' }] } });
    const folder = overlays.write('less', { resources: ['repository/samples/overlay/base'], patches: [{ patch }] });
    expect(dig(only(await overlays.build(folder), 'SwarmPool'), 'spec', 'streams')).toEqual([{ name: 'arte', weight: 20 }]);
  });

  it('may bring a placeholder along, which follows its pool', async () => {
    const folder = overlays.write('placeholder', {
      namePrefix: 'b-',
      resources: ['pool.yaml'],
      components: ['repository/crds/kustomize'],
      replicas: [{ name: 'tv', count: 7 }],
    });
    overlays.file('placeholder/pool.yaml', [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'slices', annotations: { 'k8slab.info/pool': 'tv' } } },
      {
        ...poolOf('tv'),
        spec: { assignments: { configMapName: 'slices' }, workers: { targetRef: { name: 'any' }, scaling: 'Lead', replicas: 3 } },
      },
    ]);
    const objects = await overlays.build(folder);
    expect(only(objects, 'ConfigMap').metadata.annotations).toEqual({ 'k8slab.info/pool': 'b-tv' });
    expect(only(objects, 'SwarmPool')).toMatchObject({
      spec: { assignments: { configMapName: 'b-slices' }, workers: { targetRef: { name: 'any' }, replicas: 7 } },
    });
  });
});
