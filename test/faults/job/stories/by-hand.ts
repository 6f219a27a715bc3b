// Users change by hand what the operator made, and delete and create anew what they made
// themselves.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import type { JobCell } from '../job-cell.ts';
import { type JobFault, one } from '../job-faults.ts';

export const byHand: JobFault = {
  replicas: one,
  quota: 2,
  inject: async (cell) => {
    await cell.submit('first', { backoffSeconds: 3_600 });
    await cell.until('first', 'Running');
    await cell.submit('second');
    await cell.until('second', 'Waiting');
    await disturbed(cell);
    await startedByHand(cell);
    await madeUp(cell);
    await createdAnew(cell);
  },
  settle: async (cell) => {
    await cell.finish('second');
    await cell.until('first', 'Running');
    await cell.finish('first');
    await cell.mustHave('first', 1, 0);
  },
};

/** Each time `first` begins anew, and in the end `second` gets its turn. */
async function disturbed(cell: JobCell): Promise<void> {
  await cell.kubectl('delete', 'job', 'first');
  await runsAgain(cell, 1);
  await cell.patch('job/first', { spec: { suspend: true } });
  await runsAgain(cell, 2);
  const [pod] = (await cell.podsOf('first')).filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
  await cell.kubectl('delete', 'pod', pod?.metadata.name ?? '');
  await cell.until('second', 'Running');
  await cell.until('first', 'Waiting', 'BackingOff');
  await cell.mustHave('first', 2, 3);
}

async function runsAgain(cell: JobCell, disruptions: number): Promise<void> {
  await cell.untilStatus(kinds.SwarmJob, 'first', `runs again, ${disruptions}`, (status) => {
    const counted = dig(status, 'failures', 'disruption') === disruptions;
    return counted && dig(status, 'state') === 'Running';
  });
  await cell.mustHave('first', 2, disruptions);
}

/** The Job of a suspended job is started by hand: its pods count, and it is suspended again. */
async function startedByHand(cell: JobCell): Promise<void> {
  await cell.patch('swarmjob/first', { spec: { backoffSeconds: 1, suspend: true } });
  await cell.suspend('second', true);
  await cell.until('second', 'Suspended');
  await cell.patch('job/second', { spec: { suspend: false } });
  await cell.suspend('first', false);
  await cell.eventually('the batch Job is suspended again', async () => {
    return dig(await cell.object(kinds.Job, 'second'), 'spec', 'suspend') === true;
  });
  await cell.until('first', 'Running');
  await cell.suspend('second', false);
  await cell.until('second', 'Waiting');
}

async function madeUp(cell: JobCell): Promise<void> {
  await write(cell, 'swarmjob/first', {});
  await cell.until('first', 'Running', '2 of 2 ranks run');
  await write(cell, 'swarmjob/first', { state: 'Succeeded' });
  await cell.until('first', 'Running', '2 of 2 ranks run');
  await write(cell, 'swarmjob/second', { state: 'Running', attempt: 7 });
  await cell.until('second', 'Waiting', 'WaitingForQuota');
  await write(cell, 'swarmqueue/batch', { usage: { pods: '0' }, running: 0, pending: 0 });
  await cell.untilStatus(kinds.SwarmQueue, 'batch', 'is right', isFull);
  await write(cell, 'swarmqueue/batch', {});
  await cell.untilStatus(kinds.SwarmQueue, 'batch', 'is right', isFull);
}

const write = (cell: JobCell, what: string, status: object): Promise<string> =>
  cell.kubectl(
    'patch',
    what,
    '--subresource=status',
    '--type=json',
    '-p',
    JSON.stringify([{ op: 'replace', path: '/status', value: status }]),
  );

const isFull = (status: unknown): boolean =>
  dig(status, 'usage', 'pods') === '2' &&
  dig(status, 'running') === 1 &&
  dig(status, 'pending') === 1;

/** The job is younger now, and the other one goes first. A queue is no job's owner. */
async function createdAnew(cell: JobCell): Promise<void> {
  await cell.kubectl('delete', 'swarmjob', 'first');
  await cell.submit('first');
  await cell.until('second', 'Running');
  const { attempt } = Object(await cell.status(kinds.SwarmJob, 'second'));
  await cell.kubectl('delete', 'swarmqueue', 'batch');
  await cell.until('first', 'Waiting', 'QueueNotFound');
  await cell.createQueue();
  await cell.until('first', 'Waiting', 'WaitingForQuota');
  await cell.untilStatus(kinds.SwarmQueue, 'batch', 'is right', isFull);
  await cell.untilStatus(kinds.SwarmJob, 'second', 'goes on', (status) => {
    return dig(status, 'state') === 'Running' && dig(status, 'attempt') === attempt;
  });
}
