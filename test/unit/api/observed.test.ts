// What does the operator read of pods and targets?
import { describe, expect, it } from '@jest/globals';
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { DELETION_COST_ANNOTATION, parsePod, parseTarget } from '../../../src/api/observed.ts';
import { slimPod } from '../../../src/api/slim.ts';
import { portOf } from '../../../src/pool/workers/probes.ts';

const full = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'worker-0',
    namespace: 'tv',
    uid: 'u',
    resourceVersion: '7',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        name: 'worker',
        uid: 'owner',
        controller: true,
      },
    ],
    labels: { app: 'worker' },
    annotations: {
      [ASSIGNED_ANNOTATION]: 'told',
      [DELETION_COST_ANNOTATION]: '3',
      other: 'x'.repeat(1_000),
    },
    managedFields: [{ manager: 'kubelet' }],
  },
  spec: {
    containers: [
      { name: 'worker', image: 'x', env: [], ports: [{ name: 'http', containerPort: 9090 }] },
      { name: 'sidecar' },
    ],
  },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: [
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
    containerStatuses: [{ name: 'worker' }],
  },
};

it('a slim pod is parsed as the whole one', () => {
  expect(parsePod(slimPod(full))).toEqual(parsePod(full));
  expect(parsePod(full)).toMatchObject({
    isReady: true,
    isTerminating: true,
    assigned: 'told',
    deletionCost: '3',
    ports: { http: 9090 },
  });
  expect(JSON.stringify(slimPod(full)).length).toBeLessThan(JSON.stringify(full).length / 2);
  const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare' } };
  expect(parsePod(slimPod(bare))).toEqual(parsePod(bare));
});

it('a port of a sidecar is found by its name, one of an init container is not', () => {
  const port = (name: string, containerPort: number): object => ({
    ports: [{ name, containerPort }],
  });
  const initContainers = [
    { name: 'setup', ...port('setup', 1) },
    { name: 'sidecar', restartPolicy: 'Always', ...port('version', 8080) },
  ];
  const pod = { ...full, spec: { ...full.spec, initContainers } };
  expect(parsePod(pod).ports).toEqual({ http: 9090, version: 8080 });
  expect(parsePod(slimPod(pod))).toEqual(parsePod(pod));
});

