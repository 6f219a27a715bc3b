// What do `job why` and `job list` say of batch Jobs that are queued by their label?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from '../../../../../src/cli/arguments/command.ts';
import { jobList } from '../../../../../src/cli/commands/job/list.ts';
import { jobStatus } from '../../../../../src/cli/commands/job/status.ts';
import { jobWhy } from '../../../../../src/cli/commands/job/why.ts';
import { queueStatus } from '../../../../../src/cli/commands/queue/status.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  batchJobObject,
  jobObject,
  labelledJobObject,
  queueObject,
  readyStatus,
  waitingStatus,
} from '../../job-object.ts';
import { ran } from '../../ran.ts';

const waiting = {
  annotations: { 'k8slab.info/waiting': 'WaitingForQuota: needs 2 pods, and less is free' },
};
const neverStarts = {
  creationTimestamp: '2026-01-01T00:09:00Z',
  annotations: {
    'k8slab.info/waiting': 'TooLargeEver: needs 9 pods',
    'k8slab.info/user': 'carol',
  },
};

const podOf = (job: string, index: number, waits: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `${job}-pod${index}`,
    namespace: 'swarm',
    uid: `${job}-pod${index}-uid`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'Job', name: job, uid: `${job}-uid`, controller: true },
    ],
  },
  spec: { containers: [{ name: 'work', resources: {} }] },
  status: {
    phase: 'Pending',
    containerStatuses: [{ name: 'work', state: { waiting: { reason: waits } } }],
  },
});

const eventOn = (kind: string, name: string, reason: string, message: string): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: `${name}.${reason}`, namespace: 'swarm' },
  ...{ type: 'Warning', reason, message, eventTime: '2026-01-01T00:00:00.000000Z' },
  involvedObject: { kind, name, uid: `${name}-uid` },
});

const runs = {
  spec: { suspend: false, parallelism: 1 },
  status: { active: 1, ready: 1, conditions: [{ type: 'Suspended', status: 'False' }] },
};
/** It runs, and its user has changed its label since it was admitted. */
const relabelled = (name: string, admittedQueue: string): object =>
  labelledJobObject(
    { name, ...runs },
    {
      labels: { 'k8slab.info/queue': 'other' },
      annotations: { 'k8slab.info/grant': '4', 'k8slab.info/admitted-queue': admittedQueue },
    },
  );

