// What may an editor of a namespace do with jobs, with a right on pods and without one, and what is
// refused in which words?
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';
import { Accounts, batchJob, ownerOf, swarmJobSpec } from './accounts.ts';

const namespace = 'edited';
const autoscaler = 'kube-system:horizontal-pod-autoscaler';

let swarm: Swarm;
let accounts: Accounts;
/** May write jobs of both kinds, and pods. */
let editor: KubeClient;
/** May write SwarmJobs, and no pods. */
let podless: KubeClient;
let next = 0;

const k = (...args: readonly string[]): Promise<string> => swarm.kubectl('-n', namespace, ...args);

beforeAll(async () => {
  swarm = await Swarm.start();
  accounts = new Accounts(swarm);
  await swarm.kubectl('create', 'namespace', namespace);
  await swarm.create(kinds.SwarmQueue, namespace, 'batch', { spec: { quota: { pods: '4' } } });
  const writes = '--verb=get,create,update,patch,delete';
  await k(
    'create',
    'role',
    'jobs',
    writes,
    '--resource=swarmjobs.k8slab.info,swarmjobs.k8slab.info/scale',
  );
  await k('create', 'rolebinding', 'scaler', '--role=jobs', `--serviceaccount=${autoscaler}`);
  for (const name of ['editor', 'podless']) {
    await k('create', 'serviceaccount', name);
    const account = `--serviceaccount=${namespace}:${name}`;
    await k('create', 'rolebinding', `${name}-jobs`, '--role=jobs', account);
  }
  await k(
    'create',
    'rolebinding',
    'editor',
    '--clusterrole=edit',
    `--serviceaccount=${namespace}:editor`,
  );
  editor = await accounts.client(namespace, 'editor');
  podless = await accounts.client(namespace, 'podless');
  // The API server applies roles and policies a moment after they are written.
  await eventually('roles and policies are in force', async () => {
    const [may, mayNot] = await Promise.all(
      [editor, podless].map((client) =>
        client.create(kinds.SwarmJob, object('probe')).then(
          () => 'created',
          (error: unknown) => String(error),
        ),
      ),
    );
    if (may === 'created') await swarm.api.delete(kinds.SwarmJob, { namespace, name: 'probe' });
    return may === 'created' && String(mayNot).includes('ValidatingAdmissionPolicy');
  });
});

afterAll(async () => {
  await accounts?.close();
  await swarm?.stop();
});

beforeEach(() => {
  next += 1;
});

const object = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmJob',
  metadata: { name, namespace },
  ...swarmJobSpec(spec),
});
const newName = (): string => `job-${next}`;
const change = (client: KubeClient, name: string, body: object): Promise<KubeObject> =>
  client.patch(kinds.SwarmJob, { namespace, name }, { type: 'merge', body });
const scale = (client: KubeClient, name: string, replicas: number): Promise<KubeObject> =>
  client.patch(
    kinds.SwarmJob,
    { namespace, name },
    { type: 'merge', body: { spec: { replicas } } },
    'scale',
  );
const stateIs = (name: string, state: string): Promise<KubeObject> =>
  swarm.api.patch(
    kinds.SwarmJob,
    { namespace, name },
    { type: 'merge', body: { status: { state } } },
    'status',
  );

describe('an editor without the right to create pods', () => {
  const refusal = `a SwarmJob creates pods: system:serviceaccount:${namespace}:podless may write it in the namespace ${namespace} only with the right to create pods there, which is missing`;

  it('an editor without the right to create pods creates no SwarmJob', async () => {
    await expect(podless.create(kinds.SwarmJob, object(newName()))).rejects.toThrow(refusal);
  });

  it('an editor without the right to create pods neither changes nor scales a SwarmJob', async () => {
    const name = newName();
    await swarm.api.create(kinds.SwarmJob, object(name));
    await expect(change(podless, name, { spec: { image: 'evil' } })).rejects.toThrow(refusal);
    await expect(scale(podless, name, 3)).rejects.toThrow(refusal);
  });

  it('an editor without the right to create pods labels and deletes a SwarmJob', async () => {
    const name = newName();
    await swarm.api.create(kinds.SwarmJob, object(name));
    await change(podless, name, { metadata: { labels: { team: 'a' } } });
    await podless.delete(kinds.SwarmJob, { namespace, name });
  });
});

it('an autoscaler scales a SwarmJob without the right to create pods', async () => {
  const name = newName();
  await swarm.api.create(kinds.SwarmJob, object(name));
  const user = `system:serviceaccount:${autoscaler}`;
  const as = [`--as=${user}`, '--as-group=system:serviceaccounts:kube-system'];
  expect(await k('scale', `swarmjob/${name}`, '--replicas=3', ...as)).toContain('scaled');
});

