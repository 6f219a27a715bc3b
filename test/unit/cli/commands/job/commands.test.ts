// What do the commands of jobs print, and what do they write?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from '../../../../../src/cli/arguments/command.ts';
import { jobList } from '../../../../../src/cli/commands/job/list.ts';
import { jobLogs } from '../../../../../src/cli/commands/job/logs.ts';
import { jobStatus } from '../../../../../src/cli/commands/job/status.ts';
import { jobResume, jobSuspend } from '../../../../../src/cli/commands/job/suspend.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  admissionOf,
  jobObject,
  podObject,
  queueObject,
  readyStatus,
  runningStatus,
  statusAt,
  waitingStatus,
} from '../../job-object.ts';
import { ran } from '../../ran.ts';

const running = statusAt('Running', 'AllRanksRunning', '2 of 2 ranks run', {
  ...admissionOf(2),
  attempt: 2,
  failures: { application: 0, disruption: 1 },
  readyRanks: 2,
  hosts: 'run-[0-1]',
});
const failed = statusAt('Failed', 'CommandFailed', 'rank 1 ended with exit code 3', {
  exitCode: 3,
});
const notStarted = {
  phase: 'Pending',
  containerStatuses: [
    { name: 'main', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
  ],
};

const cluster = new FakeCluster(
  {
    swarmjobs: [
      jobObject({ status: waitingStatus }),
      jobObject({ name: 'run', status: running, user: 'alice' }),
      jobObject({ name: 'new', user: 'bob' }),
      jobObject({ name: 'bad', spec: { queueName: 'other' }, status: failed }),
      jobObject({
        name: 'off',
        spec: { suspend: true },
        status: statusAt('Suspended', 'SuspendRequested', 'spec.suspend is set'),
      }),
    ],
    swarmqueues: [queueObject({ status: readyStatus })],
    jobs: [],
    pods: [podObject('run', 0, runningStatus), podObject('run', 1, notStarted)],
  },
  { 'run-0-abcde': () => 'step 1\nstep\t2\n' },
);
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const typed = (command: Command, ...args: readonly string[]) =>
  ran(command, ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl job list', () => {
  it('job list shows a line for each job, with code 1 where one has failed', async () => {
    const { code, stdout } = await typed(jobList);
    expect(stdout.split('\n').map((line) => line.replace(/ \d+d /, ' 1d '))).toEqual([
      'NAMESPACE  JOB     QUEUE  USER   SIZE  READY  STATE       AGE  REASON',
      'swarm      bad     other  -         2      -  Failed     1d  CommandFailed: rank 1 ended with exit code 3',
      'swarm      lammps  batch  -         2      -  Waiting    1d  WaitingForQuota: needs 2 pods, and less is free',
      'swarm      new     batch  bob       2      -  Unknown    1d  no operator has reconciled it yet',
      'swarm      off     batch  -         2      -  Suspended  1d  SuspendRequested: spec.suspend is set',
      'swarm      run     batch  alice     2      2  Running    1d  AllRanksRunning: 2 of 2 ranks run',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('job list shows the jobs of one queue, with code 0 where they wait, run or are suspended', async () => {
    const { code, stdout } = await typed(jobList, '-q', 'batch', '-o', 'json');
    const jobs = JSON.parse(stdout) as readonly { readonly name: string }[];
    expect(jobs.map(({ name }) => name)).toEqual(['lammps', 'new', 'off', 'run']);
    expect(code).toBe(0);
  });

  const namesIn = async (...args: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await typed(jobList, ...args, '-o', 'json');
    return (JSON.parse(stdout) as readonly { readonly name: string }[]).map(({ name }) => name);
  };

  it('job list shows the jobs in the states that are asked for', async () => {
    expect(await namesIn('--state', 'Running')).toEqual(['run']);
    expect(await namesIn('--state', 'Unknown', '--state', 'Failed')).toEqual(['bad', 'new']);
    expect(await typed(jobList, '--state', 'running')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--state is "running"; allowed is one of Unknown, Waiting, Admitted, Starting, Running, Suspending, Suspended, Succeeded, Failed',
      ),
    });
  });

  it('job list shows the jobs of the named user, and with --user me those of its own user', async () => {
    expect(await namesIn('--user', 'bob')).toEqual(['new']);
    cluster.user = 'alice';
    expect(await namesIn('--user', 'me')).toEqual(['run']);
    cluster.user = undefined;
    expect(await typed(jobList, '--user', 'me')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^the API server does not say which user you are \(.*\); give the name: --user NAME\n$/,
      ),
    });
  });

  it('job list says that there is no job', async () => {
    expect(await typed(jobList, '-n', 'other')).toMatchObject({
      code: 0,
      stdout: 'no job here; -A looks into all namespaces\n',
    });
    expect(await typed(jobList, '-q', 'none')).toMatchObject({
      code: 0,
      stdout: 'no job here of SwarmQueue none\n',
    });
    const narrow = ['-A', '--user', 'eve', '--state', 'Failed', '--state', 'Running'];
    expect(await typed(jobList, ...narrow)).toMatchObject({
      code: 0,
      stdout: 'no job in any namespace of user eve in state Failed or Running\n',
    });
  });
});

