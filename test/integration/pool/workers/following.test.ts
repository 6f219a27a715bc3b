// Does a pool that follows its StatefulSets move only the streams that it must?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { parsePod } from '../../../../src/api/observed.ts';
import { defaultImages } from '../../../../src/playground/node/images.ts';
import { eventually } from '../../../support/processes.ts';
import { Pool } from '../../support/pool.ts';
import { names, workload } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;

/** Like the ordinary worker, but the third waits for this file before it starts. */
const gate = path.join(mkdtempSync(path.join(tmpdir(), 'swarm-gate-')), 'open');
const [node = '', main = ''] = defaultImages['swarm-worker']?.command ?? [];
const late = `[ $POD_NAME != worker-2 ] || until [ -e ${gate} ]; do sleep 0.1; done; exec ${node} ${main}`;

beforeAll(async () => {
  swarm = await Swarm.start({
    node: { images: { ...defaultImages, 'late-worker': { command: ['sh', '-c', late] } } },
  });
  await swarm.operator('--leader-election', 'false');
});

afterAll(async () => {
  await swarm.stop();
  rmSync(path.dirname(gate), { recursive: true });
});

async function published(pool: Pool): Promise<Readonly<Record<string, readonly string[]>>> {
  return Object.fromEntries(
    [...(await pool.published()).slices].map(([worker, { jobs }]) => [worker, jobs]),
  );
}

const uids = async (pool: Pool): Promise<readonly string[]> =>
  (await pool.pods()).map(({ metadata }) => metadata.uid ?? '');

describe.each(['OrderedReady', 'Parallel'])(
  'a StatefulSet whose pods start %s',
  (podManagementPolicy) => {
    const streams = names(9);
    const namespace = podManagementPolicy.toLowerCase();
    let pool: Pool;

    it('a new StatefulSet is assigned in one version', async () => {
      pool = await swarm.pool(namespace, { streams, workers: 3, set: { podManagementPolicy } });
      expect((await pool.converged(streams, 3)).version).toBe(1);
    });

    it('a restarted StatefulSet moves no stream', async () => {
      const before = await pool.published();
      const pods = await uids(pool);
      await swarm.kubectl('-n', namespace, 'rollout', 'restart', 'statefulset/worker');
      await swarm.kubectl(
        '-n',
        namespace,
        'rollout',
        'status',
        'statefulset/worker',
        '--timeout=150s',
      );
      await pool.converged(streams, 3);
      expect((await uids(pool)).filter((uid) => pods.includes(uid))).toEqual([]);
      const after = await pool.published();
      expect(after.object.metadata.resourceVersion).toBe(before.object.metadata.resourceVersion);
      expect((await pool.status())?.history).toHaveLength(1);
    });

    it('live workers keep their streams while new pods are Pending, until those are Ready', async () => {
      const before = await published(pool);
      await swarm.kubectl('cordon', 'node-1');
      await pool.scale(5);
      const status = await pool.until(
        'has an entry for each',
        ({ workers }) => workers?.length === 5,
      );
      expect(status.workers?.slice(3)).toMatchObject([
        { name: 'worker-3', jobs: [], state: 'Pending' },
        { name: 'worker-4', jobs: [], state: 'Pending' },
      ]);
      expect(await published(pool)).toEqual({ ...before, 'worker-3': [], 'worker-4': [] });
      expect(await pool.condition('Converged')).toMatchObject({
        status: 'False',
        message: expect.stringMatching(/^worker-3(, worker-4)? Pending/),
      });
      await swarm.kubectl('uncordon', 'node-1');
      await pool.converged(streams, 5);
    });

    it('a StatefulSet can be scaled to 0 and back', async () => {
      await pool.scale(0);
      await pool.until(
        'has no worker',
        ({ replicas, streams: count, workers }) =>
          replicas === 0 && count?.assigned === 0 && workers?.length === 0,
      );
      expect(await pool.condition('Ready')).toMatchObject({ status: 'False', reason: 'NoWorkers' });
      await pool.scale(2);
      await pool.converged(streams, 2);
      expect(
        Object.values(await published(pool))
          .map(({ length }) => length)
          .sort(),
      ).toEqual([4, 5]);
    });
  },
);

describe('workers of which one cannot start yet', () => {
  const streams = names(6);

  it('Ready workers join without one that cannot start yet, and that one joins later', async () => {
    const pool = await swarm.pool('halting', {
      streams,
      workers: 1,
      worker: { image: 'late-worker' },
    });
    await pool.converged(streams, 1);
    await pool.scale(3);
    const status = await pool.until(
      'the second has streams, and the operator has seen the third',
      ({ workers }) =>
        workers?.[1]?.jobs?.length === 3 && workers[2]?.message === 'its pod is not Ready',
    );
    expect(status.workers?.[2]).toMatchObject({ name: 'worker-2', jobs: [], state: 'Pending' });
    writeFileSync(gate, '');
    await pool.converged(streams, 3);
  });
});

describe('spec.ordinals.start', () => {
  const streams = names(4);

  it('an ordinal start names the workers, and pins refer to it', async () => {
    const spec = {
      streams: streams.map((name) => ({ name, ...(name === 's3' && { ordinal: 6 }) })),
    };
    const pool = await swarm.pool('ordinals', {
      streams,
      workers: 2,
      spec,
      set: { ordinals: { start: 5 } },
    });
    await pool.converged(streams, 2);
    expect(await published(pool)).toEqual({ 'worker-5': ['s0', 's1'], 'worker-6': ['s2', 's3'] });
  });

  it('a changed ordinal start makes other workers, and all streams move to those', async () => {
    const { api } = swarm;
    const ref = { namespace: 'ordinals', name: 'worker' };
    await api.patch(kinds.StatefulSet, ref, {
      type: 'merge',
      body: { spec: { ordinals: { start: 6 } } },
    });
    await eventually('worker-5 is gone', async () => {
      const pods = (await api.list(kinds.Pod, 'ordinals')).items.map(parsePod);
      return (
        pods
          .map(({ name }) => name)
          .sort()
          .join() === 'worker-6,worker-7' && pods.every(({ isReady }) => isReady)
      );
    });
    const pool = new Pool(swarm, 'ordinals');
    await pool.converged(streams, 2);
    expect((await published(pool))['worker-6']).toContain('s3');
  });
});

describe('several StatefulSets under one selector', () => {
  const streams = names(8);

  it('several StatefulSets are one set of workers, and each can be scaled or deleted alone', async () => {
    const pool = await swarm.pool('several', { streams, workers: 2 });
    await pool.converged(streams, 2);
    await swarm.create(kinds.StatefulSet, 'several', 'second', workload({ streams, workers: 2 }));
    const status = await pool.converged(streams, 4);
    expect(status.target).toBe('StatefulSet/second,StatefulSet/worker');
    expect(Object.values(await published(pool)).map(({ length }) => length)).toEqual([2, 2, 2, 2]);
    await pool.scale(1);
    await pool.converged(streams, 3);
    await swarm.api.delete(kinds.StatefulSet, { namespace: 'several', name: 'second' });
    await pool.converged(streams, 1);
  });
});
