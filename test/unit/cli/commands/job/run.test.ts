// What does `job run` submit, what does it show, and with which code does it end?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
    const all = ['-n', '4', '--cpu', '500m', '--memory', '1Gi', '--priority', '7'];
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

  it('job run names a job by its image, and says nothing that was not asked for', async () => {
    expect((await run('-d', '--', 'true')).stdout).toMatch(/^lmp-[a-z0-9]{5}\n$/);
    expect(submitted()).toMatchObject({
      spec: { queueName: 'batch', size: 1, image: 'r.io/lmp:2', command: ['true'] },
    });
  });

  it('job run shows what each rank writes, and ends with 0 when the job has succeeded', async () => {
    const { code, stdout, stderr } = await run('--name', 'good', '-n', '2', '--', 'true');
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
      '\nleave SwarmJob swarm/long in the cluster, or delete it? [leave/delete] ',
    ]);
    expect(cluster.writes.slice(writes).map(([method]) => method)).toEqual(methods);
  });

  it('job run says that the job was deleted meanwhile', async () =>
    expect(await run('--name', 'gone', '--', 'true')).toMatchObject({
      code: 1,
      stderr:
        'SwarmJob swarm/gone is submitted\nSwarmJob swarm/gone was deleted before it had ended\n',
    }));

  it.each<[readonly string[], string]>([
    [[], 'COMMAND... is missing'],
    [['-n', '0', '--', 'x'], '--size is "0"; allowed is a whole number from 1 to 5000'],
    [['--env', 'A', '--', 'x'], '--env is "A"; allowed is NAME=VALUE, such as OMP_NUM_THREADS=2'],
    [
      ['--cpu', 'two', '--', 'x'],
      '--cpu is "two"; allowed is a quantity of 0 or more, such as 2 or 500m',
    ],
    [
      ['--memory=-1Gi', '--', 'x'],
      '--memory is "-1Gi"; allowed is a quantity of 0 or more, such as 4Gi',
    ],
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
