// What do the commands of queues print, on a cluster and on files?
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Command } from '../../../../../src/cli/arguments/command.ts';
import { queuePlan } from '../../../../../src/cli/commands/queue/plan.ts';
import { queueStatus } from '../../../../../src/cli/commands/queue/status.ts';
import { FakeCluster, metadata } from '../../fake-cluster.ts';
import {
  admissionOf,
  batchJobObject,
  jobObject,
  queueObject,
  statusAt,
  waitingStatus,
} from '../../job-object.ts';
import { Files, ran } from '../../ran.ts';

// Ages and estimates are those of one moment, however long a test takes.
const now = Date.now();
jest.spyOn(Date, 'now').mockReturnValue(now);

const starting = statusAt('Starting', 'RanksStarting', '0 of 3 ranks run', admissionOf(3));
const condition = (status: string): object => ({
  type: 'Ready',
  status,
  reason: status === 'True' ? 'Admitting' : 'Paused',
  message: status === 'True' ? 'jobs are admitted as there is room' : 'no job is admitted',
  lastTransitionTime: new Date(now - 180_000).toISOString(),
});
const lines = (text: string): readonly string[] => text.split('\n');

const cluster = new FakeCluster({
  swarmqueues: [
    queueObject({
      spec: { quota: { pods: 4, cpu: '8' } },
      status: {
        pending: 2,
        running: 1,
        usage: { pods: '3', cpu: '0' },
        held: [{ name: 'gone', pods: 1, message: 'pod gone-0 on node node-2 has not ended' }],
        conditions: [condition('True')],
      },
    }),
    queueObject({
      name: 'idle',
      spec: { paused: true },
      status: { pending: 0, running: 0, usage: { pods: '0' }, conditions: [condition('False')] },
    }),
  ],
  swarmjobs: [
    jobObject({
      name: 'run',
      spec: { size: 3, resources: { requests: { cpu: '1' } } },
      status: starting,
    }),
    jobObject({
      name: 'big',
      spec: { resources: { requests: { cpu: '1' } } },
      status: waitingStatus,
      created: '2026-01-01T00:01:00Z',
    }),
    jobObject({
      name: 'huge',
      spec: { size: 9, resources: { requests: { cpu: '1' } } },
      status: statusAt('Waiting', 'TooLargeEver', 'needs 9 pods'),
      created: '2026-01-01T00:00:30Z',
    }),
    jobObject({
      name: 'next',
      spec: { queueName: 'idle', size: 1 },
      created: '2026-01-01T00:02:00Z',
    }),
  ],
  jobs: [
    batchJobObject('run', {
      spec: { suspend: false, activeDeadlineSeconds: 750 },
      status: { startTime: new Date(now).toISOString() },
    }),
    {
      ...batchJobObject('nightly'),
      metadata: metadata('nightly', {
        labels: { 'k8slab.info/queue': 'idle' },
        creationTimestamp: '2026-01-01T00:03:00Z',
      }),
      spec: { suspend: true, template: { spec: { containers: [{ name: 'main' }] } } },
    },
  ],
  pods: [],
  resourcequotas: [],
  limitranges: [],
});
const files = new Files();
beforeAll(() => cluster.start());
afterAll(() => {
  jest.restoreAllMocks();
  cluster.stop();
  files.remove();
});

