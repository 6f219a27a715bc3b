// Which size does a metric ask for, when does the size fall, and what is said without a metric?
import { describe, expect, it } from '@jest/globals';
import type { MetricReading, MetricTrouble } from '../../../../src/core/metric.ts';
import { decideGroup } from '../../../../src/group/decide.ts';
import { type GroupWorld, nothingRemembered } from '../../../../src/group/world.ts';
import {
  carriedOut,
  conditionOf,
  groupWorld,
  NOW,
  ready,
  seenAt,
  sizesOf,
  withSpec,
} from '../../../support/group-worlds.ts';

const prometheus = { query: 'sum(rate(requests_total[1m]))', target: '100' };
const policy = { type: 'Prometheus', maxReplicas: 10, prometheus };
const spec = { replicas: undefined, policy };
const fresh = groupWorld({ members: { a: {} }, spec });

const sampled = (value: number, ageMs = 0): MetricReading => ({ state: 'sampled', value, ageMs });
const failed = (trouble: MetricTrouble, detail = ''): MetricReading => ({
  state: 'failed',
  trouble,
  detail,
});

/** Decides and carries out every ten seconds; all members get ready at once. */
function later(start: GroupWorld, metric: MetricReading, seconds: number): GroupWorld {
  let at = start;
  for (let second = 0; second < seconds; second += 10) {
    const now = { ...seenAt(at, at.monotonicMs + 10_000), metric };
    at = ready(carriedOut(now, decideGroup(now, NOW + now.monotonicMs)));
  }
  return at;
}

const decidedWith = (at: GroupWorld, metric: MetricReading) => {
  const now = { ...seenAt(at, at.monotonicMs + 3_000), metric };
  return decideGroup(now, NOW + now.monotonicMs);
};

const statusOf = ({ group }: GroupWorld) => group.status;
const sizeOf = (at: GroupWorld): number | undefined => sizesOf(at)['a'];
const withPolicy = (at: GroupWorld, more: object, metric: object = {}): GroupWorld =>
  withSpec(at, { policy: { ...policy, ...more, prometheus: { ...prometheus, ...metric } } });

/** At rest at this size for a long time. */
const atSize = (size: number): GroupWorld => {
  const at = later(fresh, sampled(size * 100), 400);
  expect(sizeOf(at)).toBe(size);
  return at;
};

describe('the size', () => {
  it.each([
    [2, 219, '0.1', 2],
    [2, 221, '0.1', 3],
    [2, 220, '0.1', 2],
    [2, 201, '0', 3],
    [2, 200.000_000_000_1, '0', 2],
    [4, 1_000, '0.1', 10],
    [4, 5_000, '0.1', 10],
    [4, 1e300, '0.1', 10],
  ])(
    'a group of size %d with the metric %d (tolerance %s) gets size %d',
    (size, value, tolerance, wanted) => {
      const at = withPolicy(atSize(size), {}, { tolerance });
      expect(sizeOf(later(at, sampled(value), 10))).toBe(wanted);
    },
  );

  it.each([
    ['0.1', 0.3, 3],
    ['0.1', 0.1 + 0.2, 3],
    ['0.1', 0.7, 7],
    ['0.1', 1.1 - 0.2, 9],
    ['3', 9, 3],
    ['0.000000001', 0.000000003, 3],
  ])('the size for target %s and value %d is exactly %d', (target, value, size) => {
    const at = withPolicy(fresh, {}, { target, tolerance: '0' });
    expect(sizeOf(later(at, sampled(value), 10))).toBe(size);
  });

  it('the size of members that are older than their group falls only after the delay', () => {
    const there = groupWorld({ members: { a: { replicas: 6 } }, spec });
    const first = later(there, sampled(100), 290);
    expect(sizeOf(first)).toBe(6);
    expect(statusOf(first)?.proposal?.reason).toBe('ScaleDownDelayed');
    expect(sizeOf(later(first, sampled(100), 30))).toBe(1);
  });

  it('policy Prometheus goes on from the size of another policy', () => {
    const manual = later(
      groupWorld({ members: { a: {} }, spec: { replicas: 4 } }),
      { state: 'pending' },
      10,
    );
    const at = withSpec(manual, spec);
    expect(sizeOf(later(at, { state: 'pending' }, 30))).toBe(4);
    expect(sizeOf(later(at, failed('empty'), 900))).toBe(4);
    expect(sizeOf(later(at, sampled(390), 30))).toBe(4);
    expect(sizeOf(later(at, sampled(500), 30))).toBe(5);
  });

  it('the size falls to 0 and comes back where minReplicas allows it', () => {
    const at = withPolicy(atSize(2), { minReplicas: 0 });
    const none = later(at, sampled(0), 310);
    expect(sizeOf(none)).toBe(0);
    expect(sizeOf(later(none, sampled(1), 10))).toBe(1);
  });
});

