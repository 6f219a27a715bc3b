import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import {
  carriedOut,
  conditionOf,
  confirmed,
  jobsOf,
  NOW,
  scaled,
  settled,
  stepsOf,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

const workers = (more: object): Readonly<Record<string, unknown>> => ({
  workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead', ...more },
});

const lead = (replicas: number | undefined, more: object = {}): PoolWorld =>
  settled(
    world({
      streams: 9,
      workers: 3,
      spec: workers({ ...(replicas !== undefined && { replicas }), ...more }),
    }),
  );

const scales = (at: PoolWorld): readonly (readonly [string, number])[] =>
  decide(at).steps.flatMap((step) =>
    step.do === 'scale' ? [[step.kind.kind, step.replicas] as const] : [],
  );

/** Every change made, but nobody has confirmed it yet. */
const published = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));

const waited = (at: PoolWorld, ms: number): PoolWorld => ({
  ...at,
  ages: {
    publishedMs: ms,
    annotatedMs: {},
    sliceMs: Object.fromEntries(at.pods.map(({ uid }) => [uid, ms])),
    answersMs: ms,
    statusLagMs: 0,
    statusMs: 60_000,
  },
});

describe('a pool that leads', () => {
  it('takes its size from the target, once', () => {
    const at = lead(undefined);
    expect(at.pool.spec.ok && at.pool.spec.value.workers.replicas).toBe(3);
  });

  it('scales the target up at once', () => {
    const at = withSpec(lead(3), workers({ replicas: 5 }));
    expect(scales(at)).toEqual([['StatefulSet', 5]]);
  });

  it('drains leaving workers, and shrinks the target when all have confirmed', () => {
    const at = published(withSpec(lead(3), workers({ replicas: 2 })));
    expect(jobsOf(at)).toMatchObject({ 'worker-2': [] });
    expect(Object.values(jobsOf(at)).flat()).toHaveLength(9);
    expect(scales(at)).toEqual([]);
    expect(scales(confirmed(at, [0, 1]))).toEqual([]);
    expect(scales(confirmed(at, [0, 2]))).toEqual([]);
    expect(scales(confirmed(at))).toEqual([['StatefulSet', 2]]);
  });

  it('waits for leaving workers no longer than drainTimeoutSeconds', () => {
    const at = published(withSpec(lead(3), workers({ replicas: 2, drainTimeoutSeconds: 30 })));
    const early = waited(confirmed(at, [0, 1]), 29_000);
    expect(scales(early)).toEqual([]);
    expect(decide(early).requeueAfterMs).toBeLessThanOrEqual(1_000);
    expect(scales(waited(confirmed(at, [0, 1]), 30_000))).toEqual([['StatefulSet', 2]]);
  });

  it('counts what the target has in status, until it has shrunk', () => {
    const at = waited(published(withSpec(lead(3), workers({ replicas: 2 }))), 5_000);
    const next = carriedOut(at, decide(at));
    expect(next.pool.status).toMatchObject({ replicas: 3 });
    expect(next.pool.status?.workers?.[2]).toMatchObject({
      name: 'worker-2',
      state: 'Releasing',
      jobs: [],
    });
  });

  it('comes to rest at the new size', () => {
    const at = settled(withSpec(lead(3), workers({ replicas: 1 })));
    expect(at.targets[0]?.replicas).toBe(1);
    expect(jobsOf(at)).toEqual({ 'worker-0': expect.any(Array) });
    expect(conditionOf(at, 'Ready')?.status).toBe('True');
    expect(stepsOf(decide(at))).toEqual([]);
  });

  it('follows its target again, whatever size is left in its spec', () => {
    const at = withSpec(lead(3), workers({ scaling: 'Follow', replicas: 1 }));
    expect(scales(at)).toEqual([]);
    const followed = settled(scaled(at, 4));
    expect(Object.values(jobsOf(followed)).map(({ length }) => length)).toEqual([3, 2, 2, 2]);
  });

  it('is not scaled by an autoscaler of its own while it follows, and says so', () => {
    const stalled = (at: PoolWorld) =>
      conditionOf(settled({ ...at, ownAutoscaler: 'tv-hpa' }), 'Stalled');
    expect(stalled(lead(3))).toMatchObject({ status: 'False', reason: 'Working' });
    expect(stalled(withSpec(lead(3), workers({ scaling: 'Follow' })))).toMatchObject({
      status: 'False',
      reason: 'AutoscalerIgnored',
      message:
        'HorizontalPodAutoscaler tv-hpa cannot scale SwarmPool tv: set spec.workers.scaling to Lead, or let it scale StatefulSet/worker',
    });
  });

  it('does not fight an autoscaler of its target', () => {
    const at = { ...withSpec(lead(3), workers({ replicas: 5 })), autoscaler: 'worker-hpa' };
    expect(scales(at)).toEqual([]);
    expect(conditionOf(carriedOut(at, decide(at)), 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'AutoscalerConflict',
    });
  });

  it('assigns streams to all workers of its target while an autoscaler scales it', () => {
    const smaller = withSpec(lead(3), workers({ replicas: 1 }));
    const at = settled({ ...withStreams(smaller, 12), autoscaler: 'worker-hpa' });
    expect(Object.values(jobsOf(at)).map((jobs) => jobs.length)).toEqual([4, 4, 4]);
    expect(at.pool.status).toMatchObject({
      streams: { total: 12, assigned: 12 },
      convergedReplicas: 3,
    });
    expect(conditionOf(at, 'Converged')?.status).toBe('True');
    expect(conditionOf(at, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'AutoscalerConflict',
    });
    const free = settled({ ...at, autoscaler: undefined });
    expect(conditionOf(free, 'Ready')?.status).toBe('True');
    expect(free.targets[0]?.replicas).toBe(1);
  });
});
