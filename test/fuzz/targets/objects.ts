// Fuzzed: objects of the Kubernetes API that the client has accepted.
import { isKubeObject, isRecord, type KubeObject, keyOf, refOf } from '../../../src/api/objects.ts';
import {
  type ConfigMap,
  parseAutoscaler,
  parseConfigMap,
  parsePod,
  parseReplicaSet,
  parseTarget,
} from '../../../src/api/observed.ts';
import { slimPod } from '../../../src/api/slim.ts';
import { parseSwarmPool } from '../../../src/api/validate.ts';
import { world } from '../../support/pool-worlds.ts';
import { mustBeMessage, mustBeSame } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);
const maybe = (is: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || is(value);
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** The type of each field of the parsed objects. */
const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: isText,
  namespace: isText,
  uid: isText,
  resourceVersion: isText,
  ownerUid: maybe(isText),
  ip: maybe(isText),
  isReady: isFlag,
  isTerminating: isFlag,
  hasEnded: isFlag,
  assigned: maybe(isText),
  deletionCost: maybe(isText),
  mountedConfigMaps: isList,
  trouble: maybe(isText),
  kind: isText,
  labels: isTexts,
  annotations: isTexts,
  data: isTexts,
  replicas: isNumber,
  firstOrdinal: isNumber,
  selector: isText,
  isDeleting: isFlag,
  mountsAssigned: isFlag,
  size: (value) => isRecord(value) && Object.values(value).every(isNumber),
  createFailure: isText,
  targetGroup: isText,
  targetKind: isText,
  targetName: isText,
  generation: isNumber,
  creationTimestamp: isText,
  ports: (value) => isRecord(value) && Object.values(value).every(isNumber),
};

function mustHaveShape(kept: object): void {
  for (const [field, value] of Object.entries(kept)) {
    const is = shapes[field];
    if (is !== undefined)
      must(
        is(value),
        `${field} is not what its type says`,
        () => JSON.stringify(value) ?? 'nothing',
      );
  }
}

function check(text: string): string {
  const object = parsed(text);
  if (!isKubeObject(object)) return 'no object';
  const before = JSON.stringify(object);
  const outcome = checkObject(object);
  must(JSON.stringify(object) === before, 'a reader changes what it reads');
  return outcome;
}

function checkObject(object: KubeObject): string {
  const pod = parsePod(object);
  const configMap: ConfigMap = parseConfigMap(object);
  const targets = [parseTarget('StatefulSet')(object), parseTarget('Deployment')(object)];
  const kept = [pod, configMap, ...targets, parseReplicaSet(object), parseAutoscaler(object)];
  kept.forEach(mustHaveShape);
  mustBeSame(parsePod(slimPod(object)), pod, 'a pod that was slimmed reads otherwise');
  const key = keyOf(object.metadata);
  if (/^[a-z0-9/.-]+$/.test(key) && key.split('/').length <= 2 && object.metadata.namespace !== '')
    mustBeSame(keyOf(refOf(key)), key, 'a key reads otherwise');
  const pool = parseSwarmPool(object);
  mustHaveShape(pool.meta);
  if (pool.spec.ok) {
    const again = parseSwarmPool({ ...object, spec: JSON.parse(JSON.stringify(pool.spec.value)) });
    mustBeSame(
      JSON.stringify(again.spec),
      JSON.stringify(pool.spec),
      'a spec with its defaults reads otherwise',
    );
    return `ok ${pool.status === undefined ? '' : 'status'}`;
  }
  for (const { field, message } of pool.spec.problems) mustBeMessage(`${field}: ${message}`);
  return `ok, and no pool: ${outcomeOf(pool.spec.problems[0]?.message ?? '')}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const metadata = {
  name: 'worker-0',
  namespace: 'swarm',
  uid: 'u',
  resourceVersion: '12',
  generation: 3,
  creationTimestamp: '2026-01-01T00:00:00Z',
  labels: { app: 'worker' },
  finalizers: ['example.com/wait'],
  annotations: { 'k8slab.info/assigned': '{}', 'controller.kubernetes.io/pod-deletion-cost': '5' },
  ownerReferences: [
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'worker', uid: 'o', controller: true },
  ],
};
const volumes = [
  { name: 'a', configMap: { name: 'tv-assignments' } },
  {
    name: 'p',
    projected: {
      sources: [
        { configMap: { name: 'b' } },
        {
          downwardAPI: {
            items: [
              {
                path: 'x',
                fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" },
              },
            ],
          },
        },
      ],
    },
  },
  {
    name: 'd',
    downwardAPI: {
      items: [
        {
          path: 'assigned',
          fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" },
        },
      ],
    },
  },
];
const containers = [{ name: 'c', ports: [{ name: 'http', containerPort: 9090 }] }];
const { pool } = world({ streams: [{ name: 'a', weight: 5, parameters: { url: 'x' } }] });

const seeds: readonly object[] = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      containers,
      initContainers: [
        { name: 'i', restartPolicy: 'Always', ports: [{ name: 'side', containerPort: 1 }] },
      ],
      volumes,
    },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' },
      ],
      containerStatuses: [
        { ready: true },
        { ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
      initContainerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: { phase: 'Failed', podIP: '', conditions: [{ type: 'Ready', status: 'True' }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: 3,
      ordinals: { start: 2 },
      selector: {
        matchLabels: { app: 'worker' },
        matchExpressions: [
          { key: 'a', operator: 'In', values: ['b'] },
          { key: 'c', operator: 'NotIn', values: ['d'] },
          { key: 'e', operator: 'DoesNotExist' },
          { key: 'f', operator: 'Exists' },
        ],
      },
      template: { spec: { volumes } },
    },
    status: {
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          message: 'pods "x" is forbidden:\n exceeded quota',
        },
      ],
    },
  },
  { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'config.yml': 'format: 1\n' } },
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { scaleTargetRef: { kind: 'StatefulSet', name: 'worker' } },
  },
  {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata,
    spec: pool.spec.ok ? pool.spec.value : {},
    status: {
      version: 3,
      replicas: 2,
      history: [{ version: 3, moves: 1, reason: 'a', publishTime: '2026-01-01T00:00:00Z' }],
    },
  },
];

export const objects: Target = {
  name: 'objects',
  files: ['src/api/observed.ts', 'src/api/trouble.ts', 'src/api/validate.ts', 'src/api/objects.ts'],
  guides: ['src/api/generated/validators.cjs'],
  form: 'json',
  seeds: seeds.map((seed) => JSON.stringify(seed)),
  words: [
    'metadata',
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'labels',
    'annotations',
    'ownerReferences',
    'controller',
    'spec',
    'status',
    'data',
    'conditions',
    'type',
    'Ready',
    'True',
    'ReplicaFailure',
    'ports',
    'containerPort',
    'volumes',
    'configMap',
    'projected',
    'sources',
    'downwardAPI',
    'items',
    'selector',
    'matchLabels',
    'matchExpressions',
    'operator',
    'values',
    'workers',
    'streams',
    'weight',
    'targetRef',
    'handoff',
    'Exclusive',
    'refresh',
    'probe',
    'assignments',
    'shards',
    'failover',
    'streamsFrom',
    'configMapKeyRef',
    'replicas',
    'capacity',
    'history',
    'publishTime',
    'restartCount',
    'waiting',
    'reason',
    'deletionTimestamp',
  ],
  longest: 1_048_576,
  read: (text) => {
    const object = parsed(text);
    return isKubeObject(object) ? [parsePod(object), parseSwarmPool(object)] : [];
  },
  check,
};
