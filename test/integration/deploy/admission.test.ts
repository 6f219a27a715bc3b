// What can a holder of the operator's token do? Only what the operator does, although its
// permissions would allow more.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { hasCode } from '../../../src/runtime/client/errors.ts';
import { eventually } from '../../support/processes.ts';
import { Accounts, batchJob, swarmJobSpec } from '../queue/accounts.ts';
import { Swarm } from '../support/swarm.ts';
import { Overlays } from './overlays.ts';

const account = { kind: 'ServiceAccount', name: 'team-swarm-operator', namespace: 'ops' };
const deleteIt = {
  target: { kind: 'Deployment' },
  patch: '$patch: delete\nkind: Deployment\napiVersion: apps/v1\nmetadata: { name: any }',
};

let swarm: Swarm;
let overlays: Overlays;
let accounts: Accounts;

/**
 * A second installation, with another name and namespace, and permissions in two namespaces only.
 */
function installedElsewhere(): string {
  overlays.write('elsewhere/operator', {
    namePrefix: 'team-',
    namespace: 'ops',
    resources: ['repository/deploy'],
    components: ['repository/deploy/components/namespaced'],
    patches: [deleteIt],
  });
  overlays.write('elsewhere/second', {
    namespace: 'second',
    resources: ['repository/deploy/watched-namespace'],
    patches: [
      {
        target: { kind: 'RoleBinding' },
        patch: JSON.stringify([{ op: 'replace', path: '/subjects', value: [account] }]),
      },
    ],
  });
  return overlays.write('elsewhere', { resources: ['operator', 'second'] });
}

beforeAll(async () => {
  swarm = await Swarm.start({ controlPlane: {} });
  overlays = new Overlays(swarm);
  accounts = new Accounts(swarm);
  for (const name of ['first', 'second']) await swarm.kubectl('create', 'namespace', name);
  await swarm.kubectl('apply', '-k', installedElsewhere());
});

afterAll(async () => {
  await accounts?.close();
  await swarm?.stop();
  overlays?.remove();
});

