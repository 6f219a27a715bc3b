// What does `job run` submit, what does it show, and with which code does it end?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dig } from '../../../../../src/api/objects.ts';
import { jobRun } from '../../../../../src/cli/commands/job/run.ts';
import { eventually } from '../../../../support/processes.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import { jobObject, statusAt } from '../../job-object.ts';
import { ran, ranAsking } from '../../ran.ts';

/** As the answer to a creation has no UID here, none of them has one. */
const endedAs = (name: string, status: object): object => ({
  ...jobObject({ name, status }),
  metadata: { name, namespace: 'swarm', resourceVersion: '1', generation: 1 },
});

const pod = (job: string, rank: number): object => ({
  metadata: {
    name: `${job}-${rank}-abcde`,
    namespace: 'swarm',
    uid: `${job}-${rank}`,
    resourceVersion: '1',
    annotations: {
      'k8slab.info/job-uid': '',
      'batch.kubernetes.io/job-completion-index': String(rank),
    },
  },
  spec: {},
  status: {
    phase: 'Succeeded',
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 0 } } }],
  },
});

const cluster = new FakeCluster(
  {
    swarmjobs: [
      endedAs('good', statusAt('Succeeded', 'Completed', 'all 2 ranks ended well')),
      endedAs('bad', statusAt('Failed', 'CommandFailed', 'rank 1 ended', { exitCode: 3 })),
      endedAs('late', statusAt('Failed', 'DeadlineExceeded', 'it has run for 1 second')),
      endedAs('never', statusAt('Waiting', 'QueueNotFound', 'there is no SwarmQueue batch')),
      endedAs('long', statusAt('Running', 'AllRanksRunning', '2 of 2 ranks run')),
    ],
    pods: [pod('good', 0), pod('good', 1)],
  },
  { 'good-0-abcde': () => 'a\n', 'good-1-abcde': () => 'b\n' },
);
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const run = (...args: readonly string[]) =>
  ran(jobRun, '-q', 'batch', '--image', 'r.io/lmp:2', '--kubeconfig', cluster.kubeconfig, ...args);
const submitted = (): unknown => cluster.writes.at(-1)?.[2];

