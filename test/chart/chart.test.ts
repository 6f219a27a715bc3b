// Does the Helm chart make what kustomize makes, and refuse wrong values?
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asList, dig, type KubeObject } from '../../src/api/objects.ts';
import { findBinaries } from '../../src/playground/binaries/binaries.ts';
import { Overlays, only } from '../integration/deploy/overlays.ts';
import { asReleased, chart, Helm, type Release } from './helm.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const component = (name: string): string => `repository/deploy/components/${name}`;
const prod = {
  image: { tag: '' },
  settings: { logFormat: 'json' },
  resources: { requests: { cpu: '200m', memory: '256Mi' }, limits: { memory: '1Gi' } },
};

let helm: Helm;
let overlays: Overlays;

beforeAll(async () => {
  helm = await Helm.find();
  const binaries = await findBinaries(['kubectl']);
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(binaries.kubectl, [...args])).stdout;
  // Kustomize asks no cluster.
  overlays = new Overlays({
    kubectl,
    playground: { plane: { binaries, kubeconfig: '/dev/null' } },
  });
});

afterAll(() => overlays?.remove());

const allKinds = ['pools', 'groups', 'queues', 'jobs'];

/** What docs/install.md says for several namespaces, and to leave out queues in them. */
function twoNamespaces(withQueues = true): object {
  const env = [{ name: 'SWARM_NAMESPACES', value: 'swarm-operator,team-a', valueFrom: null }];
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'swarm-operator', namespace: 'swarm-operator' },
    spec: { template: { spec: { containers: [{ name: 'operator', env }] } } },
  };
  const left = withQueues ? [] : [component('without-queues')];
  overlays.write('two/operator', {
    resources: ['repository/envs/prod'],
    components: [...left, component('namespaced')],
    patches: [{ patch: JSON.stringify(deployment) }],
  });
  overlays.write('two/team-a', {
    namespace: 'team-a',
    resources: ['repository/deploy/watched-namespace'],
    components: left,
  });
  return { resources: ['operator', 'team-a'] };
}

/** What docs/how-to/groups.md says for kinds of members: their resources by API group. */
function memberKinds(resources: Readonly<Record<string, string>>): readonly object[] {
  const rules = Object.entries(resources).map(([group, resource]) => ({
    op: 'add',
    path: '/rules/-',
    value: { apiGroups: [group], resources: [`${resource}/scale`], verbs: ['get', 'update'] },
  }));
  const value = 'example.org/v1/Cell,batch.example.org/v1beta1/Worker';
  const env = [{ name: 'SWARM_MEMBER_KINDS', value }];
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'swarm-operator', namespace: 'swarm-operator' },
    spec: { template: { spec: { containers: [{ name: 'operator', env }] } } },
  };
  const target = { kind: 'ClusterRole', name: 'swarm-operator-groups' };
  return [{ target, patch: JSON.stringify(rules) }, { patch: JSON.stringify(deployment) }];
}