describe('why a size is proposed', () => {
  it('a proposal names the size and the target, and its reason begins the transition', () => {
    const up = later(atSize(2), sampled(390), 10);
    expect(statusOf(up)?.transition).toMatchObject({ reason: 'MetricAboveTarget', from: 2, to: 4 });
    expect(statusOf(up)?.proposal).toEqual({
      replicas: 4,
      reason: 'MetricAboveTarget',
      message: 'the metric calls for size 4, at 100 per unit',
    });
    const rest = later(up, sampled(390), 10);
    expect(statusOf(rest)?.proposal).toEqual({
      replicas: 4,
      reason: 'WithinTolerance',
      message: 'size 4 fits the metric, at 100 per unit',
    });
    const down = later(rest, sampled(120), 330);
    expect(statusOf(down)?.history?.[0]).toMatchObject({ reason: 'MetricBelowTarget', to: 2 });
  });

  it('the condition Limited names the bound of a size, and no value that changes each time', () => {
    const at = later(atSize(10), sampled(5_000), 10);
    expect(conditionOf(at, 'Limited')).toMatchObject({
      status: 'True',
      reason: 'AtMaximum',
      message: 'the metric calls for more; spec.policy.maxReplicas is 10',
    });
    expect(decidedWith(at, sampled(6_000)).steps).toEqual([]);
    const low = later(withPolicy(atSize(3), { minReplicas: 3 }), sampled(1), 400);
    expect(sizeOf(low)).toBe(3);
    expect(conditionOf(low, 'Limited')).toMatchObject({ status: 'True', reason: 'AtMinimum' });
  });

  it('a proposal is written once, however the value changes within the same size', () => {
    const at = atSize(4);
    for (const value of [361, 380, 440, 399.5])
      expect(decidedWith(at, sampled(value)).steps).toEqual([]);
    const delayed = later(at, sampled(250), 20);
    for (const value of [20, 150, 290])
      expect(decidedWith(delayed, sampled(value)).steps).toEqual([]);
  });

  it('a group decides again when its sample becomes stale', () => {
    expect(decidedWith(atSize(4), sampled(400, 50_000)).requeueAfterMs).toBe(70_000);
  });
});

describe('the size falls', () => {
  it('the size falls only to the highest of all proposals of the delay', () => {
    const at = later(atSize(8), sampled(300), 150);
    const middle = later(at, sampled(590), 10);
    const low = later(middle, sampled(300), 140);
    expect(sizeOf(low)).toBe(8);
    // The first sizes, and the higher one in the middle.
    const first = later(low, sampled(300), 20);
    expect(sizeOf(first)).toBe(6);
    expect(sizeOf(later(first, sampled(300), 130))).toBe(6);
    expect(sizeOf(later(first, sampled(300), 150))).toBe(3);
  });

  it('the size does not fall when one proposal of the delay does not ask for it', () => {
    const at = later(atSize(8), sampled(300), 280);
    expect(sizeOf(later(later(at, sampled(790), 10), sampled(300), 290))).toBe(8);
  });

  it.each<[string, MetricReading]>([
    ['has failed', failed('unreachable')],
    ['is stale', sampled(300, 120_000)],
  ])(
    'the size falls only after the whole delay again when the metric %s in between',
    (_, reading) => {
      const at = later(atSize(8), sampled(300), 280);
      const after = later(later(at, reading, 10), sampled(300), 290);
      expect(sizeOf(after)).toBe(8);
      expect(sizeOf(later(after, sampled(300), 20))).toBe(3);
    },
  );

  it('the size falls only after the whole delay again under another leader, or after an edit', () => {
    const at = later(atSize(8), sampled(300), 280);
    const taken = { ...at, remembered: nothingRemembered };
    expect(sizeOf(later(taken, sampled(300), 290))).toBe(8);
    expect(sizeOf(later(taken, sampled(300), 320))).toBe(3);
    const edited = withPolicy(at, {}, { query: 'other' });
    expect(sizeOf(later(edited, sampled(300), 290))).toBe(8);
  });

  it('the size falls at once without a delay', () => {
    const at = withPolicy(atSize(8), {}, { scaleDownAfterSeconds: 0 });
    expect(sizeOf(later(at, sampled(300), 10))).toBe(3);
  });

  it('a group decides again exactly when the delay is over', () => {
    const at = later(atSize(8), sampled(300), 250);
    const { requeueAfterMs } = decidedWith(at, sampled(300, 0));
    expect(requeueAfterMs).toBeGreaterThan(30_000);
    expect(requeueAfterMs).toBeLessThan(60_000);
  });
});