describe.each([
  ['as it is', 'swarm-operator', 'swarm-operator', 'first'],
  ['with namePrefix and namespace', 'ops', 'team-swarm-operator', 'ops'],
])('the token of an operator installed %s', (_, home, serviceAccount, namespace) => {
  let thief: KubeClient;
  const pod = { namespace, name: 'victim' };

  beforeAll(async () => {
    thief = await accounts.client(home, serviceAccount);
    const container = {
      name: 'any',
      image: 'any',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    };
    const securityContext = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
    // Not scheduled: only this test changes it.
    await swarm.create(kinds.Pod, namespace, 'victim', {
      metadata: { annotations: { theirs: 'yes' } },
      spec: { schedulerName: 'nobody', securityContext, containers: [container] },
    });
    const map = (name: string, metadata: object): Promise<unknown> =>
      swarm.create(kinds.ConfigMap, namespace, name, { metadata, data: {} });
    await map('foreign', { labels: { app: 'dns' } });
    await map('assigned', { labels: { 'k8slab.info/pool': 'tv' } });
    await map('unlabelled', { annotations: { 'k8slab.info/change': '{}' } });
    await map('placeholder', { annotations: { 'k8slab.info/pool': 'tv' } });
    // The API server applies roles and policies a moment after they are written.
    await eventually('the policies are in force', async () => {
      const isRefused = async (writing: Promise<unknown>): Promise<boolean> =>
        String(await writing.catch((error: unknown) => error)).includes(
          'ValidatingAdmissionPolicy',
        );
      return (
        (await isRefused(patchMap('foreign', {}))) &&
        (await isRefused(patchStatus({ metadata: { labels: { probe: '1' } } })))
      );
    });
  });

  const patchMap = (name: string, body: object): Promise<unknown> =>
    thief.patch(kinds.ConfigMap, { namespace, name }, { type: 'merge', body });
  const patchStatus = (body: object): Promise<unknown> =>
    thief.patch(kinds.Pod, pod, { type: 'merge', body }, 'status');

  it("the operator's token may write the operator's annotations on a pod", async () => {
    for (const value of ['1', '2', null])
      await patchStatus({
        metadata: {
          annotations: {
            'k8slab.info/assigned': value,
            'controller.kubernetes.io/pod-deletion-cost': value,
          },
        },
      });
  });

  it.each([
    [
      'another annotation',
      { metadata: { annotations: { added: '1' } } },
      'annotations under k8slab.info/ and pod-deletion-cost; this request changes added',
    ],
    [
      'removing another owner’s annotation',
      { metadata: { annotations: { theirs: null } } },
      'this request changes theirs',
    ],
    [
      'a label',
      { metadata: { labels: { app: 'dns' } } },
      'this request changes labels, finalizers or owners',
    ],
    [
      'a finalizer',
      { metadata: { finalizers: ['k8slab.info/hold'] } },
      'this request changes labels, finalizers or owners',
    ],
    ['a phase', { status: { phase: 'Failed' } }, "this request changes the pod's status"],
    [
      'readiness',
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      "this request changes the pod's status",
    ],
  ])("the operator's token may not write %s", async (__, body, message) => {
    await expect(patchStatus(body)).rejects.toThrow(message);
  });

  it.each(['assigned', 'unlabelled', 'placeholder'])(
    "the operator's token may write a ConfigMap of a pool: %s",
    async (name) => {
      await patchMap(name, { data: { 'config.yml': 'version: 1' } });
    },
  );

  const refusal = `swarm-operator may only write ConfigMaps of pools and jobs; ${namespace}/`;

  it.each([
    ['changes no other ConfigMap', { data: { Corefile: 'forward . evil' } }],
    [
      'labels no other ConfigMap as a pool’s',
      { metadata: { labels: { 'k8slab.info/pool': 'tv' } } },
    ],
  ])("the operator's token %s", async (__, body) => {
    await expect(patchMap('foreign', body)).rejects.toThrow(
      `${refusal}foreign has neither the label k8slab.info/pool nor`,
    );
  });

  it("the operator's token may create only ConfigMaps of pools", async () => {
    const create = (name: string, labels: object): Promise<unknown> =>
      thief.create(kinds.ConfigMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name, labels: { ...labels } },
      });
    await create('made', { 'k8slab.info/pool': 'tv' });
    await expect(create('other', {})).rejects.toThrow(`${refusal}other`);
  });

  it("the operator's token may delete only ConfigMaps of pools", async () => {
    const remove = (name: string): Promise<void> =>
      thief.delete(kinds.ConfigMap, { namespace, name });
    await remove('assigned');
    await expect(remove('foreign')).rejects.toThrow(`${refusal}foreign`);
  });

  it("the operator's token writes its own Events, and changes only their count and time", async () => {
    const by = (component: string): object => ({
      involvedObject: { apiVersion: 'v1', kind: 'Pod', ...pod },
      ...{ reason: 'Converged', action: 'Verify', message: 'true', type: 'Normal' },
      ...{ eventTime: '2026-01-01T00:00:00.000000Z', reportingInstance: 'any' },
      ...{ reportingComponent: component, source: { component } },
    });
    const write = (name: string, component: string): Promise<unknown> =>
      thief.create(kinds.Event, {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: { namespace, name } },
        ...by(component),
      });
    const patch = (name: string, body: object): Promise<unknown> =>
      thief.patch(kinds.Event, { namespace, name }, { type: 'merge', body });
    const time = '2026-01-01T00:00:01.000000Z';
    const again = {
      ...{ count: 2, lastTimestamp: '2026-01-01T00:00:01Z' },
      series: { count: 2, lastObservedTime: time },
    };
    const notItsOwn = 'swarm-operator may only write its own Events';
    const onlyCount = 'may only change the count, the series and the last time';
    await swarm.create(kinds.Event, namespace, 'foreign', by('kubelet'));
    await eventually('the policy is in force', () =>
      patch('foreign', again).then(
        () => false,
        (error: unknown) => String(error).includes(notItsOwn),
      ),
    );
    await write('own', 'k8slab.info/swarm-operator');
    await patch('own', again);
    await expect(write('false', 'kubelet')).rejects.toThrow(notItsOwn);
    for (const body of [
      { message: 'false' },
      { metadata: { labels: { any: 'label' } } },
      { reportingComponent: 'kubelet' },
      { eventTime: time },
    ])
      await expect(patch('own', body)).rejects.toThrow(onlyCount);
  });

  it("the operator's token creates and starts batch Jobs of SwarmJobs, and no others", async () => {
    const swarmJob = await swarm.create(kinds.SwarmJob, namespace, 'lammps', swarmJobSpec());
    const make = (): Promise<unknown> => thief.create(kinds.Job, batchJob(swarmJob, 'lammps'));
    await expect(make()).rejects.toThrow('no params found for policy binding with `Deny`');
    await swarm.create(kinds.SwarmQueue, namespace, 'batch', { spec: { quota: { pods: '1' } } });
    await eventually('the policy finds the queue', () =>
      make().then(
        () => true,
        () => false,
      ),
    );
    const body = { spec: { suspend: false } };
    await thief.patch(kinds.Job, { namespace, name: 'lammps' }, { type: 'merge', body });
    const foreign = batchJob(swarmJob, 'foreign', { owners: [] });
    await expect(thief.create(kinds.Job, foreign)).rejects.toThrow(
      `${namespace}/foreign lacks a SwarmJob that controls it`,
    );
  });
});