describe('helm template', () => {
  const rows: readonly (readonly [string, Release, () => object])[] = [
    ['the kustomize base, by default', {}, () => ({ resources: ['repository/.'] })],
    ['envs/prod', { values: prod }, () => ({ resources: ['repository/envs/prod'] })],
    [
      'envs/dev',
      { values: { replicas: 1, settings: { logLevel: 'debug' } } },
      () => ({ resources: ['repository/envs/dev'] }),
    ],
    [
      'an image by digest',
      { values: { ...prod, image: { repository: 'registry.example/operator', digest } } },
      () => ({
        resources: ['repository/envs/prod'],
        images: [{ name: 'swarm-operator', newName: 'registry.example/operator', digest }],
      }),
    ],
    [
      'the monitoring component',
      { values: { monitoring: { enabled: true } } },
      () => ({ resources: ['repository/.'], components: [component('monitoring')] }),
    ],
    [
      'an overlay with kinds of members',
      {
        values: {
          memberKinds: [
            { group: 'example.org', version: 'v1', kind: 'Cell', plural: 'cells' },
            { group: 'batch.example.org', version: 'v1beta1', kind: 'Worker', plural: 'workers' },
          ],
        },
      },
      () => ({
        resources: ['repository/.'],
        patches: memberKinds({ 'example.org': 'cells', 'batch.example.org': 'workers' }),
      }),
    ],
    [
      'the metric-sources component',
      {
        values: {
          settings: { metricSourcesFile: '/etc/metric-sources/sources.yaml' },
          volumes: [
            {
              name: 'metric-sources',
              projected: {
                sources: [
                  { configMap: { name: 'metric-sources' } },
                  { secret: { name: 'metric-sources', optional: true } },
                ],
              },
            },
          ],
          volumeMounts: [
            { name: 'metric-sources', mountPath: '/etc/metric-sources', readOnly: true },
          ],
        },
      },
      () => ({ resources: ['repository/.'], components: [component('metric-sources')] }),
    ],
    [
      'the component without queues',
      { values: { kinds: ['pools', 'groups'] } },
      () => ({ resources: ['repository/.'], components: [component('without-queues')] }),
    ],
    [
      'two namespaces',
      { values: { ...prod, watchNamespaces: ['swarm-operator', 'team-a'] } },
      () => twoNamespaces(),
    ],
    [
      'two namespaces without queues',
      {
        values: {
          ...prod,
          kinds: ['pools', 'groups'],
          watchNamespaces: ['swarm-operator', 'team-a'],
        },
      },
      () => twoNamespaces(false),
    ],
    [
      'another name and namespace',
      { name: 'team-swarm-operator', namespace: 'ops' },
      () => ({ namePrefix: 'team-', namespace: 'ops', resources: ['repository/.'] }),
    ],
  ];

  it.each(rows)(
    'helm template makes the same objects as %s',
    async (title, release, kustomization) => {
      const folder = overlays.write(
        title.startsWith('two namespaces') ? 'two' : title,
        kustomization(),
      );
      const [rendered, built] = await Promise.all([helm.render(release), overlays.build(folder)]);
      expect(rendered.length).toBeGreaterThan(10);
      expect(rendered).toEqual(asReleased(built, release.name));
    },
  );
});

