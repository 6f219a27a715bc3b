// Does a stream that one worker alone makes fail move to another one, on a real API server?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SwarmPoolStatus } from '../../../src/api/validate.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { openSession, type Session } from '../cli/session.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'elsewhere';
const streams = names(6);
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-elsewhere-'));
/** As long as there is such a file, the stream fails at the worker, such as `worker-0-s1`. */
const brokenAt = (worker: string, stream: string): string =>
  path.join(folder, `${worker}-${stream}`);
const program = `[ ! -e ${folder}/"$SWARM_WORKER-$1" ] || { echo "the disk is full" >&2; exit 1; }
exec sleep 1000`;

let swarm: Swarm;
let pool: Pool;
let session: Session;
let operator: OperatorProcess;

beforeAll(async () => {
  swarm = await Swarm.start();
  operator = await swarm.operator('--leader-election', 'false');
  const args = ['--backoff-initial', '200ms', '--', 'sh', '-c', program, 'sh', '{stream}'];
  const spec = { streamPolicy: { moveAfterSeconds: 60 } };
  pool = await swarm.pool(namespace, { streams, workers: 2, worker: { args }, spec });
  session = openSession(swarm.playground.plane.kubeconfig);
  await pool.converged(streams, 2);
});

afterAll(async () => {
  await session?.end();
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

const jobsOf = async (): Promise<Readonly<Record<string, readonly string[]>>> =>
  Object.fromEntries([...(await pool.published()).slices].map(([name, { jobs }]) => [name, jobs]));
const isWell = ({ conditions, convergedReplicas }: SwarmPoolStatus): boolean =>
  convergedReplicas === 2 &&
  conditions?.some(({ type, status }) => type === 'StreamsHealthy' && status === 'True') === true;
const explained = async (stream: string): Promise<string> =>
  (await session.type('explain', 'tv', stream, '-n', namespace)).stdout;

describe('a stream that fails at one worker alone', () => {
  it('the explanation of a failing stream says when it will move', async () => {
    expect(await jobsOf()).toEqual({
      'worker-0': ['s0', 's1', 's2'],
      'worker-1': ['s3', 's4', 's5'],
    });
    writeFileSync(brokenAt('worker-0', 's1'), '');
    await swarm.kubectl('-n', namespace, 'annotate', 'swarmpool/tv', 'k8slab.info/restart=s1 now');
    await pool.until('fails', (status) => status.streams?.failing === 1);
    expect(await explained('s1')).toContain('when it has failed here for 60 s, it moves');
  });

  it('a failing stream moves to the other worker, where it runs well, and no other stream moves', async () => {
    const status = await pool.until(
      'has moved it',
      async (it) => isWell(it) && (await jobsOf())['worker-1']?.includes('s1') === true,
    );
    expect(await jobsOf()).toEqual({
      'worker-0': ['s0', 's2'],
      'worker-1': ['s1', 's3', 's4', 's5'],
    });
    expect(status.history?.[0]).toMatchObject({ reason: 'FailingStreamsMoved', moves: 1 });
    await pool.converged(streams, 2);
  });

  it('an event and the explanation say why a failing stream moved', async () => {
    expect(await pool.events()).toContainEqual({
      reason: 'FailingStreamsMoved',
      note: '1 stream moves to another worker (s1 from worker-0 to worker-1): it failed at its worker for 60 s (streamPolicy.moveAfterSeconds)',
    });
    expect(await explained('s1')).toContain('it moved here because it failed at worker-0');
  });

  it('a moved stream is not carried back by another operator, nor by a new stream', async () => {
    await operator.end('SIGKILL');
    operator = await swarm.operator('--leader-election', 'false');
    const { version = 0 } = (await pool.status()) ?? {};
    await pool.streams([...streams, 's6']);
    await pool.until('has the new stream', (it) => (it.version ?? 0) > version && isWell(it));
    const { 'worker-0': first, 'worker-1': second } = await jobsOf();
    expect(first).not.toContain('s1');
    expect(second).toEqual(expect.arrayContaining(['s1', 's3', 's4', 's5']));
    expect((await pool.status())?.version).toBe(version + 1);
  });

  it('moveAfterSeconds is refused where workers are not probed, and out of its range', async () => {
    await expect(pool.edit({ probe: { type: 'None' } })).rejects.toThrow(
      'streamPolicy.moveAfterSeconds needs workers that tell: probe.type must be HTTPGet',
    );
    await expect(pool.edit({ streamPolicy: { moveAfterSeconds: 59 } })).rejects.toThrow(
      'should be greater than or equal to 60',
    );
  });
});
