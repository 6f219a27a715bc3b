// What do commands say of a queue that bounds what each user may have?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Command } from '../../../../../src/cli/arguments/command.ts';
import { jobWhy } from '../../../../../src/cli/commands/job/why.ts';
import { queuePlan } from '../../../../../src/cli/commands/queue/plan.ts';
import { queueStatus } from '../../../../../src/cli/commands/queue/status.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import {
  admissionOf,
  batchJobObject,
  jobObject,
  queueObject,
  readyStatus,
  statusAt,
} from '../../job-object.ts';
import { Files, ran } from '../../ran.ts';

const running = statusAt('Running', 'AllRanksRunning', '2 of 2 ranks run', admissionOf(2));
const capped = statusAt(
  'Waiting',
  'MaxPerUser',
  'SwarmQueue batch, user alice: needs 2 pods, and less is free',
);
const why = 'MaxPerUser: SwarmQueue batch, user alice: needs 2 pods, 0 are free';

const cluster = new FakeCluster({
  swarmqueues: [
    queueObject({ spec: { quota: { pods: 9 }, maxPerUser: { pods: 2 } }, status: readyStatus }),
  ],
  swarmjobs: [
    jobObject({ name: 'run', user: 'alice', status: running }),
    jobObject({ user: 'alice', status: capped, created: '2026-01-01T00:01:00Z' }),
  ],
  jobs: [batchJobObject('run', { spec: { suspend: false } })],
  pods: [],
  resourcequotas: [],
  limitranges: [],
  events: [],
});
const files = new Files();
beforeAll(() => cluster.start());
afterAll(() => {
  cluster.stop();
  files.remove();
});

const linesOf = async (command: Command, ...args: readonly string[]) =>
  (await ran(command, ...args, '--kubeconfig', cluster.kubeconfig)).stdout.split('\n');

it('queue status shows the bound of a user, and who waits for it', async () =>
  expect(await linesOf(queueStatus, 'batch')).toEqual([
    'SwarmQueue swarm/batch: BestEffort, admitted: run, 1 waiting',
    expect.stringMatching(/^Ready for /),
    '',
    'RESOURCE  QUOTA  PER USER  IN USE  FREE',
    'pods          9         2       2     7',
    '',
    '#  WAITING  PRIORITY  SIZE  REASON',
    '1  lammps          0     2  MaxPerUser  SwarmQueue batch, user alice: needs 2 pods, 0 are free; no estimate: the jobs of its user need more together than maxPerUser allows',
    '',
  ]));

it('job why names the user and what is free', async () =>
  expect((await linesOf(jobWhy, 'lammps')).slice(0, 5)).toEqual([
    `SwarmJob swarm/lammps: Waiting: ${why}`,
    'SwarmQueue batch: BestEffort, position 1 of 1; no estimate: the jobs of its user need more together than maxPerUser allows',
    '',
    'RESOURCE  QUOTA  PER USER  IN USE  FREE  NEEDED',
    'pods          9         2       2     7       2',
  ]));

it.each([
  ['alice', `would not start now: ${why} (position 2 of 2, no estimate: `],
  ['bob', 'would start now in SwarmQueue batch'],
])('queue plan counts a job for the user that it names: %s', async (user, says) => {
  const { name, namespace, annotations } = metadataOf(jobObject({ name: 'new', user }));
  const manifest = { ...jobObject({ name: 'new' }), metadata: { name, namespace, annotations } };
  const file = files.write(`${user}.json`, JSON.stringify(manifest));
  expect((await linesOf(queuePlan, '-f', file))[0]).toContain(says);
});

const metadataOf = (job: object): Readonly<Record<string, unknown>> => Object(job).metadata;
