// Do the commands of queues and jobs say that no operator works for these kinds, or not yet?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Command } from '../../../../../src/cli/arguments/command.ts';
import { jobStatus } from '../../../../../src/cli/commands/job/status.ts';
import { jobWhy } from '../../../../../src/cli/commands/job/why.ts';
import { queueStatus } from '../../../../../src/cli/commands/queue/status.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import { jobObject, queueObject, readyStatus, statusAt, waitingStatus } from '../../job-object.ts';
import { ran } from '../../ran.ts';

/** The spec was edited since. */
const before = { observedGeneration: 0 };
const suspended = statusAt('Suspended', 'SuspendRequested', 'it has no pods');

const cluster = new FakeCluster({
  swarmqueues: [
    queueObject({ name: 'new' }),
    queueObject({ name: 'edited', status: { ...readyStatus, ...before } }),
    queueObject({
      name: 'stopped',
      spec: { paused: true },
      status: { ...readyStatus, ...before },
    }),
  ],
  swarmjobs: [
    jobObject({ name: 'first', spec: { queueName: 'new' } }),
    jobObject({ name: 'huge', spec: { queueName: 'new', size: 5 }, status: waitingStatus }),
    jobObject({ name: 'second', spec: { queueName: 'edited' }, status: waitingStatus }),
    jobObject({
      name: 'raised',
      spec: { queueName: 'none' },
      status: { ...waitingStatus, ...before },
    }),
    jobObject({ name: 'resumed', status: { ...suspended, ...before } }),
  ],
  jobs: [],
  pods: [],
  resourcequotas: [],
  limitranges: [],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const notYet = 'no operator has reconciled it yet';
const changed = 'the operator has not reconciled the change yet';
const newQueue = 'no operator has reconciled the queue yet';
const changedQueue = 'the operator has not reconciled the change of the queue yet';

it.each<[string, Command, string, string]>([
  ['queue status new', queueStatus, 'new', `\nUnknown: ${notYet}\n`],
  ['queue status edited', queueStatus, 'edited', `\nChanged: ${changed}\n`],
  ['queue status stopped', queueStatus, 'stopped', `\nChanged: ${changed}\n`],
  ['job status first', jobStatus, 'first', `SwarmJob swarm/first: Unknown: ${notYet}\n`],
  ['job status first', jobStatus, 'first', `SwarmQueue new, ${newQueue}, position 1 of 1, `],
  ['job status huge', jobStatus, 'huge', `SwarmQueue new, ${newQueue}, 0 of 5 ranks ready`],
  ['job status second', jobStatus, 'second', `SwarmQueue edited, ${changedQueue}, position `],
  [
    'job status resumed',
    jobStatus,
    'resumed',
    `SuspendRequested: it has no pods; changed: ${changed}\n`,
  ],
  [
    'job why first',
    jobWhy,
    'first',
    `SwarmJob swarm/first: Unknown: ${notYet}; Next: there is room`,
  ],
  ['job why first', jobWhy, 'first', `SwarmQueue new: BestEffort, position 1 of 1; ${newQueue}\n`],
  ['job why huge', jobWhy, 'huge', `SwarmQueue new: BestEffort; ${newQueue}\n`],
  ['job why second', jobWhy, 'second', `BestEffort, position 1 of 1; ${changedQueue}\n`],
  ['job why raised', jobWhy, 'raised', `there is no SwarmQueue none; changed: ${changed}\n`],
  ['job why resumed', jobWhy, 'resumed', `SuspendRequested: it has no pods; changed: ${changed}\n`],
])('%s says what no operator has reconciled', async (_, command, name, says) => {
  const { stdout } = await ran(command, name, '--kubeconfig', cluster.kubeconfig);
  expect(stdout).toContain(says);
});

it('queue status without a name says it of each queue', async () => {
  const { code, stdout } = await ran(queueStatus, '--kubeconfig', cluster.kubeconfig);
  const states = stdout.split('\n').map((line) => line.match(/(Unknown|Changed): .*$/)?.[0]);
  expect(states).toEqual([
    undefined,
    `Changed: ${changed}`,
    `Unknown: ${notYet}`,
    `Changed: ${changed}`,
    undefined,
  ]);
  expect(code).toBe(1);
});

it('job status and job why tell it to programs', async () => {
  const told = async (command: Command) =>
    JSON.parse(
      (await ran(command, 'first', '-o', 'json', '--kubeconfig', cluster.kubeconfig)).stdout,
    );
  expect(await told(jobStatus)).toMatchObject({ queueProblem: newQueue });
  expect(await told(jobWhy)).toMatchObject({ queue: { problem: newQueue } });
});
