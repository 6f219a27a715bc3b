// How long does it take from a change until the workers themselves confirm it?

import { setTimeout as delay } from 'node:timers/promises';
import { it } from '@jest/globals';
import { quantile, secondsSince } from '../../../bench/instruments/measure.ts';
import { kinds } from '../../../src/api/kinds.ts';
import type { Pool } from '../../integration/support/pool.ts';
import { names } from '../../integration/support/shape.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { isReady, type World } from '../world.ts';

const EDITS = 30;
const SCALES = 3;
/** A kubelet has long finished with the previous change. */
const apartMs = 2_000;
const streams = names(27);

export function latencies(world: () => World): void {
  it('all affected workers confirm a changed list', async () => {
    const pool = await world().pool('latency', { streams, workers: 5 });
    await pool.converged(streams, 5, 120);
    const single = await edits(pool, EDITS, apartMs);
    const p99 = quantile(single, 0.99);
    note({
      name: 'P3 stream list changed -> every affected worker confirmed, 5 workers, Reload',
      value: `p99 ${seconds(p99)}`,
      target: '<= 1 s',
      isReached: p99 <= 1,
      note: `median ${seconds(quantile(single, 0.5))}, p90 ${seconds(quantile(single, 0.9))} of ${EDITS} edits, ${apartMs / 1000} s apart`,
    });
    const rapid = await edits(pool, EDITS, 0);
    note({
      name: 'the same, each edit as soon as the one before is confirmed',
      value: `p99 ${seconds(quantile(rapid, 0.99))}`,
      note: `median ${seconds(quantile(rapid, 0.5))}: a kubelet takes up a pod that it has just synced about a second later`,
    });
    await pool.streams(streams);
    await pool.converged(streams, 5, 120);
  });

  it('all workers confirm a scaled pool soon after the last pod is Ready', async () => {
    const pool = world().poolIn('latency');
    const times: { ready: number; all: number }[] = [];
    for (let round = 0; round < SCALES; round += 1) {
      await pool.scale(3);
      await pool.converged(streams, 3, 120);
      const start = performance.now();
      await pool.scale(5);
      await eventually(
        '5 pods are Ready',
        async () => (await readyPods(world(), 'latency')) === 5,
        180,
      );
      const ready = secondsSince(start);
      await pool.until(
        'is confirmed by 5',
        ({ convergedReplicas, replicas }) => replicas === 5 && convergedReplicas === 5,
        180,
      );
      times.push({ ready, all: secondsSince(start) });
      await pool.converged(streams, 5, 120);
    }
    const extra = Math.max(...times.map(({ ready, all }) => all - ready));
    note({
      name: 'P5 scale 3 -> 5 until all five confirm',
      value: `pod start + ${seconds(extra)}`,
      target: 'pod start + 1 s',
      isReached: extra <= 1,
      note: `in all ${times.map(({ all }) => seconds(all)).join(', ')}; the last pod Ready after ${times.map(({ ready }) => seconds(ready)).join(', ')}`,
    });
    await world().kubectl('delete', 'namespace', 'latency', '--wait=false');
  });
}

/** Each replaces five streams. */
async function edits(pool: Pool, count: number, pauseMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let edit = 0; edit < count; edit += 1) {
    await delay(pauseMs);
    const { version = 0 } = (await pool.status()) ?? {};
    const start = performance.now();
    await pool.streams([...streams.slice(5), ...names(5, `edit${pauseMs}-${edit}-`)]);
    await confirmed(pool, version, 5);
    times.push(secondsSince(start));
  }
  return times;
}

/** By the pool's status, which is written when the last worker has confirmed. */
const confirmed = (pool: Pool, after: number, workers: number): Promise<unknown> =>
  pool.until(
    'confirms',
    (status) => (status.version ?? 0) > after && status.convergedReplicas === workers,
    120,
  );

async function readyPods(world: World, namespace: string): Promise<number> {
  return (await world.api.list(kinds.Pod, namespace)).items.filter(isReady).length;
}
