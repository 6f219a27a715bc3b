// Which jobs does `job cancel` delete, what does it say, and when does it ask?
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jobCancel } from '../../../../../src/cli/commands/job/cancel.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  batchJobObject,
  jobObject,
  labelledJobObject,
  podObject,
  runningStatus,
  statusAt,
  waitingStatus,
} from '../../job-object.ts';
import { ran, ranAsking } from '../../ran.ts';

const running = statusAt('Running', 'AllRanksRunning', '2 of 2 ranks run');
const complete = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'x' };
const ofAlice = { annotations: { 'k8slab.info/user': 'alice' } };

const cluster = new FakeCluster({
  swarmjobs: [
    jobObject({ status: waitingStatus, user: 'bob' }),
    jobObject({ name: 'next', status: waitingStatus, user: 'bob' }),
    jobObject({ name: 'run', status: running, user: 'alice' }),
    jobObject({ name: 'bad', status: statusAt('Failed', 'CommandFailed', 'x'), user: 'alice' }),
  ],
  jobs: [
    labelledJobObject({}, ofAlice),
    labelledJobObject({ name: 'done', status: { conditions: [complete] } }, ofAlice),
    batchJobObject('run'),
  ],
  pods: [
    podObject('run', 0, runningStatus),
    podObject('run', 1, runningStatus),
    podObject('run', 2, { phase: 'Succeeded' }),
    podObject('other', 0, runningStatus),
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());
beforeEach(() => {
  cluster.writes.splice(0);
  cluster.user = undefined;
  cluster.forbidden = [];
  cluster.kept = [];
});

const typed = (...args: readonly string[]) =>
  ran(jobCancel, ...args, '--kubeconfig', cluster.kubeconfig);
const answering = (answer: string | undefined, ...args: readonly string[]) =>
  ranAsking(async () => answer, jobCancel, ...args, '--kubeconfig', cluster.kubeconfig);
const deleted = (): readonly string[] =>
  cluster.writes.map(([method, path]) => `${method} ${path}`);

const waits = 'Waiting: WaitingForQuota: needs 2 pods, and less is free\n';

describe('swarmctl job cancel', () => {
  it('job cancel says which job it ends, and deletes that one and no successor of its name', async () => {
    expect(await typed('lammps')).toEqual({
      code: 0,
      stdout: 'SwarmJob swarm/lammps is deleted\nno pod of it runs\n',
      stderr: `SwarmJob swarm/lammps is ${waits}`,
    });
    expect(cluster.writes).toEqual([
      [
        'DELETE',
        'swarmjobs/lammps',
        expect.objectContaining({
          preconditions: { uid: 'lammps-uid' },
          propagationPolicy: 'Background',
        }),
      ],
    ]);
  });

  it('job cancel waits for the pods, at most for --timeout', async () =>
    expect(await typed('run', '--timeout', '1s')).toEqual({
      code: 1,
      stdout: 'SwarmJob swarm/run is deleted\n',
      stderr: `SwarmJob swarm/run is Running: AllRanksRunning: 2 of 2 ranks run\nafter 1s (--timeout) still waiting for 2 pods of SwarmJob swarm/run to end\n`,
    }));

  it('job cancel says so to a user who may not see the pods', async () => {
    cluster.forbidden = ['pods'];
    expect(await typed('run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('\ncannot see whether the pods have ended: '),
    });
  });

  it('job cancel deletes a labelled batch Job by batch/NAME', async () => {
    const { code, stderr } = await typed('job.batch/nightly', '--timeout', '1s');
    expect(stderr).toContain('batch Job swarm/nightly is Unknown: no operator has reconciled it');
    expect(stderr).toContain('still waiting for Kubernetes to delete 1 batch Job\n');
    expect(code).toBe(1);
    expect(deleted()).toEqual(['DELETE jobs/nightly']);
  });

  it('job cancel deletes what was found, and says what was not', async () => {
    const { code, stdout, stderr } = await typed('lammps', 'gone', 'bad', 'nightly', 'batch/run');
    expect(stdout).toBe('SwarmJob swarm/lammps is deleted\nno pod of it runs\n');
    expect(stderr.split('\n')).toEqual([
      'there is no SwarmJob gone in namespace swarm',
      'there is no SwarmJob nightly in namespace swarm; for the batch Job of this name use batch/nightly',
      'batch Job run is that of a SwarmJob: swarmctl job cancel run',
      'SwarmJob swarm/bad has ended (Failed): it is not cancelled',
      `SwarmJob swarm/lammps is ${waits.trim()}`,
      '',
    ]);
    expect(code).toBe(1);
  });

  it.each<[readonly string[], number, string]>([
    [
      ['gone', 'batch/gone'],
      2,
      'there is no SwarmJob gone in namespace swarm\nthere is no Job gone',
    ],
    [['bad'], 1, 'SwarmJob swarm/bad has ended (Failed): it is not cancelled\n'],
    [['batch/done'], 1, 'batch Job swarm/done has ended (Succeeded): it is not cancelled\n'],
    [[], 2, 'expected either the names of jobs or --user\n'],
    [['lammps', '--user', 'me'], 2, 'expected either the names of jobs or --user\n'],
  ])('job cancel %j deletes nothing, with code %i', async (args, code, says) => {
    expect(await typed(...args)).toMatchObject({ code, stderr: expect.stringContaining(says) });
    expect(deleted()).toEqual([]);
  });
});

describe('swarmctl job cancel of several jobs', () => {
  const several = ['lammps', 'next', 'lammps'];

  it.each<[string | undefined]>([['n'], [''], [undefined]])(
    'job cancel deletes nothing when the answer is %j',
    async (answer) => {
      expect(await answering(answer, ...several)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /next is Waiting: .*\nno job was cancelled; --yes cancels them without a question\n$/,
        ),
      });
      expect(deleted()).toEqual([]);
    },
  );

  it('job cancel asks once, and deletes the jobs when the answer is yes', async () => {
    const questions: string[] = [];
    const ask = async (question: string): Promise<string> => {
      questions.push(question);
      return 'yes';
    };
    const flags = ['--kubeconfig', cluster.kubeconfig];
    expect(await ranAsking(ask, jobCancel, ...several, ...flags)).toMatchObject({ code: 0 });
    expect(questions).toEqual(['cancel these 2 jobs? (yes/no) [no] ']);
    expect(deleted()).toEqual(['DELETE swarmjobs/lammps', 'DELETE swarmjobs/next']);
  });

  it('job cancel goes on after a job that a policy keeps, and names it', async () => {
    cluster.kept = ['swarmjobs/lammps'];
    const { code, stdout, stderr } = await typed(...several, '--yes');
    expect(stdout).toBe('SwarmJob swarm/next is deleted\nno pod of it runs\n');
    expect(stderr).toMatch(/\nSwarmJob swarm\/lammps is not cancelled: .*a policy keeps it\n$/);
    expect(code).toBe(1);
  });

  it('job cancel --user cancels all jobs of the user that have not ended, batch Jobs included', async () => {
    cluster.user = 'alice';
    const { stderr } = await typed('--user', 'me', '--yes', '--timeout', '1s');
    expect(stderr).toContain('still waiting for 2 pods of 2 jobs to end\n');
    expect(deleted()).toEqual(['DELETE swarmjobs/run', 'DELETE jobs/nightly']);
  });

  it('job cancel --user deletes nothing where the user has no job that has not ended', async () => {
    expect(await typed('--user', 'eve')).toEqual({
      code: 0,
      stdout: 'user eve has no job in namespace swarm that has not ended\n',
      stderr: '',
    });
    expect(await typed('--user', 'me')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not say which user you are'),
    });
    expect(deleted()).toEqual([]);
  });
});
