// Does status say only what was verified?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import { figuresOf } from '../../../../src/pool/status/figures.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  NOW,
  scaled,
  stepsOf,
  withoutTarget,
  withPod,
  withShards,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const exclusive = { handoff: { type: 'Exclusive' } };
const later = (at: PoolWorld): PoolWorld => ({ ...at, ages: { ...at.ages, publishedMs: 10_000 } });
const decide = (at: PoolWorld): ReturnType<typeof decidePool> => decidePool(later(at), NOW);
const next = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));
const condition = (at: PoolWorld, type: string) =>
  at.pool.status?.conditions?.find((it) => it.type === type);
const isSaid = (at: PoolWorld, type: string): string | undefined => condition(at, type)?.status;
const figures = (at: PoolWorld): ReturnType<typeof figuresOf>['counts'] =>
  figuresOf(later(at), decide(at)).counts;

/** Scaled down; the pods that go are still there, ending. */
const shrinking = (before: PoolWorld, workers: number): PoolWorld => {
  const { pods } = before;
  const at = scaled(before, workers);
  return {
    ...at,
    pods: pods.map((pod, index) => (index < workers ? pod : { ...pod, isTerminating: true })),
  };
};

it('a condition names a worker that is not Ready, also beyond the first hundred', () => {
  const rest = settled(world({ streams: 120, workers: 120 }));
  const at = next(withPod(rest, 110, { isReady: false }));
  expect(condition(at, 'Reconciling')?.message).toContain('worker-110');
});

it('a stream that its worker has released, and that no worker has yet, counts as not owned', () => {
  const rest = settled(world({ streams: 4, workers: 1, spec: exclusive }));
  const unowned = (at: PoolWorld): number => figuresOf(at, decide(at)).ownership.unowned;
  const released = confirmed(next(scaled(rest, 2)));
  expect([unowned(rest), unowned(released), unowned(settled(released))]).toEqual([0, 2, 0]);
});

describe('a pool that releases streams', () => {
  it.each([
    ['Exclusive', exclusive],
    ['AtLeastOnce', {}],
  ])(
    'with %s a smaller pool is neither Ready nor Converged until the pods that go have ended',
    (_, spec) => {
      const before = settled(world({ streams: 6, workers: 3, spec }));
      const at = next(confirmed(next(shrinking(before, 2)), [0, 1]));
      expect([isSaid(at, 'Ready'), isSaid(at, 'Converged'), isSaid(at, 'Reconciling')]).toEqual([
        'False',
        'False',
        'True',
      ]);
      expect(condition(at, 'Ready')?.message).toContain('worker-2 Releasing');
      expect(at.pool.status?.history?.[0]).not.toHaveProperty('convergenceTime');
      expect(figures(at).isConverged).toBe(false);
      const gone = settled({ ...at, pods: at.pods.slice(0, 2) });
      expect([isSaid(gone, 'Ready'), isSaid(gone, 'Converged')]).toEqual(['True', 'True']);
      expect(gone.pool.status?.history?.[0]).toHaveProperty('convergenceTime');
    },
  );

  it('a pool with scaling Lead is not Converged while leaving workers are emptied', () => {
    const spec = {
      workers: { selector: { matchLabels: { app: 'worker' } }, scaling: 'Lead', replicas: 3 },
    };
    const before = settled(world({ streams: 6, workers: 3, spec }));
    const smaller = withSpec(before, { workers: { ...spec.workers, replicas: 2 } });
    const at = next(confirmed(next(smaller), [0, 1]));
    expect([isSaid(at, 'Ready'), isSaid(at, 'Converged')]).toEqual(['False', 'False']);
  });

  it('a pod on a dead node is named, and no worker gets what it may still run', () => {
    const before = settled(world({ streams: 8, workers: 4, spec: exclusive }));
    const lost = withPod(before, 3, { isReady: false });
    const silent = {
      ...lost,
      answers: { ...lost.answers, 'uid-3': { ok: false, reason: 'no answer within 2 s' } as const },
    };
    const at = next(confirmed(next(shrinking(silent, 3)), [0, 1, 2]));
    expect(isSaid(at, 'Ready')).toBe('False');
    expect(condition(at, 'Ready')?.message).toBe(
      'worker-3 Releasing (has not confirmed that it released s6, s7; it does not answer (no answer within 2 s); its pod is terminating)',
    );
    expect(figures(at).isConverged).toBe(false);
    expect(at.pool.status?.streams).toEqual({ total: 8, assigned: 6, unassigned: 0 });
  });
});

describe('a worker whose pod is terminating', () => {
  it('a worker whose pod is terminating does not count as converged', () => {
    const at = next(
      withPod(settled(world({ streams: 4, workers: 2 })), 1, { isTerminating: true }),
    );
    expect(isSaid(at, 'Converged')).toBe('False');
    expect(at.pool.status).toMatchObject({
      convergedReplicas: 1,
      workers: [
        {},
        {
          state: 'Pending',
          message:
            'its pod is terminating; other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)',
        },
      ],
    });
  });
});

