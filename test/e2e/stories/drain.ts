// Can a node be drained under a running pool, and no faster than its disruption budget allows?

import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { names } from '../../integration/support/shape.ts';
import { note, seconds } from '../figures.ts';
import { isReady, type World } from '../world.ts';

const NODE = 'node-2';
const WORKERS = 4;
const streams = names(12);

export function drain(world: () => World): void {
  it('kubectl drain empties a node, one worker at a time, and every stream stays with its worker', async () => {
    const [pool, recorder] = await world().recordedPool('drain', { streams, workers: WORKERS });
    await world().kubectl(
      '-n',
      'drain',
      'create',
      'poddisruptionbudget',
      'workers',
      '--selector=app=worker',
      '--max-unavailable=1',
    );
    const before = await pool.converged(streams, WORKERS, 120);
    const slices = await pool.published();
    const there = (await pool.pods()).filter(isOn(NODE)).length;
    expect(there).toBeGreaterThan(0);

    const start = performance.now();
    const drained = world().kubectl(
      'drain',
      NODE,
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--timeout=400s',
    );
    const counts = await observeDuring(
      drained,
      async () => (await pool.pods()).filter((pod) => isReady(pod) && !isGoing(pod)).length,
    );
    note({
      name: `kubectl drain of a node with ${there} of ${WORKERS} workers, maxUnavailable 1`,
      value: seconds(secondsSince(start)),
    });
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(WORKERS - 1);

    const after = await pool.converged(streams, WORKERS, 120);
    expect((await pool.pods()).filter(isOn(NODE))).toEqual([]);
    expect(after.version).toBe(before.version);
    expect((await pool.published()).slices).toEqual(slices.slices);
    expect(recorder.overlaps()).toEqual([]);
  });

  it('a node gets workers again after uncordon', async () => {
    const pool = world().poolIn('drain');
    await world().kubectl('uncordon', NODE);
    await pool.scale(WORKERS + 2);
    await pool.converged(streams, WORKERS + 2, 120);
    expect((await pool.pods()).filter(isOn(NODE)).length).toBeGreaterThan(0);
    await world().kubectl('delete', 'namespace', 'drain', '--wait=false');
  });
}

const isOn =
  (node: string) =>
  (pod: KubeObject): boolean =>
    asString(dig(pod, 'spec', 'nodeName')) === node;

const isGoing = (pod: KubeObject): boolean => pod.metadata.deletionTimestamp !== undefined;

/** Checks repeatedly until the work is done; returns what it saw. */
async function observeDuring<T>(
  work: Promise<unknown>,
  look: () => Promise<T>,
): Promise<readonly T[]> {
  const seen: T[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) seen.push(await look());
  await done;
  return seen;
}
