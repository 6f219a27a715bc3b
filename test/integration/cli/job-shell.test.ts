// Does `job shell` speak to a real API server as that wants it, and name the permissions that are
// missing? The nodes of these tests run no command.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';
import { swarmctlOn, type Told } from './swarmctl.ts';

const namespace = 'job-shell';
let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--kinds', 'queues,jobs');
  await swarm.kubectl('create', 'namespace', namespace);
  await swarm.create(kinds.SwarmQueue, namespace, 'batch', { spec: { quota: { pods: '1' } } });
  const spec = { queueName: 'batch', size: 1, image: 'busybox', command: ['sleep', '300'] };
  await swarm.create(kinds.SwarmJob, namespace, 'inside', { spec });
  await eventually('the job runs', async () => {
    const job = await swarm.api.get(kinds.SwarmJob, { namespace, name: 'inside' });
    return dig(job, 'status', 'state') === 'Running';
  });
});

afterAll(() => swarm?.stop());

const shell = (kubeconfig: string): Promise<Told> =>
  swarmctlOn(kubeconfig)('job', 'shell', 'inside', '-n', namespace, '--', 'hostname');

const may = async (verbs: string, ...resources: readonly string[]): Promise<void> => {
  const name = `visitor-${verbs.replace(',', '-')}-${resources.length}`;
  const all = resources.map((resource) => `--resource=${resource}`);
  const k = (...args: readonly string[]) => swarm.kubectl('-n', namespace, 'create', ...args);
  await k('role', name, `--verb=${verbs}`, ...all);
  await k('rolebinding', name, `--role=${name}`, `--serviceaccount=${namespace}:visitor`);
};

it('job shell reaches the kubelet by the protocol of exec, and tells what it says', async () =>
  expect(await shell(swarm.playground.plane.kubeconfig)).toMatchObject({
    code: 2,
    stdout: '',
    // Pods of the playground are processes of this machine.
    stderr: expect.stringMatching(
      /^swarmctl job shell: rank 0, pod inside-0-\w+: .*not supported by the playground/,
    ),
  }));

it('job shell names the permission that is missing', async () => {
  await swarm.kubectl('-n', namespace, 'create', 'serviceaccount', 'visitor');
  await may('get,list', 'swarmjobs.k8slab.info', 'pods');
  const visitor = await swarm.kubeconfigOf(namespace, 'visitor');
  const isMissing = (verb: string) => ({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      RegExp(`cannot ${verb} resource "pods/exec" .*; it takes the permissions get and create of`),
    ),
  });
  expect(await shell(visitor)).toMatchObject(isMissing('create'));
  await may('get', 'pods/exec');
  expect(await shell(visitor)).toMatchObject(isMissing('create'));
  await swarm.kubectl('-n', namespace, 'delete', 'role', 'visitor-get-1');
  await may('create', 'pods/exec');
  expect(await shell(visitor)).toMatchObject(isMissing('get'));
});
