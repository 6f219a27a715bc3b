// Does an operator leave alone what users have, whatever names, labels and owners these objects
// have? On a real API server, with the real Job controller.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject, type ObjectMeta } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { eventually } from '../../support/processes.ts';
import { makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';
import { Accounts, batchJob, ownerOf } from './accounts.ts';

let swarm: Swarm;
let accounts: Accounts;
let editor: KubeClient;

const namespace = 'foreign-objects';
const command = ['sh', '-c', 'exec sleep 1000000'];

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
  await makeQueue(swarm, namespace);
  const k = (...args: readonly string[]): Promise<string> =>
    swarm.kubectl('-n', namespace, ...args);
  await k('create', 'serviceaccount', 'editor');
  const account = `--serviceaccount=${namespace}:editor`;
  await k('create', 'rolebinding', 'editor', '--clusterrole=edit', account);
  accounts = new Accounts(swarm);
  editor = await accounts.client(namespace, 'editor');
  await eventually('the editor may write Jobs', async () =>
    editor.list(kinds.Job, namespace).then(
      () => true,
      () => false,
    ),
  );
});

afterAll(async () => {
  await accounts?.close();
  await swarm?.stop();
});

const get = (kind: Kind, name: string): Promise<KubeObject> =>
  swarm.api.get(kind, { namespace, name });
const create = (kind: Kind, metadata: ObjectMeta, rest: object): Promise<KubeObject> =>
  editor.create(kind, {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { namespace, ...metadata },
    ...rest,
  });
