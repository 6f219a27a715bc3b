// Do the manifests install a working operator, and does the API server accept the overlays that
// users build on them?

import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { parseSettings, settingRows } from '../../../src/settings.ts';
import { definitionsServed } from '../../support/definitions.ts';
import { eventually } from '../../support/processes.ts';
import { Pool } from '../support/pool.ts';
import { Swarm } from '../support/swarm.ts';
import { kustomizations, Overlays, only, repository, withoutOperator } from './overlays.ts';

const environments = ['.', 'envs/dev', 'envs/prod'];
const folders = [...environments, 'deploy/watched-namespace', ...kustomizations('samples')];
const component = (name: string): string => `repository/deploy/components/${name}`;

/** Overlays of users: an environment, or workers, with their components and ours. */
const combinations: Readonly<Record<string, object>> = {
  'one namespace': { resources: ['repository/envs/prod'], components: [component('namespaced')] },
  'no queues': {
    resources: ['repository/envs/prod'],
    components: [component('without-queues')],
  },
  'no queues in one namespace': {
    resources: ['repository/envs/prod'],
    components: [component('namespaced'), component('without-queues')],
  },
  monitored: { resources: ['repository/envs/prod'], components: [component('monitoring')] },
  'one namespace, monitored, under another name, elsewhere': {
    namespace: 'ops',
    namePrefix: 'team-',
    labels: [{ pairs: { team: 'ops' }, includeSelectors: true }],
    resources: ['repository/envs/dev'],
    components: [component('namespaced'), component('monitoring')],
  },
  'two namespaces': {
    resources: ['repository/envs/prod'],
    components: [component('namespaced')],
    patches: [
      {
        patch: JSON.stringify({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'swarm-operator', namespace: 'swarm-operator' },
          spec: {
            template: {
              spec: {
                containers: [
                  {
                    name: 'operator',
                    env: [
                      { name: 'SWARM_NAMESPACES', value: 'swarm-operator,team-a', valueFrom: null },
                    ],
                  },
                ],
              },
            },
          },
        }),
      },
    ],
  },
  'metric sources': {
    namespace: 'ops',
    resources: ['repository/envs/prod'],
    components: [component('metric-sources')],
    configMapGenerator: [
      {
        name: 'metric-sources',
        namespace: 'swarm-operator',
        literals: ['sources.yaml=sources: []'],
      },
    ],
  },
  'workers behind a policy': {
    namespace: 'swarm',
    resources: ['repository/samples/tv'],
    components: [component('worker-network-policy')],
  },
};

let swarm: Swarm;
let overlays: Overlays;
const built = new Map<string, readonly KubeObject[]>();
const paths = new Map<string, string>();

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {}, node: withoutOperator });
  overlays = new Overlays(swarm);
  for (const folder of folders) paths.set(folder, folder);
  for (const [name, kustomization] of Object.entries(combinations))
    paths.set(name, overlays.write(name, kustomization));
  await swarm.kubectl(
    'apply',
    '-f',
    `${repository}test/integration/deploy/prometheus-operator.yaml`,
  );
  await definitionsServed((...args) => swarm.kubectl(...args));
  for (const name of [...environments, ...Object.keys(combinations), 'samples/tv'])
    built.set(name, await overlays.build(paths.get(name) ?? ''));
  // A dry run cannot see objects of another dry run: the test creates namespaces first, like the
  // CRDs.
  const namespace = (name: string): object => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  });
  await swarm.kubectl(
    'apply',
    '-f',
    overlays.file('namespaces.yaml', ['swarm', 'own', 'ops', 'teastore', 'etcd'].map(namespace)),
  );
  await swarm.kubectl(
    'label',
    'namespace',
    '--all',
    '--overwrite',
    'pod-security.kubernetes.io/warn=restricted',
  );
});

afterAll(async () => {
  await swarm?.stop();
  overlays?.remove();
});

const objectsOf = (name: string): readonly KubeObject[] => built.get(name) ?? [];
const deploymentOf = (name: string): KubeObject => only(objectsOf(name), 'Deployment');
const containerOf = (workload: KubeObject): unknown =>
  asList(dig(workload, 'spec', 'template', 'spec', 'containers'))[0];
const portsOf = (workload: KubeObject): readonly unknown[] =>
  asList(dig(containerOf(workload), 'ports')).map((port) => dig(port, 'name'));

describe('the API server', () => {
  it.each([...folders, ...Object.keys(combinations)])(
    'the API server accepts every object of %s without a warning',
    async (name) => {
      expect(await overlays.warningsOf(paths.get(name) ?? '')).toBe('');
    },
  );

  it('the API server warns of pods that are not `restricted`', async () => {
    const spec = { containers: [{ name: 'any', image: 'any' }] };
    const open = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'open', namespace: 'swarm' },
      spec,
    };
    const folder = overlays.write('open', { resources: ['open.yaml'] });
    overlays.file('open/open.yaml', [open]);
    expect(await overlays.warningsOf(folder)).toContain('would violate PodSecurity "restricted');
  });
});

