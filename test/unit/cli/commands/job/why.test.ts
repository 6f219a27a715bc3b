// Does `job why` tell the whole chain: the queue, the quota and the order, or the pods?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jobWhy } from '../../../../../src/cli/commands/job/why.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  admissionOf,
  batchJobObject,
  jobObject,
  podObject,
  queueObject,
  readyStatus,
  runningStatus,
  statusAt,
  waitingStatus,
} from '../../job-object.ts';
import { ran } from '../../ran.ts';

const starting = statusAt('Starting', 'RanksStarting', '1 of 3 ranks run', {
  ...admissionOf(3),
  attempt: 1,
});

const pods = [
  podObject('run', 0, runningStatus),
  podObject('run', 1, {
    phase: 'Pending',
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'Unschedulable',
        message: '0/2 nodes are available: 2 Insufficient cpu.',
      },
    ],
  }),
  podObject('run', 2, {
    phase: 'Pending',
    containerStatuses: [
      {
        name: 'main',
        state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "lmp"' } },
      },
    ],
  }),
  podObject('mounts', 0, {
    phase: 'Pending',
    containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ContainerCreating' } } }],
  }),
  podObject('bad', 0, {
    phase: 'Failed',
    containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 3, reason: 'Error' } } }],
  }),
];

const eventObject = (name: string, rest: object): object => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'swarm' },
  type: 'Warning',
  eventTime: '2026-01-01T00:00:00.000000Z',
  ...rest,
});
const missing = 'secret "data" not found';
const aboutPod = (name: string, reason: string, message: string, minute: number): object =>
  eventObject(`${name}.${minute}`, {
    ...{ reason, message, eventTime: `2026-01-01T00:0${minute}:00.000000Z` },
    involvedObject: { kind: 'Pod', name, uid: `${name}-uid` },
  });

