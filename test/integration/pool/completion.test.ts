// Is work that ends done once, whatever is killed, lost or scaled meanwhile?
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { kinds } from '../../../src/api/kinds.ts';
import { dig } from '../../../src/api/objects.ts';
import type { SwarmPoolStatus } from '../../../src/api/validate.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'completion';
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-completion-'));
/** Each piece of work writes a line when it is done; one waits until its file is there. */
const done = path.join(folder, 'done');
const fileOf = (stream: string): string => path.join(folder, stream);
const program = `while [ ! -e ${folder}/"$1" ]; do sleep 0.05; done; echo "$1" >> ${done}`;
const work = names(6);

let swarm: Swarm;
let pool: Pool;
let operator: OperatorProcess;

beforeAll(async () => {
  writeFileSync(done, '');
  swarm = await Swarm.start();
  operator = await swarm.operator('--leader-election', 'false');
  pool = await swarm.pool(namespace, {
    streams: work,
    workers: 2,
    worker: { args: ['--', 'sh', '-c', program, 'sh', '{stream}'] },
    spec: { streamPolicy: { completion: 'Once' } },
  });
  await pool.converged(work, 2);
});

afterAll(async () => {
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

const finish = (stream: string): void => writeFileSync(fileOf(stream), '');
const timesDone = (stream: string): number =>
  readFileSync(done, 'utf8')
    .split('\n')
    .filter((line) => line === stream).length;
const recorded = async (): Promise<readonly string[]> => {
  const { data } = await swarm.api.get(kinds.ConfigMap, { namespace, name: 'tv-assignments' });
  const [text] = Object.values(Object(data));
  return Object.keys(Object(dig(load(String(text)), 'completed'))).sort();
};
const counts =
  (completed: number) =>
  (status: SwarmPoolStatus): boolean =>
    status.streams?.completed === completed && status.convergedReplicas === status.replicas;
const restarted = async (meanwhile = async (): Promise<void> => undefined): Promise<void> => {
  await operator.end('SIGKILL');
  await meanwhile();
  operator = await swarm.operator('--leader-election', 'false');
};

describe('a stream that completes', () => {
  it('a stream that completes is recorded, and leaves its worker', async () => {
    finish('s0');
    await pool.until('one is completed', counts(1));
    expect(await recorded()).toEqual(['s0']);
    expect(await pool.condition('Complete')).toMatchObject({ status: 'False' });
  });

  it('a stream that completed while there was no operator is recorded by the next one', async () => {
    await restarted(async () => {
      finish('s1');
      await eventually('it has ended', () => timesDone('s1') === 1);
    });
    await pool.until('two are completed', counts(2));
  });

  it('a completed stream is not run again by another worker, a new pod, or a new operator', async () => {
    await pool.scale(1);
    await pool.until('one worker has all', (status) => status.replicas === 1 && counts(2)(status));
    await pool.scale(3);
    await pool.until('three workers', (status) => status.replicas === 3 && counts(2)(status));
    await restarted();
    await swarm.kubectl('-n', namespace, 'delete', 'pod', 'worker-0');
    await pool.until('all have confirmed', counts(2));
    expect([timesDone('s0'), timesDone('s1')]).toEqual([1, 1]);
  });

  it('a pool whose streams are all completed is Complete', async () => {
    for (const stream of work.slice(2)) finish(stream);
    await swarm.kubectl(
      ...['-n', namespace, 'wait', '--for=condition=Complete', 'swarmpool/tv', '--timeout=60s'],
    );
    expect(await recorded()).toEqual(work);
    expect(work.map(timesDone)).toEqual(work.map(() => 1));
    expect(await pool.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('a completed stream runs again once when a user restarts it', async () => {
    const annotation = 'k8slab.info/restart=s3 again';
    await swarm.kubectl('-n', namespace, 'annotate', 'swarmpool/tv', annotation);
    await eventually('it is done again', () => timesDone('s3') === 2, 60);
    // Status may still be that of before: the record has lacked it while it ran.
    await eventually('it is recorded', async () => (await recorded()).length === work.length, 60);
    await pool.until('all are completed', counts(6));
    await swarm.kubectl('-n', namespace, 'annotate', 'swarmpool/tv', 'k8slab.info/restart-');
    await restarted();
    await pool.until('all are completed', counts(6));
    expect(work.map(timesDone)).toEqual([1, 1, 1, 2, 1, 1]);
  });
});

describe('a ConfigMap that is deleted', () => {
  it('a deleted ConfigMap loses the record: streams run again, and an event says how many', async () => {
    await swarm.kubectl('-n', namespace, 'delete', 'configmap', 'tv-assignments');
    await eventually('all is done again', () => work.every((it) => timesDone(it) >= 2), 60);
    await pool.until('all are completed', counts(6));
    const events = await pool.events();
    expect(events).toContainEqual(
      expect.objectContaining({
        reason: 'CompletionsLost',
        note: expect.stringContaining('6 completed streams may run again'),
      }),
    );
  });
});
