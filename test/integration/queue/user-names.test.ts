// Does the annotation k8slab.info/user of a job always name the user who has submitted it? Can
// users, controllers and the operator still write what they have to write?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject, type ObjectMeta } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { eventually } from '../../support/processes.ts';
import { swarmctlOn } from '../cli/swarmctl.ts';
import { makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';
import { Accounts } from './accounts.ts';

const namespace = 'user-names';
const alice = `system:serviceaccount:${namespace}:alice`;
const bob = `system:serviceaccount:${namespace}:bob`;
const cronJobController = 'system:serviceaccount:kube-system:cronjob-controller';
const USER = 'k8slab.info/user';
const queued = { 'k8slab.info/queue': 'batch' };

let swarm: Swarm;
let accounts: Accounts;
/** Both may write jobs of both kinds, and pods. */
let alices: KubeClient;
let bobs: KubeClient;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
  await makeQueue(swarm, namespace);
  const k = (...args: readonly string[]): Promise<string> =>
    swarm.kubectl('-n', namespace, ...args);
  const verbs = '--verb=get,list,watch,create,patch,delete';
  await k('create', 'role', 'jobs', verbs, '--resource=swarmjobs.k8slab.info');
  for (const name of ['alice', 'bob']) {
    await k('create', 'serviceaccount', name);
    const account = `--serviceaccount=${namespace}:${name}`;
    await k('create', 'rolebinding', `${name}-jobs`, '--role=jobs', account);
    await k('create', 'rolebinding', name, '--clusterrole=edit', account);
  }
  accounts = new Accounts(swarm);
  alices = await accounts.client(namespace, 'alice');
  bobs = await accounts.client(namespace, 'bob');
  // The API server applies roles and policies a moment after they are written.
  await eventually('roles and policies are in force', async () => {
    const trials = [kinds.SwarmJob, kinds.Job].map((kind) =>
      alices.create(kind, jobOf(kind, 'probe', { annotations: { [USER]: bob } })).then(
        () => swarm.api.delete(kind, { namespace, name: 'probe' }),
        (error: unknown) => error,
      ),
    );
    const answers = (await Promise.all(trials)).map(String);
    return answers.every((answer) => answer.includes('ValidatingAdmissionPolicy'));
  });
});

afterAll(async () => {
  await accounts?.close();
  await swarm?.stop();
});

/** Batch Jobs have the label of the queue. */
const jobOf = (kind: Kind, name: string, meta: Partial<ObjectMeta> = {}): KubeObject => {
  const main = { name: 'main', image: 'busybox', command: ['sleep', '1000000'] };
  const template = { spec: { restartPolicy: 'Never', containers: [main] } };
  return kind === kinds.SwarmJob
    ? {
        apiVersion: 'k8slab.info/v1alpha1',
        kind: 'SwarmJob',
        metadata: { name, namespace, ...meta },
        spec: { queueName: 'batch', image: main.image, command: main.command, suspend: true },
      }
    : {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace, labels: queued, ...meta },
        spec: { suspend: true, template },
      };
};

const by = (user: string): Partial<ObjectMeta> => ({ annotations: { [USER]: user } });
const patch = (
  client: KubeClient,
  kind: Kind,
  name: string,
  metadata: object,
): Promise<KubeObject> =>
  client.patch(kind, { namespace, name }, { type: 'merge', body: { metadata } });
const userOf = async (kind: Kind, name: string): Promise<string | undefined> =>
  (await swarm.api.get(kind, { namespace, name })).metadata.annotations?.[USER];

