// Does a user see which stream fails, and can do something about just that one?
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SwarmPoolStatus } from '../../../src/api/validate.ts';
import { patchSpecStreams } from '../../../src/cli/cluster/spec-stream.ts';
import { eventually } from '../../support/processes.ts';
import { openSession, type Session } from '../cli/session.ts';
import type { Told } from '../cli/swarmctl.ts';
import type { Pool } from '../support/pool.ts';
import { names } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

const namespace = 'one-stream';
const well = names(4);
const streams = [...well, 'broken'];
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-one-stream-'));
/** While this file is not there, the source of `broken` is off. */
const source = path.join(folder, 'source');
/** Each start of a process is a line in it. */
const starts = path.join(folder, 'starts');
const program = `echo "$1" >> ${starts}
[ "$1" != broken ] || [ -e ${source} ] || { echo "the source is off" >&2; exit 1; }
exec sleep 1000`;

let swarm: Swarm;
let pool: Pool;
let session: Session;

beforeAll(async () => {
  writeFileSync(starts, '');
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  const args = ['--backoff-initial', '200ms', '--', 'sh', '-c', program, 'sh', '{stream}'];
  pool = await swarm.pool(namespace, { streams, workers: 2, worker: { args } });
  session = openSession(swarm.playground.plane.kubeconfig);
  await pool.converged(streams, 2);
});