const cluster = new FakeCluster({
  swarmqueues: [
    queueObject({ status: readyStatus }),
    queueObject({ name: 'other', status: readyStatus }),
    queueObject({ name: 'first', status: readyStatus }),
  ],
  swarmjobs: [
    jobObject({ status: waitingStatus, created: '2026-01-01T00:02:00Z' }),
    jobObject({ name: 'both', status: waitingStatus, created: '2026-01-01T00:03:00Z' }),
  ],
  jobs: [
    labelledJobObject({}, waiting),
    labelledJobObject({ name: 'both' }, { creationTimestamp: '2026-01-01T00:04:00Z' }),
    labelledJobObject({ name: 'huge', spec: { parallelism: 9 } }, neverStarts),
    labelledJobObject(
      {
        name: 'busy',
        spec: { suspend: false, parallelism: 3 },
        status: { active: 3, ready: 1, conditions: [{ type: 'Suspended', status: 'False' }] },
      },
      { annotations: { 'k8slab.info/grant': '2' } },
    ),
    relabelled('moved', 'first'),
    relabelled('forged', '{}'),
    labelledJobObject({
      name: 'done',
      spec: { suspend: false, parallelism: 1 },
      status: {
        conditions: [
          { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached 1' },
        ],
      },
    }),
    labelledJobObject(
      { name: 'kueues' },
      { labels: { 'kueue.x-k8s.io/queue-name': 'x', 'k8slab.info/queue': 'batch' } },
    ),
    labelledJobObject({ name: 'foreign' }, { labels: {} }),
    batchJobObject('lammps', {
      status: { conditions: [{ type: 'Failed', status: 'True', reason: 'x' }] },
    }),
  ],
  pods: [
    podOf('busy', 0, 'ContainerCreating'),
    podOf('busy', 1, 'ContainerCreating'),
    podOf('moved', 0, 'ContainerCreating'),
  ],
  resourcequotas: [],
  limitranges: [],
  events: [
    eventOn('Job', 'busy', 'FailedCreate', 'Error creating: pods "busy-x" is forbidden: full'),
    // Of the time before its start.
    eventOn('Job', 'busy', 'TooLargeEver', 'Waiting: needs 9 pods'),
    eventOn('Pod', 'busy-pod1', 'FailedMount', 'configmap "inputs" not found'),
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const typed = (command: Command, ...args: readonly string[]) =>
  ran(command, ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl job why of a labelled batch Job', () => {
  const waits = [
    'Job swarm/nightly: Waiting: WaitingForQuota: needs 2 pods, 1 is free',
    'SwarmQueue batch: BestEffort, position 1 of 4; no estimate: job busy has no deadline',
    'batch Job nightly: suspended',
    '',
    'RESOURCE  QUOTA  IN USE  FREE  NEEDED',
    'pods          4       3     1       2',
    '',
  ];

  it.each([
    'batch/nightly',
    'job.batch/nightly',
    'jobs.v1.batch/nightly',
    'nightly',
    'Job/nightly',
  ])('job why %s tells its queue, the numbers of this moment and its position', async (name) => {
    const { code, stdout } = await typed(jobWhy, name);
    expect(stdout.split('\n')).toEqual(waits);
    expect(code).toBe(1);
  });

  it('a SwarmJob of the same name goes first, and batch/NAME means the batch Job', async () => {
    expect((await typed(jobWhy, 'both')).stdout).toContain('SwarmJob swarm/both: Waiting: ');
    expect((await typed(jobWhy, 'job/both')).stdout).toContain('SwarmJob swarm/both: Waiting: ');
    expect((await typed(jobWhy, 'batch/both')).stdout).toContain(
      'Job swarm/both: Unknown: no operator has reconciled it yet; WaitingForQuota: ',
    );
  });

  it('a batch Job that runs tells its pods in their own words, and the warnings about them', async () => {
    const { code, stdout } = await typed(jobWhy, 'batch/busy');
    expect(stdout.split('\n')).toEqual([
      'Job swarm/busy: Running: 1 of 3 pods ready',
      'batch Job busy: 3 pods live, 1 ready',
      '  FailedCreate: pods "busy-x" is forbidden: full',
      '',
      'POD        NODE  STATE',
      'busy-pod0  -     Pending  container work: ContainerCreating',
      'busy-pod1  -     Pending  container work: ContainerCreating',
      '',
      'busy-pod1: FailedMount: configmap "inputs" not found',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('a batch Job that has succeeded ends with code 0', async () =>
    expect(await typed(jobWhy, 'done')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Job swarm/done: Succeeded: CompletionsReached: Reached 1\n'),
    }));

  it.each([
    [
      'batch/foreign',
      'batch Job foreign waits for no SwarmQueue: it has no label k8slab.info/queue',
    ],
    ['batch/kueues', 'batch Job kueues waits for no SwarmQueue: Kueue manages it'],
    ['batch/lammps', 'batch Job lammps is that of a SwarmJob: swarmctl job why lammps'],
    ['batch/gone', 'there is no Job gone in namespace swarm'],
    ['foreign', 'there is no SwarmJob foreign in namespace swarm'],
  ])('job why %s has no answer: %s', async (name, problem) =>
    expect(await typed(jobWhy, name)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(problem),
    }),
  );

  it('a user who may not read batch Jobs is told that there is no SwarmJob of the name', async () => {
    cluster.forbidden = ['jobs'];
    const { code, stderr } = await typed(jobWhy, 'nightly');
    cluster.forbidden = [];
    expect(stderr).toContain('there is no SwarmJob nightly in namespace swarm');
    expect(code).toBe(2);
  });

  it('another command says which one takes a batch Job', async () =>
    expect((await typed(jobStatus, 'batch/nightly')).stderr).toContain(
      'batch/nightly is not a SwarmJob; for batch Jobs use: swarmctl job why batch/nightly',
    ));
});

describe('swarmctl queue status with labelled batch Jobs', () => {
  it('one that runs counts in the queue that admitted it, whatever its label says since', async () => {
    const told = async (name: string) => {
      const { admitted, quota } = JSON.parse((await typed(queueStatus, name, '-o', 'json')).stdout);
      return { admitted, used: quota[0].used };
    };
    expect(await told('first')).toEqual({ admitted: ['Job/moved'], used: '1' });
    // No queue can have the name that a user wrote there.
    expect(await told('other')).toEqual({ admitted: ['Job/forged'], used: '1' });
  });
});

describe('swarmctl job list with labelled batch Jobs', () => {
  it('each labelled batch Job has a line, as Job/NAME, with code 1 where one can never start', async () => {
    const { code, stdout } = await typed(jobList);
    expect(stdout.split('\n').map((line) => line.replace(/ \d+d /, ' 1d '))).toEqual([
      'NAMESPACE  JOB          QUEUE  USER   SIZE  READY  STATE       AGE  REASON',
      'swarm      both         batch  -         2      -  Waiting    1d  WaitingForQuota: needs 2 pods, and less is free',
      'swarm      Job/both     batch  -         2      0  Unknown    1d  no operator has reconciled it yet',
      'swarm      Job/busy     batch  -         3      1  Running    1d  1 of 3 pods ready',
      'swarm      Job/done     batch  -         1      -  Succeeded  1d  CompletionsReached: Reached 1',
      'swarm      Job/forged   other  -         1      1  Running    1d  1 of 1 pod ready',
      'swarm      Job/huge     batch  carol     9      0  Waiting    1d  TooLargeEver: needs 9 pods',
      'swarm      lammps       batch  -         2      -  Waiting    1d  WaitingForQuota: needs 2 pods, and less is free',
      'swarm      Job/moved    other  -         1      1  Running    1d  1 of 1 pod ready',
      'swarm      Job/nightly  batch  -         2      0  Waiting    1d  WaitingForQuota: needs 2 pods, and less is free',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('job list filters labelled batch Jobs by state and user, too', async () => {
    const { stdout } = await typed(jobList, '--state', 'Waiting', '--user', 'carol');
    expect(stdout.match(/^swarm +\S+/gm)).toEqual(['swarm      Job/huge']);
    const running = await typed(jobList, '--state', 'Running');
    expect(running.stdout.match(/Job\/\w+/g)).toEqual(['Job/busy', 'Job/forged', 'Job/moved']);
  });

  it('programs are told the kind of each job', async () => {
    const { stdout } = await typed(jobList, '-o', 'json');
    const jobs = JSON.parse(stdout) as readonly object[];
    expect(jobs).toContainEqual({
      ...{ kind: 'Job', namespace: 'swarm', name: 'nightly', queue: 'batch' },
      ...{ state: 'Waiting', reason: 'WaitingForQuota', message: 'needs 2 pods, and less is free' },
    });
    expect(jobs).toContainEqual(expect.objectContaining({ kind: 'SwarmJob', name: 'lammps' }));
  });

  it('a user who may not read batch Jobs sees the SwarmJobs', async () => {
    cluster.forbidden = ['jobs'];
    const { stdout } = await typed(jobList);
    cluster.forbidden = [];
    expect(stdout.match(/^swarm +\S+/gm)).toEqual(['swarm      both', 'swarm      lammps']);
  });
});
