// Whom does a pool mean? By whole names and whole labels, within its own namespace.
import { describe, expect, it } from '@jest/globals';
import { apiVersionOf, type Kind, kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject, OwnerReference } from '../../../../src/api/objects.ts';
import { parseTarget } from '../../../../src/api/observed.ts';
import { isSelected, Targets } from '../../../../src/pool/observe/targets.ts';
import { world } from '../../../support/pool-worlds.ts';

describe('a target is selected', () => {
  const [target] = world().targets;
  if (target === undefined) throw new Error('no target');
  const byName = { workers: { targetRef: { name: 'worker' } } };
  const byLabels = { workers: { selector: { matchLabels: { app: 'worker', tier: 'one' } } } };

  it.each([
    ['by its name', byName, {}, true],
    ['not by the beginning of its name', byName, { name: 'worker-batch' }, false],
    ['not by a name that begins with its own', byName, { name: 'work' }, false],
    ['not in another namespace', byName, { namespace: 'other' }, false],
    [
      'by all of its labels',
      byLabels,
      { labels: { app: 'worker', tier: 'one', more: 'than asked for' } },
      true,
    ],
    ['not by one of two labels', byLabels, { labels: { app: 'worker' } }, false],
    [
      'not by the beginning of a label',
      byLabels,
      { labels: { app: 'worker', tier: 'one-more' } },
      false,
    ],
  ])('%s', (_, spec, change, want) => {
    expect(isSelected(world({ spec }).pool, { ...target, ...change })).toBe(want);
  });
});

describe('a pod is a worker', () => {
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

  const known = (...objects: readonly KubeObject[]): Targets => {
    const targets = new Targets();
    const subscriptions = targets.subscriptions(
      () => undefined,
      () => undefined,
      () => undefined,
    );
    for (const it of objects)
      subscriptions
        .find(({ kind }) => kind.kind === it.kind)
        ?.onChange({ type: 'ADDED', object: it });
    return targets;
  };
  const ofSet = parseTarget('StatefulSet')(set);
  const ofDeployment = parseTarget('Deployment')(deployment);
  /** Its owners, and the targets that count it among theirs. */
  const belongs = (pod: KubeObject, ...others: readonly KubeObject[]): readonly string[][] => {
    const targets = known(set, deployment, replicaSet, ...others, pod);
    return [
      targets.ownersOf(targets.pod(pod.metadata)).map(({ name }) => name),
      [ofSet, ofDeployment]
        .filter((target) => targets.podsOf(target).length > 0)
        .map(({ name }) => name),
    ];
  };
  const both = (name: string): readonly string[][] => [[name], [name]];
  const nobodys: readonly string[][] = [[], []];

  it.each<[string, object, readonly string[][]]>([
    [
      'of the StatefulSet that controls it',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker') },
      both('worker'),
    ],
    [
      'of the Deployment whose ReplicaSet controls it',
      { ownerReferences: ownedBy(kinds.ReplicaSet, 'web-1') },
      both('web'),
    ],
    [
      'of nobody in another namespace',
      { namespace: 'other', ownerReferences: ownedBy(kinds.StatefulSet, 'worker') },
      nobodys,
    ],
    [
      'of no Deployment in another namespace',
      { namespace: 'other', ownerReferences: ownedBy(kinds.ReplicaSet, 'web-1') },
      nobodys,
    ],
    [
      'of nobody when another kind has the UID',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker', { kind: 'ReplicaSet' }) },
      nobodys,
    ],
    [
      'of nobody when the owner is of another group',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker', { apiVersion: 'example.com/v1' }) },
      nobodys,
    ],
    [
      'of nobody when its owner does not control it',
      { ownerReferences: ownedBy(kinds.StatefulSet, 'worker', { controller: false }) },
      nobodys,
    ],
    [
      'of no Deployment that it names itself',
      { ownerReferences: ownedBy(kinds.Deployment, 'web') },
      nobodys,
    ],
  ])('%s', (_, metadata, want) => {
    expect(belongs(object(kinds.Pod, 'worker-0', metadata))).toEqual(want);
  });

  it('of no Deployment through a ReplicaSet of another namespace', () => {
    const elsewhere = object(kinds.ReplicaSet, 'far', {
      namespace: 'other',
      ownerReferences: ownedBy(kinds.Deployment, 'web'),
    });
    const pod = object(kinds.Pod, 'far-1', {
      namespace: 'other',
      ownerReferences: ownedBy(kinds.ReplicaSet, 'far'),
    });
    expect(belongs(pod, elsewhere)).toEqual(nobodys);
  });
});
