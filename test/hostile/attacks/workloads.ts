// What can an attacker write into StatefulSets and Deployments to harm the operator that counts
// their workers?
import { kinds } from '../../../src/api/kinds.ts';
import {
  type Attack,
  type Expected,
  fewStreams,
  type Place,
  type Tenant,
  workload,
} from '../tenant.ts';

const MOST = 2_147_483_647;
const FAR_TOO_MANY = [100_001, 1_000_000, 99_999_999, MOST];

const stalled = ({ namespace, name }: Place): readonly Expected[] => [
  { pool: `${namespace}/${name}`, says: 'Stalled' },
];

/** Paused, so that the controller creates no pod of it. */
const deploymentReplicas: Attack = {
  kind: 'replicas-of-a-paused-deployment',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.write(
      kinds.Deployment,
      namespace,
      name,
      workload(name, random.pick(FAR_TOO_MANY), { paused: true }),
    );
    const workers = { targetRef: { kind: 'Deployment', name } };
    await tenant.write(kinds.SwarmPool, namespace, name, {
      spec: { workers, streams: fewStreams },
    });
    return stalled(place);
  },
};

const setReplicas: Attack = {
  kind: 'replicas-of-a-statefulset',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    const ordinals = { start: random.pick([0, 1, 2_000_000, MOST]) };
    await tenant.patch(kinds.StatefulSet, namespace, name, {
      spec: { replicas: random.pick(FAR_TOO_MANY), ordinals },
    });
    return stalled(place);
  },
};

const manySets: Attack = {
  kind: 'sum-over-many-statefulsets',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    const labels = { swarm: name };
    for (let index = 0; index < 20; index += 1) {
      const { spec } = workload(`${name}-${index}`, random.between(30_000, 90_000));
      await tenant.write(kinds.StatefulSet, namespace, `${name}-${index}`, {
        metadata: { labels },
        spec,
      });
    }
    const workers = { selector: { matchLabels: labels } };
    await tenant.write(kinds.SwarmPool, namespace, name, {
      spec: { workers, streams: fewStreams },
    });
    return stalled(place);
  },
};

const atTheBound: Attack = {
  kind: 'as-many-workers-as-are-taken',
  run: async (tenant, { namespace, name, random }) => {
    const replicas = random.pick([1_000, 9_999, 10_000, 10_001]);
    await tenant.write(
      kinds.Deployment,
      namespace,
      name,
      workload(name, replicas, { paused: true }),
    );
    const workers = { targetRef: { kind: 'Deployment', name } };
    await tenant.write(kinds.SwarmPool, namespace, name, {
      spec: { workers, streams: fewStreams, assignments: { shards: 4 } },
    });
    return [];
  },
};

const oddLabels: Attack = {
  kind: 'labels-of-workloads',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place, { workers: { selector: { matchLabels: { app: name } } } });
    const labels = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [
        `x${index}.example.com/${'k'.repeat(60)}`,
        'v'.repeat(63),
      ]),
    );
    const pool = { 'k8slab.info/pool': random.pick(['', name, 'x'.repeat(63)]) };
    await tenant.patch(kinds.StatefulSet, namespace, name, {
      metadata: { labels: { ...labels, ...pool } },
    });
    return [];
  },
};

const goneAndBack: Attack = {
  kind: 'workloads-deleted-and-made-anew',
  run: async (tenant, place) => {
    const { namespace, name } = place;
    for (let round = 0; round < 5 && !tenant.isEnding; round += 1) {
      await tenant.wellBefore(place);
      await tenant.remove(kinds.StatefulSet, namespace, name);
      await tenant.write(
        kinds.Deployment,
        namespace,
        name,
        workload(name, round, { paused: true }),
      );
    }
    return [];
  },
};

const scaled = async (
  tenant: Tenant,
  { namespace, name }: Place,
  replicas: number,
): Promise<void> => {
  await tenant.patch(kinds.SwarmPool, namespace, name, { spec: { replicas } }, 'scale');
};

const leads: Attack = {
  kind: 'pools-that-lead',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place, { workers: { targetRef: { name }, scaling: 'Lead' } });
    for (const replicas of [
      random.between(0, 3),
      random.pick([100_000, 100_001, MOST]),
      random.between(0, 100_000),
    ])
      await scaled(tenant, place, replicas);
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'StatefulSet', name };
    const of = random.chance(0.5)
      ? scaleTargetRef
      : { apiVersion: 'k8slab.info/v1alpha1', kind: 'SwarmPool', name };
    const spec = { scaleTargetRef: of, minReplicas: 1, maxReplicas: random.pick([1, MOST]) };
    await tenant.write(kinds.HorizontalPodAutoscaler, namespace, name, { spec });
    if (random.chance(0.3)) await tenant.remove(kinds.HorizontalPodAutoscaler, namespace, name);
    return [];
  },
};

const manyAutoscalers: Attack = {
  kind: 'many-autoscalers',
  run: async (tenant, place) => {
    const { namespace, name, random } = place;
    await tenant.wellBefore(place);
    for (let index = 0; index < 20; index += 1) {
      const kind = random.pick(['StatefulSet', 'Deployment', 'SwarmPool', 'x'.repeat(60)]);
      const apiVersion = random.pick(['apps/v1', 'k8slab.info/v1alpha1', 'a/b', 'v1']);
      const spec = {
        scaleTargetRef: { apiVersion, kind, name: random.pick([name, '..', 'x'.repeat(250)]) },
        maxReplicas: 3,
      };
      await tenant.write(kinds.HorizontalPodAutoscaler, namespace, `${name}-${index}`, { spec });
    }
    return [];
  },
};

export const workloadAttacks: readonly Attack[] = [
  deploymentReplicas,
  setReplicas,
  manySets,
  atTheBound,
  oddLabels,
  goneAndBack,
  leads,
  manyAutoscalers,
];
