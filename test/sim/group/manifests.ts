// Which objects does a story about a group begin with? The group `shop`, its members m0, m1, ...,
// in some modes a SwarmPool among them, and an older group that has no member at first.
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { NAMESPACE, poolOf, poolRef, targetOf } from '../cluster/manifests.ts';
import type { Shape } from '../story/story.ts';
import type { GroupMode, GroupShape, MemberRules } from './story.ts';

export const groupRef = { namespace: NAMESPACE, name: 'shop' };
export const rivalRef = { namespace: NAMESPACE, name: 'stall' };
export const elderRef = { namespace: NAMESPACE, name: 'arcade' };
export const leaderRef = { namespace: NAMESPACE, name: 'crew' };
export const autoscalerRef = { namespace: NAMESPACE, name: 'scaler' };
export const groupAutoscalerRef = { namespace: NAMESPACE, name: 'group-scaler' };

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
const someRules: readonly MemberRules[] = [
  { stage: 0, ratio: 1 },
  { stage: 1, ratio: '0.5', minReplicas: 1 },
  { stage: 1, ratio: '1.5' },
  { stage: 2, ratio: 2, maxReplicas: 5 },
];

export const memberOf = (
  name: string,
  { rules = someRules }: Partial<GroupShape> = {},
): object => ({
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
      : { members: namesOf(shape).map((name) => memberOf(name, shape)) }),
    transition: {
      order: isStaged(mode) ? 'Staged' : 'Together',
      onTimeout: rollsBack(mode) ? 'Rollback' : 'Keep',
      timeoutSeconds: shape.timeoutSeconds ?? (rollsBack(mode) ? 5 : 8),
      retryAfterSeconds: shape.retryAfterSeconds ?? 4,
    },
  };
}

export const groupOf = (shape: GroupShape): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmGroup',
  metadata: { ...groupRef },
  spec: groupSpecOf(shape),
});

/** Older than the group by its name, where both were created in the same second. */
export const elderOf = (names: readonly string[]): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmGroup',
  metadata: { ...elderRef },
  spec: elderSpecOf(names),
});

const NOBODY = { kind: 'Deployment', name: 'nobody' };

export const elderSpecOf = (names: readonly string[]): object => ({
  replicas: 2,
  members:
    names.length === 0 ? [NOBODY] : names.map((name) => ({ kind: kindOfMember(name), name })),
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
        // Of two StatefulSets one starts its pods in order.
        ...(kind === 'StatefulSet' &&
          Number(name.slice(1)) % 4 === 3 && { podManagementPolicy: 'Parallel' }),
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { revision: 'first' } },
      },
    },
  ];
}

/** Beside the members, never scaled. */
export const crowd = (count: number): readonly KubeObject[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: NAMESPACE, name: `extra-${index}`, labels: { shop: 'yes' } },
    spec: { replicas: 1, selector: { matchLabels: { app: 'extra' } }, template: {} },
  }));

export const kindNamed = (
  kind: string,
): (typeof kinds)['Deployment'] | (typeof kinds)['SwarmPool'] =>
  kind === 'SwarmPool'
    ? kinds.SwarmPool
    : kind === 'Deployment'
      ? kinds.Deployment
      : kinds.StatefulSet;
