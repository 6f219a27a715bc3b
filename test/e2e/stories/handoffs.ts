// Do two processes ever run for one stream, and how long, with each handoff and each refresh mode?
import { expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { Pool } from '../../integration/support/pool.ts';
import { names } from '../../integration/support/shape.ts';
import { note } from '../figures.ts';
import type { Recorder } from '../recorder.ts';
import type { World } from '../world.ts';

const streams = names(9);
const podInfo = {
  name: 'podinfo',
  downwardAPI: {
    items: [
      { path: 'assigned', fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" } },
    ],
  },
};

export function handoffs(world: () => World): void {
  it.each(['Reload', 'Restart'])(
    'no stream is lost with refresh %s, and moving streams may overlap for a moment',
    async (mode) => {
      const namespace = mode.toLowerCase();
      const [pool, recorder] = await world().recordedPool(namespace, {
        streams,
        workers: 2,
        spec: { refresh: { mode, maxUnavailable: 1 } },
      });
      await scaleAndEdit(pool, 150);
      report(mode, recorder);
      await world().kubectl('delete', 'namespace', namespace, '--wait=false');
    },
  );

  it('no stream ever has two processes with Exclusive, also when a worker or its pod is killed', async () => {
    const [pool, recorder] = await world().recordedPool('exclusive', {
      streams,
      workers: 2,
      spec: { handoff: { type: 'Exclusive' } },
      args: ['--assigned-file', '/etc/podinfo/assigned'],
      volumes: [podInfo],
    });
    await scaleAndEdit(pool, 120);
    const victim = await world().api.get(kinds.Pod, { namespace: 'exclusive', name: 'worker-0' });
    await world().signal(victim, 'SIGKILL');
    await pool.streams(streams.slice(3));
    await pool.converged(streams.slice(3), 2, 120);
    await world().kubectl('-n', 'exclusive', 'delete', 'pod', 'worker-1', '--wait=false');
    await pool.streams(streams);
    await pool.converged(streams, 2, 120);
    report('Exclusive', recorder);
    expect(recorder.overlaps()).toEqual([]);
    await world().kubectl('delete', 'namespace', 'exclusive', '--wait=false');
  });
}

async function scaleAndEdit(pool: Pool, patience: number): Promise<void> {
  await pool.converged(streams, 2, patience);
  await pool.scale(4);
  await pool.converged(streams, 4, patience);
  await pool.streams([...streams.slice(2), 'late']);
  await pool.converged([...streams.slice(2), 'late'], 4, patience);
  await pool.scale(2);
  await pool.streams(streams);
  await pool.converged(streams, 2, patience);
}

function report(name: string, recorder: Recorder): void {
  const overlaps = recorder.overlaps();
  const longest = Math.max(0, ...overlaps.map(({ ms }) => ms));
  note({
    name: `${name}: overlaps of two processes for one stream`,
    value:
      overlaps.length === 0 ? 'none' : `${overlaps.length}, the longest ${longest.toFixed(0)} ms`,
    note: `${recorder.runs().length} processes for ${streams.length + 1} streams, scaled 2 -> 4 -> 2 and edited`,
  });
}