describe('values', () => {
  it('the values of the chart fill the Deployment', async () => {
    const podLabels = { team: 'video', 'app.kubernetes.io/name': 'not-this' };
    const values = {
      replicas: 3,
      image: { pullPolicy: 'Always' },
      imagePullSecrets: [{ name: 'registry' }],
      settings: { leaseName: 'other', metricsPort: 9080, concurrency: 4 },
      kinds: ['pools'],
      nodeSelector: { 'kubernetes.io/arch': 'arm64' },
      tolerations: [{ key: 'infra', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: [],
      priorityClassName: 'system-cluster-critical',
      podLabels,
      podAnnotations: { scraped: 'yes' },
      commonLabels: { team: 'platform' },
      commonAnnotations: { owner: 'platform' },
      serviceAccount: { name: 'given', annotations: { role: 'arn' } },
    };
    const objects = await helm.render({ values });
    const { metadata, spec } = only(objects, 'Deployment');
    expect(metadata).toMatchObject({
      labels: { team: 'platform', 'app.kubernetes.io/name': 'swarm-operator' },
      annotations: { owner: 'platform' },
    });
    const { labels, annotations } = Object(dig(spec, 'template', 'metadata'));
    expect({ labels, annotations }).toEqual({
      labels: { team: 'video', 'app.kubernetes.io/name': 'swarm-operator' },
      annotations: { scraped: 'yes' },
    });
    const pod = dig(spec, 'template', 'spec');
    const { image, ...given } = values;
    expect(pod).toMatchObject({
      serviceAccountName: 'given',
      imagePullSecrets: given.imagePullSecrets,
      nodeSelector: given.nodeSelector,
      tolerations: given.tolerations,
      affinity: given.affinity,
      priorityClassName: given.priorityClassName,
      containers: [
        {
          imagePullPolicy: image.pullPolicy,
          env: [
            { name: 'SWARM_CONCURRENCY', value: '4' },
            { name: 'SWARM_KINDS', value: 'pools' },
            { name: 'SWARM_LEADER_ELECTION', value: 'true' },
            { name: 'SWARM_LEASE_NAME', value: 'other' },
            { name: 'SWARM_METRICS_PORT', value: '9080' },
          ],
          ports: [{ containerPort: 8081 }, { containerPort: 9080 }],
        },
      ],
    });
    expect(pod).not.toHaveProperty('topologySpreadConstraints');
    expect(dig(spec, 'replicas')).toBe(3);
    expect(only(objects, 'ServiceAccount').metadata).toMatchObject({
      name: 'given',
      annotations: { role: 'arn', owner: 'platform' },
    });
    const rules = asList(only(objects, 'Role')['rules']);
    expect(rules.map((rule) => dig(rule, 'resourceNames'))).toEqual([undefined, ['other']]);
  });

  const off = { enabled: false };
  it.each([
    ['crds', off, ['CustomResourceDefinition']],
    ['admissionPolicy', off, ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']],
    ['networkPolicy', off, ['NetworkPolicy']],
    ['podDisruptionBudget', off, ['PodDisruptionBudget']],
    ['serviceAccount', { create: false, name: 'theirs' }, ['ServiceAccount']],
  ])('the value %s leaves out its objects, and only those', async (name, value, kinds) => {
    const [all, rest] = await Promise.all([
      helm.render({}),
      helm.render({ values: { [name]: value } }),
    ]);
    expect(kindsOf(all).filter((kind) => !kindsOf(rest).includes(kind))).toEqual(kinds);
  });

  it('the value userRoles leaves out the roles of users', async () => {
    const rest = await helm.render({ values: { userRoles: off } });
    const roles = rest.filter(({ kind }) => kind === 'ClusterRole');
    expect(roles.map(({ metadata }) => metadata.name)).toEqual([
      'swarm-operator-groups',
      'swarm-operator-jobs',
      'swarm-operator-pools',
      'swarm-operator-queues',
    ]);
  });

  it('the value kinds decides which rights and policies there are', async () => {
    const madeFor = async (...kinds: readonly string[]): Promise<readonly string[]> =>
      (await helm.render({ values: { kinds } })).flatMap(({ kind, metadata: { name } }) =>
        /^(ClusterRole|Role|ValidatingAdmissionPolicy)$/.test(kind) &&
        /pools|groups|job|queue|ledger|secret|service/.test(name)
          ? [name.replace('swarm-operator-', '')]
          : [],
      );
    const policies = [
      'job-authors',
      'job-grants',
      'job-keys',
      'job-namespaces',
      'job-starts',
      'job-templates',
      'job-users',
      'jobs',
      'secrets',
      'services',
      'swarmjob-users',
      'swarmjobs',
    ];
    expect(await madeFor()).toEqual([...allKinds].sort().concat('ledgers', policies));
    expect(await madeFor('pools', 'groups')).toEqual([
      'groups',
      'pools',
      'job-authors',
      'job-users',
      'swarmjob-users',
    ]);
    expect(await madeFor('queues')).toEqual(['queues', 'ledgers', ...policies]);
    expect(await madeFor('queues', 'jobs')).toEqual(['jobs', 'queues', 'ledgers', ...policies]);
  });

  it.each([
    [{ replicaCount: 2 }, "additional properties 'replicaCount' not allowed"],
    [{ settings: { loglevel: 'debug' } }, "additional properties 'loglevel' not allowed"],
    [{ settings: { logLevel: 'loud' } }, "at '/settings/logLevel': value must be one of"],
    [
      { settings: { concurrency: 1000 } },
      "at '/settings/concurrency': maximum: got 1,000, want 256",
    ],
    [{ replicas: 'two' }, "at '/replicas': got string, want integer"],
    [{ image: { tag: 1.5 } }, "at '/image/tag': got number, want string"],
    [{ image: { digest: 'latest' } }, "at '/image/digest': 'latest' does not match pattern"],
    [{ memberKinds: [{ group: 'example.org', kind: 'Cell' }] }, 'missing properties'],
    [{ watchNamespaces: ['Team_A'] }, "at '/watchNamespaces/0': 'Team_A' does not match pattern"],
    [{ kinds: ['pods'] }, "at '/kinds/0': value must be one of 'pools', 'groups'"],
    [{ serviceAccount: { create: false } }, 'serviceAccount.name is empty'],
  ])('the chart refuses the values %j', async (values, message) => {
    await expect(helm.render({ values })).rejects.toThrow(message);
  });
});

const kindsOf = (objects: readonly KubeObject[]): readonly string[] => [
  ...new Set(objects.map(({ kind }) => kind)),
];

it('the chart passes helm lint, warnings included', async () => {
  expect(await helm.run('lint', '--strict', chart)).toContain('0 chart(s) failed');
});
