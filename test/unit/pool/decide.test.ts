// What does the operator do about a pool when something changes?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, confirmed, settled, withConfigMap } from '../../support/pool-decisions.ts';
import {
  assignedTo,
  conditionOf,
  jobsOf,
  NOW,
  scaled,
  slicesOf,
  stepsOf,
  versionOf,
  withPod,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

const justPublished = (at: PoolWorld): PoolWorld => ({
  ...at,
  ages: { ...at.ages, publishedMs: 0 },
});

describe('a new pool', () => {
  it('a new pool publishes an assignment and nudges each of its workers', () => {
    const at = world({ streams: ['a', 'b', 'c'], workers: 2 });
    const decision = decide(at);
    expect(stepsOf(decision)).toEqual(['create', 'event', 'annotate', 'annotate']);
    expect(jobsOf(carriedOut(at, decision))).toEqual({ 'worker-0': ['a', 'b'], 'worker-1': ['c'] });
    expect(versionOf(carriedOut(at, decision))).toBe(1);
  });

  it('a new pool publishes the weight of each stream that has one', () => {
    const at = withSpec(world({ workers: 1 }), {
      streams: [{ name: 'a', weight: 20 }, { name: 'b' }],
    });
    const slice = slicesOf(carriedOut(at, decide(at))).get('worker-0');
    expect(slice?.weights).toEqual({ a: 20 });
  });

  it('a pool probes every worker, and those that have not confirmed as outstanding', () => {
    const at = carriedOut(world({ workers: 2 }), decide(world({ workers: 2 })));
    const most = { jobs: 1_002, bytes: 196_664 };
    expect(decide(confirmed(at, [0])).probes).toEqual([
      {
        podUid: 'uid-0',
        url: 'http://127.1.0.1:9090/internal/version',
        awaiting: '1',
        isOutstanding: false,
        most,
      },
      {
        podUid: 'uid-1',
        url: 'http://127.1.0.2:9090/internal/version',
        awaiting: '1',
        isOutstanding: true,
        most,
      },
    ]);
  });

  it('a pool keeps its status until a new leader has probed all workers, for ten seconds at most', () => {
    const at = { ...settled(world({ workers: 2 })), answers: {} };
    const aged = (publishedMs: number): PoolWorld => ({ ...at, ages: { ...at.ages, publishedMs } });
    expect(stepsOf(decide(aged(9_999)))).toEqual([]);
    expect(decide(aged(9_000)).requeueAfterMs).toBe(1_000);
    expect(stepsOf(decide(aged(10_000)))).toEqual(['status']);
    const silent = { ok: false, reason: 'no answer within 2 s' } as const;
    const heard = { ...aged(5_000), answers: { 'uid-0': silent, 'uid-1': silent } };
    expect(stepsOf(decide(heard))[0]).toBe('status');
  });

  it('a pool with unprobed workers keeps its status, and only their answers wake it', () => {
    const at = { ...settled(world({ workers: 2 })), answers: {} };
    const minutes = 5 * 60_000;
    const ages = {
      ...at.ages,
      publishedMs: minutes,
      sliceMs: { 'uid-0': minutes, 'uid-1': minutes },
      unconfirmedMs: { 'uid-0': minutes, 'uid-1': minutes },
      annotatedMs: { 'uid-1': minutes },
    };
    const waiting = { ...at, ages, unprobed: new Set(['uid-0', 'uid-1']) };
    expect(decide(waiting)).toMatchObject({ steps: [] });
    expect(decide(waiting)).not.toHaveProperty('requeueAfterMs');
    expect(stepsOf(decide({ ...waiting, unprobed: new Set() }))).toContain('status');
  });

  it('a worker is probed as outstanding only after its nudge, or when the nudge was refused', () => {
    const at = withStreams(settled(world({ streams: ['a', 'b'], workers: 2 })), ['a', 'c']);
    const outstanding = (of: PoolWorld): readonly boolean[] =>
      decide(of).probes.map(({ isOutstanding }) => isOutstanding);
    expect(outstanding(at)).toEqual([false, false]);
    expect(outstanding(carriedOut(at, decide(at)))).toEqual([false, true]);
    expect(
      outstanding({ ...at, refused: { reason: 'Forbidden', message: 'pods/status' } }),
    ).toEqual([false, true]);
  });

  it('a pool is Converged and Ready once all workers have confirmed, and then writes nothing', () => {
    const at = settled(world({ streams: 27, workers: 3 }));
    expect(conditionOf(at, 'Converged')).toMatchObject({
      status: 'True',
      message: '3 workers confirmed version 1',
    });
    expect(conditionOf(at, 'Ready')?.status).toBe('True');
    expect(at.pool.status).toMatchObject({
      version: 1,
      replicas: 3,
      convergedReplicas: 3,
      streams: { total: 27, assigned: 27, unassigned: 0 },
    });
    expect(decide(at).steps).toEqual([]);
  });

  it('the first publication counts workers that are not Ready yet', () => {
    const at = scaled(world({ workers: 0 }), 3, { isReady: false });
    expect(jobsOf(carriedOut(at, decide(at)))).toEqual({
      'worker-0': ['s0', 's1'],
      'worker-1': ['s2'],
      'worker-2': ['s3'],
    });
  });

  it('the first publication counts all workers equally when only some are Ready', () => {
    const at = withPod(scaled(world({ workers: 0, streams: 6 }), 3, { isReady: false }), 1, {
      isReady: true,
    });
    expect(Object.values(jobsOf(carriedOut(at, decide(at)))).map((jobs) => jobs.length)).toEqual([
      2, 2, 2,
    ]);
  });

  it('a new pool takes over a ConfigMap that a user wrote beforehand as its previous assignment', () => {
    const text =
      'workloads:\n  worker-0: {jobs: [s3]}\n  worker-1: {jobs: [s0, s1]}\nversion: 41\n';
    const configMap = {
      name: 'tv-assignments',
      namespace: 'swarm',
      uid: 'theirs',
      resourceVersion: '5',
      annotations: {},
      data: { 'config.yml': text },
    };
    const at = world({ streams: 4, workers: 2 });
    const next = settled(withConfigMap(at, { ...configMap, labels: { 'k8slab.info/pool': 'tv' } }));
    expect(jobsOf(next)).toEqual({ 'worker-0': ['s2', 's3'], 'worker-1': ['s0', 's1'] });
    expect(versionOf(next)).toBe(42);
  });

  it('a pool follows spec.ordinals.start of its StatefulSet', () => {
    expect(Object.keys(jobsOf(settled(world({ workers: 2, firstOrdinal: 5 }))))).toEqual([
      'worker-5',
      'worker-6',
    ]);
  });
});

describe('a change', () => {
  it('a change touches only workers whose slice changed', () => {
    const at = withStreams(settled(world({ streams: ['a', 'b', 'c', 'd'], workers: 2 })), [
      'a',
      'b',
      'c',
      'd',
      'e',
    ]);
    const decision = decide(at);
    expect(stepsOf(decision)).toEqual(['patch', 'event', 'annotate']);
    const next = carriedOut(at, decision);
    expect([...slicesOf(next)].map(([worker, { version }]) => [worker, version])).toEqual([
      ['worker-0', 2],
      ['worker-1', 1],
    ]);
    expect(assignedTo(next, 0)).toMatchObject({ version: 2, uid: 'uid-0', attempt: 1 });
    expect(assignedTo(next, 1)).toMatchObject({ version: 1 });
  });

  it('a list that is only rearranged costs a status write and no publication', () => {
    expect(
      stepsOf(
        decide(
          withStreams(settled(world({ streams: ['a', 'b', 'c', 'd'] })), ['d', 'c', 'b', 'a']),
        ),
      ),
    ).toEqual(['status']);
  });

  it('a change of parameters reaches only the worker of that stream', () => {
    const at = settled(
      world({ streams: [{ name: 'a', parameters: { url: 'x' } }, { name: 'b' }] }),
    );
    const next = settled(withStreams(at, [{ name: 'a', parameters: { url: 'y' } }, { name: 'b' }]));
    expect(slicesOf(next).get('worker-0')).toEqual({
      jobs: ['a'],
      version: 2,
      parameters: { a: { url: 'y' } },
    });
    expect(slicesOf(next).get('worker-1')?.version).toBe(1);
  });

  it('a change that is confirmed within two seconds costs two writes besides the nudges', () => {
    const at = withStreams(settled(world({ streams: 4 })), 5);
    const first = justPublished(carriedOut(at, decide(at)));
    expect(decide(first)).toMatchObject({ steps: [], requeueAfterMs: expect.any(Number) });
    expect(stepsOf(decide(confirmed(first)))).toEqual(['status']);
  });

  it('a change that is not confirmed within two seconds is reported in status', () => {
    const at = withStreams(settled(world({ streams: 4 })), 5);
    const first = carriedOut(at, decide(at));
    const late = { ...first, ages: { ...first.ages, publishedMs: 2_000 } };
    const next = carriedOut(late, decide(late));
    expect(conditionOf(next, 'Converged')).toMatchObject({
      status: 'False',
      reason: 'WorkersOutstanding',
      message: 'worker-0 Refreshing',
    });
    expect(next.pool.status?.history?.[0]).toMatchObject({
      version: 2,
      moves: 0,
      reason: 'StreamsChanged',
    });
  });

  it('a second change right after the first loses no line of history', () => {
    const at = withStreams(settled(world({ streams: 4 })), 5);
    const first = carriedOut(at, decide(at));
    const second = withStreams(first, 6);
    expect(settled(second).pool.status?.history?.map(({ version }) => version)).toEqual([3, 2, 1]);
  });
});

describe('a paused pool', () => {
  it.each([
    ['by its spec', (at: PoolWorld) => withSpec(at, { paused: true })],
    [
      'by the on-call’s annotation',
      (at: PoolWorld) => ({
        ...at,
        pool: {
          ...at.pool,
          meta: { ...at.pool.meta, annotations: { 'k8slab.info/paused': 'true' } },
        },
      }),
    ],
  ])('a pool that is paused %s shows its plan and touches nothing', (_, pause) => {
    const before = settled(world({ streams: 4 }));
    const at = pause(withStreams(before, ['s0', 's1', 's2', 's3', 'new']));
    const next = carriedOut(at, decide(at));
    expect(jobsOf(next)).toEqual(jobsOf(before));
    expect(next.pool.status?.plan).toEqual({
      total: 1,
      moves: [{ stream: 'new', to: 'worker-0', reason: 'StreamsChanged' }],
    });
    expect(conditionOf(next, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    expect(decide(next).steps).toEqual([]);
  });
});