const suspendedJob = (metadata: ObjectMeta, spec: object = {}): Promise<KubeObject> => {
  const containers = [{ name: 'main', image: 'busybox', command }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return create(kinds.Job, metadata, { spec: { suspend: true, template, ...spec } });
};

/** Not even its version has changed, or only what Kubernetes noted in its status. */
const isUntouched = async (kind: Kind, { metadata, ...rest }: KubeObject): Promise<void> => {
  const now = await get(kind, metadata.name);
  const { uid, labels, annotations, ownerReferences } = now.metadata;
  expect({ uid, labels, annotations, ownerReferences }).toEqual({
    uid: metadata.uid,
    labels: metadata.labels,
    annotations: metadata.annotations,
    ownerReferences: metadata.ownerReferences,
  });
  for (const field of ['spec', 'data']) expect(now[field]).toEqual(rest[field]);
};

describe('objects that have the names of those of a job', () => {
  it('no Job, Service or ConfigMap of a user is changed, and the job says which one is in its way', async () => {
    const foreign: readonly [Kind, KubeObject][] = [
      [kinds.Job, await suspendedJob({ name: 'taken' })],
      [kinds.Service, await create(kinds.Service, { name: 'taken' }, headless)],
      [
        kinds.ConfigMap,
        await create(kinds.ConfigMap, { name: 'taken-hosts' }, { data: { hosts: 'mine' } }),
      ],
    ];
    const job = await makeJob(swarm, namespace, 'taken', { command, size: 2 });
    const { message } = await job.is('Admitted', 'NameTaken');
    expect(message).toBe(
      'Job taken and Service taken and ConfigMap taken-hosts exist, and are not its own: delete or rename them',
    );
    await swarm.api.delete(kinds.SwarmJob, { namespace, name: 'taken' });
    await eventually('its quota is given back', async () => (await running()) === 0);
    for (const [kind, object] of foreign) await isUntouched(kind, object);
  });

  it('a job of the name of the ConfigMap of another job runs beside it', async () => {
    const jobs = [];
    for (const name of ['twin', 'twin-hosts'])
      jobs.push(await makeJob(swarm, namespace, name, { command, size: 2 }));
    for (const job of jobs) await job.is('Running');
    expect(dig(await get(kinds.ConfigMap, 'twin-hosts'), 'data', 'hosts')).toBe(
      'twin-0.twin\ntwin-1.twin\n',
    );
    for (const name of ['twin', 'twin-hosts'])
      await swarm.api.delete(kinds.SwarmJob, { namespace, name });
    await eventually('both are gone', async () => (await running()) === 0);
  });
});

const headless = { spec: { clusterIP: 'None', selector: { app: 'mine' } } };

const running = async (): Promise<unknown> =>
  dig(await get(kinds.SwarmQueue, 'batch'), 'status', 'running') ?? 0;

describe('objects that name a SwarmJob of another group as their owner', () => {
  it('a batch Job that a user makes so is none of the job, and is not deleted', async () => {
    const job = await makeJob(swarm, namespace, 'forged', { command, suspend: true });
    await job.is('Suspended');
    const owner = { ...ownerOf(await get(kinds.SwarmJob, 'forged')), apiVersion: 'other.io/v1' };
    const made = batchJob(await get(kinds.SwarmJob, 'forged'), 'forged', { owners: [owner] });
    const forged = await editor.create(kinds.Job, made);
    const resume = { type: 'merge', body: { spec: { suspend: false } } } as const;
    await swarm.api.patch(kinds.SwarmJob, { namespace, name: 'forged' }, resume);
    await job.is('Admitted', 'NameTaken');
    await isUntouched(kinds.Job, forged);
    for (const kind of [kinds.SwarmJob, kinds.Job])
      await swarm.api.delete(kind, { namespace, name: 'forged' });
  });
});

describe('batch Jobs with the label of a queue', () => {
  const label = { 'k8slab.info/queue': 'batch' };

  it('a Job that Kueue manages is not started beside one that waits for the queue alone', async () => {
    const labels = { ...label, 'kueue.x-k8s.io/queue-name': 'team' };
    const kueues = await suspendedJob({ name: 'kueues', labels });
    await suspendedJob({ name: 'ours', labels: label });
    await eventually('the other one is started', async () =>
      Boolean(dig(await get(kinds.Job, 'ours'), 'spec', 'suspend') === false),
    );
    await isUntouched(kinds.Job, kueues);
    for (const name of ['ours', 'kueues']) await editor.delete(kinds.Job, { namespace, name });
  });

  it('a Job that waits and is started by its user is suspended three times, and then left alone', async () => {
    const k = (...args: readonly string[]) => swarm.kubectl('-n', namespace, ...args);
    const spec = { parallelism: 5, completions: 5 };
    await suspendedJob({ name: 'impatient', labels: label }, spec);
    const isSuspended = async () => dig(await get(kinds.Job, 'impatient'), 'spec', 'suspend');
    const noteOf = async (name: string) =>
      (await get(kinds.Job, 'impatient')).metadata.annotations?.[`k8slab.info/${name}`];
    await eventually('it waits', async () => (await noteOf('waiting')) !== undefined);
    for (const times of ['1', '2', '3']) {
      await k('patch', 'job/impatient', '-p', '{"spec":{"suspend":false}}');
      await eventually('it is suspended', async () => (await noteOf('started-by-hand')) === times);
      expect(await isSuspended()).toBe(true);
    }
    await k('patch', 'job/impatient', '-p', '{"spec":{"suspend":false}}');
    await eventually('it is left alone', async () => (await noteOf('started-by-hand')) === '4');
    expect(await isSuspended()).toBe(false);
    await eventually('the queue names who starts it', async () => {
      const { status } = await get(kinds.SwarmQueue, 'batch');
      return JSON.stringify(status).includes('impatient, by kubectl-patch');
    });
    const events = await k('get', 'events', '-o', 'jsonpath={.items[*].message}');
    expect(events).toContain(
      'kubectl-patch started it while it waited in SwarmQueue batch (3 of 3 times)',
    );
    await editor.delete(kinds.Job, { namespace, name: 'impatient' });
  });

  it('a grant that a user has made up admits no Job beyond the quota', async () => {
    const annotations = { 'k8slab.info/grant': '2' };
    const forged = await suspendedJob(
      { name: 'large', labels: label, annotations },
      { parallelism: 1_000 },
    );
    await suspendedJob({ name: 'small', labels: label, annotations });
    await eventually('the small one is started', async () =>
      Boolean(dig(await get(kinds.Job, 'small'), 'spec', 'suspend') === false),
    );
    expect(dig(await get(kinds.Job, 'large'), 'spec')).toEqual(forged['spec']);
    for (const name of ['large', 'small']) await editor.delete(kinds.Job, { namespace, name });
  });
});

describe('what a template says', () => {
  it('the labels of another controller in a template are refused', async () => {
    const labels = { 'batch.kubernetes.io/controller-uid': 'other', 'controller-uid': 'other' };
    const template = { metadata: { labels } };
    const job = await makeJob(swarm, namespace, 'adopted', { command, template });
    await job.is('Failed', 'TemplateRefused');
  });

  it('a job makes no pod that Pod Security forbids', async () => {
    await swarm.kubectl(
      'label',
      'namespace',
      namespace,
      'pod-security.kubernetes.io/enforce=baseline',
    );
    const template = { spec: { volumes: [{ name: 'host', hostPath: { path: '/' } }] } };
    const spec = { command, template, startTimeoutSeconds: 2, retries: { other: 0 } };
    const job = await makeJob(swarm, namespace, 'host', spec);
    await job.is('Failed', 'StartTimedOut');
    expect(await job.pods()).toEqual([]);
  });
});
