// Does Ready say once why a pool is not Ready, with what to do next, and is each cause an event?
import { describe, expect, it } from '@jest/globals';
import type { Pod } from '../../../../src/api/observed.ts';
import { decideFailed, decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  NOW,
  nothingPublished,
  withoutTarget,
  world,
} from '../../../support/pool-worlds.ts';

const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

const warningsIn = (at: PoolWorld): readonly (readonly [string, string])[] =>
  decidePool(at, NOW).steps.flatMap((step) =>
    step.do === 'event' && step.event.type === 'Warning'
      ? [[step.event.reason, step.event.message] as const]
      : [],
  );

/** Published, and long enough ago for status to be written. */
const published = (at: PoolWorld): PoolWorld => {
  const after = next(at);
  return { ...after, ages: { ...after.ages, publishedMs: 10_000, statusLagMs: 10_000 } };
};

const withPods = (at: PoolWorld, change: (ordinal: number) => Partial<Pod>): PoolWorld => ({
  ...at,
  pods: at.pods.map((pod, ordinal) => ({ ...pod, ...change(ordinal) })),
});

describe('pods that are not Ready', () => {
  const failing = (change: (ordinal: number) => Partial<Pod>): PoolWorld =>
    published(withPods(world({ streams: 7, workers: 7 }), change));

  it('pods that are not Ready for one cause share one sentence, with a command that says more', () => {
    const at = failing(() => ({ isReady: false, trouble: 'ImagePullBackOff' }));
    const message =
      '7 streams are down: worker-0, worker-1, worker-2 and 4 more Pending (its pod is not Ready (ImagePullBackOff); its streams stay with it while no other worker is Ready); see kubectl describe pod worker-0';
    expect(conditionOf(next(at), 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodsNotReady',
      message,
    });
    expect(warningsIn(at)).toEqual([['PodsNotReady', message]]);
    expect(warningsIn(next(at))).toEqual([]);
  });

  it('pods that are not Ready have a sentence for each cause', () => {
    const at = failing((ordinal) => ({
      isReady: false,
      ...(ordinal > 0 && { trouble: ordinal < 3 ? 'Unschedulable' : 'CrashLoopBackOff' }),
    }));
    expect(conditionOf(next(at), 'Ready')?.message).toBe(
      '6 streams are down: worker-1, worker-2 Pending (its pod is not Ready (Unschedulable); its streams stay with it while no other worker is Ready), ' +
        'worker-3, worker-4, worker-5 and 1 more Pending (its pod is not Ready (CrashLoopBackOff); its streams stay with it while no other worker is Ready); ' +
        'worker-0 Pending (its pod is not Ready); see kubectl describe pod worker-1',
    );
  });

  it('pods that only start have no cause yet', () => {
    const at = failing(() => ({ isReady: false }));
    expect(conditionOf(next(at), 'Ready')?.reason).toBe('WorkersOutstanding');
    expect(warningsIn(at)).toEqual([]);
  });
});

describe('a ConfigMap that the pods do not mount', () => {
  const unmounted = published(world({ streams: 2, mounts: ['other'] }));

  it('an unmounted ConfigMap is why the pool is not Ready while no worker has its streams', () => {
    const message =
      'StatefulSet/worker mounts other, but the pool writes tv-assignments: add it to the volumes of the pods';
    expect(conditionOf(next(unmounted), 'Ready')).toMatchObject({ reason: 'NotMounted', message });
    expect(warningsIn(unmounted)).toEqual([
      ['NotMounted', 'StatefulSet/worker mounts other, but the pool writes tv-assignments'],
    ]);
  });

  it('an unmounted ConfigMap is no problem where workers confirm all the same', () => {
    expect(conditionOf(settled(world({ streams: 2, mounts: [] })), 'Ready')?.status).toBe('True');
  });
});

describe('a target that is not found', () => {
  const missing = withoutTarget(world());
  const calm = settled(world());
  const withReplicas = (at: PoolWorld, replicas: number): PoolWorld => ({
    ...at,
    targets: at.targets.map((target) => ({ ...target, replicas })),
  });

  it('a missing target is a warning event, once', () => {
    const message = 'no StatefulSet has the labels app=worker; nothing is published yet';
    expect(warningsIn(missing)).toEqual([['TargetNotFound', message]]);
    expect(warningsIn(next(missing))).toEqual([]);
  });

  it.each<[string, PoolWorld]>([
    ['a target that is not found', withoutTarget(calm)],
    ['lack of memory', { ...calm, exceededBy: 'too much', published: nothingPublished }],
    ['too many workers', withReplicas(calm, 20_000)],
  ])('with %s, status says whether a published assignment stays in force', (_, at) => {
    const fresh = { ...at, pool: { ...at.pool, status: undefined }, published: nothingPublished };
    const said = (it: PoolWorld): string | undefined => conditionOf(next(it), 'Ready')?.message;
    expect(said(at)).toMatch(/; the published assignment stays in force$/);
    expect(said(fresh)).toMatch(/; nothing is published yet$/);
  });

  it('with a failed decision, status says whether a published assignment stays in force', () => {
    const said = (it: PoolWorld): string | undefined =>
      conditionOf(carriedOut(it, decideFailed(it.pool, undefined, NOW)), 'Ready')?.message;
    expect(said(calm)).toMatch(/; the published assignment stays in force$/);
    expect(said(world())).toMatch(/; nothing is published yet$/);
  });

  it('a workload is suggested where only its pods have the labels', () => {
    const [target] = world().targets;
    if (target === undefined) throw new Error('the world has no target');
    const at = next({ ...missing, suggestion: { why: 'LabelledOnPods', target, others: [] } });
    expect(conditionOf(at, 'Ready')?.message).toContain(
      '(only the pods of StatefulSet/worker have them: the StatefulSet itself needs these labels; add them, or name it in spec.workers.targetRef)',
    );
  });
});

describe('streams without a worker', () => {
  const heavy = (name: string, more: object = {}): object => ({ name, weight: 60, ...more });
  const messageOf = (streams: readonly object[], type: string): string | undefined =>
    conditionOf(settled(world({ workers: 1, streams })), type)?.message;

  it('streams without a worker are named with each reason, and lack of room is counted apart', () => {
    const streams = [heavy('a'), heavy('b'), heavy('c', { ordinal: 9 })];
    expect(messageOf(streams, 'Ready')).toBe(
      '2 streams without a worker: b (needs 60, but the freest worker has 40; 1 more worker would be enough), ' +
        'c (is pinned to ordinal 9, but there is no such worker, only 0)',
    );
    expect(messageOf(streams, 'Overcommitted')).toBe(
      '1 worker for weights that need 2; 1 stream unassigned for lack of room, 1 for other reasons',
    );
  });

  it('streams without a worker share one sentence for one reason', () => {
    const streams = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => heavy(name));
    expect(messageOf(streams, 'Ready')).toBe(
      '5 streams without a worker (b, c, d, e, f): needs 60, but the freest worker has 40; 5 more workers would be enough',
    );
    expect(messageOf(streams, 'Overcommitted')).toBe(
      '1 worker for weights that need 6; 5 streams unassigned',
    );
  });
});
