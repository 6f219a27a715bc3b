// What may the jobs of one user have of a queue, on a real API server?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ANNOTATION_WAITING } from '../../../src/api/batch-job.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, dig, type KubeObject } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { Job, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'max-per-user';
const main = { name: 'main', image: 'busybox', command: ['sleep', '1000000'] };

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--kinds', 'queues,jobs');
  await makeQueue(swarm, namespace, { pods: '9' }, { maxPerUser: { pods: '2' } });
});

afterAll(() => swarm?.stop());

const metaOf = (name: string, user: string) => ({
  ...{ name, namespace },
  annotations: { 'k8slab.info/user': user },
});

const submit = (user: string, job: KubeObject): Promise<string> =>
  swarm.kubectl('create', '-f', swarm.file(job), `--as=${user}`, '--as-group=system:masters');

async function submitJob(user: string, name: string): Promise<Job> {
  await submit(user, {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmJob',
    metadata: metaOf(name, user),
    spec: { queueName: 'batch', image: main.image, command: main.command },
  });
  return new Job(swarm, namespace, name);
}

const submitLabelled = (user: string, name: string): Promise<string> =>
  submit(user, {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { ...metaOf(name, user), labels: { 'k8slab.info/queue': 'batch' } },
    spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [main] } } },
  });

const labelled = (name: string): Promise<KubeObject> =>
  swarm.api.get(kinds.Job, { namespace, name });
const hasStarted = (name: string): Promise<void> =>
  eventually(
    `${name} is started`,
    async () => dig(await labelled(name), 'spec', 'suspend') === false,
  );

async function waiting(): Promise<readonly unknown[]> {
  const { status } = await swarm.api.get(kinds.SwarmQueue, { namespace, name: 'batch' });
  const names = (it: unknown): string => String(dig(it, 'name'));
  return [...asList(dig(status, 'waiting'))].sort((a, b) => (names(a) < names(b) ? -1 : 1));
}

it('SwarmJobs and labelled Jobs of a user wait beyond the bound, and others pass them', async () => {
  const first = await submitJob('alice', 'first');
  await first.is('Running');
  await submitLabelled('alice', 'night');
  await hasStarted('night');
  const second = await submitJob('alice', 'second');
  const { message } = await second.is('Waiting', 'MaxPerUser');
  expect(message).toBe('SwarmQueue batch, user alice: needs 1 pod, and less is free');
  await submitLabelled('alice', 'later');
  const why = 'SwarmQueue batch, user alice: needs 1 pod, 0 are free';
  await eventually('two wait', async () => (await waiting()).length === 2);
  // Of one second the name decides which goes first.
  const both = [
    { name: 'later', reason: 'MaxPerUser', message: why },
    { name: 'second', reason: 'MaxPerUser', message: why },
  ];
  expect(await waiting()).toMatchObject(both);
  await eventually('the labelled Job says why it waits', async () =>
    /^MaxPerUser: /.test(
      (await labelled('later')).metadata.annotations?.[ANNOTATION_WAITING] ?? '',
    ),
  );
  expect(await second.kubectl('get', 'swarmjob', 'second')).toContain('MaxPerUser');
  await (await submitJob('bob', 'third')).is('Running');

  await swarm.kubectl(
    ...['-n', namespace, 'patch', 'swarmqueue', 'batch', '--type=merge', '-p'],
    JSON.stringify({ spec: { maxPerUser: { pods: '4' } } }),
  );
  await second.is('Running');
  await hasStarted('later');
});