describe('swarmctl job status', () => {
  it('job status shows what a job holds, its failures, and its history', async () => {
    const { code, stdout } = await typed(jobStatus, 'run');
    expect(stdout.split('\n')).toEqual([
      'SwarmJob swarm/run: Running for 3m: AllRanksRunning: 2 of 2 ranks run',
      'SwarmQueue batch, 2 of 2 ranks ready, holds 2 pods, attempt 2, failed attempts: 1 by disruption, hosts run-[0-1]',
      '',
      'AGE  STATE    REASON',
      ' 3m  Running  AllRanksRunning  2 of 2 ranks run',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('job status of a waiting job shows its position, and when it starts at the latest', async () => {
    const { stdout } = await typed(jobStatus, 'new');
    expect(stdout).toContain(
      'SwarmQueue batch, position 2 of 2, no estimate: job run has no deadline, 0 of 2 ranks ready\n',
    );
    expect(JSON.parse((await typed(jobStatus, 'new', '-o', 'json')).stdout)).toMatchObject({
      position: 2,
      waiting: 2,
      noEstimate: 'job run has no deadline',
    });
  });

  it('job status shows no position to a user who may not read all that decides it', async () => {
    cluster.forbidden = ['resourcequotas'];
    const { stdout } = await typed(jobStatus, 'new');
    cluster.forbidden = [];
    expect(stdout).toContain('SwarmQueue batch, 0 of 2 ranks ready\n');
  });

  it('job status has code 1 for a job that waits or has failed, and shows the exit code', async () => {
    expect((await typed(jobStatus, 'lammps')).code).toBe(1);
    const { code, stdout } = await typed(jobStatus, 'bad');
    expect(stdout).toContain('SwarmQueue other, 0 of 2 ranks ready, exit code 3\n');
    expect(code).toBe(1);
  });

  it('job status prints JSON', async () =>
    expect(JSON.parse((await typed(jobStatus, 'run', '-o', 'json')).stdout)).toMatchObject({
      namespace: 'swarm',
      name: 'run',
      state: 'Running',
    }));

  it('job status suggests the job that was probably meant', async () =>
    expect(await typed(jobStatus, 'lamps')).toMatchObject({
      code: 2,
      stderr: 'there is no SwarmJob lamps in namespace swarm; did you mean lammps?\n',
    }));
});

describe('a cluster without the definition of SwarmJobs', () => {
  beforeAll(() => {
    cluster.unserved = ['swarmjobs'];
  });
  afterAll(() => {
    cluster.unserved = [];
  });

  it.each<[string, Command, readonly string[]]>([
    ['list', jobList, []],
    ['status', jobStatus, ['run']],
    ['suspend', jobSuspend, ['run']],
  ])('job %s says that the definition is missing, and what to do', async (_, command, args) =>
    expect(await typed(command, ...args)).toMatchObject({
      code: 2,
      stderr: 'the cluster has no SwarmJobs: their CRD is not installed\n',
    }),
  );
});

describe('swarmctl job suspend and resume', () => {
  const write = (name: string, suspend: boolean): unknown => [
    'PATCH',
    `swarmjobs/${name}`,
    { metadata: { uid: `${name}-uid` }, spec: { suspend } },
  ];

  it.each<[string, Command, string, number, string, readonly unknown[]]>([
    [
      'suspends a job',
      jobSuspend,
      'run',
      0,
      'SwarmJob swarm/run is suspended: it gives its quota back, and keeps its place\n',
      [write('run', true)],
    ],
    [
      'leaves a suspended job',
      jobSuspend,
      'off',
      0,
      'SwarmJob swarm/off is suspended already\n',
      [],
    ],
    [
      'resumes a job',
      jobResume,
      'off',
      0,
      'SwarmJob swarm/off is queued again\n',
      [write('off', false)],
    ],
    [
      'leaves a job that waits',
      jobResume,
      'lammps',
      0,
      'SwarmJob swarm/lammps is not suspended\n',
      [],
    ],
    [
      'leaves a job that has ended',
      jobSuspend,
      'bad',
      1,
      'SwarmJob swarm/bad has ended (Failed): nothing was changed\n',
      [],
    ],
  ])('the command %s, and says so', async (_, command, name, code, says, writes) => {
    const before = cluster.writes.length;
    const told = await typed(command, name);
    expect([told.code, told.stdout + told.stderr]).toEqual([code, says]);
    expect(cluster.writes.slice(before)).toEqual(writes);
  });
});

describe('swarmctl job logs', () => {
  it.each(['--wait', '--timeout=5m'])(
    'job logs refuses %s where it does not follow',
    async (flag) =>
      expect(await ran(jobLogs, 'tune', flag)).toMatchObject({
        code: 2,
        stderr: `${flag.split('=')[0]} needs --follow\n(see --help)\n`,
      }),
  );

  it('job logs prints each line as it is, with its rank, and says which ranks have none', async () =>
    expect(await typed(jobLogs, 'run')).toEqual({
      code: 0,
      stdout: '[0] step 1\n[0] step\t2\n',
      stderr:
        'rank 1 has no log yet: pod run-1-abcde is Pending: container main: ImagePullBackOff: no such image\n',
    }));

  it('job logs prints the lines of one rank without it', async () => {
    expect(await typed(jobLogs, 'run', '--rank', '0')).toMatchObject({
      code: 0,
      stdout: 'step 1\nstep\t2\n',
    });
    expect(cluster.logQueries.at(-1)?.get('container')).toBe('main');
  });

  it.each<[readonly string[], number, string]>([
    [['run', '--rank', '1'], 1, 'rank 1 has no log yet: pod run-1-abcde is Pending'],
    [['run', '--rank', '2'], 2, '--rank is 2; SwarmJob run has the ranks 0 to 1\n'],
    [
      ['lammps'],
      1,
      'SwarmJob swarm/lammps has no pod: it is Waiting (WaitingForQuota: needs 2 pods, and less is free)\n',
    ],
    [['new'], 1, 'SwarmJob swarm/new has no pod: no operator has reconciled it yet\n'],
  ])('job logs with %j has code %i, and says why there is no log', async (args, code, says) =>
    expect(await typed(jobLogs, ...args)).toMatchObject({
      code,
      stderr: expect.stringContaining(says),
    }),
  );
});