describe('the policies', () => {
  it('the admission policies pass the API server’s type check', async () => {
    const policies = 'validatingadmissionpolicies';
    await swarm.kubectl(
      'wait',
      policies,
      '--all',
      '--for=jsonpath={.status.observedGeneration}=1',
      '--timeout=120s',
    );
    expect(
      await swarm.kubectl(
        'get',
        policies,
        '-o',
        'jsonpath={.items[*].status.typeChecking.expressionWarnings}',
      ),
    ).toBe('');
  });

  it('the policies restrict no other account, not even one of the same name in another namespace', async () => {
    await swarm.kubectl('-n', 'first', 'create', 'serviceaccount', 'swarm-operator');
    await swarm.kubectl(
      '-n',
      'first',
      'create',
      'rolebinding',
      'other',
      '--clusterrole=edit',
      '--serviceaccount=first:swarm-operator',
    );
    const other = await accounts.client('first', 'swarm-operator');
    const body = { data: { theirs: 'to change' } };
    await eventually('its role is in force, and no other policy refuses it', () =>
      other
        .patch(kinds.ConfigMap, { namespace: 'first', name: 'foreign' }, { type: 'merge', body })
        .then(
          () => true,
          (error: unknown) => {
            if (hasCode(error, 'Forbidden')) return false;
            throw error;
          },
        ),
    );
  });
});

describe('an operator with permissions in two namespaces only, under another name', () => {
  it('an operator with permissions in two namespaces only converges pools in both', async () => {
    const kubeconfig = await swarm.kubeconfigOf('ops', 'team-swarm-operator');
    await swarm.operator(
      '--kubeconfig',
      kubeconfig,
      '--lease-namespace',
      'ops',
      '--namespaces',
      'ops,second',
    );
    for (const namespace of ['ops', 'second']) {
      const pool = overlays.write(`pool-in-${namespace}`, {
        namespace,
        resources: ['repository/samples/features/rebalance'],
      });
      await swarm.kubectl('apply', '-k', pool);
    }
    for (const namespace of ['ops', 'second'])
      await swarm.kubectl(
        '-n',
        namespace,
        'wait',
        '--for=condition=Ready',
        'swarmpool/rebalance-pool',
        '--timeout=80s',
      );
    expect(swarm.logs()).not.toContain('cannot');
  });

  it('an operator with permissions in two namespaces only starts SwarmJobs in both', async () => {
    for (const namespace of ['ops', 'second']) {
      await swarm.create(kinds.SwarmQueue, namespace, 'own', { spec: { quota: { pods: '1' } } });
      const job = swarmJobSpec({ queueName: 'own' });
      await swarm.create(kinds.SwarmJob, namespace, 'started', job);
    }
    for (const namespace of ['ops', 'second'])
      await eventually(`the job in ${namespace} is started`, async () => {
        const { status } = await swarm.api.get(kinds.SwarmJob, { namespace, name: 'started' });
        return dig(status, 'state') === 'Starting';
      });
    expect(swarm.logs()).not.toContain('cannot');
  });

  it('an operator with permissions in two namespaces only cannot read others', async () => {
    const elsewhere = await accounts.client('ops', 'team-swarm-operator');
    await expect(elsewhere.list(kinds.Pod, 'first')).rejects.toThrow('cannot list resource "pods"');
    await expect(elsewhere.list(kinds.ConfigMap, undefined)).rejects.toThrow(
      'cannot list resource "configmaps"',
    );
  });
});
