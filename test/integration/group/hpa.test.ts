// Does Kubernetes' own HorizontalPodAutoscaler bring a group to the size that its formula asks for,
// with each kind of target, and leave it there?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import type { AggregatedApi } from '../support/aggregated-api.ts';
import { serveExternalMetrics } from '../support/external-metrics.ts';
import { type Group, makeGroup } from '../support/group.ts';
import { servePodMetrics } from '../support/pod-metrics.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let apis: readonly AggregatedApi[] = [];
/** By namespace: what the services have to do, and how often an autoscaler has asked for it. */
const loads = new Map<string, number>();
const questions = new Map<string, number>();

const loadOf = (namespace: string): number => loads.get(namespace) ?? 0;
const questionsOf = (namespace: string): number => questions.get(namespace) ?? 0;
const countQuestion = (namespace: string): unknown =>
  questions.set(namespace, questionsOf(namespace) + 1);

const isFront = ({ metadata }: KubeObject): boolean => metadata.labels?.['app'] === 'front';

async function sizeOf(namespace: string): Promise<number> {
  const group = await swarm.api.get(kinds.SwarmGroup, { namespace, name: 'shop' });
  return asNumber(dig(group, 'spec', 'replicas')) ?? 0;
}

beforeAll(async () => {
  swarm = await Swarm.start({
    controlPlane: {
      extraArguments: {
        controllerManager: [
          '--horizontal-pod-autoscaler-sync-period=200ms',
          '--horizontal-pod-autoscaler-cpu-initialization-period=0s',
          '--horizontal-pod-autoscaler-initial-readiness-delay=0s',
        ],
      },
    },
  });
  await swarm.operator('--leader-election', 'false');
  apis = [
    await serveExternalMetrics(swarm, async ({ namespace, name }) => {
      countQuestion(namespace);
      const load = loadOf(namespace);
      return name === 'load' ? load : load / (await sizeOf(namespace));
    }),
    await servePodMetrics(swarm, (namespace) => {
      countQuestion(namespace);
      // The pods of `front` share the load. Those of others are busy, whatever the size.
      return (pod, running) =>
        isFront(pod) ? loadOf(namespace) / running.filter(isFront).length : 100;
    }),
  ];
  // It looks for new kinds every half minute, and when it starts.
  await swarm.playground.plane.restart(['controllerManager']);
});

afterAll(async () => {
  await Promise.all(apis.map((api) => api.close()));
  await swarm.stop();
});

/** The first member with a pod for each unit of the size is `front`. */
const members = [
  { kind: 'Deployment', name: 'db', maxReplicas: 1 },
  { kind: 'Deployment', name: 'web', ratio: 2 },
  { kind: 'Deployment', name: 'front' },
];

const external = (name: string, target: object): object => ({
  type: 'External',
  external: { metric: { name }, target },
});

const atOnce = { stabilizationWindowSeconds: 0 };

async function autoscale(
  namespace: string,
  metric: object,
  scaleDown: object = atOnce,
): Promise<void> {
  await swarm.create(kinds.HorizontalPodAutoscaler, namespace, 'shop', {
    spec: {
      scaleTargetRef: { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmGroup', name: 'shop' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [metric],
      behavior: {
        scaleUp: { policies: [{ type: 'Pods', value: 10, periodSeconds: 1 }] },
        scaleDown,
      },
    },
  });
}

const giveBehavior = (namespace: string, behavior: object): Promise<unknown> =>
  swarm.api.patch(
    kinds.HorizontalPodAutoscaler,
    { namespace, name: 'shop' },
    { type: 'merge', body: { spec: { behavior } } },
  );

/** Every size that an autoscaler has asked for, in ascending order. */
async function sizesAsked({ namespace }: Group): Promise<readonly number[]> {
  const { items } = await swarm.api.list(kinds.Event, namespace);
  const sizes = items.flatMap(({ message }) => {
    const size = /^New size: (\d+);/.exec(asString(message) ?? '')?.[1];
    return size === undefined ? [] : [Number(size)];
  });
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** By then it has acted upon the answer to the first question. */
async function hasAskedAgain({ namespace }: Group): Promise<void> {
  const then = questionsOf(namespace);
  await eventually('the autoscaler asks again', () => questionsOf(namespace) >= then + 5);
}

/** It asks for this size, all members follow, and that changes nothing. */
async function bringsTo(
  size: number,
  group: Group,
  replicas: Readonly<Record<string, number>> = { db: 1, web: 2 * size, front: size },
): Promise<void> {
  await hasAskedAgain(group);
  expect(await sizeOf(group.namespace)).toBe(size);
  await group.atSize(size);
  await hasAskedAgain(group);
  expect(await sizeOf(group.namespace)).toBe(size);
  for (const [name, wanted] of Object.entries(replicas))
    expect(await group.replicas('Deployment', name)).toBe(wanted);
}

const conditionOf = async (namespace: string, type: string): Promise<unknown> => {
  const object = await swarm.api.get(kinds.HorizontalPodAutoscaler, { namespace, name: 'shop' });
  return asList(dig(object, 'status', 'conditions')).find((it) => dig(it, 'type') === type);
};

const value = external('load-of-each', { type: 'Value', value: '40' });
const averageValue = external('load', { type: 'AverageValue', averageValue: '40' });
const utilization = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 40 } },
};

