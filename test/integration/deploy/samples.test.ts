// Does every sample do what its first line says? All of them at once, on one cluster;
// manifests.test.ts applies each as documented.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../../src/api/validate.ts';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';
import { Overlays, only } from './overlays.ts';

/** All pools start at the same time; an autoscaler syncs every 15 s. */
const PATIENCE = 120;

let swarm: Swarm;
let overlays: Overlays;

const features = [
  'autoscaling',
  'cameras',
  'failover',
  'lists',
  'paused',
  'placement',
  'priorities',
  'rebalance',
  'restart',
  'secrets',
  'shards',
  'sizing',
  'two-sets',
  'weights',
];

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {}, node: { maxPods: 200 } });
  overlays = new Overlays(swarm);
  await swarm.kubectl('create', 'namespace', 'swarm');
  await swarm.operator('--leader-election', 'false');
  const samples = [...features.map((feature) => `features/${feature}`), 'overlay/staging'];
  await swarm.kubectl(
    'apply',
    '-k',
    overlays.write('all', { resources: samples.map((sample) => `repository/samples/${sample}`) }),
  );
});

afterAll(async () => {
  await swarm?.stop();
  overlays?.remove();
});

async function statusOf(pool: string): Promise<SwarmPoolStatus> {
  return (
    parseSwarmPool(await swarm.api.get(kinds.SwarmPool, { namespace: 'swarm', name: pool }))
      .status ?? {}
  );
}