describe('swarmctl job run', () => {
  it('job run --detach submits what the flags say, and prints the name', async () => {
    const all = ['-N', '4', '--cpu', '500m', '--memory', '1Gi', '--priority', '7'];
    const env = ['-e', 'A=1', '--env', 'B=x=y'];
    const told = await run('--detach', '--name', 'lammps', ...all, ...env, '--', 'lmp', '-in', 'x');
    expect(told).toEqual({ code: 0, stdout: 'lammps\n', stderr: '' });
    expect(submitted()).toEqual({
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmJob',
      metadata: { name: 'lammps', namespace: 'swarm' },
      spec: {
        queueName: 'batch',
        size: 4,
        image: 'r.io/lmp:2',
        command: ['lmp', '-in', 'x'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: 'x=y' },
        ],
        resources: { requests: { cpu: '500m', memory: '1Gi' } },
        priority: 7,
      },
    });
  });

  it('job run submits requests for any resource, a deadline and retries', async () => {
    const requests = ['--cpu', '2', '--request', 'nvidia.com/gpu=1', '--request', 'memory=4Gi'];
    await run('-d', ...requests, '--time', '1h30m', '--retries', '2', '--', 'train');
    expect(submitted()).toMatchObject({
      spec: {
        resources: {
          requests: { cpu: '2', memory: '4Gi', 'nvidia.com/gpu': '1' },
          limits: { 'nvidia.com/gpu': '1' },
        },
        activeDeadlineSeconds: 5_400,
        retries: { application: 2 },
      },
    });
  });

  it('job run submits a signal before the deadline, in whole seconds, also one of none', async () => {
    const signalOf = async (time: string): Promise<unknown> => {
      await run('-d', '--time', '90m', '--signal-before', time, '--', 'train');
      return dig(submitted(), 'spec', 'deadlineSignalSeconds');
    };
    expect(await signalOf('5m')).toBe(300);
    expect(await signalOf('1.2s')).toBe(2);
    expect(await signalOf('0s')).toBe(0);
  });

  it('job run rounds a deadline up to whole seconds, and takes one of a year', async () => {
    const deadlineOf = async (time: string): Promise<unknown> => {
      await run('-d', '--time', time, '--', 'x');
      return dig(submitted(), 'spec', 'activeDeadlineSeconds');
    };
    expect(await deadlineOf('1.2s')).toBe(2);
    expect(await deadlineOf('8760h')).toBe(31_536_000);
  });

  it('job run notes who submits the job, if the API server says it', async () => {
    cluster.user = 'system:serviceaccount:swarm:ci';
    await run('-d', '--', 'train');
    cluster.user = undefined;
    expect(dig(submitted(), 'metadata', 'annotations')).toEqual({
      'k8slab.info/user': 'system:serviceaccount:swarm:ci',
    });
    expect(await run('-d', '--', 'train')).toMatchObject({ code: 0 });
    expect(dig(submitted(), 'metadata', 'annotations')).toBeUndefined();
  });

  it('job run names a job by its image, and says nothing that was not asked for', async () => {
    expect((await run('-d', '--', 'true')).stdout).toMatch(/^lmp-[a-z0-9]{5}\n$/);
    expect(submitted()).toMatchObject({
      spec: { queueName: 'batch', size: 1, image: 'r.io/lmp:2', command: ['true'] },
    });
  });

  it('job run shows what each rank writes, and ends with 0 when the job has succeeded', async () => {
    const { code, stdout, stderr } = await run('--name', 'good', '--ranks', '2', '--', 'true');
    expect(stdout.split('\n').sort()).toEqual(['', '[0] a', '[1] b']);
    expect(stderr).toBe(
      'SwarmJob swarm/good is submitted\nSwarmJob swarm/good is Succeeded: Completed: all 2 ranks ended well\n',
    );
    expect(code).toBe(0);
  });

  it.each([
    ['bad', 3],
    ['late', 1],
  ])('job run of the job %s ends with %i', async (name, code) =>
    expect(await run('--name', name, '--', 'false')).toMatchObject({ code }),
  );

  it.each<[string, string | undefined, readonly string[], string]>([
    ['deletes the job', 'd', ['DELETE'], 'SwarmJob swarm/long is deleted\n'],
    ['leaves the job', 'leave', [], 'SwarmJob swarm/long is left in the cluster; `swarmctl job'],
    ['leaves the job', undefined, [], 'SwarmJob swarm/long is left in the cluster; `swarmctl job'],
  ])('an interrupted job run %s when the answer is %s', async (_, answer, methods, says) => {
    const before = process.listenerCount('SIGINT');
    const questions: string[] = [];
    const ask = async (question: string): Promise<string | undefined> => {
      questions.push(question);
      return answer;
    };
    const flags = ['-q', 'batch', '--image', 'lmp', '--kubeconfig', cluster.kubeconfig];
    const going = ranAsking(ask, jobRun, ...flags, '--name', 'long', '--', 'lmp');
    await eventually('it follows the job', () => process.listenerCount('SIGINT') > before);
    const writes = cluster.writes.length;
    process.emit('SIGINT', 'SIGINT');
    expect(await going).toMatchObject({ code: 130, stderr: expect.stringContaining(says) });
    expect(questions).toEqual([
      '\nleave SwarmJob swarm/long in the cluster, or delete it? (leave/delete) [leave] ',
    ]);
    expect(cluster.writes.slice(writes).map(([method]) => method)).toEqual(methods);
  });

  it('job run deletes a job that cannot start, and ends with the reason', async () => {
    const writes = cluster.writes.length;
    expect(await run('--name', 'never', '--', 'true')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /swarm\/never cannot start: QueueNotFound: there is no SwarmQueue batch\nSwarmJob swarm\/never is deleted; with --wait, it stays and waits\n$/,
      ),
    });
    expect(cluster.writes.slice(writes).map(([method]) => method)).toEqual(['POST', 'DELETE']);
  });

  it('job run leaves and names a job of which no rank runs within the time-out', async () => {
    const writes = cluster.writes.length;
    expect(await run('--name', 'long', '--timeout', '1s', '--', 'true')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /after 1s \(--timeout\) still waiting for a rank of SwarmJob swarm\/long to run; [\s\S]* is left in the cluster; `swarmctl job logs long /,
      ),
    });
    expect(cluster.writes.slice(writes).map(([method]) => method)).toEqual(['POST']);
  });

  it('job run takes -n for the namespace, and refuses the old use of it', async () => {
    const before = cluster.writes.length;
    expect(await run('-n', '4', '--', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '-n is the namespace, as in kubectl; for 4 ranks use -N 4 (--ranks 4)',
      ),
    });
    expect(cluster.writes).toHaveLength(before);
    await run('-n', 'other', '-d', '--', 'x');
    expect(submitted()).toMatchObject({ metadata: { namespace: 'other' } });
  });

  it('job run says that the job was deleted meanwhile', async () =>
    expect(await run('--name', 'gone', '--', 'true')).toMatchObject({
      code: 1,
      stderr:
        'SwarmJob swarm/gone is submitted\nSwarmJob swarm/gone was deleted before it had ended\n',
    }));

  it.each<[readonly string[], string]>([
    [[], 'COMMAND... is missing'],
    [['-N', '0', '--', 'x'], '--ranks is "0"; allowed is a whole number from 1 to 5000'],
    [['--env', 'A', '--', 'x'], '--env is "A"; allowed is NAME=VALUE, such as OMP_NUM_THREADS=2'],
    [
      ['--cpu', 'two', '--', 'x'],
      '--cpu is "two"; allowed is a quantity of 0 or more, such as 2 or 500m',
    ],
    [
      ['--memory=-1Gi', '--', 'x'],
      '--memory is "-1Gi"; allowed is a quantity of 0 or more, such as 4Gi',
    ],
    [
      ['--request', 'nvidia.com/gpu', '--', 'x'],
      '--request is "nvidia.com/gpu"; allowed is NAME=QUANTITY, such as nvidia.com/gpu=1 or cpu=500m',
    ],
    [
      ['--request', 'gpu=1', '--', 'x'],
      '--request is "gpu=1"; allowed is cpu, memory, ephemeral-storage, hugepages-SIZE, or a name with its domain, such as nvidia.com/gpu=1',
    ],
    [
      ['--request', 'nvidia.com/gpu=0.5', '--', 'x'],
      '--request nvidia.com/gpu is "0.5"; allowed is a whole quantity of 0 or more, such as 1',
    ],
    [
      ['--request', 'ephemeral-storage=much', '--', 'x'],
      '--request ephemeral-storage is "much"; allowed is a quantity of 0 or more, such as 500m, 2 or 4Gi',
    ],
    [
      ['--cpu', '1', '--request', 'cpu=2', '--', 'x'],
      'cpu is requested by --cpu and by --request; leave one of them out',
    ],
    [
      ['--request', 'a.b/c=1', '--request', 'a.b/c=2', '--', 'x'],
      '--request a.b/c is given twice; give it once',
    ],
    [['--time', '10', '--', 'x'], '--time is "10"; allowed is a time from 1000ms to 8760h'],
    [['--time', '8761h', '--', 'x'], '--time is "8761h"; allowed is a time from 1000ms to 8760h'],
    [
      ['--signal-before', '25h', '--', 'x'],
      '--signal-before is "25h"; allowed is a time from 0ms to 24h',
    ],
    [['--retries', '-1', '--', 'x'], '--retries: N is missing'],
    [['--retries', '1001', '--', 'x'], '--retries is "1001"; allowed is a whole number from 0'],
  ])('job run with %j submits nothing, and says what is allowed', async (args, says) => {
    const before = cluster.writes.length;
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
    expect(cluster.writes).toHaveLength(before);
  });

  it('job run needs a queue and an image', async () =>
    expect(await ran(jobRun, '--', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--queue: expected the SwarmQueue; `swarmctl queue status` lists them\n--image: expected the image',
      ),
    }));

  it('job run says that the definition is missing', async () => {
    cluster.unserved = ['swarmjobs'];
    expect(await run('--', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('their CRD is not installed'),
    });
    cluster.unserved = [];
  });
});
