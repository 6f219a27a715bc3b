// What does a ResourceQuota count of a pod, and for what does it refuse the pod? Each row is an
// answer of the API server that the operator foresaw in another way.
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { noDefaults, type PodDefaults } from '../../../../src/core/completed-pod.ts';
import { lackedFor, podCharges } from '../../../../src/queue/quota/resource-quotas.ts';
import { amountsIn, quantitiesOf } from '../../../../src/queue/quota/text.ts';
import type { NamespaceQuota, QuotaScope } from '../../../../src/queue/world.ts';
import { BatchJobs } from '../../../../src/runtime/store/batch-jobs.ts';

const quotaOf = (hard: readonly string[], ...scopes: readonly QuotaScope[]): NamespaceQuota => ({
  name: 'compute',
  hard: new Map(hard.map((name) => [name, 10n ** 15n])),
  used: new Map(),
  scopes,
});
const scope = (name: string, operator = 'Exists', values: readonly string[] = []): QuotaScope => ({
  ...{ name, operator, values },
});
const container = (name: string, resources: object = {}) => ({ name, resources });
const sidecar = (name: string, resources: object = {}) => ({
  ...container(name, resources),
  restartPolicy: 'Always',
});
const heavy: PodDefaults = {
  ...noDefaults,
  overheads: new Map([['heavy', amountsIn({ cpu: '100m', memory: '64Mi' })]]),
};

describe('a field that a ResourceQuota demands', () => {
  const limited = { limits: { cpu: '1' } };
  it.each<[string, object, readonly string[] | undefined]>([
    [
      'a sidecar',
      { containers: [container('main', limited)], initContainers: [sidecar('log')] },
      ['log'],
    ],
    [
      'one of two containers',
      { containers: [container('main', limited), container('log', { requests: { cpu: '1' } })] },
      ['log'],
    ],
    ['all of them', { containers: [container('main'), container('log')] }, ['main', 'log']],
    ['none of them', { containers: [container('main', limited)] }, undefined],
    [
      'none where the pod as a whole has resources, of whatever kind',
      { containers: [container('main')], resources: { requests: { memory: '1Gi' } } },
      undefined,
    ],
    [
      'all where those of the pod are empty',
      { containers: [container('main')], resources: {} },
      ['main'],
    ],
  ])(
    'a ResourceQuota of limits.cpu refuses a pod that lacks it in %s',
    (_, podSpec, containers) => {
      const wanted = containers && { field: 'resources.limits.cpu', containers };
      expect(lackedFor(podSpec, quotaOf(['limits.cpu']), noDefaults)).toEqual(wanted);
    },
  );

  it('a limit replaces a missing request, and a zero is not missing', () => {
    const resources = [{ limits: { cpu: '1' } }, { requests: { cpu: '0' } }];
    const podSpec = { containers: resources.map((it, at) => container(`c${at}`, it)) };
    for (const name of ['cpu', 'requests.cpu'])
      expect(lackedFor(podSpec, quotaOf([name]), noDefaults)).toBeUndefined();
  });

  it('a ResourceQuota demands nothing of a pod that is not in its scopes', () => {
    const quota = quotaOf(['limits.cpu'], scope('Terminating'));
    expect(lackedFor({ containers: [container('main')] }, quota, noDefaults)).toBeUndefined();
  });
});

describe('the amounts that a ResourceQuota counts', () => {
  const main = { containers: [container('main')] };
  it.each<[string, object, readonly string[], Readonly<Record<string, string>>]>([
    [
      'the limits of the pod as a whole, which are not its requests',
      { ...main, resources: { requests: { cpu: '100m' }, limits: { cpu: '3' } } },
      ['requests.cpu', 'limits.cpu'],
      { 'requests.cpu': '100m', 'limits.cpu': '3' },
    ],
    [
      'a limit of the pod as a whole as its request, where no container has one',
      { ...main, resources: { limits: { cpu: '3' } } },
      ['cpu', 'requests.memory'],
      { cpu: '3' },
    ],
    [
      'what containers request where the pod as a whole has only a limit',
      {
        containers: [container('main', { requests: { cpu: '1' } })],
        resources: { limits: { cpu: '3' } },
      },
      ['requests.cpu', 'limits.cpu'],
      { 'requests.cpu': '1', 'limits.cpu': '3' },
    ],
    [
      'the requests of containers for what a pod as a whole cannot request',
      {
        containers: [container('main', { requests: { 'ephemeral-storage': '1Gi' } })],
        resources: { requests: { cpu: '3', 'ephemeral-storage': '9Gi' } },
      },
      ['requests.ephemeral-storage'],
      { 'requests.ephemeral-storage': '1Gi' },
    ],
    [
      'limits of huge pages of containers as those of the pod',
      {
        containers: [container('main', { limits: { 'hugepages-2Mi': '4Mi' } })],
        resources: { requests: { cpu: '1' } },
      },
      ['hugepages-2Mi', 'requests.hugepages-2Mi'],
      { 'hugepages-2Mi': '4Mi', 'requests.hugepages-2Mi': '4Mi' },
    ],
    [
      'an overhead in the limits that there are, and in all requests',
      {
        containers: [container('main', { limits: { cpu: '1' } })],
        runtimeClassName: 'heavy',
      },
      ['requests.cpu', 'limits.cpu', 'requests.memory', 'limits.memory'],
      { 'requests.cpu': '1100m', 'limits.cpu': '1100m', 'requests.memory': '64Mi' },
    ],
    [
      'extended resources by their requests alone',
      { containers: [container('main', { limits: { 'example.com/gpu': '2' } })] },
      ['requests.example.com/gpu', 'example.com/gpu', 'limits.example.com/gpu'],
      { 'requests.example.com/gpu': '2' },
    ],
  ])('a ResourceQuota counts %s', (_, podSpec, hard, wanted) => {
    expect(quantitiesOf(podCharges(podSpec, 1, quotaOf(hard), heavy))).toEqual(wanted);
  });
});