/** The status that has these conditions: a later one may not. */
async function statusWhen(pool: string, ...wanted: readonly string[]): Promise<SwarmPoolStatus> {
  let status: SwarmPoolStatus = {};
  const isSo = async (): Promise<boolean> => {
    status = await statusOf(pool);
    return wanted.every((type) =>
      status.conditions?.some(
        (condition) => condition.type === type && condition.status === 'True',
      ),
    );
  };
  await eventually(`${pool} is ${wanted.join(' and ')}`, isSo, PATIENCE).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(status)}`);
  });
  return status;
}

/** Streams by worker, from status; the operator writes them once all is verified. */
const streamsIn = ({
  workers = [],
}: SwarmPoolStatus): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(workers.map(({ name, jobs = [] }) => [name, jobs]));

const streamsOf = async (pool: string): Promise<Readonly<Record<string, readonly string[]>>> =>
  streamsIn(await statusWhen(pool, 'Ready'));

const sorted = (lists: Readonly<Record<string, readonly string[]>>): readonly string[] =>
  Object.values(lists).flat().sort();

describe('samples/features', () => {
  it('weights: a stream that needs a whole worker has its own, and no worker carries more than 100', async () => {
    const { workers = [] } = await statusWhen('weights-pool', 'Ready');
    expect(workers.find(({ jobs }) => jobs?.includes('cinema'))?.jobs).toEqual(['cinema']);
    expect(Math.max(...workers.map(({ load = 0 }) => load))).toBeLessThanOrEqual(100);
  });

  it('cameras: one stream fails, and says why', async () => {
    await statusWhen('cameras-pool', 'Ready');
    const failing = async () => (await statusOf('cameras-pool')).failing;
    await eventually('it fails', async () => (await failing()) !== undefined, PATIENCE);
    const message = 'exit code 1: cannot open …: no such device';
    expect(await failing()).toMatchObject([{ name: 'garage', message }]);
  });

  it('secrets: each stream reads its own key, and no password is in the ConfigMap', async () => {
    const streams = await streamsOf('secrets-pool');
    expect(sorted(streams)).toEqual(['door', 'gate']);
    for (const [pod, jobs] of Object.entries(streams)) {
      await eventually(`${pod} has read the keys of its streams`, async () => {
        const log = await swarm.kubectl('-n', 'swarm', 'logs', pod);
        return jobs.every((job) => log.includes(`[${job}] logged in as ${job}-viewer`));
      });
    }
    const { data } = await swarm.api.get(kinds.ConfigMap, {
      namespace: 'swarm',
      name: 'secrets-pool',
    });
    expect(Object.values(Object(data)).join()).toContain('secretKey: gate');
    expect(Object.values(Object(data)).join()).not.toContain('change-me');
  });

  it('priorities: the least important stream waits, with a reason', async () => {
    const status = await statusWhen('priorities-pool', 'Converged', 'Overcommitted');
    expect(sorted(streamsIn(status))).toEqual(['live', 'replay']);
    expect(status.unassigned).toMatchObject([{ name: 'archive', reason: 'InsufficientCapacity' }]);
  });

  it('placement: streams are pinned or kept apart, and the cordoned worker has none', async () => {
    const streams = await streamsOf('placement-pool');
    expect(streams['placement-worker-0']).toContain('tuner');
    expect(streams['placement-worker-3']).toEqual([]);
    expect(
      Object.values(streams).filter((jobs) => jobs.some((job) => job.startsWith('studio-'))),
    ).toHaveLength(3);
  });

  it('sizing: the pool gives its StatefulSet as many workers as the weights need', async () => {
    expect(sorted(await streamsOf('sizing-pool'))).toEqual(['cam-1', 'cam-2', 'cam-3']);
    const set = await swarm.api.get(kinds.StatefulSet, {
      namespace: 'swarm',
      name: 'sizing-worker',
    });
    expect(dig(set, 'spec', 'replicas')).toBe(2);
  });

  it('lists: the pool takes its streams from the file beside it', async () => {
    expect(sorted(await streamsOf('lists-pool'))).toEqual([
      '3sat',
      'arte',
      'cnbc',
      'phoenix',
      'test-card',
    ]);
  });

  it('restart: pods are replaced, and each logs the streams that it read', async () => {
    const streams = await streamsOf('restart-pool');
    expect(sorted(streams)).toEqual(['invoices', 'orders', 'returns']);
    for (const [pod, jobs] of Object.entries(streams)) {
      await eventually(`${pod} logs its streams`, async () => {
        const log = await swarm.kubectl('-n', 'swarm', 'logs', pod);
        return jobs.every((job) => log.includes(`- ${job}`));
      });
    }
  });

  it('autoscaling: the autoscaler finds the pool and its workers', async () => {
    expect(sorted(await streamsOf('autoscaling-pool'))).toHaveLength(6);
    const find = (kind: Kind, name: string): Promise<KubeObject> =>
      swarm.api.get(kind, { namespace: 'swarm', name });
    const isAble = (condition: unknown): boolean =>
      dig(condition, 'type') === 'AbleToScale' && dig(condition, 'status') === 'True';
    await eventually(
      'the autoscaler is able to scale',
      async () =>
        asList(
          dig(
            await find(kinds.HorizontalPodAutoscaler, 'autoscaling-pool'),
            'status',
            'conditions',
          ),
        ).some(isAble),
      PATIENCE,
    );
    // Its minimum is the size of the pool, and so of the StatefulSet.
    await eventually(
      'the autoscaler has scaled',
      async () =>
        dig(await find(kinds.StatefulSet, 'autoscaling-worker'), 'spec', 'replicas') === 2,
      PATIENCE,
    );
  });

  it('shards: each worker reads its part from one of two ConfigMaps', async () => {
    expect(sorted(await streamsOf('shards-pool'))).toEqual(['s1', 's2', 's3', 's4']);
    for (const index of [0, 1]) {
      const { data } = await swarm.api.get(kinds.ConfigMap, {
        namespace: 'swarm',
        name: `shards-lineup-${index}`,
      });
      expect(Object.values(Object(data)).join()).toContain(`shards-worker-${index}:`);
    }
  });

  it('paused: the pool shows a plan, and makes no other change', async () => {
    await eventually(
      'there is a plan',
      async () => (await statusOf('paused-pool')).plan?.total === 2,
    );
    await expect(
      swarm.api.get(kinds.ConfigMap, { namespace: 'swarm', name: 'paused-pool' }),
    ).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('two-sets: pods of both StatefulSets are workers', async () => {
    const streams = await streamsOf('two-sets');
    expect(Object.keys(streams).sort()).toEqual(['large-worker-0', 'small-worker-0']);
    expect(sorted(streams)).toEqual(['east', 'north', 'south', 'west']);
  });

  it.each(['failover', 'rebalance'])('%s: the pool converges', async (name) => {
    expect(sorted(await streamsOf(`${name}-pool`)).length).toBeGreaterThan(2);
  });
});

describe('samples/overlay/staging', () => {
  it('samples/overlay/staging renames the sample’s objects, and all references follow', async () => {
    const objects = await overlays.build('samples/overlay/staging');
    const pool = only(objects, 'SwarmPool');
    const list = only(objects, 'ConfigMap').metadata.name;
    expect(list).toMatch(/^staging-lineup-[a-z0-9]{10}$/);
    expect(pool['spec']).toMatchObject({
      streamsFrom: [{ configMapKeyRef: { name: list } }],
      assignments: { configMapName: 'staging-tv' },
      workers: { selector: { matchLabels: { app: 'tv', environment: 'staging' } } },
    });
    expect(only(objects, 'StatefulSet').metadata.labels).toMatchObject({
      app: 'tv',
      environment: 'staging',
    });
  });

  it('samples/overlay/staging changes one field of one stream, and no other', async () => {
    const pool = only(await overlays.build('samples/overlay/staging'), 'SwarmPool');
    expect(asList(dig(pool, 'spec', 'streams'))).toEqual([
      { name: 'cnbc', weight: 50, parameters: { url: 'rtsp://staging-cam/main', codec: 'h264' } },
      { name: 'arte', weight: 20 },
    ]);
  });

  it('samples/overlay/staging converges', async () => {
    const streams = await streamsOf('staging-tv');
    expect(Object.keys(streams)).toHaveLength(3);
    expect(sorted(streams)).toEqual(['3sat', 'arte', 'cnbc', 'one-more', 'phoenix']);
  });
});

const poolOf = (name: string): object => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  metadata: { name },
});

describe('an overlay of a user', () => {
  /**
   * A pool that names its target, and an autoscaler that names the pool: an overlay on the sample's
   * overlay.
   */
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

  it('an overlay renames target, autoscaler and volume as well, through any number of overlays', async () => {
    const objects = await overlays.build(twice());
    expect(only(objects, 'SwarmPool')).toMatchObject({
      metadata: { name: 'a-autoscaling-pool-z', namespace: 'elsewhere' },
      spec: {
        workers: { targetRef: { name: 'a-autoscaling-worker-z' } },
        assignments: { configMapName: 'a-autoscaling-pool-z' },
      },
    });
    expect(only(objects, 'HorizontalPodAutoscaler')).toMatchObject({
      spec: { scaleTargetRef: { name: 'a-autoscaling-pool-z' } },
    });
    const [volume] = asList(
      dig(only(objects, 'StatefulSet'), 'spec', 'template', 'spec', 'volumes'),
    );
    expect(dig(volume, 'configMap', 'name')).toBe('a-autoscaling-pool-z');
  });

  it('an overlay still merges into the lists of Kubernetes’ own kinds', async () => {
    const set = only(await overlays.build(twice()), 'StatefulSet');
    const containers = asList(dig(set, 'spec', 'template', 'spec', 'containers')).map((container) =>
      asString(dig(container, 'name')),
    );
    expect([...containers].sort()).toEqual(['beside', 'worker']);
  });

  it('an overlay removes one stream by its name', async () => {
    const patch = JSON.stringify({
      ...poolOf('tv'),
      spec: { streams: [{ name: 'cnbc', $patch: 'delete' }] },
    });
    const folder = overlays.write('less', {
      resources: ['repository/samples/overlay/base'],
      patches: [{ patch }],
    });
    expect(dig(only(await overlays.build(folder), 'SwarmPool'), 'spec', 'streams')).toEqual([
      { name: 'arte', weight: 20 },
    ]);
  });

  it('an overlay renames a group with its members and autoscaler, sizes it, and changes one member', async () => {
    const folder = overlays.write('shop', {
      namePrefix: 'a-',
      resources: ['repository/samples/teastore', 'autoscaler.yaml'],
      components: ['repository/crds/kustomize'],
      replicas: [{ name: 'teastore', count: 5 }],
      patches: [
        {
          patch: JSON.stringify({
            apiVersion: 'k8slab.info/v1alpha1',
            kind: 'SwarmGroup',
            metadata: { name: 'teastore', namespace: 'teastore' },
            spec: { members: [{ kind: 'Deployment', name: 'teastore-webui', maxReplicas: 9 }] },
          }),
        },
      ],
    });
    const scaleTargetRef = {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmGroup',
      name: 'teastore',
    };
    overlays.file('shop/autoscaler.yaml', [
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'teastore', namespace: 'teastore' },
        spec: { scaleTargetRef, maxReplicas: 5 },
      },
    ]);
    const objects = await overlays.build(folder);
    const group = only(objects, 'SwarmGroup');
    expect(only(objects, 'HorizontalPodAutoscaler')).toMatchObject({
      spec: { scaleTargetRef: { name: group.metadata.name } },
    });
    expect(dig(group, 'spec', 'replicas')).toBe(5);
    const members = asList(dig(group, 'spec', 'members'));
    expect(members).toHaveLength(7);
    expect(members).toContainEqual({
      kind: 'Deployment',
      name: 'a-teastore-webui',
      stage: 4,
      ratio: 2,
      maxReplicas: 9,
    });
    const deployments = objects.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.map(({ metadata }) => metadata.name).sort()).toEqual(
      members.map((member) => String(dig(member, 'name'))).sort(),
    );
  });

  it('an overlay renames a queue with its jobs and what they name, and changes their images', async () => {
    const folder = overlays.write('hpc', {
      nameSuffix: '-2',
      resources: ['all.yaml'],
      components: ['repository/crds/kustomize'],
      images: [{ name: 'busybox', newTag: '1.37' }],
      replicas: [{ name: 'lammps', count: 4 }],
    });
    const key = (name: string) => ({ name, key: 'k' });
    const jobSpec = (suffix: string, image: string) => ({
      queueName: `batch${suffix}`,
      image,
      env: [{ name: 'A', valueFrom: { configMapKeyRef: key(`settings${suffix}`) } }],
      template: {
        spec: {
          serviceAccountName: `runner${suffix}`,
          volumes: [
            { name: 'secret', secret: { secretName: `keys${suffix}` } },
            { name: 'data', persistentVolumeClaim: { claimName: `data${suffix}` } },
          ],
          containers: [{ name: 'sidecar', image }],
        },
      },
    });
    const ours = (kind: string, name: string, spec: object): object => ({
      apiVersion: 'k8slab.info/v1alpha1',
      kind,
      metadata: { name },
      spec,
    });
    const named = (kind: string, name: string): object => ({
      apiVersion: 'v1',
      kind,
      metadata: { name },
    });
    overlays.file('hpc/all.yaml', [
      ours('SwarmQueue', 'batch', { quota: {} }),
      ours('SwarmJob', 'lammps', { ...jobSpec('', 'busybox'), size: 2 }),
      named('ConfigMap', 'settings'),
      named('Secret', 'keys'),
      named('ServiceAccount', 'runner'),
      { ...named('PersistentVolumeClaim', 'data'), spec: {} },
    ]);
    expect(only(await overlays.build(folder), 'SwarmJob')).toMatchObject({
      metadata: { name: 'lammps-2' },
      spec: { ...jobSpec('-2', 'busybox:1.37'), size: 4 },
    });
  });

  it('an overlay may add a placeholder, which follows its pool', async () => {
    const folder = overlays.write('placeholder', {
      namePrefix: 'b-',
      resources: ['pool.yaml'],
      components: ['repository/crds/kustomize'],
      replicas: [{ name: 'tv', count: 7 }],
    });
    overlays.file('placeholder/pool.yaml', [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'slices', annotations: { 'k8slab.info/pool': 'tv' } },
      },
      {
        ...poolOf('tv'),
        spec: {
          assignments: { configMapName: 'slices' },
          workers: { targetRef: { name: 'any' }, scaling: 'Lead', replicas: 3 },
        },
      },
    ]);
    const objects = await overlays.build(folder);
    expect(only(objects, 'ConfigMap').metadata.annotations).toEqual({ 'k8slab.info/pool': 'b-tv' });
    expect(only(objects, 'SwarmPool')).toMatchObject({
      spec: {
        assignments: { configMapName: 'b-slices' },
        workers: { targetRef: { name: 'any' }, replicas: 7 },
      },
    });
  });
});
