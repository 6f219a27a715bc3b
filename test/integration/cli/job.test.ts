// The commands of jobs and queues as a user types them, on a real API server with the real
// controllers: do they show what runs and why the rest waits, and end as the job ends?
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';
import { openSession, type Session } from './session.ts';
import { program, swarmctlOn, type Told } from './swarmctl.ts';

const namespace = 'job-cli';
const samples = fileURLToPath(new URL('../../../samples/jobs', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-job-cli-'));
let swarm: Swarm;
let session: Session;
const swarmctl: Session['type'] = (...args) => session.type(...args);

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--kinds', 'queues,jobs');
  await swarm.kubectl('create', 'namespace', namespace);
  await swarm.create(kinds.SwarmQueue, namespace, 'batch', {
    spec: { quota: { pods: '3' }, maxPriority: 10 },
  });
  await swarm.create(kinds.SwarmQueue, namespace, 'sized', {
    spec: { quota: { pods: '1', cpu: '1' } },
  });
  session = openSession(swarm.playground.plane.kubeconfig);
});

afterAll(async () => {
  await session?.end();
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

const inNamespace = (...args: readonly string[]): Promise<Told> =>
  swarmctl(...args, '--namespace', namespace);
const runArgs = (name: string, size: number, script: string): readonly string[] => [
  ...['job', 'run', '-q', 'batch', '-N', String(size), '--image', 'busybox', '--name', name],
  ...['--namespace', namespace, '--', 'sh', '-c', script],
];
/** In a process of its own, which ends with the exit code of the job. */
const run = (name: string, size: number, script: string): Promise<Told> =>
  swarmctlOn(swarm.playground.plane.kubeconfig)(...runArgs(name, size, script));
const submit = async (name: string, size: number, ...more: readonly string[]): Promise<void> => {
  const [topic = '', command = '', ...rest] = runArgs(name, size, 'sleep 300');
  const told = await swarmctl(topic, command, '--detach', ...more, ...rest);
  expect(told).toEqual({ code: 0, stdout: `${name}\n`, stderr: '' });
};
const hasState = (name: string, state: string): Promise<void> =>
  eventually(`job ${name} is ${state}`, async () => {
    const job = await swarm.api.get(kinds.SwarmJob, { namespace, name });
    return dig(job, 'status', 'state') === state;
  });
const remove = (...names: readonly string[]): Promise<unknown> =>
  swarm.kubectl('-n', namespace, 'delete', 'swarmjob', ...names);

describe('swarmctl job run', () => {
  it('job run shows the lines of all ranks, each with its rank, and ends with 0', async () => {
    const { code, stdout, stderr } = await run('hello', 2, 'echo $SWARM_RANK of $SWARM_SIZE');
    expect(stdout.split('\n').sort()).toEqual(['', '[0] 0 of 2', '[1] 1 of 2']);
    expect(stderr).toMatch(/^SwarmJob job-cli\/hello is submitted\n/);
    expect(stderr).toContain('SwarmJob job-cli/hello is Succeeded: Completed: all 2 ranks ended');
    expect(code).toBe(0);
    const logs = await inNamespace('job', 'logs', 'hello');
    expect(logs).toMatchObject({ code: 0, stdout: '[0] 0 of 2\n[1] 1 of 2\n' });
  });

  it('job run ends with the exit code of the rank that failed', async () => {
    const script = 'echo started; if [ $SWARM_RANK = 1 ]; then exit 3; fi; sleep 300';
    const { code, stdout, stderr } = await run('bad', 2, script);
    expect(stdout).toContain('[1] started\n');
    expect(stderr).toContain('is Failed: CommandFailed: attempt 1 failed: rank 1 ended with');
    // The other rank, whose pod Kubernetes has deleted, is no problem.
    expect(stderr).not.toContain('cannot read');
    expect(code).toBe(3);
    const why = await inNamespace('job', 'why', 'bad');
    expect(why.stdout).toMatch(/ 1 +bad-1-\w+ .* container main ended with exit code 3/);
    expect(why.code).toBe(1);
  });

  it.each<[string, readonly string[], RegExp]>([
    ['its queue does not exist', ['-q', 'batsch'], /cannot start: QueueNotFound: /],
    ['it is larger than the quota', ['-q', 'batch', '-N', '4'], /cannot start: TooLargeEver: /],
    ['a request is missing', ['-q', 'sized'], /cannot start: RequestMissing: /],
  ])('job run ends at once and deletes the job when %s', async (_, flags, says) => {
    const rest = ['--image', 'busybox', '--name', 'never', '-n', namespace, '--', 'true'];
    const told = await swarmctl('job', 'run', ...flags, ...rest);
    expect(told).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
    expect(told.stderr).toContain('SwarmJob job-cli/never is deleted; with --wait, ');
    await eventually('the job is gone', async () => {
      const { items } = await swarm.api.list(kinds.SwarmJob, namespace);
      return !items.some(({ metadata }) => metadata.name === 'never');
    });
  });

  it('an interrupted job run without an answer leaves the job, and says how to go on', async () => {
    const all = [...program, ...runArgs('left', 1, 'echo here; sleep 300')];
    const env = { ...process.env, KUBECONFIG: swarm.playground.plane.kubeconfig };
    const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (text += String(data)));
    const ended = once(child, 'close');
    await eventually('the first line is shown', () => text.includes('[0] here\n'));
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect(text).toContain(
      'SwarmJob job-cli/left is left in the cluster; `swarmctl job logs left --namespace job-cli --follow` goes on with it\n',
    );
    await hasState('left', 'Running');
    await remove('left');
  });
});

describe('swarmctl job and queue', () => {
  it('job why and queue status tell the numbers, the order and the position of what waits', async () => {
    await submit('long', 2);
    await hasState('long', 'Running');
    await submit('next', 3);
    await submit('first', 2, '--priority', '5');
    await hasState('next', 'Waiting');
    await hasState('first', 'Waiting');
    const why = await inNamespace('job', 'why', 'next');
    expect(why.stdout.split('\n')).toEqual([
      'SwarmJob job-cli/next: Waiting: WaitingForQuota: needs 3 pods, 1 is free',
      'SwarmQueue batch: BestEffort, position 2 of 2; before it: first (priority 5, WaitingForQuota); no estimate: job long has no deadline',
      '',
      'RESOURCE  QUOTA  IN USE  FREE  KEPT  NEEDED',
      'pods          3       2     1     1       3',
      '',
    ]);
    expect(why.code).toBe(1);
    const status = await inNamespace('queue', 'status', 'batch');
    expect(status.stdout).toContain('BestEffort, admitted: long, 2 waiting\nReady for ');
    expect(status.stdout).toMatch(
      /^1 +first +5 +2 +WaitingForQuota +needs 2 pods, 1 is free; no estimate: job long has no deadline$/m,
    );
    const list = await inNamespace('job', 'list', '-q', 'batch');
    expect(list.stdout).toMatch(
      /^job-cli +next +batch +admin +3 +0 +Waiting .* WaitingForQuota: /m,
    );
    expect((await inNamespace('queue', 'status')).code).toBe(0);
  });

  it('queue plan answers as the operator does afterwards', async () => {
    const file = path.join(folder, 'job.yaml');
    const spec = 'spec: { queueName: batch, image: busybox, command: [sleep, "300"], priority: 9 }';
    const head = 'apiVersion: k8slab.info/v1alpha1\nkind: SwarmJob\n';
    writeFileSync(file, `${head}metadata: { name: urgent }\n${spec}\n`);
    const plan = await inNamespace('queue', 'plan', '-f', file);
    expect(plan.stdout).toContain('SwarmJob job-cli/urgent would start now in SwarmQueue batch\n');
    expect(plan.code).toBe(0);
    await swarm.kubectl('-n', namespace, 'apply', '-f', file);
    await hasState('urgent', 'Running');
    expect((await inNamespace('job', 'status', 'urgent')).code).toBe(0);
    await remove('urgent', 'next');
  });

  it('a suspended job gives its room to the next, and runs again when it is resumed', async () => {
    expect((await inNamespace('job', 'suspend', 'long')).stdout).toBe(
      'SwarmJob job-cli/long is suspended: it gives its quota back, and keeps its place\n',
    );
    await hasState('long', 'Suspended');
    await hasState('first', 'Running');
    expect((await inNamespace('queue', 'status', 'batch')).stdout).toMatch(/^pods +3 +2 +1$/m);
    await inNamespace('job', 'resume', 'long');
    await hasState('long', 'Waiting');
    await remove('first');
    await hasState('long', 'Running');
    await remove('long');
  });

  it('job why tells in the words of the pod that its image cannot be had', async () => {
    await swarm.create(kinds.SwarmJob, namespace, 'typo', {
      spec: { queueName: 'batch', image: 'busybocks', command: ['true'] },
    });
    await hasState('typo', 'Starting');
    await eventually('its pod says why', async () =>
      / container main: \w*Image\w*: .*busybocks/.test(
        (await inNamespace('job', 'why', 'typo')).stdout,
      ),
    );
    const logs = await inNamespace('job', 'logs', 'typo');
    expect(logs.stderr).toMatch(/rank 0 has no log yet: pod typo-0-\w+ is Pending: container main/);
    await remove('typo');
  });

  it('job why tells of a labelled batch Job that a Secret is missing, and that it was scaled up', async () => {
    const volumes = [{ name: 'data', secret: { secretName: 'absent' } }];
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    const containers = [{ name: 'work', image: 'busybox', command: ['true'], volumeMounts }];
    const template = { spec: { restartPolicy: 'Never', volumes, containers } };
    await swarm.api.create(kinds.Job, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'nightly', namespace, labels: { 'k8slab.info/queue': 'batch' } },
      spec: { suspend: true, completions: 2, template },
    });
    const why = async (): Promise<string> =>
      (await inNamespace('job', 'why', 'job.batch/nightly')).stdout;
    await eventually('a warning of its pod says why', async () =>
      /^nightly-\w+: FailedMount: .*absent/m.test(await why()),
    );
    expect((await inNamespace('job', 'list')).stdout).toMatch(
      /^job-cli +Job\/nightly +batch +- +1 +0 +Running .* 0 of 1 pod ready$/m,
    );
    const scaled = { type: 'merge', body: { spec: { parallelism: 2 } } } as const;
    await swarm.api.patch(kinds.Job, { namespace, name: 'nightly' }, scaled);
    await eventually('it is suspended, and says why', async () =>
      (await why()).includes(
        '  ScaledUp: Suspended, and queued again: it was admitted to SwarmQueue batch for 1 pod, and now has a parallelism of 2\n',
      ),
    );
    await eventually('it runs with its new size', async () =>
      (await why()).includes('Job job-cli/nightly: Running: 0 of 2 pods ready\n'),
    );
    await swarm.kubectl('-n', namespace, 'delete', 'job', 'nightly');
  });

  it('job cancel ends jobs of both kinds, and returns when their pods have ended', async () => {
    await submit('doomed', 2);
    await hasState('doomed', 'Running');
    const containers = [{ name: 'work', image: 'busybox', command: ['sleep', '300'] }];
    await swarm.api.create(kinds.Job, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'labelled', namespace, labels: { 'k8slab.info/queue': 'batch' } },
      spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers } } },
    });
    const livePods = async (): Promise<readonly string[]> =>
      (await swarm.api.list(kinds.Pod, namespace)).items
        .filter((pod) => /^(doomed|labelled)-/.test(pod.metadata.name))
        .filter((pod) => ['Pending', 'Running'].includes(String(dig(pod, 'status', 'phase'))))
        .map(({ metadata }) => metadata.name);
    await eventually('three pods live', async () => (await livePods()).length === 3);
    const told = await inNamespace('job', 'cancel', 'doomed', 'batch/labelled', '--yes');
    expect(await livePods()).toEqual([]);
    expect(told).toEqual({
      code: 0,
      stdout:
        'SwarmJob job-cli/doomed is deleted\nbatch Job job-cli/labelled is deleted\nno pod of them runs\n',
      stderr: expect.stringMatching(
        /^SwarmJob job-cli\/doomed is Running: AllRanksRunning: .*\nbatch Job job-cli\/labelled is Running: /,
      ),
    });
  });

  it('job cancel --user me ends what its user has submitted, and no other job', async () => {
    await swarm.create(kinds.SwarmJob, namespace, 'nobodys', {
      spec: { queueName: 'batch', image: 'busybox', command: ['sleep', '300'] },
    });
    await submit('mine', 1);
    await hasState('mine', 'Running');
    await hasState('nobodys', 'Running');
    expect(await inNamespace('job', 'cancel', '--user', 'me')).toMatchObject({
      code: 0,
      stdout: 'SwarmJob job-cli/mine is deleted\nno pod of it runs\n',
    });
    await hasState('nobodys', 'Running');
    await remove('nobodys');
  });

  it('the samples run: a queue, and a job of three ranks', async () => {
    await swarm.kubectl('apply', '-f', path.join(samples, 'queue.yaml'));
    const plan = await swarmctl('queue', 'plan', '-f', path.join(samples, 'job.yaml'));
    expect(plan.stdout).toContain('SwarmJob jobs/long would start now in SwarmQueue batch\n');
    await swarm.kubectl('apply', '-f', path.join(samples, 'job.yaml'));
    await swarm.kubectl(
      ...['-n', 'jobs', 'wait', '--for=condition=Running', 'swarmjob/long', '--timeout=2m'],
    );
    const lines = [0, 1, 2].map((rank) => `[${rank}] rank ${rank} of 3, led by long-0.long\n`);
    await eventually('each rank has written its line', async () => {
      const { stdout } = await swarmctl('job', 'logs', 'long', '-n', 'jobs');
      return stdout === lines.join('');
    });
    await swarm.kubectl('delete', 'namespace', 'jobs');
  });

  it('the API server accepts all that job render prints', async () => {
    const file = path.join(folder, 'gang.yaml');
    const head = 'apiVersion: k8slab.info/v1alpha1\nkind: SwarmJob\nmetadata: { name: gang }\n';
    writeFileSync(
      file,
      `${head}spec: { queueName: batch, size: 2, image: busybox, command: ["true"] }\n`,
    );
    const { code, stdout } = await inNamespace('job', 'render', '-f', file);
    expect(code).toBe(0);
    const made = path.join(folder, 'made.yaml');
    writeFileSync(made, stdout);
    expect(await swarm.kubectl('create', '--dry-run=server', '-o', 'name', '-f', made)).toBe(
      'service/gang\nconfigmap/gang-hosts\njob.batch/gang\n',
    );
  });
});