const typed = (command: Command, ...args: readonly string[]) =>
  ran(command, ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl queue status', () => {
  it('queue status shows a line for each queue, with code 1 where one is not Ready', async () => {
    const { code, stdout } = await typed(queueStatus);
    expect(lines(stdout)).toEqual([
      'NAMESPACE  QUEUE  STRATEGY    RUNNING  WAITING    PODS     CPU  MEMORY  STATE',
      'swarm      batch  BestEffort        1        2  3 of 4  0 of 8       -  Ready',
      'swarm      idle   BestEffort        0        0  0 of 4       -       -  Paused: no job is admitted',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('queue status of one shows its quota, the order with reasons, and what is held', async () => {
    const { code, stdout } = await typed(queueStatus, 'batch');
    expect(lines(stdout)).toEqual([
      'SwarmQueue swarm/batch: BestEffort, admitted: run, 2 waiting',
      'Ready for 3m',
      '',
      'RESOURCE  QUOTA  IN USE  FREE  KEPT',
      'pods          4       3     1     1',
      'cpu           8       0     8     2',
      '',
      '#  WAITING  PRIORITY  SIZE  STARTS AT THE LATEST  REASON',
      '-  huge            0     9  -                     TooLargeEver     needs 9 pods and 9 cpu, the whole quota of SwarmQueue batch is 4 pods and 8 cpu',
      '1  big             0     2  in 15m                WaitingForQuota  needs 2 pods, 1 is free',
      '',
      'OVER, AND STILL IN USE  PODS',
      'gone                       1  pod gone-0 on node node-2 has not ended',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('queue status of one without a job does not sound as if it admitted none', async () => {
    const { stdout } = await typed(queueStatus, 'idle');
    expect(lines(stdout)[0]).toBe('SwarmQueue swarm/idle: BestEffort, none admitted, 2 waiting');
  });

  it('queue status prints JSON', async () =>
    expect(JSON.parse((await typed(queueStatus, 'idle', '-o', 'json')).stdout)).toEqual({
      namespace: 'swarm',
      name: 'idle',
      strategy: 'BestEffort',
      quota: [{ resource: 'pods', quota: '4', used: '0', free: '4' }],
      admitted: [],
      waiting: [
        {
          position: 1,
          uid: 'next-uid',
          name: 'next',
          priority: 0,
          size: 1,
          reason: 'QueuePaused',
          message: 'SwarmQueue idle is paused',
        },
        expect.objectContaining({ position: 2, name: 'Job/nightly', reason: 'QueuePaused' }),
      ],
      held: [],
    }));

  it('queue status prints the time at which a job starts at the latest', async () => {
    const { waiting } = JSON.parse((await typed(queueStatus, 'batch', '-o', 'json')).stdout);
    const inMs = Date.parse(waiting[1].startsBy) - Date.now();
    expect([inMs > 840_000, inMs <= 910_000]).toEqual([true, true]);
  });

  it('queue status says that there is no queue', async () => {
    expect(await typed(queueStatus, '-n', 'other')).toMatchObject({
      code: 0,
      stdout: 'no SwarmQueue here; -A looks into all namespaces\n',
    });
    expect(await typed(queueStatus, 'bach')).toMatchObject({
      code: 2,
      stderr: 'there is no SwarmQueue bach in namespace swarm; did you mean batch?\n',
    });
  });
});

const manifest = (name: string, ...objects: readonly object[]): string =>
  files.write(name, objects.map((it) => JSON.stringify(it)).join('\n---\n'));
const cpu = { resources: { requests: { cpu: '1' } } };
/** As a user writes it. */
const newJob = (name: string, spec: object = {}): object => ({
  ...jobObject({ name, spec }),
  metadata: { name, namespace: 'swarm' },
});

describe('swarmctl queue plan', () => {
  it.each<[string, object, number, string]>([
    [
      'has to wait for another',
      newJob('a', { queueName: 'batch', size: 1, ...cpu, priority: 0 }),
      1,
      'SwarmJob swarm/a would not start now: BehindHead: there is room, and it is kept for job big, which goes first (position 2 of 2, starts at the latest in 15m)',
    ],
    [
      'is too large',
      newJob('a', { size: 5, ...cpu }),
      1,
      'SwarmJob swarm/a would not start now: TooLargeEver: needs 5 pods, the whole quota of SwarmQueue batch is 4 pods\n',
    ],
    [
      'requests too little',
      newJob('a', { size: 1 }),
      1,
      'SwarmJob swarm/a would not start now: RequestMissing: resources.requests has no cpu, which SwarmQueue batch bounds\n',
    ],
    [
      'is suspended',
      newJob('a', { suspend: true }),
      1,
      'SwarmJob swarm/a would not start now: Suspended: spec.suspend is set',
    ],
    [
      'runs already',
      newJob('run', cpu),
      1,
      'SwarmJob swarm/run would not start now: Starting: there is a SwarmJob of this name already, and it is Starting',
    ],
    [
      'is not valid',
      newJob('a', { size: 0 }),
      1,
      'SwarmJob swarm/a would not start now: InvalidSpec: spec.size must be >= 1 (found 0)',
    ],
  ])('queue plan says of a job that %s what would become of it', async (_, job, code, says) => {
    const told = await typed(queuePlan, '-f', manifest('job.json', job));
    expect(told.stdout).toContain(says);
    expect(told.code).toBe(code);
  });

  it('queue plan on files needs no cluster, and shows what is free and needed', async () => {
    const queue = { ...queueObject({ spec: { quota: { pods: '4', cpu: '8' } } }) };
    const all = manifest('queue.json', queue);
    const first = newJob('a', { ...cpu, activeDeadlineSeconds: 600 });
    const job = manifest('job.json', first, newJob('b', { size: 3, ...cpu }));
    const { code, stdout } = await ran(queuePlan, '-f', job, '--files', all);
    expect(lines(stdout)).toEqual([
      'SwarmJob swarm/a would start now in SwarmQueue batch',
      '',
      'SwarmQueue batch before any of these 2 jobs starts:',
      'RESOURCE  QUOTA  IN USE  FREE  NEEDED',
      'pods          4       0     4       2',
      'cpu           8       0     8       2',
      '',
      'SwarmJob swarm/b would not start now: WaitingForQuota: needs 3 pods, 2 are free (position 2 of 2, starts at the latest in 11m)',
      '',
      'SwarmQueue batch before any of these 2 jobs starts:',
      'RESOURCE  QUOTA  IN USE  FREE  NEEDED',
      'pods          4       0     4       3',
      'cpu           8       0     8       3',
      '',
    ]);
    expect(code).toBe(1);
    const alone = manifest('job.json', newJob('a', cpu));
    const one = await ran(queuePlan, '-f', alone, '--files', all);
    expect(one.code).toBe(0);
    expect(lines(one.stdout).slice(1, 3)).toEqual(['', 'RESOURCE  QUOTA  IN USE  FREE  NEEDED']);
  });

  it('queue plan prints JSON', async () => {
    const job = manifest('job.json', newJob('a', { queueName: 'none' }));
    expect(JSON.parse((await typed(queuePlan, '-f', job, '-o', 'json')).stdout)).toEqual([
      {
        namespace: 'swarm',
        name: 'a',
        queue: 'none',
        starts: false,
        reason: 'QueueNotFound',
        message: 'there is no SwarmQueue none',
        position: 1,
        waiting: 1,
        quota: [],
      },
    ]);
  });

  it('queue plan needs a file with a SwarmJob', async () => {
    expect(await typed(queuePlan)).toMatchObject({
      code: 2,
      stderr: '--file: expected a file with a SwarmJob\n',
    });
    const queue = manifest('queue.json', queueObject());
    expect(await typed(queuePlan, '-f', queue)).toMatchObject({
      code: 2,
      stderr: `no SwarmJob is in ${queue}\n`,
    });
  });
});