describe.each([
  { target: 'Value', metric: value },
  { target: 'AverageValue', metric: averageValue },
  { target: 'Utilization', metric: utilization },
])('a HorizontalPodAutoscaler with target $target', ({ target, metric }) => {
  const namespace = target.toLowerCase();
  let group: Group;

  it('a HorizontalPodAutoscaler scales a group up to the size of its formula, and keeps it there', async () => {
    group = await makeGroup(swarm, namespace, {
      members: { db: {}, web: {}, front: {} },
      spec: { replicas: 1, members },
    });
    await group.atSize(1);
    loads.set(namespace, 160);
    await autoscale(namespace, metric);
    await bringsTo(4, group);
    expect(await sizesAsked(group)).toEqual([4]);
  });

  it('a HorizontalPodAutoscaler scales a group down to the size of its formula', async () => {
    loads.set(namespace, 40);
    await bringsTo(1, group);
    expect(await sizesAsked(group)).toEqual([1, 4]);
  });
});

describe('a group without a member that has a pod for each unit', () => {
  const makeGroupOfPairs = async (namespace: string): Promise<Group> => {
    const group = await makeGroup(swarm, namespace, {
      members: { web: {} },
      spec: { replicas: 1, members: [{ kind: 'Deployment', name: 'web', ratio: 2 }] },
    });
    await group.atSize(1);
    loads.set(namespace, 160);
    return group;
  };

  it('an AverageValue sizes a group without a member that has one pod for each unit', async () => {
    const group = await makeGroupOfPairs('total');
    await autoscale('total', averageValue);
    await bringsTo(4, group, { web: 8 });
    loads.set('total', 40);
    await bringsTo(1, group, { web: 2 });
    expect(await sizesAsked(group)).toEqual([1, 4]);
  });

  it('a user scales a group while its autoscaler is disabled', async () => {
    const group = await makeGroupOfPairs('by-hand');
    loads.set('by-hand', 40);
    await autoscale('by-hand', averageValue);
    await bringsTo(1, group, { web: 2 });
    const disabled = { selectPolicy: 'Disabled' };
    await giveBehavior('by-hand', { scaleUp: disabled, scaleDown: disabled });
    await hasAskedAgain(group);
    loads.set('by-hand', 160);
    await group.kubectl('scale', 'swarmgroup/shop', '--replicas=2');
    await bringsTo(2, group, { web: 4 });
    await giveBehavior('by-hand', { scaleUp: { selectPolicy: 'Max' } });
    await bringsTo(4, group, { web: 8 });
  });

  it('a Value cannot size a group without a member with one pod per unit, and its autoscaler says so', async () => {
    const group = await makeGroupOfPairs('no-unit');
    await autoscale('no-unit', value);
    await eventually(
      'the autoscaler says it',
      async () => dig(await conditionOf('no-unit', 'ScalingActive'), 'status') === 'False',
    );
    expect(await conditionOf('no-unit', 'ScalingActive')).toMatchObject({
      reason: 'FailedGetExternalMetric',
      message: expect.stringContaining('no pods returned by selector'),
    });
    await hasAskedAgain(group);
    expect(await sizeOf('no-unit')).toBe(1);
    expect(await group.replicas('Deployment', 'web')).toBe(2);
  });
});

describe('a size of an autoscaler that times out', () => {
  const names = ['front', 'web'] as const;
  let group: Group;

  /** It grows with each change of its spec. */
  const generations = () =>
    Promise.all(
      names.map(async (name) => {
        const ref = { namespace: 'failing', name };
        return (await swarm.api.get(kinds.Deployment, ref)).metadata.generation;
      }),
    );

  const giveImage = (image: string): Promise<string> =>
    group.kubectl('set', 'image', 'deployment/web', `main=${image}`);

  it("an autoscaler's size that times out is rolled back, and neither repeated nor raised", async () => {
    group = await makeGroup(swarm, 'failing', {
      members: { web: {}, front: {} },
      spec: {
        replicas: 1,
        members: members.filter(({ name }) => name !== 'db'),
        // The healthy member is ready by then, on a slow machine too.
        transition: { timeoutSeconds: 20, onTimeout: 'Rollback' },
      },
    });
    await group.until('has its size', ({ replicas }) => replicas === 1);
    await giveImage('none');
    loads.set('failing', 160);
    // Pods that are just going away share the load: an autoscaler waits before it believes them.
    await autoscale('failing', utilization, { stabilizationWindowSeconds: 300 });
    const { transition } = await group.until(
      'has rolled back',
      ({ transition: last }) => last?.state === 'RolledBack',
    );
    expect(transition).toMatchObject({
      from: 1,
      to: 4,
      message: expect.stringMatching(/^Deployment\/web: \d of 8 are ready \(ImagePullBackOff\)/),
    });
    const before = await generations();
    await hasAskedAgain(group);
    const { replicas, history } = (await group.status()) ?? {};
    expect(replicas).toBe(1);
    expect(history?.[0]).toMatchObject({ to: 4, outcome: 'RolledBack' });
    expect(await sizesAsked(group)).toEqual([4]);
    expect(await sizeOf('failing')).toBe(4);
    expect(await group.replicas('Deployment', 'front')).toBe(1);
    expect(await group.replicas('Deployment', 'web')).toBe(2);
    expect(await generations()).toEqual(before);
  });

  it("an autoscaler's size is reached once the member has been repaired", async () => {
    await group.edit({ transition: { timeoutSeconds: 300 } });
    await giveImage('busybox');
    await bringsTo(4, group, { web: 8, front: 4 });
    expect(await sizesAsked(group)).toEqual([4]);
  });
});
