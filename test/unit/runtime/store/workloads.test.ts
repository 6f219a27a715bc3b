// Which objects belong to which workload, and which controllers are notified?
import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, type Kind, kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject, OwnerReference } from '../../../../src/api/objects.ts';
import { parseTarget } from '../../../../src/api/observed.ts';
import { Workloads } from '../../../../src/runtime/store/workloads.ts';

const object = (kind: Kind, name: string, metadata: object = {}): KubeObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: {
    name,
    namespace: 'swarm',
    uid: `${kind.kind} ${name}`,
    resourceVersion: '1',
    ...metadata,
  },
});
const ownedBy = (
  kind: Kind,
  name: string,
  change: Partial<OwnerReference> = {},
): OwnerReference[] => [
  {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name,
    uid: `${kind.kind} ${name}`,
    controller: true,
    ...change,
  },
];
const set = object(kinds.StatefulSet, 'worker');
const deployment = object(kinds.Deployment, 'web');
const replicaSet = object(kinds.ReplicaSet, 'web-1', {
  ownerReferences: ownedBy(kinds.Deployment, 'web'),
});

const add = (workloads: Workloads, object: KubeObject): void =>
  workloads.subscriptions
    .find(({ kind }) => kind.kind === object.kind)
    ?.onChange({ type: 'ADDED', object });

describe('the workload of a pod', () => {
  const known = (...objects: readonly KubeObject[]): Workloads => {
    const workloads = new Workloads();
    for (const it of objects) add(workloads, it);
    return workloads;
  };
  const ofSet = parseTarget('StatefulSet')(set);
  const ofDeployment = parseTarget('Deployment')(deployment);
  /** Its owners, and the workloads that count it among theirs. */
  const belongs = (pod: KubeObject, ...others: readonly KubeObject[]): readonly string[][] => {
    const workloads = known(set, deployment, replicaSet, ...others, pod);
    return [
      workloads.ownersOf(workloads.pod(pod.metadata)).map(({ name }) => name),
      [ofSet, ofDeployment]
        .filter((workload) => workloads.podsOf(workload).length > 0)
        .map(({ name }) => name),
    ];
  };
  const both = (name: string): readonly string[][] => [[name], [name]];
  const nothing: readonly string[][] = [[], []];

  it.each<[string, object, readonly string[][]]>([
    [
      'to the StatefulSet that controls it',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker') },
      both('worker'),
    ],
    [
      'to the Deployment whose ReplicaSet controls it',
      { ownerReferences: ownedBy(kinds.ReplicaSet, 'web-1') },
      both('web'),
    ],
    [
      'to nothing in another namespace',
      { namespace: 'other', ownerReferences: ownedBy(kinds.StatefulSet, 'worker') },
      nothing,
    ],
    [
      'to no Deployment in another namespace',
      { namespace: 'other', ownerReferences: ownedBy(kinds.ReplicaSet, 'web-1') },
      nothing,
    ],
    [
      'to nothing when another kind has the UID',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker', { kind: 'ReplicaSet' }) },
      nothing,
    ],
    [
      'to nothing when the owner is of another group',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker', { apiVersion: 'example.com/v1' }) },
      nothing,
    ],
    [
      'to nothing when its owner does not control it',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker', { controller: false }) },
      nothing,
    ],
    [
      'to no Deployment that it names itself',
      { ownerReferences: ownedBy(kinds.Deployment, 'web') },
      nothing,
    ],
  ])('a pod belongs %s', (_, metadata, want) => {
    expect(belongs(object(kinds.Pod, 'worker-0', metadata))).toEqual(want);
  });

  it('a pod belongs to no Deployment through a ReplicaSet of another namespace', () => {
    const elsewhere = object(kinds.ReplicaSet, 'far', {
      namespace: 'other',
      ownerReferences: ownedBy(kinds.Deployment, 'web'),
    });
    const pod = object(kinds.Pod, 'far-1', {
      namespace: 'other',
      ownerReferences: ownedBy(kinds.ReplicaSet, 'far'),
    });
    expect(belongs(pod, elsewhere)).toEqual(nothing);
  });
});

describe('an autoscaler', () => {
  it.each([
    ['of a Deployment', 'apps/v1', 'Deployment', ['Deployment.apps']],
    ['of another version of its kind', 'apps/v1beta2', 'Deployment', ['Deployment.apps']],
    ['without an apiVersion', undefined, 'Deployment', ['Deployment.apps']],
    [
      'of a Deployment of another API group',
      'example.org/v1',
      'Deployment',
      ['Deployment.example.org'],
    ],
    ['of a pool', 'k8slab.info/v1alpha1', 'SwarmPool', ['SwarmPool.k8slab.info']],
    ['of an unknown kind, without an apiVersion', undefined, 'Cell', []],
    ['of a kind called like what every object inherits', undefined, 'constructor', []],
  ])('an autoscaler %s scales that alone', (_, apiVersion, kind, want) => {
    const workloads = new Workloads();
    const scaleTargetRef = { kind, name: 'web', ...(apiVersion && { apiVersion }) };
    add(workloads, {
      ...object(kinds.HorizontalPodAutoscaler, 'scaler'),
      spec: { scaleTargetRef },
    });
    const candidates = [
      kinds.Deployment,
      kinds.SwarmPool,
      { group: 'example.org', kind: 'Deployment' },
      { group: 'example.org', kind: 'Cell' },
    ];
    const ref = { namespace: 'swarm', name: 'web' };
    const scaled = candidates.filter((it) => workloads.autoscalerOf(it, ref) === 'scaler');
    expect(scaled.map((it) => `${it.kind}.${it.group}`)).toEqual(want);
  });
});

describe('all kinds with a listener', () => {
  it('all kinds are notified of a workload whose pod or autoscaler changes', () => {
    const workloads = new Workloads();
    const heard: string[] = [];
    for (const name of ['pools', 'groups'])
      workloads.listen({
        onWorkloads: (changed) => {
          for (const it of changed) heard.push(`${name} ${it.name}`);
        },
      });
    add(workloads, set);
    add(
      workloads,
      object(kinds.Pod, 'worker-0', { ownerReferences: ownedBy(kinds.StatefulSet, 'worker') }),
    );
    add(workloads, {
      ...object(kinds.HorizontalPodAutoscaler, 'scaler'),
      spec: { scaleTargetRef: { kind: 'StatefulSet', name: 'worker' } },
    });
    expect(heard).toEqual(Array(3).fill(['pools worker', 'groups worker']).flat());
    expect(workloads.autoscalerOf(kinds.StatefulSet, { namespace: 'swarm', name: 'worker' })).toBe(
      'scaler',
    );
  });

  it('all kinds share the same subscriptions, so that each change is handled once', () => {
    const workloads = new Workloads();
    expect(workloads.subscriptions).toBe(workloads.subscriptions);
    expect(workloads.subscriptions.map(({ kind }) => kind.kind)).toEqual([
      'StatefulSet',
      'Deployment',
      'HorizontalPodAutoscaler',
      'ReplicaSet',
      'Pod',
    ]);
  });
});
