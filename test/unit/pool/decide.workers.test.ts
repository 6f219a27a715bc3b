// What does the operator do about a pool when its workers come and go?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { settled } from '../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  pod,
  scaled,
  versionOf,
  withPod,
  withPresence,
  world,
} from '../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

describe('scaling', () => {
  it('scaling up takes no stream from live workers until the new ones are Ready', () => {
    const at = settled(world({ streams: 6, workers: 2 }));
    const pending = settled(scaled(at, 3, { isReady: false }));
    expect(jobsOf(pending)).toEqual({
      'worker-0': ['s0', 's1', 's2'],
      'worker-1': ['s3', 's4', 's5'],
      'worker-2': [],
    });
    expect(conditionOf(pending, 'Converged')).toMatchObject({
      status: 'False',
      message: 'worker-2 Pending (its pod is not Ready)',
    });
    const joined = settled(withPod(pending, 2, { isReady: true }));
    expect(jobsOf(joined)).toEqual({
      'worker-0': ['s0', 's1'],
      'worker-1': ['s3', 's4'],
      'worker-2': ['s2', 's5'],
    });
  });

  it('scaling down moves the streams of leaving workers at once, and keeps an entry for a pod that still runs', () => {
    const at = settled(world({ streams: 6, workers: 3 }));
    const [target] = at.targets;
    if (target === undefined) throw new Error('no target');
    const next = settled(
      withPod({ ...at, targets: [{ ...target, replicas: 2 }] }, 2, {
        isTerminating: true,
        isReady: false,
      }),
    );
    expect(jobsOf(next)).toEqual({
      'worker-0': ['s0', 's1', 's4'],
      'worker-1': ['s2', 's3', 's5'],
      'worker-2': [],
    });
    expect(Object.keys(jobsOf(settled({ ...next, pods: next.pods.slice(0, 2) })))).toEqual([
      'worker-0',
      'worker-1',
    ]);
  });

  it('scaling to zero leaves all streams unassigned and says so; scaling up again deals them out anew', () => {
    const none = settled(scaled(settled(world({ streams: 4, workers: 2 })), 0));
    expect(conditionOf(none, 'Ready')).toMatchObject({ status: 'False', reason: 'NoWorkers' });
    expect(none.pool.status).toMatchObject({
      streams: { total: 4, assigned: 0, unassigned: 4 },
      replicas: 0,
    });
    expect(jobsOf(settled(scaled(none, 2, { isReady: false })))).toEqual({
      'worker-0': ['s0', 's1'],
      'worker-1': ['s2', 's3'],
    });
  });

  it('a rolling restart of the StatefulSet moves no stream', () => {
    let at = settled(world({ streams: 9, workers: 3 }));
    const before = jobsOf(at);
    for (const ordinal of [2, 1, 0]) {
      at = settled({ ...at, pods: at.pods.filter(({ name }) => name !== `worker-${ordinal}`) });
      at = settled({
        ...at,
        pods: [...at.pods, pod(ordinal, { uid: `new-${ordinal}`, isReady: false })],
      });
      at = settled(withPod(at, ordinal, { isReady: true }));
      expect(jobsOf(at)).toEqual(before);
      expect(versionOf(at)).toBe(1);
    }
  });
});

describe('workers that start together', () => {
  const two = (readyMs: Readonly<Record<string, number>>): PoolWorld => {
    const at = scaled(settled(world({ streams: 12, workers: 2 })), 4, { isReady: false });
    const next = withPod(settled(at), 2, { isReady: true });
    return withPresence(next, { readyMs });
  };

  it('workers that start together join together: one waits a moment for the others', () => {
    const at = two({ 'worker-2': 100 });
    expect(jobsOf(settled(at))['worker-2']).toEqual([]);
    expect(decide(settled(at)).requeueAfterMs).toBe(400);
    expect(
      Object.values(jobsOf(settled(withPod(at, 3, { isReady: true })))).map((jobs) => jobs.length),
    ).toEqual([3, 3, 3, 3]);
  });

  it('a new worker waits no longer than half a second for the others', () => {
    expect(jobsOf(settled(two({ 'worker-2': 500 })))['worker-2']).toHaveLength(4);
  });
});