const crossing = (term: object): object => ({
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: term }],
    },
  },
});
const scopeRows: readonly [string, QuotaScope, object, PodDefaults, boolean][] = [
  [
    'without a PriorityClass where one is the global default',
    scope('PriorityClass', 'In', ['normal']),
    {},
    { ...noDefaults, priorityClass: 'normal' },
    true,
  ],
  [
    'whose PriorityClass is empty where one is the global default',
    scope('PriorityClass', 'DoesNotExist'),
    { priorityClassName: '' },
    { ...noDefaults, priorityClass: 'normal' },
    false,
  ],
  [
    'whose PriorityClass is empty where none is',
    scope('PriorityClass'),
    { priorityClassName: '' },
    noDefaults,
    false,
  ],
  [
    'with a PriorityClass where another one is the global default',
    scope('PriorityClass', 'In', ['normal']),
    { priorityClassName: 'high' },
    { ...noDefaults, priorityClass: 'normal' },
    false,
  ],
  [
    'that requests only its overhead',
    scope('BestEffort'),
    { runtimeClassName: 'heavy' },
    heavy,
    true,
  ],
  [
    'whose containers alone request cpu, and whose own resources are of another kind',
    scope('BestEffort'),
    {
      containers: [container('main', { requests: { cpu: '1' } })],
      resources: { requests: { 'hugepages-2Mi': '2Mi' } },
    },
    noDefaults,
    true,
  ],
  [
    'with a term about all namespaces',
    scope('CrossNamespacePodAffinity'),
    crossing({ namespaceSelector: {} }),
    noDefaults,
    true,
  ],
  [
    'with a label that is named like a field',
    scope('CrossNamespacePodAffinity'),
    crossing({ labelSelector: { matchLabels: { namespaceSelector: 'a' } } }),
    noDefaults,
    false,
  ],
  ['in a scope of volume claims', scope('VolumeAttributesClass'), {}, noDefaults, false],
];

describe('the scopes of a ResourceQuota', () => {
  it.each(scopeRows)('a pod %s, in %j', (_, wanted, podSpec, defaults, isCounted) => {
    const charges = podCharges(podSpec, 1, quotaOf(['pods'], wanted), defaults);
    expect(charges.size === 1).toBe(isCounted);
  });

  it.each<[string, QuotaScope, object]>([
    ['a deadline', scope('Terminating'), { activeDeadlineSeconds: 60 }],
    ['a PriorityClass', scope('PriorityClass', 'In', ['high']), { priorityClassName: 'high' }],
    ['an affinity', scope('CrossNamespacePodAffinity'), crossing({ namespaces: ['other'] })],
  ])('of a labelled batch Job as much is kept as a scope reads: %s', (_, wanted, podSpec) => {
    const batchJobs = new BatchJobs();
    const object: KubeObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        ...{ name: 'nightly', namespace: 'hpc', uid: 'u', resourceVersion: '1' },
        labels: { 'k8slab.info/queue': 'batch' },
      },
      spec: { suspend: true, template: { spec: { ...podSpec, containers: [container('main')] } } },
    };
    for (const { kind, slim, onChange } of batchJobs.subscriptions)
      if (kind === kinds.Job) onChange({ type: 'ADDED', object: slim?.(object) ?? object });
    const [job] = batchJobs.in('hpc');
    expect(podCharges(job?.podSpec, 1, quotaOf(['pods'], wanted), noDefaults).size).toBe(1);
    expect(lackedFor(job?.podSpec, quotaOf(['limits.cpu']), noDefaults)?.containers).toEqual([
      'main',
    ]);
  });
});
