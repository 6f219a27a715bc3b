// Which objects does a story about a group begin with? The group `shop`, its members m0, m1, ...,
// and in some modes a SwarmPool among them.
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { NAMESPACE, poolOf, poolRef, targetOf } from '../cluster/manifests.ts';
import type { Shape } from '../story/story.ts';
import type { GroupMode, GroupShape } from './story.ts';

export const groupRef = { namespace: NAMESPACE, name: 'shop' };
export const rivalRef = { namespace: NAMESPACE, name: 'stall' };
export const autoscalerRef = { namespace: NAMESPACE, name: 'scaler' };

/** No walk tries this size: it has never failed. */
export const LAST_SIZE = 7;

/** Workloads whose pods are not simulated one by one. */
export const PLAIN = 'plain';

type MemberKind = 'Deployment' | 'StatefulSet' | 'SwarmPool';
export type MemberName = { readonly kind: MemberKind; readonly name: string };

export const poolShape: Shape = { mode: 'Lead', workers: 2, streams: 4 };

export const nameAt = (index: number): string => `m${index}`;
export const isPlain = (name: string): boolean => name !== poolRef.name;
export const kindOfMember = (name: string): MemberKind => {
  if (!isPlain(name)) return 'SwarmPool';
  return Number(name.slice(1)) % 2 === 0 ? 'Deployment' : 'StatefulSet';
};

export const namesOf = ({ mode, members }: GroupShape): readonly string[] => [
  ...Array.from({ length: members }, (_, index) => nameAt(index)),
  ...(mode === 'Pool' ? [poolRef.name] : []),
];

/** Of each member in turn. */
const rules: readonly object[] = [
  { stage: 0, ratio: 1 },
  { stage: 1, ratio: '0.5', minReplicas: 1 },
  { stage: 1, ratio: '1.5' },
  { stage: 2, ratio: 2, maxReplicas: 5 },
];

export const memberOf = (name: string): object => ({
  kind: kindOfMember(name),
  name,
  ...(isPlain(name) ? rules[Number(name.slice(1)) % rules.length] : { stage: 1 }),
});

const isStaged = (mode: GroupMode): boolean => mode === 'Staged' || mode === 'StagedRollback';
const rollsBack = (mode: GroupMode): boolean => mode === 'Rollback' || mode === 'StagedRollback';

export function groupSpecOf(shape: GroupShape, size = shape.size): object {
  const { mode } = shape;
  return {
    replicas: size,
    ...(mode === 'Selector'
      ? {
          selector: { matchLabels: { shop: 'yes' } },
          memberDefaults: { ratio: '1.5', maxReplicas: 8 },
        }
      : { members: namesOf(shape).map(memberOf) }),
    transition: {
      order: isStaged(mode) ? 'Staged' : 'Together',
      onTimeout: rollsBack(mode) ? 'Rollback' : 'Keep',
      timeoutSeconds: rollsBack(mode) ? 8 : 20,
      retryAfterSeconds: 4,
    },
  };
}

export const groupOf = (shape: GroupShape): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmGroup',
  metadata: { ...groupRef },
  spec: groupSpecOf(shape),
});

/** The objects of a member, the first being the member itself. */
export function objectsOf(name: string): readonly KubeObject[] {
  if (!isPlain(name)) return [poolOf(poolShape), targetOf(poolShape)];
  const kind = kindOfMember(name);
  return [
    {
      apiVersion: 'apps/v1',
      kind,
      metadata: { namespace: NAMESPACE, name, labels: { [PLAIN]: 'yes', shop: 'yes' } },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { revision: 'first' } },
      },
    },
  ];
}

export const kindNamed = (
  kind: string,
): (typeof kinds)['Deployment'] | (typeof kinds)['SwarmPool'] =>
  kind === 'SwarmPool'
    ? kinds.SwarmPool
    : kind === 'Deployment'
      ? kinds.Deployment
      : kinds.StatefulSet;
