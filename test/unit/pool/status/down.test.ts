// Which workers are down with their streams, why, and when do other workers take over?
import { describe, expect, it } from '@jest/globals';
import type { SwarmPoolStatus } from '../../../../src/api/validate.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  NOW,
  type Shape,
  withPod,
  withPresence,
  withSpec,
  world,
} from '../../../support/pool-worlds.ts';

const IMAGE = { trouble: 'ImagePullBackOff', troubleDetail: 'registry.example/worker:1' };
const AFTER =
  'other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)';

/** Three workers with three streams each. */
const start = (spec: Shape['spec'] = {}): PoolWorld =>
  settled(world({ streams: 9, workers: 3, spec }));

/** As long as the worker has been away, status is due. */
const late = (at: PoolWorld): PoolWorld => ({
  ...at,
  ages: { ...at.ages, publishedMs: 60_000, statusLagMs: 60_000 },
});

/** These workers have no Ready pod for `ms`. */
const away = (at: PoolWorld, ms: number, ...ordinals: readonly number[]): PoolWorld => {
  const pods = ordinals.reduce((all, it) => withPod(all, it, { isReady: false, ...IMAGE }), at);
  const missingMs = Object.fromEntries(ordinals.map((ordinal) => [`worker-${ordinal}`, ms]));
  const readyMs = Object.fromEntries(
    [0, 1, 2].filter((it) => !ordinals.includes(it)).map((it) => [`worker-${it}`, 600_000]),
  );
  return withPresence(late(pods), { missingMs, readyMs });
};

const next = (at: PoolWorld, now = NOW): PoolWorld => carriedOut(at, decidePool(at, now));
const statusAfter = (at: PoolWorld): SwarmPoolStatus | undefined => next(at).pool.status;

describe('a worker that is down', () => {
  it.each<[string, PoolWorld, string, string | undefined]>([
    [
      'whose image cannot be had',
      away(start(), 100_000, 1),
      `its pod is not Ready (ImagePullBackOff: registry.example/worker:1); ${AFTER}`,
      '2026-01-01T00:03:20Z',
    ],
    [
      'whose pod could not be created',
      {
        ...away({ ...start(), pods: start().pods.filter(({ name }) => name !== 'worker-1') }, 0, 1),
        creationFailures: new Map([['worker-1', 'exceeded quota: two']]),
      },
      `it has no pod (exceeded quota: two); ${AFTER}`,
      '2026-01-01T00:05:00Z',
    ],
    [
      'with failover Never',
      away(
        start({
          workers: { selector: { matchLabels: { app: 'worker' } }, failover: { policy: 'Never' } },
        }),
        400_000,
        1,
      ),
      'its pod is not Ready (ImagePullBackOff: registry.example/worker:1); its streams stay with it until its pod is back (spec.workers.failover.policy Never)',
      undefined,
    ],
    [
      'with handoff Exclusive',
      away(start({ handoff: { type: 'Exclusive' } }), 400_000, 1),
      'its pod is not Ready (ImagePullBackOff: registry.example/worker:1); its streams stay with it until its pod is back (handoff.type Exclusive has no failover)',
      undefined,
    ],
    [
      'while more than half are away',
      away(start(), 400_000, 1, 2),
      'its pod is not Ready (ImagePullBackOff: registry.example/worker:1); its streams stay with it while more than 50% of the workers are away (spec.workers.failover.maxUnavailable)',
      undefined,
    ],
    [
      'in a paused pool',
      away(withSpec(start(), { paused: true }), 100_000, 1),
      'its pod is not Ready (ImagePullBackOff: registry.example/worker:1); its streams stay with it while the pool is paused',
      undefined,
    ],
  ])(
    'status names the cause of a worker %s, and the rule of its failover',
    (_, at, message, time) => {
      const worker = statusAfter(at)?.workers?.find(({ name }) => name === 'worker-1');
      expect(worker?.message).toBe(message);
      expect(worker?.takeoverTime).toBe(time);
    },
  );

  it('conditions count the streams that are down, and name the workers and why', () => {
    const at = next(away(start(), 1_000, 1));
    expect(at.pool.status?.streams).toMatchObject({ assigned: 9, down: 3 });
    expect(conditionOf(at, 'Converged')).toMatchObject({
      status: 'False',
      reason: 'PodsNotReady',
      message: `3 streams are down: worker-1 Pending (its pod is not Ready (ImagePullBackOff: registry.example/worker:1); ${AFTER}); see kubectl describe pod worker-1`,
    });
  });

  it('a pod that could not be created is a reason, without a command that would find no pod', () => {
    const lacking = { ...start(), pods: start().pods.filter(({ name }) => name !== 'worker-1') };
    const at = { ...away(lacking, 0, 1), creationFailures: new Map([['worker-1', 'too many']]) };
    expect(conditionOf(next(at), 'Converged')).toMatchObject({
      reason: 'PodsNotReady',
      message: `3 streams are down: worker-1 Missing (it has no pod (too many); ${AFTER})`,
    });
  });

  it('status is not written again while time passes, nor for a clock that is a little off', () => {
    const first = next(away(start(), 1_000, 1));
    const writes = [1_000, 100_000, 299_000].map((ms) => {
      const at = withPresence(first, {
        missingMs: { 'worker-1': 1_000 + ms },
        readyMs: { 'worker-0': 1, 'worker-2': 1 },
      });
      return decidePool(late(at), NOW + ms + 700).steps.filter((step) => step.do === 'status')
        .length;
    });
    expect(writes).toEqual([0, 0, 0]);
  });

  it('a new leader, which starts to wait anew, writes the new time', () => {
    const first = next(away(start(), 200_000, 1));
    const at = late(
      withPresence(first, { missingMs: { 'worker-1': 0 }, readyMs: { 'worker-0': 1 } }),
    );
    expect(statusAfter(at)?.workers?.[1]?.takeoverTime).toBe('2026-01-01T00:05:00Z');
  });
});

describe('a worker that is not down', () => {
  const counted = (at: PoolWorld): number | undefined => statusAfter(late(at))?.streams?.down;
  const notReady = { isReady: false };

  it.each<[string, PoolWorld]>([
    ['runs', start()],
    ['starts for the first time', next({ ...world({ workers: 1, streams: 2 }), pods: [] })],
    ['has no streams', withPod(settled(world({ workers: 3, streams: 2 })), 2, notReady)],
  ])('no stream is down at a worker that %s', (_, at) => {
    expect(counted(at)).toBeUndefined();
  });
});
