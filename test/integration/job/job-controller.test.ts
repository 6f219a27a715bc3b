// What becomes of a job on a real API server, with the real Job controller?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import { operatorWrites } from '../support/audit.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let operator: OperatorProcess;

const startOperator = async (): Promise<void> => {
  operator = await swarm.operator('--leader-election', 'false', '--kinds', 'queues,jobs');
};

beforeAll(async () => {
  swarm = await Swarm.start();
  await startOperator();
});

afterAll(() => swarm.stop());

const make = async (namespace: string, spec: object): Promise<Job> => {
  await makeQueue(swarm, namespace);
  return makeJob(swarm, namespace, 'sim', spec);
};

const shell = (script: string): readonly string[] => ['sh', '-c', script];
/** Ready until it is ended. */
const sleeps = shell('exec sleep 1000000');

const states = (job: Job) =>
  job.status().then(({ history = [] }) => history.map(({ state }) => state).reverse());

describe('a job of one pod', () => {
  it('a job of one pod runs to its end in five writes, and knows its rank', async () => {
    const told = 'env | grep ^SWARM_ | sort; cd /etc/swarm; grep . hosts leader rank size';
    const job = await make('alone', { command: shell(`sleep 3; ${told}`) });
    const status = await job.is('Succeeded');
    expect(status).toMatchObject({ exitCode: 0, attempt: 1, hosts: 'sim-0', reason: 'Completed' });
    expect(await states(job)).toEqual(['Starting', 'Running', 'Succeeded']);
    expect((await job.kubectl('logs', 'job/sim')).split('\n')).toEqual([
      'SWARM_HOSTS=sim-0',
      'SWARM_LEADER=sim-0',
      'SWARM_RANK=0',
      'SWARM_SIZE=1',
      'hosts:sim-0',
      'leader:sim-0',
      'rank:0',
      'size:1',
      '',
    ]);
    await job.isGivenBack();
    await job.kubectl('wait', '--for=condition=Finished', 'swarmjob/sim', '--timeout=10s');
    const ofJob = ['jobs', 'swarmjobs/status'];
    const writes = operatorWrites(swarm.audit, 'alone').filter((it) => ofJob.includes(it));
    expect(writes.sort()).toEqual([
      ...['jobs', 'jobs'],
      ...['swarmjobs/status', 'swarmjobs/status', 'swarmjobs/status'],
    ]);
  });

  it('a job fails with the exit code of its command, and its pod stays', async () => {
    const job = await make('fails', { command: shell('exit 3') });
    expect(await job.is('Failed')).toMatchObject({
      reason: 'CommandFailed',
      message: 'attempt 1 failed: rank 0 ended with exit code 3',
      exitCode: 3,
      failures: { application: 1, image: 0, start: 0, disruption: 0 },
    });
    await job.isGivenBack();
    expect(await job.pods()).toHaveLength(1);
  });

  it('a job is tried again after a failure, and the pod of its first attempt is deleted', async () => {
    const script = 'test "$(cat /etc/swarm/size)" = 1 && exit 1';
    const retried = { retries: { application: 1 }, backoffSeconds: 1 };
    const job = await make('again', { command: shell(script), ...retried });
    expect(await job.is('Failed')).toMatchObject({ attempt: 2, failures: { application: 2 } });
    expect(await states(job)).toContain('Waiting');
    await eventually('the first pod is gone', async () => (await job.pods()).length === 1);
  });

  const side = (resources: object) => ({ containers: [{ name: 'side', image: 'b', resources }] });

  it.each<[string, object, string]>([
    [
      'name',
      { volumes: [{ name: 'Not A Name', emptyDir: {} }] },
      'Job.batch "sim" is invalid: spec.template.spec.volumes[0].name: Invalid value: "Not A Name"',
    ],
    [
      'volume mount',
      { containers: [{ name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
      'Job.batch "sim" is invalid: ' +
        'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ],
    [
      'resource',
      side({ requests: { 'a b': '0' } }),
      'spec.template.spec.containers[1].resources.requests[a b]: Invalid value: "a b"',
    ],
    [
      'quantity',
      side({ requests: { cpu: '-1' } }),
      'spec.template.spec.containers[1].resources.requests[cpu]: Invalid value: "-1"',
    ],
    [
      'field',
      { nodeSelektor: { disk: 'fast' } },
      'strict decoding error: unknown field "spec.template.spec.nodeSelektor"',
    ],
  ])(
    'a job with a wrong %s in its template fails with the message of the API server',
    async (what, podSpec, words) => {
      const template = { spec: podSpec };
      const job = await make(`wrong-${what.replace(' ', '-')}`, { command: ['true'], template });
      const { message } = await job.is('Failed', 'TemplateRefused');
      expect(message).toContain(words);
      expect(message).toMatch(/^Job/);
      await job.isGivenBack();
    },
  );
});

describe('a job whose pods are refused', () => {
  const restricted = ['pod-security.kubernetes.io/enforce=restricted'];

  it.each<[string, readonly string[], object, string]>([
    [
      'a volume that Pod Security forbids',
      restricted,
      { volumes: [{ name: 'root', hostPath: { path: '/' } }] },
      'the pod of rank 0 is forbidden: violates PodSecurity "restricted:latest": ',
    ],
    [
      'a service account that does not exist',
      [],
      { serviceAccountName: 'nobody' },
      'the pod of rank 0 is forbidden: error looking up service account refused-1/nobody: ' +
        'serviceaccount "nobody" not found',
    ],
  ])('its status says so in the words of the API server: %s', async (_, labels, podSpec, words) => {
    const namespace = `refused-${labels.length === 0 ? 1 : 0}`;
    await makeQueue(swarm, namespace);
    for (const label of labels) await swarm.kubectl('label', 'namespace', namespace, label);
    const template = { spec: podSpec };
    const slow = { startTimeoutSeconds: 12, backoffSeconds: 3600 };
    const spec = { size: 2, command: sleeps, template, ...slow };
    const job = await makeJob(swarm, namespace, 'sim', spec);
    const { message } = await job.is('Starting', 'PodsRefused');
    expect(message).toContain(`0 of 2 ranks run; ${words}`);
    const failed = await job.is('Waiting', 'BackingOff');
    expect(failed.failures).toMatchObject({ start: 1, image: 0 });
    expect(failed.message).toContain(words);
    await job.isGivenBack();
  });
});

describe('a gang', () => {
  it('a gang runs together, knows its hosts, and is deleted with its SwarmJob', async () => {
    const script =
      'cat /etc/swarm/hosts; echo $SWARM_RANK of $SWARM_SIZE, $SWARM_HOSTS; exec sleep 1000000';
    const job = await make('gang', { size: 3, command: shell(script) });
    const status = await job.is('Running');
    expect(status).toMatchObject({
      readyRanks: 3,
      size: 3,
      hosts: 'sim-[0-2]',
      message: '3 of 3 ranks run',
      admission: { queue: 'batch', size: 3, requests: { pods: '3' } },
    });
    const [pod] = (await job.pods()).filter(({ metadata: { annotations = {} } }) => {
      return annotations['batch.kubernetes.io/job-completion-index'] === '1';
    });
    expect(dig(pod, 'spec', 'subdomain')).toBe('sim');
    expect(dig(pod, 'spec', 'hostname')).toBe('sim-1');
    const logs = async () => job.kubectl('logs', pod?.metadata.name ?? '');
    const expected = 'sim-0.sim\nsim-1.sim\nsim-2.sim\n1 of 3, sim-[0-2].sim\n';
    await eventually('rank 1 has said who it is', async () => (await logs()) === expected);
    expect(await job.kubectl('get', 'swj')).toMatch(/sim +Running +batch +3 +3 +AllRanksRunning/);
    await job.kubectl('delete', 'swarmjob', 'sim');
    await eventually('nothing of it is left', async () => {
      const left = await job.kubectl(
        'get',
        'job,svc,cm,pod',
        '-l',
        'k8slab.info/job',
        '-o',
        'name',
      );
      return left === '';
    });
    await job.isGivenBack();
  });

  it('a gang is suspended, edited and resumed, and its size cannot be edited while it runs', async () => {
    const job = await make('suspended', { size: 2, command: sleeps });
    await job.is('Running');
    await expect(job.edit({ size: 3 })).rejects.toThrow('suspend it before you change: size');
    await job.edit({ suspend: true });
    await job.is('Suspended');
    await job.isGivenBack();
    await job.edit({ size: 3 });
    await job.edit({ suspend: false });
    expect(await job.is('Running')).toMatchObject({ attempt: 2, readyRanks: 3 });
    const { data } = await swarm.api.get(kinds.ConfigMap, {
      namespace: 'suspended',
      name: 'sim-hosts',
    });
    expect(dig(data, 'hosts')).toBe('sim-0.sim\nsim-1.sim\nsim-2.sim\n');
    expect((await job.status()).failures).toBeUndefined();
  });

  it('a gang fails as a whole when one rank fails', async () => {
    const script = '[ $SWARM_RANK = 1 ] && sleep 2 && exit 7; exec sleep 1000000';
    const job = await make('one-fails', { size: 2, command: shell(script) });
    expect(await job.is('Failed')).toMatchObject({
      exitCode: 7,
      message: 'attempt 1 failed: rank 1 ended with exit code 7',
    });
    await job.isGivenBack();
  });

  it('a gang that does not start in time is taken back, and backs off', async () => {
    const template = { spec: { nodeSelector: { 'no-node': 'has-this' } } };
    const slow = { startTimeoutSeconds: 2, backoffSeconds: 3600 };
    const job = await make('slow', { size: 2, command: sleeps, template, ...slow });
    const status = await job.is('Waiting', 'BackingOff');
    expect(status).toMatchObject({ failures: { start: 1 } });
    expect(status.history?.map(({ reason }) => reason)).toContain('StartTimedOut');
    await job.isGivenBack();
  });
});

describe('a deadline', () => {
  it('a deadline that is edited while the job runs ends the job', async () => {
    const job = await make('deadline', { command: sleeps, activeDeadlineSeconds: 3600 });
    await job.is('Running');
    await job.edit({ activeDeadlineSeconds: 5 });
    expect(await job.is('Failed')).toMatchObject({ reason: 'DeadlineExceeded' });
    await job.isGivenBack();
  });

  /** SIGTERM comes six seconds before the deadline. */
  const signalled = { activeDeadlineSeconds: 10, deadlineSignalSeconds: 6 };
  /** A rank that writes when it is told to end, and then takes so long to save its work. */
  const saves = (seconds: number): readonly string[] =>
    shell(
      `trap 'echo told $(date +%s); sleep ${seconds}; echo saved; exit 0' TERM; ` +
        'while :; do sleep 0.1; done',
    );
  /** Its lines until it ends: then the pod is deleted. */
  async function linesOf(job: Job): Promise<{ logs: string; toldMs: number; endedMs: number }> {
    await job.is('Running');
    const logs = await job.kubectl('logs', '--follow', 'job/sim');
    const toldMs = Number(/told (\d+)/.exec(logs)?.[1]) * 1_000;
    return { logs, toldMs, endedMs: Date.now() };
  }

  it('a rank gets SIGTERM before the deadline, and has time to save its work', async () => {
    const job = await make('signal', { command: saves(2), ...signalled });
    const { logs, toldMs } = await linesOf(job);
    expect(logs).toMatch(/told \d+\nsaved\n$/);
    const { history = [], failures } = await job.is('Failed', 'DeadlineExceeded');
    expect(failures).toBeUndefined();
    const began = history.find(({ state }) => state === 'Starting')?.time ?? '';
    expect(toldMs - Date.parse(began)).toBeGreaterThanOrEqual(4_000);
    await job.isGivenBack();
  });

  it('a rank that does not end after its signal is killed when the deadline is over', async () => {
    const job = await make('killed', { command: saves(1_000), ...signalled });
    const { logs, toldMs, endedMs } = await linesOf(job);
    expect(logs).toMatch(/told \d+\n$/);
    expect(endedMs - toldMs).toBeGreaterThanOrEqual(5_000);
    await job.is('Failed', 'DeadlineExceeded');
    expect(dig(await job.batchJob(), 'spec')).toMatchObject({
      activeDeadlineSeconds: 5,
      template: { spec: { terminationGracePeriodSeconds: 6 } },
    });
    await job.isGivenBack();
  });

  it('Kubernetes tells a rank to end before the deadline while no operator runs', async () => {
    const job = await make('alone-at-end', { command: saves(1), ...signalled });
    const lines = linesOf(job);
    await job.is('Running');
    await operator.end();
    const { logs } = await lines;
    expect(logs).toMatch(/told \d+\nsaved\n$/);
    await startOperator();
    expect((await job.is('Failed', 'DeadlineExceeded')).failures).toBeUndefined();
    await job.isGivenBack();
  });
});

describe('a change by hand', () => {
  it('a batch Job that is deleted, suspended or unsuspended by hand is corrected', async () => {
    const job = await make('hands', { size: 2, command: sleeps });
    await job.is('Running');
    await job.kubectl('delete', 'job', 'sim');
    await eventually('it runs again', async () => (await job.status()).attempt === 2);
    expect(await job.is('Running')).toMatchObject({ failures: { disruption: 1 } });
    await job.kubectl('patch', 'job', 'sim', '-p', '{"spec":{"suspend":true}}');
    await eventually('it counts', async () => (await job.status()).failures?.disruption === 2);
    await job.is('Running');
    await job.edit({ suspend: true });
    await job.is('Suspended');
    await job.isGivenBack();
    await job.kubectl('patch', 'job', 'sim', '-p', '{"spec":{"suspend":false}}');
    await eventually('it is suspended again', async () => {
      return dig(await job.batchJob(), 'spec', 'suspend') === true;
    });
    await job.is('Suspended');
    await job.isGivenBack();
  });

  it('a status that is wiped or made up is corrected', async () => {
    const job = await make('made-up', { command: sleeps });
    const { startTime: _, ...before } = await job.is('Running');
    const write = (status: object) =>
      job.kubectl(
        'patch',
        'swj',
        'sim',
        '--subresource=status',
        '--type=json',
        '-p',
        JSON.stringify([{ op: 'replace', path: '/status', value: status }]),
      );
    await write({});
    expect(await job.is('Running')).toMatchObject({ attempt: 1, hosts: before.hosts });
    await write({ state: 'Succeeded' });
    await job.is('Running');
    expect(await job.pods()).toHaveLength(1);
  });
});

describe('a job that has ended', () => {
  it('a job that has ended is deleted when its time to live is over', async () => {
    const job = await make('ttl', { command: ['true'], ttlSecondsAfterFinished: 1 });
    const get = () => job.kubectl('get', 'swj,job,pod', '-o', 'name');
    await eventually('all of it is gone', async () => (await get()) === '');
    await job.isGivenBack();
  });
});
