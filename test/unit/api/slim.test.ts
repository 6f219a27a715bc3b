// Is all that is read of an object kept, and never much more?
import { describe, expect, it } from '@jest/globals';
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import {
  parseAutoscaler,
  parsePod,
  parseReplicaSet,
  parseTarget,
} from '../../../src/api/observed.ts';
import {
  slimAutoscaler,
  slimConfigMap,
  slimPod,
  slimReplicaSet,
  slimWorkload,
} from '../../../src/api/slim.ts';

const many = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${index}-${'x'.repeat(length)}`);
const textOf = (value: unknown): string => JSON.stringify(value);

const assigned = {
  downwardAPI: {
    items: [{ fieldRef: { fieldPath: `metadata.annotations['${ASSIGNED_ANNOTATION}']` } }],
  },
};
const workload = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {
    name: 'worker',
    namespace: 'tv',
    uid: 'u',
    resourceVersion: '7',
    labels: { app: 'worker', tier: 'edge' },
    annotations: { other: 'x'.repeat(9_000) },
    managedFields: [{}],
  },
  spec: {
    replicas: 3,
    ordinals: { start: 2 },
    selector: { matchLabels: { app: 'worker' } },
    template: {
      metadata: { labels: { app: 'worker', zone: 'a' }, annotations: { other: 'x'.repeat(9_000) } },
      spec: {
        containers: [{ image: 'x'.repeat(9_000) }],
        volumes: [{ configMap: { name: 'lists' } }, { projected: { sources: [assigned] } }],
      },
    },
  },
  status: {
    conditions: [
      { type: 'Available' },
      { type: 'ReplicaFailure', status: 'True', message: 'quota' },
    ],
  },
};
const autoscaler = {
  ...workload,
  kind: 'HorizontalPodAutoscaler',
  spec: { scaleTargetRef: { kind: 'SwarmPool', name: 'tv' }, metrics: [{}] },
};
const owner = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'worker',
  uid: 'owner',
  controller: true,
};
const owned = {
  ...workload,
  kind: 'ReplicaSet',
  metadata: { ...workload.metadata, ownerReferences: [{ ...owner, controller: false }, owner] },
};

describe('a slim object is parsed as the whole one, and stays the same when it is slimmed again', () => {
  const rows: readonly (readonly [
    string,
    KubeObject,
    (object: KubeObject) => KubeObject,
    (object: KubeObject) => unknown,
  ])[] = [
    ['of a StatefulSet', workload, slimWorkload, parseTarget('StatefulSet')],
    ['of a Deployment', workload, slimWorkload, parseTarget('Deployment')],
    [
      'of one that says nothing',
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
      slimWorkload,
      parseTarget('Deployment'),
    ],
    ['of a ReplicaSet', owned, slimReplicaSet, parseReplicaSet],
    ['of an autoscaler', autoscaler, slimAutoscaler, parseAutoscaler],
  ];
  it.each(rows)(
    'a slim object %s is parsed as the whole one, and does not change when it is slimmed again',
    (_, object, slim, parse) => {
      expect(parse(slim(object))).toEqual(parse(object));
      expect(slim(slim(object))).toEqual(slim(object));
      expect(textOf(slim(object)).length).toBeLessThan(1_000);
    },
  );
});

describe('of an object at the limit of its size, little is kept', () => {
  const names = many(6_000, 200);
  const volumes = names.map((name) => ({ configMap: { name } }));
  const metadata = {
    name: 'a',
    annotations: { [ASSIGNED_ANNOTATION]: 'x'.repeat(250_000) },
    labels: Object.fromEntries(names.map((name) => [name, 'x'])),
  };
  const ports = names.map((name) => ({ name, containerPort: 1 }));
  const rows: readonly (readonly [string, KubeObject])[] = [
    [
      'labels, selectors and volumes',
      slimWorkload({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata,
        spec: {
          selector: { matchLabels: metadata.labels },
          template: { metadata, spec: { volumes } },
        },
      }),
    ],
    [
      'ports, volumes and annotations',
      slimPod({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata,
        spec: { volumes, containers: [{ ports }] },
      }),
    ],
    [
      'owners',
      slimReplicaSet({
        ...owned,
        metadata: {
          ...owned.metadata,
          ownerReferences: names.map((name) => ({ ...owner, name, controller: name === names[0] })),
        },
      }),
    ],
    [
      'notes',
      slimConfigMap({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, 'app', ASSIGNED_ANNOTATION),
    ],
  ];
  it.each(rows)(
    'a slim object with as many %s as fit into a whole one stays below 100,000 characters',
    (_, kept) => {
      expect(textOf(kept).length).toBeLessThan(100_000);
    },
  );

  it('a slim object keeps the first labels, ports and mounted ConfigMaps', () => {
    expect(parseTarget('Deployment')(rows[0]?.[1] as KubeObject)).toMatchObject({
      labels: { [names[0] ?? '']: 'x' },
      selector: '',
    });
    expect(parsePod(rows[1]?.[1] as KubeObject)).toMatchObject({
      assigned: undefined,
      ports: { [names[0] ?? '']: 1 },
    });
    expect(parsePod(rows[1]?.[1] as KubeObject).mountedConfigMaps[0]).toBe(names[0]);
  });
});

it('a ConfigMap watched by its metadata keeps one label and one annotation', () => {
  const metadata = {
    name: 'tv',
    labels: { pool: 'tv', other: 'x' },
    annotations: { change: '{}', other: 'x' },
  };
  const kept = slimConfigMap({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, 'pool', 'change');
  expect(kept.metadata).toEqual({
    name: 'tv',
    labels: { pool: 'tv' },
    annotations: { change: '{}' },
  });
});
