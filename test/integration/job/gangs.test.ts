// Do the ranks of a gang start together, and does a job end with its leader? On a real API server,
// with the real Job controller and processes as ranks.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { operatorWrites } from '../support/audit.ts';
import { type Job, makeJob, makeQueue } from '../support/job.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
/** A folder of this machine, which all ranks see. */
let shared: string;

beforeAll(async () => {
  shared = mkdtempSync(path.join(tmpdir(), 'swarm-gangs-'));
  swarm = await Swarm.start({ nodes: 2 });
  await swarm.operator('--kinds', 'queues,jobs');
});

afterAll(async () => {
  await swarm.stop();
  rmSync(shared, { recursive: true, force: true });
});

const shell = (script: string): readonly string[] => ['sh', '-c', script];
const WAITS = 'exec sleep 1000000';

async function make(namespace: string, spec: object): Promise<Job> {
  await makeQueue(swarm, namespace, { pods: '8' });
  return makeJob(swarm, namespace, 'sim', { size: 3, ...spec });
}

const logOf = async (job: Job, rank: number): Promise<string> => {
  const pods = await job.pods();
  const pod = pods.find(
    ({ metadata }) =>
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'] === `${rank}`,
  );
  return job.kubectl('logs', pod?.metadata.name ?? '', '-c', 'main');
};

/** The init container of rank 2 waits until this file is there. */
const heldUp = (file: string) => ({
  initContainers: [
    {
      name: 'first',
      image: 'busybox',
      command: shell(`[ $SWARM_RANK != 2 ] || until [ -e ${file} ]; do sleep 0.05; done`),
    },
  ],
});

describe('a gang that starts together', () => {
  it('no rank begins before the pods of all run, and each has the addresses of all', async () => {
    const file = path.join(shared, 'there');
    const job = await make('together', {
      launcher: { start: 'Together' },
      command: shell(`[ -e ${file} ] || exit 3; cat /etc/swarm/addresses; ${WAITS}`),
      template: { spec: heldUp(file) },
    });
    await eventually('two ranks wait', async () =>
      ((await job.status()).message ?? '').startsWith('0 of 3 ranks run; 2 wait for the others'),
    );
    writeFileSync(file, '');
    await job.is('Running', 'AllRanksRunning');
    const pods = await job.pods();
    const addresses = pods
      .toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name))
      .map((pod) => String(dig(pod, 'status', 'podIP')));
    const lines = addresses.map((it) => `${it}\n`).join('');
    for (const rank of [0, 1, 2])
      await eventually(
        `rank ${rank} has read them`,
        async () => (await logOf(job, rank)) === lines,
      );
    await job.kubectl('delete', 'swarmjob', 'sim');
    const writes = operatorWrites(swarm.audit, 'together');
    expect(writes.filter((it) => it === 'pods/status')).toHaveLength(3);
  });

  it('a gang that is never whole is given back, and none of its ranks has begun', async () => {
    const file = path.join(shared, 'never');
    const begun = path.join(shared, 'begun');
    const job = await make('never-whole', {
      launcher: { start: 'Together' },
      command: shell(`: >${begun}`),
      template: { spec: heldUp(file) },
      startTimeoutSeconds: 3,
      retries: { other: 0 },
    });
    expect(await job.finishes()).toMatchObject({ state: 'Failed', reason: 'StartTimedOut' });
    await job.isGivenBack();
    expect(() => rmSync(begun)).toThrow('ENOENT');
  });
});

describe('a gang with a leader', () => {
  it('the other ranks run the command of workers until rank 0 has ended', async () => {
    const done = path.join(shared, 'done');
    const job = await make('led', {
      launcher: {
        type: 'Leader',
        workerCommand: shell(
          `trap "echo ended >>${done}; exit 0" TERM; while :; do sleep 0.1; done`,
        ),
      },
      command: ['sh', '-c', 'echo "$0 of $SWARM_SIZE at $SWARM_LEADER"; sleep 1', 'the leader'],
    });
    expect(await job.finishes()).toMatchObject({
      state: 'Succeeded',
      attempt: 1,
      exitCode: 0,
      message: 'rank 0 ended well',
    });
    expect(await logOf(job, 0)).toBe('the leader of 3 at sim-0.sim\n');
    await job.isGivenBack();
    expect(readFileSync(done, 'utf8')).toBe('ended\nended\n');
  });

  it('without a command of their own the other ranks wait; a leader that fails is the end', async () => {
    const job = await make('fails', { launcher: { type: 'Leader' }, command: shell('exit 5') });
    expect(await job.finishes()).toMatchObject({
      state: 'Failed',
      exitCode: 5,
      message: 'attempt 1 failed: rank 0 ended with exit code 5',
    });
    await job.isGivenBack();
  });

  it('a leader that is deleted and ends well has not succeeded: all ranks begin anew', async () => {
    const job = await make('deleted', {
      launcher: { type: 'Leader' },
      command: shell('trap "exit 0" TERM; while :; do sleep 0.1; done'),
      backoffSeconds: 1,
    });
    await job.is('Running');
    const [leader] = (await job.pods()).filter(({ metadata }) =>
      metadata.name.startsWith('sim-0-'),
    );
    await job.kubectl('delete', 'pod', leader?.metadata.name ?? '', '--wait=false');
    await eventually('a second attempt runs', async () => {
      const { state, attempt } = await job.status();
      return state === 'Running' && attempt === 2;
    });
    expect((await job.status()).failures).toMatchObject({ disruption: 1, application: 0 });
  });

  it('a program that the image lacks is named by the rank', async () => {
    const job = await make('lacks', { launcher: { type: 'Leader' }, command: ['no-such-program'] });
    expect(await job.finishes()).toMatchObject({ state: 'Failed', exitCode: 127 });
    expect(await logOf(job, 0)).toBe('swarm: the image has no program no-such-program\n');
  });
});