const cluster = new FakeCluster({
  swarmqueues: [
    queueObject({ spec: { quota: { pods: '5' } }, status: readyStatus }),
    queueObject({ name: 'later', spec: { quota: { pods: '5' } }, status: readyStatus }),
  ],
  swarmjobs: [
    jobObject({
      name: 'run',
      spec: { size: 3 },
      status: starting,
      created: '2026-01-01T00:00:00Z',
    }),
    jobObject({
      name: 'mounts',
      spec: { size: 1, queueName: 'none' },
      status: statusAt('Starting', 'RanksStarting', '0 of 1 ranks run'),
    }),
    jobObject({ status: waitingStatus, created: '2026-01-01T00:02:00Z' }),
    jobObject({
      name: 'older',
      status: waitingStatus,
      created: '2026-01-01T00:01:00Z',
    }),
    jobObject({ name: 'small', spec: { size: 1 }, created: '2026-01-01T00:03:00Z' }),
    jobObject({ name: 'lost', spec: { queueName: 'none' }, status: waitingStatus }),
    jobObject({
      name: 'gave-way',
      spec: { queueName: 'none' },
      status: {
        ...waitingStatus,
        conditions: [
          {
            ...{ type: 'Preempted', status: 'True', reason: 'Preempted' },
            message: 'job urgent of priority 9 takes its place',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    }),
    jobObject({
      name: 'again',
      spec: { queueName: 'later', backoffSeconds: 3000 },
      status: statusAt('Waiting', 'BackingOff', 'not all ranks ran within 6 s', {
        failures: { start: 1 },
      }),
    }),
    jobObject({
      name: 'bad',
      spec: { size: 1 },
      status: statusAt('Failed', 'CommandFailed', 'rank 0 ended with exit code 3', { attempt: 1 }),
    }),
  ],
  jobs: [
    batchJobObject('run', { status: { active: 3, ready: 1 } }),
    batchJobObject('bad', {
      status: { failed: 1, conditions: [{ type: 'Failed', status: 'True', reason: 'x' }] },
    }),
  ],
  pods,
  resourcequotas: [],
  limitranges: [],
  events: [
    // Each try has another name.
    ...['run-2-abcde', 'run-2-fghij'].map((pod) =>
      eventObject(pod, {
        reason: 'FailedCreate',
        message: `Error creating: pods "${pod}" is forbidden: exceeded quota: full`,
        involvedObject: { kind: 'Job', name: 'run', uid: 'run-batch-uid' },
      }),
    ),
    aboutPod('run-1-abcde', 'FailedScheduling', '0/2 nodes are available: 2 Insufficient cpu.', 1),
    aboutPod('mounts-0-abcde', 'FailedMount', 'timed out waiting for the condition', 1),
    aboutPod('mounts-0-abcde', 'FailedMount', `MountVolume.SetUp failed: ${missing}`, 2),
    aboutPod('mounts-0-abcde', 'FailedMount', `MountVolume.SetUp failed: ${missing}`, 3),
    eventObject('normal', {
      ...{ type: 'Normal', reason: 'Scheduled', message: 'Successfully assigned' },
      involvedObject: { kind: 'Pod', name: 'mounts-0-abcde', uid: 'mounts-0-abcde-uid' },
    }),
    // It has the name of a pod that is gone.
    eventObject('other', {
      ...{ reason: 'FailedMount', message: 'an earlier one' },
      involvedObject: { kind: 'Pod', name: 'mounts-0-abcde', uid: 'other' },
    }),
    aboutPod('run-0-abcde', 'Unhealthy', 'Readiness probe failed', 1),
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const why = (...args: readonly string[]) =>
  ran(jobWhy, ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl job why', () => {
  it('a job that waits is told its queue, the numbers of this moment, its position and the jobs before it', async () => {
    const { code, stdout } = await why('lammps');
    expect(stdout.split('\n')).toEqual([
      'SwarmJob swarm/lammps: Waiting: WaitingForQuota: needs 2 pods, 1 is free',
      'SwarmQueue batch: BestEffort, position 2 of 3; before it: older (priority 0, WaitingForQuota); no estimate: job run has no deadline',
      '',
      'RESOURCE  QUOTA  IN USE  FREE  KEPT  NEEDED',
      'pods          5       4     1     1       2',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('a new job is told that no operator has reconciled it, and what it would be told', async () =>
    expect((await why('small')).stdout).toContain(
      'SwarmJob swarm/small: Unknown: no operator has reconciled it yet; BehindHead: there is room, and it is kept for job older, which goes first\n',
    ));

  it('a job that backs off is told why its last attempt failed, and when the next is', async () =>
    expect((await why('again')).stdout).toMatch(
      /BackingOff: its last attempt has ended; the next is in 3\d{3} s \(not all ranks ran within 6 s\)\n/,
    ));

  it('a job that waits again is told which job took its place', async () =>
    expect((await why('gave-way')).stdout).toMatch(
      /^SwarmJob swarm\/gave-way: Waiting: .*\nit was told to end: job urgent of priority 9 takes its place\n/,
    ));

  it('a job without its queue is told so', async () =>
    expect((await why('lost')).stdout.split('\n')).toEqual([
      'SwarmJob swarm/lost: Waiting: QueueNotFound: there is no SwarmQueue none',
      'SwarmQueue none: there is none of this name in the namespace',
      '',
    ]));

  it('a job that starts is told its batch Job and each pod, in their own words', async () =>
    expect((await why('run')).stdout.split('\n')).toEqual([
      'SwarmJob swarm/run: Starting: RanksStarting: 1 of 3 ranks run',
      'attempt 1',
      'batch Job run: 3 pods live, 1 ready',
      '  FailedCreate: the pod of rank 2 is forbidden: exceeded quota: full',
      '',
      'RANK  POD          NODE  STATE',
      '   0  run-0-abcde  -     Running',
      '   1  run-1-abcde  -     Pending  Unschedulable: 0/2 nodes are available: 2 Insufficient cpu.',
      '   2  run-2-abcde  -     Pending  container main: ImagePullBackOff: Back-off pulling image "lmp"',
      '',
    ]));

  it('a pod that waits for its volume is told the warnings about it, the newest first', async () =>
    expect((await why('mounts')).stdout.split('\n')).toEqual([
      'SwarmJob swarm/mounts: Starting: RanksStarting: 0 of 1 ranks run',
      '',
      'RANK  POD             NODE  STATE',
      '   0  mounts-0-abcde  -     Pending  container main: ContainerCreating',
      '',
      'mounts-0-abcde: FailedMount: MountVolume.SetUp failed: secret "data" not found',
      'mounts-0-abcde: FailedMount: timed out waiting for the condition',
      '',
    ]));

  it('the warnings of a pod are told to programs', async () =>
    expect(JSON.parse((await why('mounts', '-o', 'json')).stdout).pods).toMatchObject([
      {
        pod: 'mounts-0-abcde',
        warnings: [
          'FailedMount: MountVolume.SetUp failed: secret "data" not found',
          'FailedMount: timed out waiting for the condition',
        ],
      },
    ]));

  it('a user who may not read events is told all else', async () => {
    cluster.forbidden = ['events'];
    const { code, stdout } = await why('mounts');
    cluster.forbidden = [];
    expect(stdout).toContain('Pending  container main: ContainerCreating\n');
    expect(stdout).not.toContain('FailedMount');
    expect(code).toBe(1);
  });

  it('a job that has failed is told which rank ended with which exit code', async () => {
    const { code, stdout } = await why('bad');
    expect(stdout).toContain(
      'SwarmJob swarm/bad: Failed: CommandFailed: rank 0 ended with exit code 3\n',
    );
    expect(stdout).toContain('Failed  container main ended with exit code 3 (Error)\n');
    expect(code).toBe(1);
  });

  it('job why prints JSON', async () =>
    expect(JSON.parse((await why('lammps', '-o', 'json')).stdout)).toEqual({
      kind: 'SwarmJob',
      namespace: 'swarm',
      name: 'lammps',
      state: 'Waiting',
      why: 'WaitingForQuota: needs 2 pods, 1 is free',
      queue: {
        name: 'batch',
        isThere: true,
        strategy: 'BestEffort',
        quota: [{ resource: 'pods', quota: '5', used: '4', free: '1', kept: '1', needed: '2' }],
        position: 2,
        waiting: 3,
        noEstimate: 'job run has no deadline',
        before: [{ name: 'older', priority: 0, reason: 'WaitingForQuota' }],
      },
    }));
});