afterAll(async () => {
  await session?.end();
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

const swarmctl = (...args: readonly string[]): Promise<Told> =>
  session.type(...args, '-n', namespace);
const startsOf = (stream: string): number =>
  readFileSync(starts, 'utf8')
    .split('\n')
    .filter((line) => line === stream).length;
const ownerOf = async (stream: string): Promise<string | undefined> =>
  [...(await pool.published()).slices].find(([, { jobs, suspended = [] }]) =>
    [...jobs, ...suspended].includes(stream),
  )?.[0];
const isConverged = ({ workers, convergedReplicas }: SwarmPoolStatus): boolean =>
  workers?.length === 2 && convergedReplicas === 2;
const isHealthy = ({ conditions }: SwarmPoolStatus): boolean =>
  conditions?.some(({ type, status }) => type === 'StreamsHealthy' && status === 'True') === true;

describe('a stream whose program crashes', () => {
  it('a crashing stream is in status with its worker and its last words, and the pool stays Ready', async () => {
    const { failing, streams: counts } = await pool.until(
      'tells that a stream fails',
      (status) => status.streams?.failing === 1,
    );
    expect(counts).toMatchObject({ total: 5, assigned: 5, failing: 1 });
    expect(failing).toMatchObject([
      {
        name: 'broken',
        worker: await ownerOf('broken'),
        state: 'Restarting',
        message: 'exit code 1: the source is off',
      },
    ]);
    expect(await pool.condition('StreamsHealthy')).toMatchObject({
      status: 'False',
      reason: 'StreamsFailing',
      message: expect.stringContaining('broken at worker-'),
    });
    expect(await pool.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('an event names a crashing stream and its last words', () =>
    eventually('an event tells it', async () =>
      (await pool.events()).some(
        ({ reason, note }) =>
          reason === 'StreamsFailing' &&
          note.includes('broken') &&
          note.includes('the source is off'),
      ),
    ));

  it('swarmctl streams shows a crashing stream', async () => {
    const { code, stdout } = await swarmctl('streams', 'tv', '--failing');
    expect(stdout).toMatch(/broken +worker-\d .*Restarting.*exit code 1: the source is off/);
    expect(stdout).not.toContain('s0');
    expect(code).toBe(1);
  });
});

describe('suspend', () => {
  it('a suspended stream keeps its place, and is no longer failing', async () => {
    const worker = await ownerOf('broken');
    const { code, stdout } = await swarmctl('suspend', 'tv', 'broken');
    expect(stdout).toBe(
      `stream broken of SwarmPool ${namespace}/tv is suspended, and keeps its worker\n`,
    );
    expect(code).toBe(0);
    const status = await pool.until(
      'has suspended it',
      (it) => it.streams?.suspended === 1 && isConverged(it) && isHealthy(it),
    );
    expect(status.streams).toMatchObject({ assigned: 5, failing: 0 });
    expect(await ownerOf('broken')).toBe(worker);
    expect((await swarmctl('streams', 'tv')).stdout).toMatch(/broken +worker-\d .*Suspended/);
    expect((await swarmctl('restart', 'tv', 'broken')).stderr).toContain('is suspended');
  });

  it('a change of a stream is refused where another stream has its place in the list', async () => {
    const place = { api: swarm.api, namespace };
    const change = { index: 0, stream: { name: 'broken' }, field: 'suspend', value: true } as const;
    await expect(patchSpecStreams(place, 'tv', [change])).rejects.toThrow(
      `SwarmPool ${namespace}/tv was not changed`,
    );
  });

  it('a resumed stream runs again, and with maxRestarts its worker gives it up', async () => {
    await pool.edit({ streamPolicy: { maxRestarts: 3 } });
    await pool.until('is converged', isConverged);
    expect((await swarmctl('resume', 'tv', 'broken')).stdout).toContain('no longer');
    const { failing, streams: counts } = await pool.until(
      'tells that it has failed',
      (status) => status.failing?.[0]?.state === 'Failed',
    );
    expect(failing).toMatchObject([{ name: 'broken', message: 'exit code 1: the source is off' }]);
    expect(counts).not.toHaveProperty('suspended');
    const { stdout } = await swarmctl('streams', 'tv', '--failing');
    expect(stdout).toMatch(/broken +worker-\d .*Failed.* 3 /);
  });
});

describe('restart', () => {
  it('swarmctl restart restarts just one stream', async () => {
    writeFileSync(source, '');
    const worker = await ownerOf('broken');
    expect((await swarmctl('restart', 'tv', 'broken')).stdout).toBe(
      `stream broken of SwarmPool ${namespace}/tv restarts on ${worker}\n`,
    );
    const status = await pool.until('is well', (it) => isHealthy(it) && isConverged(it));
    expect(status.history?.[0]).toMatchObject({ reason: 'StreamRestarted', moves: 0 });
    expect(status.streams).toMatchObject({ failing: 0 });
    expect(await ownerOf('broken')).toBe(worker);
    expect(well.map(startsOf)).toEqual([1, 1, 1, 1]);
  });

  it('the annotation by kubectl restarts just one stream, and its removal restarts none', async () => {
    const { version = 0, observedGeneration: seen = 0 } = await pool.until(
      'is converged',
      isConverged,
    );
    const annotation = 'k8slab.info/restart=s0 now';
    await swarm.kubectl('-n', namespace, 'annotate', 'swarmpool', 'tv', '--overwrite', annotation);
    await pool.until('has restarted it', (it) => it.version === version + 1 && isConverged(it));
    expect(well.map(startsOf)).toEqual([2, 1, 1, 1]);
    await swarm.kubectl('-n', namespace, 'annotate', 'swarmpool', 'tv', 'k8slab.info/restart-');
    await pool.edit({ rebalance: { policy: 'WhenRequired' } });
    await pool.until('has seen it', (it) => (it.observedGeneration ?? 0) > seen && isConverged(it));
    expect((await pool.status())?.version).toBe(version + 1);
    expect(well.map(startsOf)).toEqual([2, 1, 1, 1]);
  });
});

describe('move and cordon', () => {
  const other = (worker: string | undefined): string =>
    worker === 'worker-0' ? 'worker-1' : 'worker-0';

  it('swarmctl move runs a stream at another worker, until it is released', async () => {
    const to = other(await ownerOf('s0'));
    expect((await swarmctl('move', 'tv', 's0', to)).stdout).toBe(
      `stream s0 of SwarmPool ${namespace}/tv is pinned to ${to}, and moves there\n`,
    );
    await pool.until('has moved it', async (it) => isConverged(it) && (await ownerOf('s0')) === to);
    expect((await swarmctl('move', 'tv', 's0', '--release')).code).toBe(0);
    expect((await swarmctl('move', 'tv', 's0', '--release')).stdout).toContain('is not pinned');
  });

  it('swarmctl cordon empties a worker, and uncordon ends that', async () => {
    const worker = (await ownerOf('s1')) ?? '';
    expect((await swarmctl('cordon', 'tv', worker)).code).toBe(0);
    await pool.until('has emptied it', async (it) => {
      const slice = (await pool.published()).slices.get(worker);
      return isConverged(it) && slice?.jobs.length === 0;
    });
    const last = await swarmctl('cordon', 'tv', other(worker));
    expect(last).toMatchObject({ code: 1, stderr: expect.stringContaining('NoWorkers') });
    expect((await swarmctl('uncordon', 'tv', worker)).code).toBe(0);
    const cordoned = ({ workers = [] }: SwarmPoolStatus): boolean =>
      workers.some(({ state }) => state === 'Cordoned');
    await pool.until('has it back', (it) => isConverged(it) && !cordoned(it));
  });
});
