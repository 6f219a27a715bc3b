import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  scaled,
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

/** All changes are made, and no worker has confirmed them yet. */
const published = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));

const waited = (at: PoolWorld, ms: number): PoolWorld => ({
  ...at,
  ages: {
    publishedMs: ms,
    annotatedMs: {},
    sliceMs: Object.fromEntries(at.pods.map(({ uid }) => [uid, ms])),
    unconfirmedMs: Object.fromEntries(at.pods.map(({ uid }) => [uid, ms])),
    answersMs: ms,
    statusLagMs: 0,
    statusMs: 60_000,
  },
});

describe('a pool with scaling Lead', () => {
  it('a pool with scaling Lead takes its size from the target, once', () => {
    const at = lead(undefined);
    expect(at.pool.spec.ok && at.pool.spec.value.workers.replicas).toBe(3);
  });

  it('scaling Lead scales the target up at once', () => {
    const at = withSpec(lead(3), workers({ replicas: 5 }));
    expect(scales(at)).toEqual([['StatefulSet', 5]]);
  });

  it('scaling Lead drains leaving workers, and shrinks the target when all have confirmed', () => {
    const at = published(withSpec(lead(3), workers({ replicas: 2 })));
    expect(jobsOf(at)).toMatchObject({ 'worker-2': [] });
    expect(Object.values(jobsOf(at)).flat()).toHaveLength(9);
    expect(scales(at)).toEqual([]);
    expect(scales(confirmed(at, [0, 1]))).toEqual([]);
    expect(scales(confirmed(at, [0, 2]))).toEqual([]);
    expect(scales(confirmed(at))).toEqual([['StatefulSet', 2]]);
  });

  it('scaling Lead waits for leaving workers no longer than drainTimeoutSeconds', () => {
    const at = published(withSpec(lead(3), workers({ replicas: 2, drainTimeoutSeconds: 30 })));
    const early = waited(confirmed(at, [0, 1]), 29_000);
    expect(scales(early)).toEqual([]);
    expect(decide(early).requeueAfterMs).toBeLessThanOrEqual(1_000);
    expect(scales(waited(confirmed(at, [0, 1]), 30_000))).toEqual([['StatefulSet', 2]]);
  });

  it('scaling Lead counts the replicas of the target in status until it has shrunk', () => {
    const at = waited(published(withSpec(lead(3), workers({ replicas: 2 }))), 5_000);
    const next = carriedOut(at, decide(at));
    expect(next.pool.status).toMatchObject({ replicas: 3 });
    expect(next.pool.status?.workers?.[2]).toMatchObject({
      name: 'worker-2',
      state: 'Releasing',
      jobs: [],
    });
  });

  it('scaling Lead comes to rest at the new size', () => {
    const at = settled(withSpec(lead(3), workers({ replicas: 1 })));
    expect(at.targets[0]?.replicas).toBe(1);
    expect(jobsOf(at)).toEqual({ 'worker-0': expect.any(Array) });
    expect(conditionOf(at, 'Ready')?.status).toBe('True');
    expect(stepsOf(decide(at))).toEqual([]);
  });

  it('a pool with scaling Follow follows its target again, whatever size is left in its spec', () => {
    const at = withSpec(lead(3), workers({ scaling: 'Follow', replicas: 1 }));
    expect(scales(at)).toEqual([]);
    const followed = settled(scaled(at, 4));
    expect(Object.values(jobsOf(followed)).map(({ length }) => length)).toEqual([3, 2, 2, 2]);
  });

  it('a pool with scaling Follow is not scaled by its own autoscaler, and says so', () => {
    const stalled = (at: PoolWorld) =>
      conditionOf(settled({ ...at, ownAutoscaler: 'tv-hpa' }), 'Stalled');
    expect(stalled(lead(3))).toMatchObject({ status: 'False', reason: 'Working' });
    expect(stalled(withSpec(lead(3), workers({ scaling: 'Follow' })))).toMatchObject({
      status: 'False',
      reason: 'AutoscalerIgnored',
      message:
        'HorizontalPodAutoscaler tv-hpa cannot scale SwarmPool tv: set spec.workers.scaling to Lead, or point it at StatefulSet/worker',
    });
  });

  it('scaling Lead does not scale against an autoscaler of its target', () => {
    const at = { ...withSpec(lead(3), workers({ replicas: 5 })), autoscaler: 'worker-hpa' };
    expect(scales(at)).toEqual([]);
    expect(conditionOf(carriedOut(at, decide(at)), 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'AutoscalerConflict',
    });
  });

  it('a pool assigns streams to all workers of its target while an autoscaler scales it', () => {
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

describe('a pool with scaling Auto', () => {
  const auto = (streams: readonly object[], count: number, more: object = {}): PoolWorld =>
    world({
      streams,
      workers: count,
      spec: workers({ scaling: 'Auto', maxReplicas: 8, ...more }),
    });
  const heavy = (count: number, weight = 60): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({ name: `s${index}`, weight }));
  const later = (at: PoolWorld, seconds: number): PoolWorld => ({
    ...at,
    monotonicMs: at.monotonicMs + seconds * 1000,
  });
  const sizeOf = (at: PoolWorld): number | undefined => settled(at).targets[0]?.replicas;

  it.each<[string, readonly object[], number]>([
    ['weights', heavy(5), 5],
    ['weights that share workers', heavy(5, 50), 3],
    ['pins', [{ name: 'a', ordinal: 4 }], 5],
    ['the largest spread group', [1, 2, 3].map((at) => ({ name: `${at}`, spreadGroup: 'g' })), 3],
    ['weights up to maxReplicas', heavy(20), 8],
  ])('scaling Auto has workers for %s, at once', (_, streams, expected) => {
    expect(sizeOf(auto(streams, 2))).toBe(expected);
  });

  it('an event says why scaling Auto scales up', () => {
    const at = carriedOut(auto(heavy(3), 2), decide(auto(heavy(3), 2)));
    const events = decide(at).steps.flatMap((step) => (step.do === 'event' ? [step.event] : []));
    expect(events).toContainEqual({
      type: 'Normal',
      reason: 'Scaled',
      action: 'Scale',
      message: 'StatefulSet/worker 2 -> 3: the streams need 3 workers',
    });
  });

  it('scaling Auto has one more worker for each cordoned one', () => {
    expect(sizeOf(auto(heavy(3), 2, { cordoned: [0, 3, 7] }))).toBe(5);
  });

  it('scaling Auto counts the ordinals of a StatefulSet that starts at another number', () => {
    const at = world({
      streams: [{ name: 'a', ordinal: 7 }],
      workers: 1,
      firstOrdinal: 5,
      spec: workers({ scaling: 'Auto', maxReplicas: 8, cordoned: [6, 20] }),
    });
    expect(sizeOf(at)).toBe(3);
  });

  it('scaling Auto scales down after scaleDownDelaySeconds, and empties workers first', () => {
    const at = settled(auto(heavy(4), 4));
    const fewer = settled(withStreams(at, heavy(2)));
    expect(fewer.targets[0]?.replicas).toBe(4);
    expect(decide(fewer).requeueAfterMs).toBe(300_000);
    expect(sizeOf(later(fewer, 299))).toBe(4);
    const drained = published(later(fewer, 300));
    expect(jobsOf(drained)).toMatchObject({ 'worker-2': [], 'worker-3': [] });
    expect(scales(drained)).toEqual([]);
    expect(sizeOf(drained)).toBe(2);
  });

  it('scaling Auto keeps the most that was needed within the delay, and at least minReplicas', () => {
    let at = settled(auto(heavy(5), 5, { minReplicas: 2 }));
    at = settled(later(withStreams(at, heavy(3)), 100));
    at = settled(later(withStreams(at, heavy(4)), 100));
    at = settled(later(withStreams(at, heavy(1)), 100));
    expect([at, later(at, 99), later(at, 101), later(at, 299), later(at, 300)].map(sizeOf)).toEqual(
      [5, 5, 4, 4, 2],
    );
  });

  it('scaling Auto waits anew under a new leader', () => {
    const at = later(settled(withStreams(settled(auto(heavy(4), 4)), heavy(2))), 290);
    const fresh = { ...at, remembered: { ...at.remembered, needs: [] } };
    const seen = carriedOut(fresh, decide(fresh));
    expect(sizeOf(later(seen, 299))).toBe(4);
    expect(sizeOf(later(seen, 300))).toBe(2);
  });

  it('scaling Auto scales at once when the spec changes its bounds', () => {
    const at = settled(auto(heavy(6), 6));
    expect(sizeOf(withSpec(at, workers({ scaling: 'Auto', maxReplicas: 3 })))).toBe(3);
    const more = workers({ scaling: 'Auto', minReplicas: 7, maxReplicas: 8 });
    expect(sizeOf(withSpec(at, more))).toBe(7);
  });

  it('status says that maxReplicas keeps streams from having a worker', () => {
    const at = settled(auto(heavy(5), 3, { maxReplicas: 3 }));
    expect(conditionOf(at, 'Overcommitted')?.message).toBe(
      '3 workers for weights that need 5; 2 streams unassigned; spec.workers.maxReplicas is 3',
    );
  });

  it('scaling Auto keeps its size while a list cannot be read', () => {
    const at = settled(auto(heavy(4), 4));
    const bad = { ...withStreams(at, []), lists: [{ source: 'list/key', read: undefined }] };
    const seen = carriedOut(bad, decide(bad));
    const much = later(seen, 1_000);
    expect(scales(much)).toEqual([]);
    expect(jobsOf(published(much))).toEqual(jobsOf(at));
    expect(decide(much).steps).toEqual([]);
  });

  it('scaling Auto does not scale against an autoscaler of its target', () => {
    const at = { ...auto(heavy(5), 2), autoscaler: 'worker-hpa' };
    expect(sizeOf(at)).toBe(2);
    expect(conditionOf(settled(at), 'Stalled')).toMatchObject({
      reason: 'AutoscalerConflict',
      message: expect.stringContaining('remove the autoscaler, or set spec.workers.scaling'),
    });
  });
});