describe('an editor with the right to create pods', () => {
  it('an editor with the right to create pods writes, scales and deletes a SwarmJob', async () => {
    const name = newName();
    await editor.create(kinds.SwarmJob, object(name));
    await change(editor, name, { spec: { image: 'other' } });
    await scale(editor, name, 3);
    await editor.delete(kinds.SwarmJob, { namespace, name });
  });

  const template = (spec: object): object => ({
    template: { spec: { containers: [{ name: 'main' }], ...spec } },
  });

  it.each(['Admitted', 'Starting', 'Running', 'Suspending'])(
    'an editor replaces no unknown field of the template by another while the job is %s',
    async (state) => {
      const name = newName();
      await editor.create(kinds.SwarmJob, object(name, template({ nodeSelector: {} })));
      await stateIs(name, state);
      const body = { spec: template({ nodeSelector: null, affinity: {} }) };
      await expect(change(editor, name, body)).rejects.toThrow(
        `the job is ${state}; suspend it before you change: template`,
      );
      await change(editor, name, { spec: { suspend: true, priority: 1 } });
      await stateIs(name, 'Suspended');
      await change(editor, name, body);
    },
  );
});

describe('a batch Job that a SwarmJob controls', () => {
  let swarmJob: KubeObject;

  beforeAll(async () => {
    swarmJob = await swarm.api.create(kinds.SwarmJob, object('lammps'));
    await swarm.api.create(kinds.Job, batchJob(swarmJob, 'lammps'));
    await swarm.api.create(kinds.Job, batchJob(swarmJob, 'own', { owners: [] }));
  });

  const patch = (name: string, body: object): Promise<KubeObject> =>
    editor.patch(kinds.Job, { namespace, name }, { type: 'merge', body });

  const starts =
    'only swarm-operator starts and suspends the batch Job lammps: suspend the SwarmJob lammps instead';
  const note = (name: string): [string, object, string] => [
    `write k8slab.info/${name} on`,
    { metadata: { annotations: { [`k8slab.info/${name}`]: '8' } } },
    `only swarm-operator writes k8slab.info/${name} of the batch Job lammps: suspend the SwarmJob lammps instead`,
  ];

  it.each<[string, object, string]>([
    ['start', { spec: { suspend: false } }, starts],
    [
      'start, and grant,',
      { metadata: { annotations: { 'k8slab.info/grant': '8' } }, spec: { suspend: false } },
      starts,
    ],
    note('grant'),
    note('attempt'),
    note('ran-seconds'),
    note('signal-seconds'),
    note('launcher'),
    [
      'take the grant from',
      { metadata: { annotations: { 'k8slab.info/grant': null } } },
      'only swarm-operator writes k8slab.info/grant',
    ],
    [
      'give more pods to',
      { spec: { parallelism: 50 } },
      'only swarm-operator changes the spec of the batch Job lammps: change the SwarmJob lammps instead',
    ],
    [
      'take the owner from',
      { metadata: { ownerReferences: null } },
      'only swarm-operator says which SwarmJob controls the batch Job lammps: suspend or delete the SwarmJob lammps instead',
    ],
  ])("an editor may not %s a SwarmJob's batch Job", async (_, body, words) => {
    await expect(patch('lammps', body)).rejects.toThrow(words);
  });

  it("an editor may not suspend a SwarmJob's batch Job", async () => {
    const operator = await accounts.client('swarm-operator', 'swarm-operator');
    const suspend = (suspended: boolean): object => ({ spec: { suspend: suspended } });
    const ref = { namespace, name: 'lammps' };
    await operator.patch(kinds.Job, ref, { type: 'merge', body: suspend(false) });
    await expect(patch('lammps', suspend(true))).rejects.toThrow(starts);
    await operator.patch(kinds.Job, ref, { type: 'merge', body: suspend(true) });
  });

  it('an editor neither creates a batch Job for a SwarmJob nor makes a SwarmJob the owner of one', async () => {
    await expect(editor.create(kinds.Job, batchJob(swarmJob, 'forged'))).rejects.toThrow(
      'only swarm-operator creates batch Jobs for the SwarmJob lammps: leave it out of the owners of forged',
    );
    const body = { metadata: { ownerReferences: [ownerOf(swarmJob)] } };
    await expect(patch('own', body)).rejects.toThrow(
      'only swarm-operator says which SwarmJob controls the batch Job own',
    );
  });

  it("a cluster administrator starts and suspends a SwarmJob's batch Job", async () => {
    const ref = { namespace, name: 'lammps' };
    for (const suspend of [false, true])
      await swarm.api.patch(kinds.Job, ref, { type: 'merge', body: { spec: { suspend } } });
  });

  it("an editor labels, annotates and deletes a SwarmJob's batch Job", async () => {
    await patch('lammps', { metadata: { labels: { team: 'a' }, annotations: { theirs: 'yes' } } });
    await editor.delete(kinds.Job, { namespace, name: 'lammps' });
  });

  it('an editor starts and suspends a batch Job of their own', async () => {
    for (const suspended of [false, true]) await patch('own', { spec: { suspend: suspended } });
  });

  it.each([
    ['grant', '4'],
    ['grant', null],
    ['admitted-queue', 'other'],
  ])('an editor does not change %s of a batch Job of their own to %s', async (name, value) => {
    await swarm.api.patch(
      kinds.Job,
      { namespace, name: 'own' },
      { type: 'merge', body: { metadata: { annotations: { 'k8slab.info/grant': '2' } } } },
    );
    await expect(
      patch('own', { metadata: { annotations: { [`k8slab.info/${name}`]: value } } }),
    ).rejects.toThrow(
      'only swarm-operator writes k8slab.info/grant and k8slab.info/admitted-queue of the Job own',
    );
  });
});
