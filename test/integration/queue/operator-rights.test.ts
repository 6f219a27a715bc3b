// What can a holder of the operator's token do to jobs? Only what the operator does, although its
// permissions would allow more.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';
import { Accounts, batchJob, type Change, ownerOf, swarmJobSpec } from './accounts.ts';

const namespace = 'robbed';
/** Without a SwarmQueue. */
const elsewhere = 'unqueued';
const GRANT = '/metadata/annotations/k8slab.info~1grant';

let swarm: Swarm;
let accounts: Accounts;
let thief: KubeClient;
let swarmJob: KubeObject;

beforeAll(async () => {
  swarm = await Swarm.start();
  accounts = new Accounts(swarm);
  thief = await accounts.client('swarm-operator', 'swarm-operator');
  for (const name of [namespace, elsewhere]) await swarm.kubectl('create', 'namespace', name);
  await swarm.create(kinds.SwarmQueue, namespace, 'batch', { spec: { quota: { pods: '4' } } });
  swarmJob = await swarm.create(kinds.SwarmJob, namespace, 'lammps', swarmJobSpec());
  await swarm.api.create(kinds.Job, batchJob(swarmJob, 'own'));
  await swarm.api.create(kinds.Job, batchJob(swarmJob, 'foreign', { labels: {}, owners: [] }));
  const labels = { 'k8slab.info/queue': 'batch' };
  await swarm.api.create(kinds.Job, batchJob(swarmJob, 'queued', { labels, owners: [] }));
  // The API server applies roles and policies a moment after they are written.
  await eventually('the policies are in force', async () =>
    String(
      await patch('foreign', { metadata: { labels: { probe: '1' } } }).catch((it: unknown) => it),
    ).includes('ValidatingAdmissionPolicy'),
  );
});

afterAll(async () => {
  await accounts?.close();
  await swarm?.stop();
});

const patch = (name: string, body: object): Promise<unknown> =>
  thief.patch(kinds.Job, { namespace, name }, { type: 'merge', body });
const remove = (kind: Kind, name: string): Promise<void> => thief.delete(kind, { namespace, name });
const createJob = (name: string, change?: Change): Promise<unknown> =>
  thief.create(kinds.Job, batchJob(swarmJob, name, change));