describe('without a fresh metric', () => {
  const rows: readonly (readonly [MetricReading, string, string])[] = [
    [sampled(900, 120_000), 'MetricStale', 'the newest sample is older than 120 s'],
    [
      failed('unknown-source', 'x'),
      'MetricSourceUnknown',
      'this namespace has no metric source "x"',
    ],
    [failed('too-many-queries', '100'), 'TooManyQueries', 'use more than 100 different queries'],
    [failed('unreachable', 'ECONNREFUSED'), 'MetricSourceUnreachable', 'reached (ECONNREFUSED)'],
    [failed('late', '10 s'), 'MetricSourceLate', 'the source did not answer within 10 s'],
    [failed('denied', '401'), 'MetricSourceDenied', 'the source answered 401'],
    [failed('redirected', '302'), 'MetricSourceRedirects', 'the operator follows no redirects'],
    [
      failed('source-failed', 'answers 500'),
      'MetricSourceFailed',
      'the query failed at the source (answers 500)',
    ],
    [failed('too-long', '64 KiB'), 'MetricAnswerTooLong', 'the answer is longer than 64 KiB'],
    [failed('not-understood'), 'MetricAnswerUnknown', 'the answer is not a Prometheus response'],
    [failed('wrong-query', 'parse error'), 'MetricQueryWrong', 'query is wrong: parse error'],
    [failed('empty'), 'MetricEmpty', 'the query returned no series'],
    [failed('several-series'), 'MetricAmbiguous', 'reduce them to one, for example with sum()'],
    [failed('not-a-number', 'NaN'), 'MetricNotANumber', 'the value is not a number (NaN)'],
    [failed('negative'), 'MetricNegative', 'the value is negative'],
  ];

  it.each(rows)(
    'without a fresh metric (%j) the size stays, and %s says why',
    (reading, reason, message) => {
      const at = later(atSize(4), reading, 1_000);
      expect(sizeOf(at)).toBe(4);
      expect(conditionOf(at, 'MetricsAvailable')).toMatchObject({
        status: 'False',
        reason,
        message: expect.stringContaining(message),
      });
      expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'True' });
      expect(statusOf(at)?.proposal).toMatchObject({ replicas: 4, reason: 'MetricMissing' });
      expect(decidedWith(at, reading).steps).toEqual([]);
      const back = later(at, sampled(400), 10);
      expect(conditionOf(back, 'MetricsAvailable')).toMatchObject({
        status: 'True',
        reason: 'MetricAvailable',
        message: 'the source "default" returns a number',
      });
    },
  );

  it('a group without a metric emits one event for each reason', () => {
    const at = atSize(4);
    const events = (world: GroupWorld, reading: MetricReading) =>
      decidedWith(world, reading).steps.flatMap((step) =>
        step.do === 'event' ? [step.event] : [],
      );
    expect(events(at, failed('empty'))).toMatchObject([
      {
        type: 'Warning',
        reason: 'MetricMissing',
        message: 'MetricEmpty: the query returned no series; keeping the size',
      },
    ]);
    const missing = later(at, failed('empty'), 10);
    expect(events(missing, failed('empty'))).toEqual([]);
    expect(events(missing, failed('negative'))).toHaveLength(1);
    expect(events(missing, sampled(400))).toEqual([]);
  });

  it('a group without a metric still applies its bounds', () => {
    const at = withPolicy(later(atSize(4), failed('empty'), 10), { maxReplicas: 3 });
    expect(sizeOf(later(at, failed('empty'), 10))).toBe(3);
  });

  it('a new group without a metric scales nothing, and says so', () => {
    const there = groupWorld({ members: { a: { replicas: 6 }, b: {} }, spec });
    const at = later(there, failed('empty'), 100);
    expect(sizesOf(at)).toEqual({ a: 6, b: 1 });
    expect(conditionOf(at, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'MetricMissing',
      message: 'no metric yet (condition MetricsAvailable): nothing is scaled until there is one',
    });
    expect(sizesOf(later(at, sampled(250), 10))).toEqual({ a: 3, b: 3 });
  });

  it('a new leader keeps the status until the first answer of the source', () => {
    const at = { ...atSize(4), remembered: nothingRemembered };
    expect(decidedWith(at, { state: 'pending' }).steps).toEqual([]);
    const missing = { ...later(atSize(4), failed('empty'), 10), remembered: nothingRemembered };
    expect(decidedWith(missing, { state: 'pending' }).steps).toEqual([]);
  });

  it('the condition MetricsAvailable is Unknown until the first answer of the source', () => {
    const at = later(fresh, { state: 'pending' }, 10);
    expect(conditionOf(at, 'MetricsAvailable')).toMatchObject({
      status: 'Unknown',
      reason: 'MetricPending',
    });
  });
});

describe('a paused group', () => {
  it('a paused group shows the size that the metric asks for, and scales nothing', () => {
    const at = withSpec(atSize(2), { paused: true });
    const paused = later(at, sampled(690), 30);
    expect(sizeOf(paused)).toBe(2);
    expect(statusOf(paused)?.proposal).toMatchObject({ replicas: 7 });
    expect(statusOf(paused)?.proposal?.message).toContain('would scale Deployment/a 2 -> 7');
    expect(decidedWith(paused, sampled(691)).steps).toEqual([]);
    expect(sizeOf(later(withSpec(paused, { paused: false }), sampled(690), 10))).toBe(7);
  });
});
