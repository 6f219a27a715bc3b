// Which objects does a story begin with? A pool `tv`, and the StatefulSet or Deployment `worker`
// whose pods it assigns streams to.
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { Mode, Shape, TargetName } from '../story/story.ts';

export const NAMESPACE = 'swarm';
export const poolRef = { namespace: NAMESPACE, name: 'tv' };
export const targetRef = { namespace: NAMESPACE, name: 'worker' };

const SHARDS = 2;
/** Longer than the slowest process takes to end, and the kernel after it. */
const SLOW_GRACE_SECONDS = 15;

export const targetKindOf = ({ mode }: Shape): 'StatefulSet' | 'Deployment' =>
  mode === 'Deployment' ? 'Deployment' : 'StatefulSet';
export const isExclusive = ({ mode }: Shape): boolean =>
  mode === 'Exclusive' || mode === 'LeadExclusive';
export const leads = ({ mode }: Shape): boolean => mode === 'Lead' || mode === 'LeadExclusive';
export const isWeighted = ({ mode }: Shape): boolean => mode === 'Weights';

export const streamNames = (count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, index) => `s${from + index}`);

/** With weights: some reserve much, some reserve nothing. */
const streamOf = (shape: Shape, name: string): object =>
  isWeighted(shape) ? { name, weight: (Number(name.slice(1)) % 4) * 20 } : { name };

export const streamsOf = (shape: Shape, names: readonly string[]): readonly object[] =>
  names.map((name) => streamOf(shape, name));

const byMode: Readonly<Record<Mode, object>> = {
  AtLeastOnce: {},
  Exclusive: { handoff: { type: 'Exclusive' } },
  Restart: { refresh: { mode: 'Restart', maxUnavailable: 2 } },
  Auto: { refresh: { mode: 'Auto', timeoutSeconds: 4 } },
  Lead: {},
  LeadExclusive: { handoff: { type: 'Exclusive' } },
  Deployment: {},
  Shards: { assignments: { shards: SHARDS } },
  Weights: {},
};

export function specOf(shape: Shape): object {
  const workers = {
    selector: { matchLabels: { app: 'worker' } },
    ...(leads(shape) && { scaling: 'Lead', drainTimeoutSeconds: 10 }),
    ...(shape.mode === 'Deployment' && { kind: 'Deployment' }),
  };
  // Its users empty and replace lists on purpose.
  const removal = { allowEmpty: true };
  const streams = streamsOf(shape, streamNames(shape.streams));
  const { moveAfterSeconds, isOnce } = shape;
  const streamPolicy = {
    ...(moveAfterSeconds !== undefined && { moveAfterSeconds }),
    ...(isOnce === true && { completion: 'Once' }),
  };
  return { ...byMode[shape.mode], workers, removal, streams, streamPolicy };
}

export const poolOf = (shape: Shape): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  metadata: { ...poolRef },
  spec: specOf(shape),
});

export function targetOf(shape: Shape, revision = 'first'): KubeObject {
  const kind = targetKindOf(shape);
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { ...targetRef, labels: { app: 'worker' } },
    spec: {
      replicas: shape.workers,
      ...(kind === 'StatefulSet' && {
        podManagementPolicy: shape.isOrdered === true ? 'OrderedReady' : 'Parallel',
      }),
      selector: { matchLabels: { app: 'worker' } },
      template: templateOf(shape, revision),
    },
  };
}

export const partsOf = (
  target: TargetName,
): { readonly kind: 'StatefulSet' | 'Deployment'; readonly name: string } => ({
  kind: target.startsWith('Deployment/') ? 'Deployment' : 'StatefulSet',
  name: target.slice(target.indexOf('/') + 1),
});

export const labelsOf = (isSelected: boolean): Readonly<Record<string, string>> => ({
  app: isSelected ? 'worker' : 'away',
});

/** Beside the first target; its pods have another label. */
export function otherTargetOf(
  shape: Shape,
  target: TargetName,
  replicas: number,
  isSelected: boolean,
  start?: number,
): KubeObject {
  const { kind, name } = partsOf(target);
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { namespace: NAMESPACE, name, labels: { ...labelsOf(isSelected) } },
    spec: {
      replicas,
      ...(kind === 'StatefulSet' && {
        podManagementPolicy: shape.isOrdered === true ? 'OrderedReady' : 'Parallel',
      }),
      ...(kind === 'StatefulSet' && start !== undefined && { ordinals: { start } }),
      selector: { matchLabels: { set: name } },
      template: templateOf(shape, 'first', { set: name }),
    },
  };
}

/**
 * Where workers of a wide story mount assignments, whichever of these the pool names; their keys
 * differ.
 */
export const MOVED = { configMapName: 'moved', key: 'config-moved.yml' };

function placesMountedBy({ mode, isWide }: Shape): readonly string[] {
  const shards = Array.from({ length: SHARDS }, (_, index) => `tv-assignments-${index}`);
  if (isWide === true) return ['tv-assignments', ...shards, MOVED.configMapName];
  return mode === 'Shards' ? shards : ['tv-assignments'];
}

export function templateOf(
  shape: Shape,
  revision: string,
  own: Readonly<Record<string, string>> = {},
): object {
  const isFenced = isExclusive(shape) || shape.isWide === true;
  const args = [
    ...(isFenced ? ['--assigned-file', '/etc/podinfo/assigned'] : []),
    ...(shape.hasFiniteJobs ? ['--on-exit', 'complete'] : []),
    ...(shape.isSlow ? ['--slow'] : []),
    ...(shape.readsOnce ? ['--once'] : []),
  ];
  const podinfo = {
    items: [
      {
        path: 'assigned',
        fieldRef: { fieldPath: `metadata.annotations['${ASSIGNED_ANNOTATION}']` },
      },
    ],
  };
  return {
    metadata: { labels: { app: 'worker', ...own } },
    spec: {
      terminationGracePeriodSeconds: shape.isSlow === true ? SLOW_GRACE_SECONDS : 2,
      containers: [{ name: 'worker', image: `swarm-worker:${revision}`, args }],
      volumes: [
        {
          name: 'assignments',
          projected: {
            sources: placesMountedBy(shape).map((name) => ({
              configMap: { name, optional: true },
            })),
          },
        },
        ...(isFenced ? [{ name: 'podinfo', downwardAPI: podinfo }] : []),
      ],
    },
  };
}