describe('batch Jobs', () => {
  it("the operator's token creates, starts, suspends and deletes a Job of a SwarmJob", async () => {
    await createJob('made');
    const operate = (grant: string, suspend: boolean): Promise<unknown> => {
      const body = [
        { op: 'replace', path: GRANT, value: grant },
        { op: 'replace', path: '/spec/suspend', value: suspend },
        { op: 'add', path: '/spec/activeDeadlineSeconds', value: 60 },
        { op: 'add', path: '/spec/podReplacementPolicy', value: 'Failed' },
      ];
      return thief.patch(kinds.Job, { namespace, name: 'made' }, { type: 'json', body });
    };
    await operate('2', false);
    await operate('3', true);
    await remove(kinds.Job, 'made');
  });

  const creates = `swarm-operator creates suspended Jobs of SwarmJobs only; ${namespace}/refused lacks `;

  it.each<[string, () => Change, string]>([
    ['that runs at once', () => ({ spec: { suspend: false } }), 'spec.suspend'],
    ['without an owner', () => ({ owners: [] }), 'a SwarmJob that controls it'],
    [
      'of which a SwarmJob is an owner and not the controller',
      () => ({ owners: [{ ...ownerOf(swarmJob), controller: false }] }),
      'a SwarmJob that controls it',
    ],
    [
      'of another controller',
      () => ({ owners: [{ ...ownerOf(swarmJob), apiVersion: 'batch/v1', kind: 'CronJob' }] }),
      'a SwarmJob that controls it',
    ],
    ['without the label', () => ({ labels: {} }), 'the label k8slab.info/job'],
    ['without a grant', () => ({ annotations: {} }), 'the annotation k8slab.info/grant'],
    [
      'that runs at once, without owner, label and grant',
      () => ({ owners: [], labels: {}, annotations: {}, spec: { suspend: false } }),
      'a SwarmJob that controls it, the label k8slab.info/job, the annotation k8slab.info/grant, spec.suspend',
    ],
  ])("the operator's token creates no Job %s", async (_, change, lacks) => {
    await expect(createJob('refused', change())).rejects.toThrow(`${creates}${lacks}`);
  });

  it.each<[string, object]>([
    ['starts no Job', { spec: { suspend: false } }],
    ['labels no Job', { metadata: { labels: { 'k8slab.info/queue': 'batch' } } }],
    ['writes no grant on a Job', { metadata: { annotations: { 'k8slab.info/grant': '4' } } }],
  ])("the operator's token %s that belongs to neither a SwarmJob nor a queue", async (_, body) => {
    await expect(patch('foreign', body)).rejects.toThrow(
      `swarm-operator starts and suspends Jobs of SwarmJobs and of queues only; ${namespace}/foreign has neither a SwarmJob that controls it nor the label k8slab.info/queue`,
    );
  });

  it("the operator's token makes no SwarmJob the owner of another Job", async () => {
    const body = { metadata: { ownerReferences: [ownerOf(swarmJob)] } };
    await expect(patch('foreign', body)).rejects.toThrow('has neither a SwarmJob');
  });

  it.each<[string, object, string]>([
    ['parallelism', { spec: { parallelism: 50 } }, 'this changes spec.parallelism'],
    [
      'template',
      { spec: { template: { spec: { nodeSelector: { disk: 'fast' } } } } },
      'swarm-operator changes suspend, activeDeadlineSeconds and podReplacementPolicy of a Job only; this changes spec.template',
    ],
    [
      'labels',
      { metadata: { labels: { app: 'dns' } } },
      'swarm-operator changes no labels, finalizers or owners of a Job',
    ],
    ['finalizers', { metadata: { finalizers: ['k8slab.info/hold'] } }, 'finalizers or owners'],
    ['owners', { metadata: { ownerReferences: [] } }, 'labels, finalizers or owners'],
    [
      'annotations outside of k8slab.info/',
      { metadata: { annotations: { added: '1' } } },
      'swarm-operator writes annotations under k8slab.info/ only; this changes added',
    ],
  ])("the operator's token does not change %s of a SwarmJob's Job", async (_, body, words) => {
    await expect(patch('own', body)).rejects.toThrow(words);
  });

  it("the operator's token starts and suspends a Job with the label of a queue, and does not delete it", async () => {
    for (const suspend of [false, true]) await patch('queued', { spec: { suspend } });
    await expect(remove(kinds.Job, 'queued')).rejects.toThrow(
      `swarm-operator deletes Jobs of SwarmJobs only; no SwarmJob controls ${namespace}/queued`,
    );
  });
});