describe.each([
  ['SwarmJob', kinds.SwarmJob, 'creates it'],
  ['Job', kinds.Job, 'puts it into a queue'],
])('the user of a %s', (word, kind, does) => {
  it(`a ${word} is created with the name of its creator, or with none`, async () => {
    await alices.create(kind, jobOf(kind, 'alices', by(alice)));
    await alices.create(kind, jobOf(kind, 'nobodys'));
    expect(await userOf(kind, 'alices')).toBe(alice);
  });

  it(`a ${word} is created with the name of no other user, by an administrator neither`, async () => {
    const refusal = (user: string): string =>
      `the annotation k8slab.info/user of the ${word} forged is "${bob}"; allowed is "${user}", who ${does}, or no such annotation`;
    const forged = jobOf(kind, 'forged', by(bob));
    await expect(alices.create(kind, forged)).rejects.toThrow(refusal(alice));
    await expect(swarm.api.create(kind, forged)).rejects.toThrow(refusal('admin'));
  });

  it.each([
    ['changed', 'alices', bob, `"${alice}", as it was`],
    ['removed', 'alices', null, `"${alice}", as it was`],
    ['added', 'nobodys', bob, 'no such annotation, as before'],
  ])(`the user of a ${word} is not %s later`, async (_, name, user, allowed) => {
    const change = patch(bobs, kind, name, { annotations: { [USER]: user } });
    await expect(change).rejects.toThrow(
      `the annotation k8slab.info/user of the ${word} ${name} never changes; allowed is ${allowed}`,
    );
  });

  it(`other users label, apply and delete a ${word} that names its user`, async () => {
    await patch(bobs, kind, 'alices', { labels: { ...queued, team: 'b' } });
    await swarm.apply(jobOf(kind, 'alices'));
    expect(await userOf(kind, 'alices')).toBe(alice);
    await bobs.delete(kind, { namespace, name: 'alices' });
    await bobs.delete(kind, { namespace, name: 'nobodys' });
  });
});

describe('a batch Job that is in no queue', () => {
  it('a batch Job in no queue may have the annotation, and gets into a queue only without a forged name', async () => {
    await bobs.create(kinds.Job, jobOf(kinds.Job, 'later', { labels: {}, ...by(alice) }));
    await expect(patch(bobs, kinds.Job, 'later', { labels: queued })).rejects.toThrow(
      `is "${alice}"; allowed is "${bob}", who puts it into a queue, or no such annotation`,
    );
    await patch(bobs, kinds.Job, 'later', { annotations: { [USER]: bob } });
    await patch(bobs, kinds.Job, 'later', { labels: queued });
    await bobs.delete(kinds.Job, { namespace, name: 'later' });
  });
});

describe('others who write jobs', () => {
  const hasStarted = (name: string): Promise<void> =>
    eventually(`${name} is started`, async () => {
      const { spec } = await swarm.api.get(kinds.Job, { namespace, name });
      return dig(spec, 'suspend') === false;
    });

  it('the controller of a CronJob creates a labelled Job, and none with the name of a user', async () => {
    const create = (job: KubeObject): Promise<string> =>
      swarm.kubectl('create', '-f', swarm.file(job), `--as=${cronJobController}`);
    await create(jobOf(kinds.Job, 'nightly'));
    await expect(create(jobOf(kinds.Job, 'forged', by(alice)))).rejects.toThrow(
      `allowed is "${cronJobController}"`,
    );
    await hasStarted('nightly');
    await bobs.delete(kinds.Job, { namespace, name: 'nightly' });
  });

  it('the operator starts a labelled Job that names its user, which keeps that without its label', async () => {
    await alices.create(kinds.Job, jobOf(kinds.Job, 'named', by(alice)));
    await hasStarted('named');
    await patch(alices, kinds.Job, 'named', { labels: { 'k8slab.info/queue': null } });
    const change = patch(alices, kinds.Job, 'named', { annotations: { [USER]: bob } });
    await expect(change).rejects.toThrow(`allowed is "${alice}", as it was`);
    await alices.delete(kinds.Job, { namespace, name: 'named' });
  });

  it('swarmctl job run names the user of its kubeconfig, and the operator runs the job', async () => {
    const swarmctl = swarmctlOn(await swarm.kubeconfigOf(namespace, 'alice'));
    const flags = ['-n', namespace, '-q', 'batch', '--image', 'busybox', '--name', 'typed'];
    expect(await swarmctl('job', 'run', ...flags, '--', 'true')).toMatchObject({ code: 0 });
    expect(await userOf(kinds.SwarmJob, 'typed')).toBe(alice);
    const list = await swarmctl('job', 'list', '-n', namespace, '--user', 'me', '-o', 'json');
    expect(JSON.parse(list.stdout)).toMatchObject([{ name: 'typed', user: alice }]);
    const others = await swarmctl('job', 'list', '-n', namespace, '--user', bob);
    expect(others.stdout).toBe(`no job here of user ${bob}\n`);
  });
});