describe('a pool about which nothing can be decided', () => {
  const start = (): PoolWorld => settled(world({ streams: 4, workers: 2 }));

  it('without a target, status keeps only version and history, and counts the list', () => {
    const before = start();
    const { version, history } = before.pool.status ?? {};
    const at = next(withoutTarget(before));
    const { conditions: _, observedGeneration: __, ...rest } = at.pool.status ?? {};
    expect(rest).toEqual({ version, history, replicas: 0, streams: { total: 4 } });
    expect(figures(at)).toMatchObject({
      streams: 4,
      desired: 0,
      ready: 0,
      converged: 0,
      isConverged: false,
    });
  });

  it('the workers of another pool do not count in status', () => {
    const before = start();
    const { version, history } = before.pool.status ?? {};
    const {
      conditions: _,
      observedGeneration: __,
      ...rest
    } = next({ ...before, rival: 'older' }).pool.status ?? {};
    expect(rest).toEqual({ version, history, replicas: 0, streams: { total: 4 } });
  });

  it.each([
    [
      'before anything was published no stream has a worker',
      withoutTarget(world({ streams: 1 })),
      { total: 1, assigned: 0, unassigned: 1 },
    ],
    ['an invalid spec has no list to count', world({ spec: { overcommit: 'Maybe' } }), undefined],
    [
      'a list that is not there cannot be counted',
      {
        ...world({ streams: 1, spec: { streamsFrom: [{ name: 'list', key: 'a' }] } }),
        lists: [{ source: 'list/a', read: undefined }],
      },
      undefined,
    ],
    [
      'streams that were not read are not counted',
      { ...world({ streams: 1 }), exceededBy: 'much' },
      undefined,
    ],
  ])('%s', (_, start, streams) => {
    const at = next(start);
    expect(at.pool.status?.streams).toEqual(streams);
    expect(figures(at)).toMatchObject({
      streams: streams?.total,
      unassigned: streams?.unassigned ?? 0,
    });
  });

  it('the version in the ConfigMap of another pool does not count in status', () => {
    const shards = start().published.shards.map((it) => ({
      ...it,
      configMap: { ...it.configMap, labels: { 'k8slab.info/pool': 'other' } },
    }));
    const at = next(withShards(world({ streams: 4, workers: 2 }), shards));
    expect(condition(at, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'AssignmentsConflict',
    });
    expect(at.pool.status).toMatchObject({ replicas: 2, history: [] });
    expect(at.pool.status).not.toHaveProperty('version');
  });

  it('status has the size of the target where it is known', () => {
    const foreign = withSpec(start(), { handoff: { type: 'Exclusive' } });
    const at = next({
      ...foreign,
      targets: foreign.targets.map((target) => ({ ...target, mountsAssigned: false })),
    });
    expect(at.pool.status).toMatchObject({
      replicas: 2,
      target: 'StatefulSet/worker',
      selector: 'app=worker',
    });
    expect(at.pool.status).not.toHaveProperty('workers');
    expect(at.pool.status?.streams).toEqual({ total: 4 });
  });

  it('a ConfigMap that a quota refuses assigns nothing', () => {
    const refused = { reason: 'Forbidden', message: 'exceeded quota' };
    const at = next({ ...world({ streams: 4, workers: 2 }), refused });
    const told = carriedOut(
      { ...world({ streams: 4, workers: 2 }), refused },
      { steps: decide({ ...world(), refused }).steps.slice(0, 1) },
    );
    expect(at.pool.status).toMatchObject({
      version: 0,
      streams: { total: 4, assigned: 0, unassigned: 0 },
      convergedReplicas: 0,
    });
    expect(told.pool.status).toMatchObject({ streams: { assigned: 0 } });
  });
});

describe('history', () => {
  it('the history lists no version above that of the rest of status', () => {
    let at = settled(world({ streams: 4, workers: 2 }));
    for (const count of [5, 6, 7]) {
      at = next(withStreams(at, count));
      expect(at.pool.status?.version).toBe(1);
      expect(at.pool.status?.history?.map((it) => it.version)).toEqual([1]);
    }
    const done = settled(at);
    expect(done.pool.status).toMatchObject({ version: 4 });
    expect(done.pool.status?.history?.map((it) => it.version)).toEqual([4, 3, 2, 1]);
  });
});

describe('status writes', () => {
  const ending = (): PoolWorld =>
    withPod(settled(world({ streams: 4, workers: 2 })), 1, { isTerminating: true });

  it('status reports at once what no longer holds', () => {
    expect(stepsOf(decidePool(ending(), NOW))).toEqual(['status']);
  });

  it('status does not wait for a terminating worker, which is not probed', () => {
    expect(stepsOf(decide({ ...ending(), answers: {}, unprobed: new Set(['uid-1']) }))).toEqual([
      'status',
    ]);
  });

  it('status shows progress every two seconds', () => {
    const pending = withPod(next(ending()), 1, {
      isTerminating: false,
      isReady: false,
      uid: 'uid-1b',
    });
    const soon = { ...later(pending), ages: { ...later(pending).ages, statusMs: 500 } };
    expect(decidePool(soon, NOW).requeueAfterMs).toBe(1_500);
    expect(stepsOf(decidePool(soon, NOW))).not.toContain('status');
    expect(
      stepsOf(decidePool({ ...soon, ages: { ...soon.ages, statusMs: 2_000 } }, NOW)),
    ).toContain('status');
  });
});