describe('what else belongs to a SwarmJob', () => {
  type Rest = {
    readonly labels?: object;
    readonly owners?: readonly object[];
    readonly spec?: object;
    readonly type?: string;
  };
  const create = (
    kind: Kind,
    name: string,
    { labels, owners, spec, type }: Rest,
  ): Promise<unknown> =>
    thief.create(kind, {
      apiVersion: 'v1',
      kind: kind.kind,
      metadata: {
        ...{ name, namespace, labels: labels ?? { 'k8slab.info/job': 'lammps' } },
        // The API server demands it of a Secret for a token.
        annotations: { 'kubernetes.io/service-account.name': 'default' },
        ownerReferences: owners ?? [ownerOf(swarmJob)],
      } as KubeObject['metadata'],
      ...(spec !== undefined && { spec }),
      ...(type !== undefined && { type }),
    });
  const headless = { clusterIP: 'None', selector: { 'k8slab.info/job': 'lammps' } };
  const services = `swarm-operator creates headless Services of SwarmJobs only; ${namespace}/refused lacks `;

  it.each<[string, Rest, string]>([
    ['with an address', { spec: { ports: [{ port: 80 }] } }, 'clusterIP None'],
    ['without the label', { spec: headless, labels: {} }, 'the label k8slab.info/job'],
    ['without an owner', { spec: headless, owners: [] }, 'a SwarmJob that controls it'],
  ])("the operator's token creates no Service %s", async (_, rest, lacks) => {
    await expect(create(kinds.Service, 'refused', rest)).rejects.toThrow(`${services}${lacks}`);
  });

  const secrets = `swarm-operator creates Secrets with the keys of SwarmJobs only; ${namespace}/refused lacks `;
  const keys = 'k8slab.info/job-keys';
  const ofJob = { apiVersion: 'batch/v1', kind: 'Job', name: 'own', uid: 'a', controller: true };

  it.each<[string, Rest, string]>([
    ['of another type', { type: 'Opaque', owners: [ofJob] }, `the type ${keys}`],
    [
      'for the token of a ServiceAccount',
      { type: 'kubernetes.io/service-account-token', owners: [ofJob] },
      `the type ${keys}`,
    ],
    ['without the label', { type: keys, owners: [ofJob], labels: {} }, 'the label k8slab.info/job'],
    ['without a Job that controls it', { type: keys }, 'a Job that controls it'],
  ])("the operator's token creates no Secret %s", async (_, rest, lacks) => {
    await expect(create(kinds.Secret, 'refused', rest)).rejects.toThrow(`${secrets}${lacks}`);
  });

  it('users create no Secret under the name of keys', async () => {
    const metadata = { name: 'k8slab-keys-lammps-8', namespace };
    const kubectl = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
    await kubectl('create', 'serviceaccount', 'author');
    const edits = ['--clusterrole=edit', `--serviceaccount=${namespace}:author`];
    await kubectl('create', 'rolebinding', 'author', ...edits);
    const user = await accounts.client(namespace, 'author');
    await expect(
      user.create(kinds.Secret, { apiVersion: 'v1', kind: 'Secret', metadata }),
    ).rejects.toThrow('only swarm-operator creates Secrets whose names begin with k8slab-keys-');
  });

  it("the operator's token creates the keys of an attempt, and reads no Secret", async () => {
    await create(kinds.Secret, 'keys', { type: keys, owners: [ofJob] });
    await expect(thief.get(kinds.Secret, { namespace, name: 'keys' })).rejects.toThrow('forbidden');
    await expect(thief.list(kinds.Secret, namespace)).rejects.toThrow('forbidden');
  });

  it("the operator's token creates the headless Service and the ConfigMap of a SwarmJob", async () => {
    await create(kinds.Service, 'lammps', { spec: headless });
    await create(kinds.ConfigMap, 'lammps-hosts', {});
    const ref = { namespace, name: 'lammps-hosts' };
    await thief.patch(kinds.ConfigMap, ref, { type: 'merge', body: { data: { hosts: 'a' } } });
  });

  const maps = `swarm-operator may only write ConfigMaps of pools and jobs; ${namespace}/`;

  it.each<[string, Rest]>([
    ['without an owner', { owners: [] }],
    ['without the label', { labels: {} }],
  ])("the operator's token creates no ConfigMap of a job %s", async (_, rest) => {
    await expect(create(kinds.ConfigMap, 'refused', rest)).rejects.toThrow(`${maps}refused has`);
  });

  it("the operator's token creates ledgers in the operator's namespace only", async () => {
    const ledger = (where: string, name: string): Promise<unknown> =>
      thief.create(kinds.ConfigMap, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace: where },
      });
    await expect(ledger(namespace, 'swarm-ledger-x')).rejects.toThrow(`${maps}swarm-ledger-x has`);
    await expect(ledger('swarm-operator', 'other')).rejects.toThrow('swarm-operator/other has');
    await ledger('swarm-operator', `swarm-ledger-${namespace}`);
    const ref = { namespace: 'swarm-operator', name: `swarm-ledger-${namespace}` };
    await thief.delete(kinds.ConfigMap, ref);
  });
});

