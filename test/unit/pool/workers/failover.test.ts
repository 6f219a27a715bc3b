import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import {
  type FailoverRules,
  failoverOf,
  isSuspended,
} from '../../../../src/pool/workers/availability.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  scaled,
  withPod,
  withPresence,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const names = (...ordinals: readonly number[]): readonly string[] =>
  ordinals.map((ordinal) => `worker-${ordinal}`);

/** These workers have been away for so long. */
function away(at: PoolWorld, ms: number, ...ordinals: readonly number[]): PoolWorld {
  const gone = ordinals.reduce((next, ordinal) => withPod(next, ordinal, { isReady: false }), at);
  const missing = names(...ordinals);
  const there = gone.pods.map(({ name }) => name).filter((name) => !missing.includes(name));
  return withPresence(gone, {
    missingMs: Object.fromEntries(missing.map((name) => [name, ms])),
    readyMs: Object.fromEntries(there.map((name) => [name, 3_600_000])),
  });
}

describe('a worker that is away', () => {
  const start = (spec: Readonly<Record<string, unknown>> = {}): PoolWorld =>
    settled(world({ streams: 9, workers: 3, spec }));
  const workers = (failover: object): Readonly<Record<string, unknown>> => ({
    workers: { selector: { matchLabels: { app: 'worker' } }, failover },
  });

  it('a worker that is away keeps its streams until its time is up', () => {
    const at = away(start(), 299_000, 1);
    expect(jobsOf(settled(at))).toEqual(jobsOf(start()));
    expect(decidePool(settled(at), NOW).requeueAfterMs).toBe(1_000);
  });

  it('a worker that is away is probed as outstanding', () => {
    const asked = (at: PoolWorld): readonly boolean[] =>
      decidePool(at, NOW).probes.map(({ isOutstanding }) => isOutstanding);
    expect(asked(start())).toEqual([false, false, false]);
    expect(asked(away(start(), 0, 1))).toEqual([false, true, false]);
  });

  it('a worker that is away is reported with the reason of its pod', () => {
    const messageAfter = (ms: number): string | undefined => {
      const at = {
        ...withPod(away(start(), ms, 1), 1, { trouble: 'CrashLoopBackOff' }),
        answers: {},
      };
      const handed = ms < 300_000 ? at : settled(at);
      return carriedOut(handed, decidePool(handed, NOW)).pool.status?.workers?.[1]?.message;
    };
    expect(messageAfter(1_000)).toBe(
      'its pod is not Ready (CrashLoopBackOff); other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)',
    );
    expect(messageAfter(300_000)).toBe(
      'away for too long (CrashLoopBackOff); its streams moved to other workers',
    );
  });

  it('a worker that is away for too long loses its streams to the others, and status says so', () => {
    const next = settled(away(start(), 300_000, 1));
    expect(jobsOf(next)).toEqual({
      'worker-0': ['s0', 's1', 's2', 's3', 's4'],
      'worker-1': [],
      'worker-2': ['s5', 's6', 's7', 's8'],
    });
    expect(next.pool.status?.history?.[0]).toMatchObject({ reason: 'WorkerMissing', moves: 3 });
    expect(next.pool.status?.workers?.[1]).toMatchObject({
      state: 'Missing',
      message: 'away for too long; its streams moved to other workers',
    });
    expect(conditionOf(next, 'Converged')?.status).toBe('False');
  });

  it('a worker gets streams back by the fewest moves once it was Ready for ten seconds', () => {
    const handed = settled(away(start(), 300_000, 1));
    const back = (readyMs: number): PoolWorld =>
      withPresence(withPod(handed, 1, { isReady: true }), {
        readyMs: { 'worker-1': readyMs },
        distrusted: names(1),
      });
    expect(jobsOf(settled(back(9_999)))['worker-1']).toEqual([]);
    const trusted = settled(back(10_000));
    expect(Object.values(jobsOf(trusted)).map((jobs) => jobs.length)).toEqual([3, 3, 3]);
  });

  it.each([
    ['Never', workers({ policy: 'Never' })],
    ['another time', workers({ policy: 'AfterTimeout', timeoutSeconds: 1000 })],
  ])('a worker that is away keeps its streams with failover %s', (_, spec) => {
    expect(jobsOf(settled(away(start(spec), 300_000, 1)))).toEqual(jobsOf(start()));
  });

  it('workers keep their streams while more than half are away', () => {
    const at = away(start(), 3_600_000, 1, 2);
    expect(jobsOf(settled(at))).toEqual(jobsOf(start()));
    const [step] = decidePool({ ...at, answers: {} }, NOW).steps;
    const message =
      'its pod is not Ready; its streams stay with it while more than 50% of the workers are away (spec.workers.failover.maxUnavailable)';
    const worker = (name: string): object =>
      expect.objectContaining({ name, state: 'Pending', message });
    expect(step).toMatchObject({
      do: 'status',
      status: { workers: expect.arrayContaining([worker('worker-1'), worker('worker-2')]) },
    });
  });
});

describe('maxUnavailable', () => {
  it.each([
    ['50%', 2, 4, false],
    ['50%', 3, 5, true],
    ['1%', 1, 100, false],
    ['1%', 1, 99, true],
    ['100%', 7, 7, false],
    [1, 1, 2, false],
    [1, 2, 100, true],
    [3, 3, 3, false],
  ])(
    'with maxUnavailable %s and %i of %i workers away, suspended is %s',
    (most, count, known, want) => {
      expect(isSuspended(count, known, most)).toBe(want);
      expect(isSuspended(count, known)).toBe(count * 2 > known);
    },
  );

  it.each([
    [1, []],
    [2, names(1, 2)],
    ['67%', names(1, 2)],
  ])(
    'maxUnavailable %s decides whether the third worker gets the streams of two that are away',
    (maxUnavailable, want) => {
      const spec = {
        workers: { selector: { matchLabels: { app: 'worker' } }, failover: { maxUnavailable } },
      };
      const at = settled(away(settled(world({ streams: 9, workers: 3, spec })), 300_000, 1, 2));
      expect(
        Object.entries(jobsOf(at)).flatMap(([name, jobs]) => (jobs.length === 0 ? [name] : [])),
      ).toEqual(want);
    },
  );
});