describe('an environment', () => {
  it.each([
    ['.', 2, 'swarm-operator:dev'],
    ['envs/dev', 1, 'swarm-operator:dev'],
    ['envs/prod', 2, 'swarm-operator:0.1.0'],
  ])('the manifests in %s have %d replicas of %s', (folder, replicas, image) => {
    expect(dig(deploymentOf(folder), 'spec', 'replicas')).toBe(replicas);
    expect(dig(containerOf(deploymentOf(folder)), 'image')).toBe(image);
  });

  it.each(environments)('the manifests in %s have all CRDs', (folder) => {
    const definitions = readdirSync(`${repository}crds`).filter((file) => file.endsWith('.yaml'));
    expect(
      objectsOf(folder).filter(({ kind }) => kind === 'CustomResourceDefinition'),
    ).toHaveLength(definitions.length);
  });

  it.each([...environments, 'no queues'])(
    'the manifests in %s have only settings that the operator knows',
    (folder) => {
      const container = containerOf(deploymentOf(folder));
      const variables = asList(dig(container, 'env')).map((entry): [string, string] => [
        asString(dig(entry, 'name')) ?? '',
        asString(dig(entry, 'value')) ?? '',
      ]);
      expect(settingRows.map(({ variable }) => variable)).toEqual(
        expect.arrayContaining(variables.map(([name]) => name)),
      );
      const parsed = parseSettings([], Object.fromEntries(variables));
      expect(parsed).toMatchObject({
        wants: 'run',
        settings: {
          healthPort: asNumber(dig(asList(dig(container, 'ports'))[0], 'containerPort')),
        },
      });
    },
  );

  it('Prometheus scrapes the operator’s metrics port, and keeps the namespaces of pools', () => {
    const container = containerOf(deploymentOf('.'));
    const port = asList(dig(container, 'ports')).find((it) => dig(it, 'name') === 'metrics');
    expect(parseSettings([], {})).toMatchObject({
      settings: { metricsPort: asNumber(dig(port, 'containerPort')) },
    });
    const monitor = only(objectsOf('monitored'), 'ServiceMonitor');
    expect(dig(monitor, 'spec', 'endpoints')).toMatchObject([
      { port: 'metrics', honorLabels: true },
    ]);
  });

  it('the NetworkPolicy opens the operator’s ports, and no others', () => {
    const policy = only(objectsOf('.'), 'NetworkPolicy');
    const opened = asList(dig(policy, 'spec', 'ingress')).flatMap((rule) =>
      asList(dig(rule, 'ports')).map((port) => dig(port, 'port')),
    );
    expect(opened).toEqual(portsOf(deploymentOf('.')));
    const served = asList(dig(only(objectsOf('.'), 'Service'), 'spec', 'ports')).map((port) =>
      dig(port, 'targetPort'),
    );
    expect(portsOf(deploymentOf('.'))).toEqual(expect.arrayContaining([...served]));
  });

  it.each([
    ['.', ['pools', 'groups', 'queues', 'jobs']],
    ['no queues', ['pools', 'groups']],
  ])('the operator that %s installs has rights for the kinds that it works for', (name, kinds) => {
    const roles = objectsOf(name).flatMap(({ kind, metadata }) =>
      kind === 'ClusterRoleBinding' ? [metadata.name] : [],
    );
    expect(roles.sort()).toEqual(kinds.map((it) => `swarm-operator-${it}`).sort());
    const env = asList(dig(containerOf(deploymentOf(name)), 'env'));
    const variable = env.find((it) => dig(it, 'name') === 'SWARM_KINDS');
    const variables = { SWARM_KINDS: asString(dig(variable, 'value')) };
    expect(parseSettings([], variables)).toMatchObject({ settings: { kinds } });
  });

  it('a user without a right on pods writes no SwarmJob, whether the operator runs them or not', () => {
    for (const name of ['.', 'no queues', 'no queues in one namespace'])
      for (const kind of ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']) {
        const made = objectsOf(name).filter((object) => object.kind === kind);
        expect(made.map(({ metadata }) => metadata.name)).toContain('swarm-operator-job-authors');
      }
  });

  it('a job names no other user than its own, whether the operator runs it or not', () => {
    for (const name of ['.', 'no queues', 'no queues in one namespace'])
      for (const kind of ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']) {
        const made = objectsOf(name).filter((object) => object.kind === kind);
        const names = made.map(({ metadata }) => metadata.name);
        expect(names).toContain('swarm-operator-job-users');
        expect(names).toContain('swarm-operator-swarmjob-users');
      }
  });

  it.each(['one namespace', 'no queues in one namespace'])(
    'an installation for %s has ClusterRoles for users only',
    (name) => {
      const names = objectsOf(name).flatMap(({ kind, metadata }) =>
        kind.startsWith('ClusterRole') ? [metadata.name] : [],
      );
      expect(names).toEqual(['swarm-operator-admin', 'swarm-operator-edit', 'swarm-operator-view']);
    },
  );
});