describe('namespaces without a SwarmQueue', () => {
  const refusal = 'no params found for policy binding with `Deny`';
  let owner: KubeObject;

  const ofJob = (kind: Kind, name: string, where: string): KubeObject => ({
    apiVersion: 'v1',
    kind: kind.kind,
    metadata: {
      ...{ name, namespace: where, labels: { 'k8slab.info/job': 'lammps' } },
      ownerReferences: [ownerOf(owner)],
    } as KubeObject['metadata'],
    ...(kind === kinds.Service && { spec: { clusterIP: 'None' } }),
  });

  beforeAll(async () => {
    owner = await swarm.create(kinds.SwarmJob, elsewhere, 'lammps', swarmJobSpec());
  });

  it("the operator's token creates nothing for a SwarmJob in a namespace without a queue", async () => {
    await expect(thief.create(kinds.Job, batchJob(owner, 'lammps'))).rejects.toThrow(refusal);
    for (const kind of [kinds.Service, kinds.ConfigMap])
      await expect(thief.create(kind, ofJob(kind, 'lammps', elsewhere))).rejects.toThrow(refusal);
  });

  it("the operator's token creates no queue", async () => {
    const queue = {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmQueue',
      metadata: { namespace: elsewhere, name: 'own' },
      spec: { quota: { pods: '1' } },
    };
    await expect(thief.create(kinds.SwarmQueue, queue)).rejects.toThrow(
      'cannot create resource "swarmqueues"',
    );
  });

  it('others create Jobs, Services and ConfigMaps there as before', async () => {
    const plain = { labels: {}, owners: [], annotations: {}, spec: { suspend: false } };
    await swarm.api.create(kinds.Job, batchJob(owner, 'plain', plain));
    for (const kind of [kinds.Service, kinds.ConfigMap]) {
      const { metadata, ...rest } = ofJob(kind, 'plain', elsewhere);
      const { labels: _, ownerReferences: __, ...unlabelled } = metadata;
      await swarm.api.create(kind, { ...rest, metadata: unlabelled });
    }
  });

  it("the operator's token suspends and deletes a Job when the queue is gone", async () => {
    const { api } = swarm;
    await swarm.create(kinds.SwarmQueue, elsewhere, 'gone', { spec: { quota: { pods: '1' } } });
    await eventually('a Job is created beside the queue', async () =>
      thief.create(kinds.Job, batchJob(owner, 'left')).then(
        () => true,
        () => false,
      ),
    );
    await api.delete(kinds.SwarmQueue, { namespace: elsewhere, name: 'gone' });
    await eventually('nothing is created any more', async () =>
      thief.create(kinds.Service, ofJob(kinds.Service, 'late', elsewhere)).then(
        async () => {
          await api.delete(kinds.Service, { namespace: elsewhere, name: 'late' });
          return false;
        },
        (error: unknown) => String(error).includes(refusal),
      ),
    );
    const at = { namespace: elsewhere, name: 'left' };
    for (const suspend of [false, true])
      await thief.patch(kinds.Job, at, { type: 'merge', body: { spec: { suspend } } });
    await thief.delete(kinds.Job, at);
  });
});

describe('SwarmJobs', () => {
  const ref = { namespace, name: 'lammps' };

  it("the operator's token creates no SwarmJob, and changes the spec of none", async () => {
    const spec = { type: 'merge', body: { spec: { image: 'evil' } } } as const;
    await expect(thief.patch(kinds.SwarmJob, ref, spec)).rejects.toThrow(
      'cannot patch resource "swarmjobs"',
    );
    const { metadata, ...rest } = swarmJob;
    const other = { ...rest, metadata: { namespace, name: 'other' } };
    await expect(thief.create(kinds.SwarmJob, other)).rejects.toThrow(
      'cannot create resource "swarmjobs"',
    );
    const replaced = thief.replace(kinds.SwarmJob, { ...rest, metadata });
    await expect(replaced).rejects.toThrow('cannot update resource "swarmjobs"');
  });

  it("the operator's token deletes SwarmJobs that have ended, and no others", async () => {
    await expect(remove(kinds.SwarmJob, 'lammps')).rejects.toThrow(
      `swarm-operator deletes SwarmJobs that have ended only; ${namespace}/lammps has not`,
    );
    const ended = { type: 'merge', body: { status: { state: 'Succeeded' } } } as const;
    await swarm.api.patch(kinds.SwarmJob, ref, ended, 'status');
    await remove(kinds.SwarmJob, 'lammps');
  });
});