const rules: FailoverRules = { afterMs: 500, neverReadyAfterMs: 500, most: '50%' };

describe('failover', () => {
  const desired = names(0, 1, 2, 3);

  it.each([
    ['no worker is away', {}, [], []],
    ['one is late', { 'worker-1': 500 }, [], ['worker-1']],
    ['one is not late yet', { 'worker-1': 499 }, [], []],
    ['just half are late', { 'worker-1': 500, 'worker-2': 900 }, [], ['worker-1', 'worker-2']],
    [
      'more than half are away, some not late',
      { 'worker-1': 500, 'worker-2': 1, 'worker-3': 1 },
      [],
      [],
    ],
    ['one is back but not trusted', {}, ['worker-2'], ['worker-2']],
  ])(
    'failover names the workers that lose their streams when %s',
    (_, missingMs, distrusted, want) => {
      const there = desired.filter((name) => !Object.hasOwn(missingMs, name));
      const readyMs = Object.fromEntries(there.map((name) => [name, 1]));
      expect([...failoverOf(desired, { missingMs, readyMs, distrusted }, rules).failed]).toEqual(
        want,
      );
    },
  );

  it('failover counts workers that were Ready: pending workers of a scale-up are not away', () => {
    const there = { 'worker-0': 9_000, 'worker-2': 9_000 };
    const presence = { missingMs: { 'worker-1': 500 }, readyMs: there, distrusted: [] };
    expect([...failoverOf(names(0, 1, 2, 3, 4, 5, 6), presence, rules).failed]).toEqual(names(1));
    const worse = {
      missingMs: { 'worker-1': 500, 'worker-2': 500 },
      readyMs: { 'worker-0': 9_000 },
      distrusted: [],
    };
    expect(failoverOf(names(0, 1, 2, 3, 4, 5, 6), worse, rules)).toMatchObject({
      failed: new Set(),
      isSuspended: true,
    });
  });

  it('failover ends as soon as a worker has been Ready for ten seconds', () => {
    const presence = { missingMs: {}, readyMs: { 'worker-1': 10_000 }, distrusted: names(1) };
    expect(failoverOf(desired, presence, rules)).toEqual({
      failed: new Set(),
      givenUp: new Set(),
      isSuspended: false,
      nextInMs: undefined,
    });
  });

  it.each([
    [9_999, names(1)],
    [10_000, []],
  ])('a decision remembers distrusted workers, Ready for %i ms: %p', (readyMs, expected) => {
    const seen = { readyMs: { 'worker-1': readyMs }, distrusted: names(1) };
    const at = withPresence(settled(world({ streams: 9, workers: 3 })), seen);
    expect(decidePool(at, NOW).remembered.distrusted).toEqual(expected);
  });
});

describe('spec.rebalance.delaySeconds', () => {
  const delayed = (): PoolWorld =>
    settled(world({ streams: 9, workers: 2, spec: { rebalance: { delaySeconds: 60 } } }));
  const later = (at: PoolWorld, seconds: number): PoolWorld => ({
    ...at,
    monotonicMs: at.monotonicMs + seconds * 1000,
  });
  const counts = (at: PoolWorld): readonly number[] =>
    Object.values(jobsOf(at)).map(({ length }) => length);

  it('delaySeconds gives a new worker streams only after the workers were unchanged for that long', () => {
    const grown = settled(later(settled(scaled(delayed(), 3)), 5));
    expect(counts(grown)).toEqual([5, 4, 0]);
    expect(decidePool(grown, NOW).requeueAfterMs).toBeLessThanOrEqual(60_000);
    expect(counts(settled(later(grown, 54)))).toEqual([5, 4, 0]);
    expect(counts(settled(later(grown, 60)))).toEqual([3, 3, 3]);
  });

  it('delaySeconds begins anew when a worker comes or goes', () => {
    const grown = settled(later(settled(scaled(delayed(), 3)), 50));
    const away = carriedOut(
      withPod(grown, 1, { isReady: false }),
      decidePool(withPod(grown, 1, { isReady: false }), NOW),
    );
    const back = carriedOut(
      withPod(away, 1, { isReady: true }),
      decidePool(withPod(away, 1, { isReady: true }), NOW),
    );
    expect(counts(settled(later(back, 20)))).toEqual([5, 4, 0]);
    expect(counts(settled(later(back, 60)))).toEqual([3, 3, 3]);
  });

  it('delaySeconds begins anew when one worker comes while another goes', () => {
    const grown = settled(later(settled(scaled(delayed(), 3)), 50));
    const swapped = withPod(scaled(grown, 4), 1, { isReady: false });
    const seen = carriedOut(swapped, decidePool(swapped, NOW));
    expect(counts(settled(later(seen, 20)))).toEqual([5, 4, 0, 0]);
    expect(Math.max(...counts(settled(later(seen, 60))))).toBe(3);
  });

  it('delaySeconds delays no stream that has no worker', () => {
    const shrunk = settled(scaled(delayed(), 1));
    expect(counts(shrunk)).toEqual([9]);
    expect(counts(settled(withStreams(delayed(), 12)))).toEqual([6, 6]);
  });
});
