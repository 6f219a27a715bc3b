// A group as the API server stores it, for tests of commands.
import type { KubeObject } from '../../../src/api/objects.ts';
import { parseSwarmGroup, type SwarmGroup } from '../../../src/api/validate.ts';

export const NOW = Date.parse('2026-01-01T00:10:00Z');

type Shape = {
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly spec?: object;
  /** Undefined: no operator has looked at it. */
  readonly status?: object | undefined;
};

/** At size 1, all is well. */
export const groupObject = ({
  name = 'shop',
  annotations = {},
  generation = 1,
  spec = {},
  ...rest
}: Shape = {}): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmGroup',
  metadata: {
    name,
    namespace: 'swarm',
    uid: `${name}-uid`,
    resourceVersion: '1',
    generation,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations,
  },
  spec: {
    replicas: 1,
    members: [
      { kind: 'Deployment', name: 'db', stage: 0, maxReplicas: 1 },
      { kind: 'Deployment', name: 'web', stage: 1, ratio: '1.5' },
    ],
    transition: { order: 'Staged' },
    ...spec,
  },
  ...('status' in rest && rest.status === undefined ? {} : { status: { ...well, ...rest.status } }),
});

export const swarmGroup = (shape?: Shape): SwarmGroup => parseSwarmGroup(groupObject(shape));

export const memberAt = (name: string, replicas: number, rest: object = {}): object => ({
  kind: 'Deployment',
  name,
  desired: replicas,
  replicas,
  ready: replicas,
  state: 'Ready',
  ...rest,
});

export const condition = (type: string, status: string, reason: string, message = ''): object => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:05:00Z',
});

export const ready = condition('Ready', 'True', 'AllReady', '2 members ready at size 1');

const well = {
  observedGeneration: 1,
  replicas: 1,
  desiredMembers: 2,
  readyMembers: 2,
  members: [memberAt('db', 1, { stage: 0 }), memberAt('web', 2, { stage: 1 })],
  conditions: [ready],
};
