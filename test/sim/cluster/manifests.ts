// Which objects does a story begin with? A pool `tv`, and the StatefulSet or Deployment `worker` whose pods it assigns streams to.
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { Mode, Shape } from '../story/story.ts';

export const NAMESPACE = 'swarm';
export const poolRef = { namespace: NAMESPACE, name: 'tv' };
export const targetRef = { namespace: NAMESPACE, name: 'worker' };

const SHARDS = 2;

export const targetKindOf = ({ mode }: Shape): 'StatefulSet' | 'Deployment' => (mode === 'Deployment' ? 'Deployment' : 'StatefulSet');
export const isExclusive = ({ mode }: Shape): boolean => mode === 'Exclusive' || mode === 'LeadExclusive';
export const leads = ({ mode }: Shape): boolean => mode === 'Lead' || mode === 'LeadExclusive';
export const isWeighted = ({ mode }: Shape): boolean => mode === 'Weights';

export const streamNames = (count: number, from = 0): readonly string[] => Array.from({ length: count }, (_, index) => `s${from + index}`);

/** With weights: some that reserve much, some that reserve nothing. */
const streamOf = (shape: Shape, name: string): object =>
  isWeighted(shape) ? { name, weight: (Number(name.slice(1)) % 4) * 20 } : { name };

export const streamsOf = (shape: Shape, names: readonly string[]): readonly object[] => names.map((name) => streamOf(shape, name));

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
  return { ...byMode[shape.mode], workers, streams: streamsOf(shape, streamNames(shape.streams)) };
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
      ...(kind === 'StatefulSet' && { podManagementPolicy: shape.isOrdered === true ? 'OrderedReady' : 'Parallel' }),
      selector: { matchLabels: { app: 'worker' } },
      template: templateOf(shape, revision),
    },
  };
}

export function templateOf(shape: Shape, revision: string): object {
  const args = [
    ...(isExclusive(shape) ? ['--assigned-file', '/etc/podinfo/assigned'] : []),
    ...(shape.hasFiniteJobs ? ['--on-exit', 'complete'] : []),
  ];
  const names = shape.mode === 'Shards' ? Array.from({ length: SHARDS }, (_, index) => `tv-assignments-${index}`) : ['tv-assignments'];
  const podinfo = { items: [{ path: 'assigned', fieldRef: { fieldPath: `metadata.annotations['${ASSIGNED_ANNOTATION}']` } }] };
  return {
    metadata: { labels: { app: 'worker' } },
    spec: {
      terminationGracePeriodSeconds: 2,
      containers: [{ name: 'worker', image: `swarm-worker:${revision}`, args }],
      volumes: [
        { name: 'assignments', projected: { sources: names.map((name) => ({ configMap: { name, optional: true } })) } },
        ...(isExclusive(shape) ? [{ name: 'podinfo', downwardAPI: podinfo }] : []),
      ],
    },
  };
}
