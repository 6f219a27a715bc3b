// Does Kubernetes' own HorizontalPodAutoscaler bring a group to the size that its formula asks for,
// with each kind of target, and leave it there?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig } from '../../../src/api/objects.ts';
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
    await servePodMetrics(swarm, async (namespace) => {
      countQuestion(namespace);
      const ofEach = loadOf(namespace) / (await sizeOf(namespace));
      // Of other members each pod is busy, whatever the size.
      return ({ metadata: { labels } }) => (labels?.['app'] === 'front' ? ofEach : 100);
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

async function autoscale(namespace: string, metric: object): Promise<void> {
  await swarm.create(kinds.HorizontalPodAutoscaler, namespace, 'shop', {
    spec: {
      scaleTargetRef: { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmGroup', name: 'shop' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [metric],
      behavior: {
        scaleUp: { policies: [{ type: 'Pods', value: 10, periodSeconds: 1 }] },
        scaleDown: { stabilizationWindowSeconds: 0 },
      },
    },
  });
}

/** Every size that an autoscaler has asked for, in ascending order. */
async function sizesAsked({ namespace }: Group): Promise<readonly number[]> {
  const { items } = await swarm.api.list(kinds.Event, namespace);
  const sizes = items.flatMap(({ note }) => {
    const size = /^New size: (\d+);/.exec(asString(note) ?? '')?.[1];
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
async function bringsTo(size: number, group: Group): Promise<void> {
  await hasAskedAgain(group);
  expect(await sizeOf(group.namespace)).toBe(size);
  await group.atSize(size);
  await hasAskedAgain(group);
  expect(await sizeOf(group.namespace)).toBe(size);
  expect(await group.replicas('Deployment', 'front')).toBe(size);
  expect(await group.replicas('Deployment', 'web')).toBe(2 * size);
  expect(await group.replicas('Deployment', 'db')).toBe(1);
}

const conditionOf = async (namespace: string, type: string): Promise<unknown> => {
  const object = await swarm.api.get(kinds.HorizontalPodAutoscaler, { namespace, name: 'shop' });
  return asList(dig(object, 'status', 'conditions')).find((it) => dig(it, 'type') === type);
};

describe.each([
  {
    target: 'Value',
    metric: external('load-of-each', { type: 'Value', value: '40' }),
  },
  {
    target: 'AverageValue',
    metric: external('load', { type: 'AverageValue', averageValue: '40' }),
  },
  {
    target: 'Utilization',
    metric: {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 40 } },
    },
  },
])('a HorizontalPodAutoscaler with target $target', ({ target, metric }) => {
  const namespace = target.toLowerCase();
  let group: Group;

  it('scales a group up to the size that one pod a unit gives, and keeps it', async () => {
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

  it('scales it down in the same way', async () => {
    loads.set(namespace, 40);
    await bringsTo(1, group);
    expect(await sizesAsked(group)).toEqual([1, 4]);
  });
});

it('says in its own condition that no member of a group has a pod for each unit', async () => {
  const group = await makeGroup(swarm, 'no-unit', {
    members: { web: {} },
    spec: { replicas: 1, members: [{ kind: 'Deployment', name: 'web', ratio: 2 }] },
  });
  await group.atSize(1);
  await autoscale('no-unit', external('load-of-each', { type: 'Value', value: '40' }));
  await eventually(
    'the autoscaler says it',
    async () => dig(await conditionOf('no-unit', 'ScalingActive'), 'status') === 'False',
  );
  expect(await conditionOf('no-unit', 'ScalingActive')).toMatchObject({
    reason: 'InvalidSelector',
    message: "the HPA target's scale is missing a selector",
  });
  expect(await sizeOf('no-unit')).toBe(1);
});
