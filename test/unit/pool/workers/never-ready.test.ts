// Which workers are known to have never been Ready, and what becomes of their streams?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import { ANNOTATION_NEVER_READY } from '../../../../src/pool/publish/config-map.ts';
import { publishedNow } from '../../../../src/pool/publish/published.ts';
import { mayBeGivenUp } from '../../../../src/pool/workers/availability.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  nothingPublished,
  stepsOf,
  versionOf,
  withPod,
  withPresence,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);
const noted = (at: PoolWorld): string | undefined =>
  at.published.shards[0]?.configMap.annotations[ANNOTATION_NEVER_READY];
const aged = (at: PoolWorld, publishedMs: number): PoolWorld => ({
  ...at,
  ages: { ...at.ages, publishedMs },
});

/** Of three workers these are Ready, as they are when the pool is made. */
const made = (ready: readonly number[], spec: Readonly<Record<string, unknown>> = {}): PoolWorld =>
  [0, 1, 2].reduce(
    (at, it) => withPod(at, it, { isReady: ready.includes(it) }),
    world({ streams: 9, workers: 3, spec }),
  );

const first = (at: PoolWorld): PoolWorld => carriedOut(at, decide(at));

/** As the leader counts it. */
const waited = (
  at: PoolWorld,
  ms: number,
  ready: readonly number[],
  never: readonly number[],
): PoolWorld =>
  withPresence(at, {
    readyMs: Object.fromEntries(ready.map((it) => [`worker-${it}`, 3_600_000])),
    neverReadyMs: Object.fromEntries(never.map((it) => [`worker-${it}`, ms])),
  });

describe('a worker that was never Ready', () => {
  it('a worker that was never Ready is noted, and becoming Ready makes no new version', () => {
    const start = first(made([0]));
    expect(noted(start)).toBe('["worker-1","worker-2"]');
    const come = withPod(aged(start, 2_000), 1, { isReady: true });
    const next = carriedOut(come, decide(come));
    expect(noted(next)).toBe('["worker-2"]');
    expect(versionOf(next)).toBe(1);
    const all = settled(confirmed(withPod(aged(next, 0), 2, { isReady: true })));
    expect(noted(all)).toBeUndefined();
    expect(versionOf(all)).toBe(1);
    expect(stepsOf(decide(all))).toEqual([]);
  });

  it('workers leave the note together, or when all are Ready', () => {
    const start = aged(first(made([0])), 500);
    const one = withPod(start, 1, { isReady: true });
    expect(noted(carriedOut(one, decide(one)))).toBe('["worker-1","worker-2"]');
    expect(decide(one).requeueAfterMs).toBeLessThanOrEqual(1_500);
    const both = withPod(one, 2, { isReady: true });
    expect(noted(carriedOut(both, decide(both)))).toBeUndefined();
  });

  it('a worker that was never Ready stays noted over later publications', () => {
    const start = first(made([0, 1]));
    const passed = settled(waited(confirmed(start), 300_000, [0, 1], [2]));
    expect(versionOf(passed)).toBe(2);
    expect(noted(passed)).toBe('["worker-2"]');
  });

  it('a lost assignment that is made anew notes no worker as never Ready', () => {
    const before = settled(world({ streams: 9, workers: 3 }));
    const lost = withPod({ ...before, published: nothingPublished }, 1, { isReady: false });
    const next = carriedOut(lost, decide(lost));
    expect(next.published.change?.reason).toBe('AssignmentLost');
    expect(noted(next)).toBeUndefined();
  });

  it('a worker is known as never Ready only if every ConfigMap says so', () => {
    const [shard] = first(made([0])).published.shards;
    if (shard === undefined) throw new Error('nothing is published');
    const annotated = (text: string): typeof shard => ({
      ...shard,
      configMap: { ...shard.configMap, annotations: { [ANNOTATION_NEVER_READY]: text } },
    });
    const knownBy = (...texts: readonly string[]): readonly string[] => [
      ...publishedNow(texts.map(annotated)).neverReady,
    ];
    expect(knownBy('["worker-1","worker-2"]', '["worker-2"]')).toEqual(['worker-2']);
    expect(knownBy('no list', '{}')).toEqual([]);
  });
});

describe('the streams of a worker that was never Ready', () => {
  it('the streams of workers that were never Ready move after a time, even those of more than half', () => {
    const start = confirmed(first(made([0])));
    expect(jobsOf(settled(waited(start, 299_000, [0], [1, 2])))).toEqual(jobsOf(start));
    expect(decide(settled(waited(start, 299_000, [0], [1, 2]))).requeueAfterMs).toBe(1_000);
    const next = settled(waited(start, 300_000, [0], [1, 2]));
    expect(Object.values(jobsOf(next)).map(({ length }) => length)).toEqual([9, 0, 0]);
    expect(next.pool.status?.workers?.[1]).toMatchObject({
      state: 'Missing',
      message: 'never Ready yet; its streams moved to other workers',
    });
    expect(conditionOf(next, 'Ready')?.status).toBe('False');
    expect(next.pool.status?.history?.[0]).toMatchObject({ reason: 'WorkerMissing', moves: 6 });
  });

  it('the streams of workers that were never Ready wait while no worker is Ready', () => {
    const start = first(made([]));
    expect(jobsOf(settled(waited(start, 3_600_000, [], [0, 1, 2])))).toEqual(jobsOf(start));
  });

  it('streams of a worker that was never Ready may move, with Exclusive only where it has no pod', () => {
    const may = (spec: Readonly<Record<string, unknown>>, there: boolean): boolean => {
      const { pool, pods } = made([], spec);
      if (!pool.spec.ok) throw new Error('the spec of this world is not valid');
      return mayBeGivenUp(pool.spec.value, there ? pods[0] : undefined);
    };
    const never = {
      workers: { selector: { matchLabels: { app: 'worker' } }, failover: { policy: 'Never' } },
    };
    expect([may({}, true), may({}, false)]).toEqual([true, true]);
    expect([may(never, true), may(never, false)]).toEqual([false, false]);
    expect([
      may({ handoff: { type: 'Exclusive' } }, true),
      may({ handoff: { type: 'Exclusive' } }, false),
    ]).toEqual([false, true]);
  });

  it('with Exclusive the streams of a worker that has no pod move after a time', () => {
    const start = confirmed(first(made([0, 1], { handoff: { type: 'Exclusive' } })));
    const { pods } = start;
    const podless = { ...start, pods: pods.filter(({ name }) => name !== 'worker-2') };
    expect(
      Object.values(jobsOf(settled(waited(podless, 299_000, [0, 1], [2])))).map(
        ({ length }) => length,
      ),
    ).toEqual([3, 3, 3]);
    const next = settled(waited(podless, 300_000, [0, 1], [2]));
    expect(Object.values(jobsOf(next)).map(({ length }) => length)).toEqual([5, 4, 0]);
  });
});
