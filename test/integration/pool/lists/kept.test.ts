// Does the process of a stream go on when a user mistypes its weight or its pin, and after another
// operator has taken over?
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperatorProcess } from '../../../../src/playground/operator-process.ts';
import { eventually } from '../../../support/processes.ts';
import { openSession, type Session } from '../../cli/session.ts';
import type { Told } from '../../cli/swarmctl.ts';
import type { Pool } from '../../support/pool.ts';
import { Swarm } from '../../support/swarm.ts';

type Listed = { readonly name: string; readonly weight?: number; readonly ordinal?: number };

const namespace = 'kept';
const list: readonly Listed[] = [
  { name: 'a', weight: 60 },
  { name: 'b', weight: 50 },
  { name: 'c', weight: 20 },
];
const changed = (change: Partial<Listed>, more: readonly Listed[] = []): readonly Listed[] => [
  ...list.map((it) => (it.name === 'a' ? { ...it, ...change } : it)),
  ...more,
];
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-kept-'));
/** Each start of a process is a line in it: the stream and the process. */
const starts = path.join(folder, 'starts');
// Kubernetes makes one dollar sign of two.
const program = `echo "$1 $$$$" >> ${starts}; exec sleep 1000`;

let swarm: Swarm;
let operator: OperatorProcess;
let pool: Pool;
let session: Session;

beforeAll(async () => {
  writeFileSync(starts, '');
  swarm = await Swarm.start();
  operator = await swarm.operator('--leader-election', 'false');
  const args = ['--', 'sh', '-c', program, 'sh', '{stream}'];
  pool = await swarm.pool(namespace, {
    streams: [],
    workers: 2,
    worker: { args },
    spec: { streams: list },
  });
  session = openSession(swarm.playground.plane.kubeconfig);
  await pool.converged(['a', 'b', 'c'], 2);
});

afterAll(async () => {
  await session?.end();
  await swarm?.stop();
  rmSync(folder, { recursive: true });
});

const swarmctl = (...args: readonly string[]): Promise<Told> =>
  session.type(...args, '-n', namespace);

/** Every process that was ever started for a stream. */
const processesOf = (stream: string): readonly string[] =>
  readFileSync(starts, 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith(`${stream} `) ? [line.slice(stream.length + 1)] : []));

/** When it was started, in ticks since the machine was; it throws when the process has ended. */
const startOf = (pid: string): string | undefined =>
  readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19];

const isKept = async (reason: string): Promise<string> => {
  const status = await pool.until('keeps a', ({ kept }) => kept?.[0]?.reason === reason);
  expect(status.streams).toMatchObject({ total: 3, assigned: 3, unassigned: 0 });
  return status.kept?.[0]?.message ?? '';
};

describe('a running stream', () => {
  it('a running stream goes on when its weight is mistyped, and status and swarmctl say so', async () => {
    const [pid = ''] = processesOf('a');
    const start = startOf(pid);
    const { version } = await pool.published();
    await pool.edit({ streams: changed({ weight: 600 }) });
    const message = await isKept('TooHeavy');
    expect(message).toContain('weight is 600, but spec.workers.capacity is 100');
    expect(await pool.condition('Ready')).toMatchObject({
      ...{ status: 'False', reason: 'TooHeavy', message: expect.stringContaining(message) },
    });
    for (const command of ['explain', 'streams', 'status', 'plan'])
      expect(
        (await swarmctl(command, 'tv', ...(command === 'explain' ? ['a'] : []))).stdout.replace(
          /\s+/g,
          ' ',
        ),
      ).toContain('weight is 600');
    expect((await pool.published()).version).toBe(version);
    expect(processesOf('a')).toEqual([pid]);
    expect(startOf(pid)).toBe(start);
  });

  it('a kept stream goes on when another operator takes over, and when another stream is added', async () => {
    const [pid = ''] = processesOf('a');
    const start = startOf(pid);
    await operator.end();
    operator = await swarm.operator('--leader-election', 'false');
    await pool.edit({ streams: changed({ weight: 600 }, [{ name: 'd', weight: 10 }]) });
    await pool.converged(['a', 'b', 'c', 'd'], 2);
    const { kept } = (await pool.status()) ?? {};
    expect(kept).toMatchObject([{ name: 'a', reason: 'TooHeavy' }]);
    expect(processesOf('a')).toEqual([pid]);
    expect(startOf(pid)).toBe(start);
    const told = (await pool.events()).filter(({ reason }) => reason === 'TooHeavy');
    expect(told).toHaveLength(1);
    await pool.edit({ streams: list });
    await pool.converged(['a', 'b', 'c'], 2);
    expect(await pool.condition('Ready')).toMatchObject({ status: 'True' });
    expect(processesOf('a')).toEqual([pid]);
  });

  it('a stream that is pinned to a missing worker goes on until that worker exists', async () => {
    const [pid = ''] = processesOf('a');
    const start = startOf(pid);
    await pool.edit({ streams: changed({ ordinal: 2 }) });
    expect(await isKept('PinnedWorkerMissing')).toContain(
      'ordinal is 2, but there is no such worker, only 0 to 1',
    );
    expect(processesOf('a')).toEqual([pid]);
    expect(startOf(pid)).toBe(start);
    await pool.scale(3);
    await pool.converged(['a', 'b', 'c'], 3);
    expect((await pool.published()).slices.get('worker-2')?.jobs).toContain('a');
    await eventually('it is Ready', async () => (await pool.condition('Ready'))?.status === 'True');
    expect(processesOf('a')).toHaveLength(2);
  });

  it('a kept stream loses its worker when others need its room', async () => {
    const heavy = [
      { name: 'd', weight: 90 },
      { name: 'e', weight: 90 },
    ];
    await pool.edit({ streams: changed({ weight: 600 }, heavy) });
    const { unassigned, kept } = await pool.until(
      'has no worker for a',
      (status) => status.unassigned?.some(({ name }) => name === 'a') === true,
    );
    expect(unassigned).toMatchObject([{ name: 'a', reason: 'TooHeavy' }]);
    expect(kept).toBeUndefined();
  });
});