describe('why a pod is not Ready', () => {
  const notReady = { type: 'Ready', status: 'False' };
  const inStatus = (more: object): KubeObject => ({
    ...full,
    status: { phase: 'Pending', podIP: '10.0.0.1', conditions: [notReady], ...more },
  });
  const waiting = (reason: string, restartCount = 0): object => ({
    ready: false,
    restartCount,
    state: { waiting: { reason } },
  });
  const containers = (...containerStatuses: readonly object[]): KubeObject =>
    inStatus({ containerStatuses });

  const rows: readonly (readonly [what: string, pod: KubeObject, trouble: string | undefined])[] = [
    ['starts', containers(waiting('ContainerCreating')), undefined],
    [
      'runs for the first time',
      containers({ ready: false, restartCount: 0, state: { running: {} } }),
      undefined,
    ],
    [
      'ended once',
      containers({ ready: false, restartCount: 0, state: { terminated: { exitCode: 1 } } }),
      undefined,
    ],
    ['waits after a crash', containers(waiting('CrashLoopBackOff', 1)), 'CrashLoopBackOff'],
    [
      'runs again after crashes',
      containers({ ready: false, restartCount: 2, state: { running: {} } }),
      'CrashLoopBackOff',
    ],
    [
      'ended well again and again',
      containers({ ready: false, restartCount: 3, state: { terminated: { exitCode: 0 } } }),
      'CrashLoopBackOff',
    ],
    [
      'crashed again',
      containers({ ready: false, restartCount: 3, state: { terminated: { exitCode: 1 } } }),
      'CrashLoopBackOff',
    ],
    ['cannot be started', containers(waiting('RunContainerError', 4)), 'CrashLoopBackOff'],
    ['pulls in vain', containers({ ready: true }, waiting('ErrImagePull')), 'ImagePullBackOff'],
    ['waits to pull again', containers(waiting('ImagePullBackOff')), 'ImagePullBackOff'],
    [
      'lacks a Secret',
      containers(waiting('CreateContainerConfigError')),
      'CreateContainerConfigError',
    ],
    [
      'has an init container that crashes',
      inStatus({ initContainerStatuses: [waiting('CrashLoopBackOff', 5)] }),
      'CrashLoopBackOff',
    ],
    [
      'has an init container that has done its work after crashes',
      inStatus({
        initContainerStatuses: [
          { ready: false, restartCount: 5, state: { terminated: { exitCode: 0 } } },
        ],
      }),
      undefined,
    ],
    [
      'finds no node',
      inStatus({
        conditions: [notReady, { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      }),
      'Unschedulable',
    ],
    [
      'is Ready after crashes',
      {
        ...full,
        status: { ...full.status, containerStatuses: [{ ready: true, restartCount: 9 }] },
      },
      undefined,
    ],
  ];

  it.each(rows)(
    'the reason why a pod that %s is not Ready is read from its status',
    (_, object, trouble) => {
      expect(parsePod(object).trouble).toBe(trouble);
      expect(parsePod(slimPod(object))).toEqual(parsePod(object));
      expect(JSON.stringify(slimPod(object)).includes('containerStatuses')).toBe(
        trouble !== undefined,
      );
    },
  );

  const image = 'registry.example/worker:1';
  const isReadySomewhere = { type: 'ContainersReady', status: 'True' };
  const unscheduled = (message: string): KubeObject =>
    inStatus({
      conditions: [
        notReady,
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
      ],
    });
  const waitingFor = (reason: string, message: string, more: object = {}): KubeObject =>
    containers({ ready: false, image, state: { waiting: { reason, message } }, ...more });
  const killed = { terminated: { reason: 'OOMKilled', exitCode: 137 } };

  const details: readonly (readonly [
    what: string,
    pod: KubeObject,
    trouble: string,
    detail: string | undefined,
  ])[] = [
    ['pulls in vain', waitingFor('ErrImagePull', 'rpc error 1'), 'ImagePullBackOff', image],
    ['waits to pull', waitingFor('ImagePullBackOff', 'Back-off'), 'ImagePullBackOff', image],
    ['has a wrong image', waitingFor('InvalidImageName', 'x'), 'InvalidImageName', image],
    [
      'lacks a ConfigMap',
      waitingFor('CreateContainerConfigError', 'configmap "settings" not found'),
      'CreateContainerConfigError',
      'configmap "settings" not found',
    ],
    [
      'waits after it was killed',
      waitingFor('CrashLoopBackOff', 'back-off 10s', { lastState: killed }),
      'CrashLoopBackOff',
      'OOMKilled',
    ],
    [
      'was killed again',
      containers({ ready: false, restartCount: 3, state: killed }),
      'CrashLoopBackOff',
      'OOMKilled',
    ],
    [
      'crashed after it was killed',
      containers({
        ready: false,
        restartCount: 3,
        state: { terminated: { reason: 'Error' } },
        lastState: killed,
      }),
      'CrashLoopBackOff',
      undefined,
    ],
    [
      'cannot be created for a reason with an ID',
      waitingFor('CreateContainerError', 'name is reserved for 4f2a'),
      'CreateContainerError',
      undefined,
    ],
    [
      'finds no node with room',
      unscheduled(
        '0/5 nodes are available: 1 Insufficient memory, 2 Insufficient cpu, 2 node(s) had untolerated taint {a.example/b: c}. preemption: 0/5 nodes are available: 5 Preemption is not helpful.',
      ),
      'Unschedulable',
      'Insufficient cpu, Insufficient memory, node(s) had untolerated taint {a.example/b: c}',
    ],
    [
      'finds no volume',
      unscheduled('0/5 nodes are available: pod has unbound immediate PersistentVolumeClaims. x'),
      'Unschedulable',
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'is on a lost node',
      {
        ...inStatus({ conditions: [notReady, isReadySomewhere] }),
        spec: { ...(full['spec'] ?? {}), nodeName: 'node-3' },
      },
      'NodeLost',
      'node node-3 does not report',
    ],
  ];

  it.each(details)('the status of a pod that %s says more', (_, object, trouble, detail) => {
    expect(parsePod(object)).toMatchObject({
      trouble,
      ...(detail !== undefined && { troubleDetail: detail }),
    });
    expect(parsePod(object).troubleDetail).toBe(detail);
    expect(parsePod(slimPod(object))).toEqual(parsePod(object));
    expect(parsePod(slimPod(slimPod(object)))).toEqual(parsePod(object));
  });

  it('a scheduler that counts other nodes gives the same reason', () => {
    const [one, other] = [3, 4].map((nodes) =>
      parsePod(unscheduled(`0/${nodes} nodes are available: ${nodes} Insufficient cpu.`)),
    );
    expect(one).toEqual(other);
  });

  it('a pod with a readiness gate is on no lost node', () => {
    const gated = { ...notReady, reason: 'ReadinessGatesNotReady' };
    expect(parsePod(inStatus({ conditions: [gated, isReadySomewhere] })).trouble).toBeUndefined();
  });
});

it('the selector of a target leaves out values that are not text', () => {
  const selector = {
    matchLabels: { app: 'worker', odd: { toString: 1 } },
    matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', { toString: 1 }, null, 'b'] }],
  };
  const target = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'worker' },
    spec: { selector },
  };
  expect(parseTarget('StatefulSet')(target).selector).toBe('app=worker,zone in (a,b)');
});

it.each(['toString', 'constructor', '__proto__'])(
  'a container that waits for the reason %j has that as its trouble',
  (reason) => {
    const status = { containerStatuses: [{ state: { waiting: { reason } } }] };
    expect(
      parsePod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'worker-0' }, status }).trouble,
    ).toBe(reason);
  },
);

it('a port called constructor is not found where no container has it', () => {
  expect(
    portOf(
      parsePod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'worker-0' } }),
      'constructor',
    ),
  ).toBeUndefined();
});