describe('kubectl apply -k', () => {
  const pool = (): Pool => new Pool(swarm, 'swarm');
  const streams = (): string[] =>
    asList(dig(only(objectsOf('samples/tv'), 'SwarmPool'), 'spec', 'streams')).map((it) =>
      String(dig(it, 'name')),
    );
  let operator: OperatorProcess;

  it('envs/dev creates a namespace that admits only `restricted` pods', async () => {
    await swarm.kubectl('apply', '-k', `${repository}envs/dev`);
    const spec = dig(deploymentOf('envs/dev'), 'spec', 'template', 'spec');
    const pod = (name: string, podSpec: unknown): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'swarm-operator' },
      spec: podSpec,
    });
    const create = (file: string): Promise<string> =>
      swarm.kubectl('create', '--dry-run=server', '-f', file);
    await create(overlays.file('ours.yaml', [pod('ours', spec)]));
    const open = overlays.file('any.yaml', [
      pod('any', { containers: [{ name: 'any', image: 'any' }] }),
    ]);
    await expect(create(open)).rejects.toThrow(/violates PodSecurity/);
  });

  it('kubectl apply changes nothing the second time', async () => {
    const generations = (): Promise<string> =>
      swarm.kubectl(
        'get',
        'deploy,pdb,svc,netpol,crd,validatingadmissionpolicy',
        '-A',
        '-o',
        'jsonpath={.items[*].metadata.generation}',
      );
    const before = await generations();
    await swarm.kubectl('apply', '-k', `${repository}envs/dev`);
    expect(await generations()).toBe(before);
  });

  it('samples/tv converges', async () => {
    await swarm.kubectl('apply', '-k', `${repository}samples/tv`);
    operator = await swarm.operator();
    await pool().converged(streams(), 3);
  });

  it.each(['livenessProbe', 'readinessProbe'])(
    'the operator answers the %s probe of its Deployment',
    async (probe) => {
      const url =
        asString(dig(containerOf(deploymentOf('envs/dev')), probe, 'httpGet', 'path')) ?? '';
      const { statusCode, body } = await request(`http://127.0.0.1:${operator.healthPort}${url}`);
      await body.dump();
      expect(statusCode).toBe(200);
    },
  );

  it('alerts and dashboard use metrics that operator and workers have', async () => {
    const monitored = objectsOf('monitored');
    const rules = monitored
      .filter(({ kind }) => kind === 'PrometheusRule')
      .flatMap(({ spec }) => asList(dig(spec, 'groups')));
    const queries = JSON.stringify([
      rules,
      monitored.find(({ metadata }) => metadata.name === 'swarm-operator-dashboard')?.['data'],
    ]);
    const [worker] = await pool().pods();
    const addresses = [
      `${asString(dig(worker, 'status', 'podIP'))}:9090`,
      `127.0.0.1:${operator.metricsPort}`,
    ];
    const figures = (
      await Promise.all(
        addresses.map(async (it) => (await request(`http://${it}/metrics`)).body.text()),
      )
    ).join('\n');
    const asked = [
      ...new Set(queries.match(/(?<![:\w])swarm_(?:pool|group|operator|worker)_\w+/g)),
    ];
    expect(asked.length).toBeGreaterThan(20);
    const isServed = (name: string): boolean =>
      figures.includes(`# TYPE ${name.replace(/_bucket$/, '')} `);
    expect(asked.filter((name) => !isServed(name))).toEqual([]);
  });

  it('the installed operator may write its events', () =>
    eventually('events of its publication and of its deletion', async () => {
      const reasons = (await pool().events()).map(({ reason }) => reason);
      return reasons.includes('Published') && reasons.includes('Converged');
    }));

  it.each([
    ['view', 'get', true],
    ['view', 'patch', false],
    ['edit', 'patch', true],
    ['admin', 'delete', true],
  ])('a user with the role %s may %s SwarmPools: %s', async (role, verb, isAllowed) => {
    const user = `somebody-who-may-${role}`;
    await swarm.kubectl(
      '-n',
      'swarm',
      'create',
      'rolebinding',
      `${user}-${verb}`,
      `--clusterrole=${role}`,
      `--user=${user}`,
    );
    const may = async (...what: readonly string[]): Promise<string> => {
      const question = ['-n', 'swarm', 'auth', 'can-i', ...what, `--as=${user}`];
      return (
        await swarm.kubectl(...question).catch(({ stdout }: { stdout: string }) => stdout)
      ).trim();
    };
    const pools = 'swarmpools.k8slab.info';
    const answer = isAllowed ? 'yes' : 'no';
    // A role takes effect a moment after its binding; each of these roles allows reading.
    await eventually(`whether the role may ${verb} is ${answer}`, async () => {
      return (await may('get', pools)) === 'yes' && (await may(verb, pools)) === answer;
    });
    expect(await may(verb, pools, '--subresource=scale')).toBe(
      isAllowed && verb !== 'delete' ? 'yes' : 'no',
    );
    expect(await may(verb, pools, '--subresource=status')).toBe(verb === 'get' ? 'yes' : 'no');
  });
});
