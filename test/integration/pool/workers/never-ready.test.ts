// What happens to workers that were never Ready? A StatefulSet starts one pod after the other, and
// the second never becomes Ready.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANNOTATION_NEVER_READY } from '../../../../src/pool/publish/config-map.ts';
import { eventually } from '../../../support/processes.ts';
import type { Pool } from '../../support/pool.ts';
import { fenced, names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

const streams = names(9);
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-never-'));
const cure = path.join(folder, 'cured');
const workers = { selector: { matchLabels: { app: 'worker' } } };
const sick = `test "$POD_NAME" != worker-1 || test -e ${cure}`;
const readinessProbe = {
  exec: { command: ['sh', '-c', sick] },
  periodSeconds: 1,
  timeoutSeconds: 30,
};
const set = { podManagementPolicy: 'OrderedReady' };
const forever = ['sleep', '1000000'];

let swarm: Swarm;
let pool: Pool;
let alone: Pool;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  const spec = { workers: { ...workers, failover: { timeoutSeconds: 3 } } };
  pool = await swarm.pool('never', { streams, workers: 3, set, worker: { readinessProbe }, spec });
  const { worker, ...fence } = fenced(...forever);
  const handoff = { type: 'Exclusive' };
  alone = await swarm.pool('alone', {
    streams,
    workers: 3,
    set,
    ...fence,
    worker: { ...worker, readinessProbe },
    spec: { workers: { ...workers, failover: { timeoutSeconds: 3_600 } }, handoff },
  });
});

afterAll(async () => {
  await swarm.stop();
  rmSync(folder, { recursive: true });
});

const sizes = async (of: Pool): Promise<readonly number[]> =>
  [...(await of.published()).slices.values()].map(({ jobs }) => jobs.length);
const noted = async (of: Pool): Promise<string | undefined> =>
  (await of.published()).object.metadata.annotations?.[ANNOTATION_NEVER_READY];

describe('workers that have never been Ready', () => {
  it('workers that were never Ready lose their streams, even when they are more than half', async () => {
    await pool.until(
      'one worker runs all streams',
      ({ workers: told }) => told?.[0]?.state === 'Converged' && told[0].jobs?.length === 9,
    );
    expect(await sizes(pool)).toEqual([9, 0, 0]);
    expect(await noted(pool)).toBe('["worker-1","worker-2"]');
    const told = (await pool.status())?.workers
      ?.slice(1)
      .map(({ state, message }) => `${state}: ${message}`);
    expect(told).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('Missing: never Ready yet')),
    );
  });

  it('with Exclusive workers that were never Ready lose their streams only where there is no pod', async () => {
    const freed = ({
      workers: told,
    }: {
      readonly workers?: readonly { readonly jobs?: readonly string[] }[];
    }): boolean => told?.[2]?.jobs?.length === 0;
    await eventually(
      'there is a pod that never becomes Ready',
      async () => (await alone.pods()).length === 2,
    );
    await alone.edit({ workers: { failover: { timeoutSeconds: 3 } } });
    await alone.until('the streams of the worker without a pod have moved', freed);
    expect(await sizes(alone)).toEqual([5, 4, 0]);
  });

  it('workers get streams when they become Ready for the first time, and the note is removed', async () => {
    writeFileSync(cure, '');
    for (const it of [pool, alone]) {
      await it.converged(streams, 3);
      expect(await sizes(it)).toEqual([3, 3, 3]);
      expect(await noted(it)).toBeUndefined();
    }
  });
});
