// Does a typo in the list leave a running stream where it is, and does the pool say so?
import { describe, expect, it } from '@jest/globals';
import type { EventText } from '../../../src/core/decision.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import { explain } from '../../../src/pool/plan/explain.ts';
import { planOf } from '../../../src/pool/plan/plan.ts';
import { listStreams } from '../../../src/pool/plan/stream-list.ts';
import { checkPreconditions } from '../../../src/pool/preconditions.ts';
import { nothingRemembered, type PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  nothingPublished,
  scaled,
  slicesOf,
  stepsOf,
  versionOf,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

type Listed = {
  readonly name: string;
  readonly weight?: number;
  readonly ordinal?: number;
  readonly suspend?: boolean;
};

const list: readonly Listed[] = [
  { name: 'a', weight: 60 },
  { name: 'b', weight: 50 },
  { name: 'c', weight: 20 },
];
const changed = (name: string, change: Partial<Listed>): readonly Listed[] =>
  list.map((it) => (it.name === name ? { ...it, ...change } : it));

/** worker-0 has a, worker-1 has b and c. */
const pool = settled(world({ streams: list }));
const heavy = withStreams(pool, changed('a', { weight: 600 }));
const mispinned = withStreams(pool, changed('a', { ordinal: 2 }));

const desiredOf = (at: PoolWorld) => {
  const { basis } = decidePool(at, NOW);
  if (!basis.ok) throw new Error(basis.blocked.message);
  return basis.desired;
};
const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));
const eventsOf = (at: PoolWorld): readonly EventText[] =>
  decidePool(at, NOW).steps.flatMap((step) => (step.do === 'event' ? [step.event] : []));

const tooHeavy =
  'weight is 600, but spec.workers.capacity is 100; until this is fixed it stays at worker-0 with weight 60';
const noWorker =
  'ordinal is 2, but there is no such worker, only 0 to 1; until this is fixed it stays at worker-0 with weight 60';

describe.each([
  ['a weight above the capacity', heavy, 'TooHeavy', tooHeavy],
  ['a pin to a worker that is missing', mispinned, 'PinnedWorkerMissing', noWorker],
])('%s', (_, edited, reason, message) => {
  const after = settled(edited);

  it('a mistaken entry publishes nothing: its stream keeps its worker and its weight', () => {
    expect(jobsOf(pool)).toEqual({ 'worker-0': ['a'], 'worker-1': ['b', 'c'] });
    expect(versionOf(after)).toBe(versionOf(pool));
    expect(slicesOf(after)).toEqual(slicesOf(pool));
    expect(stepsOf(decidePool(edited, NOW))).toEqual(['status', 'event']);
  });

  it('status says that a kept stream is assigned and that the pool is not Ready', () => {
    const { status } = after.pool;
    expect(status?.streams).toMatchObject({ total: 3, assigned: 3, unassigned: 0 });
    expect(status?.unassigned).toEqual([]);
    expect(status?.kept).toEqual([{ name: 'a', worker: 'worker-0', reason, message }]);
    expect(conditionOf(after, 'Ready')).toMatchObject({
      ...{ status: 'False', reason },
      message: `1 stream kept at its worker in spite of a mistake (a): ${message}`,
    });
    expect(conditionOf(after, 'Converged')?.status).toBe('True');
    expect(conditionOf(after, 'Overcommitted')?.status).toBe('False');
  });

  it('a kept stream causes one Warning, and none from a new leader', () => {
    expect(eventsOf(edited)).toEqual([
      {
        ...{ type: 'Warning', action: 'Assign', reason },
        message: `1 stream kept at its worker in spite of a mistake (a): ${message}`,
      },
    ]);
    expect(decidePool({ ...after, remembered: nothingRemembered }, NOW).steps).toEqual([]);
  });

  it('a kept stream is explained, listed and planned with its mistake', () => {
    const explained = explain(after, decidePool(after, NOW).basis, 'a', NOW);
    expect(explained.ok && explained.explanation).toMatchObject({
      ...{ state: 'Confirmed', worker: 'worker-0' },
      because: [
        `${reason}: ${message}`,
        'it reserves 60 of 100; with all its streams worker-0 carries 60',
        expect.stringContaining('worker-0 confirmed version'),
      ],
    });
    expect(listStreams(after, desiredOf(after), NOW)[0]).toMatchObject({ stream: 'a', message });
    const checked = checkPreconditions(edited);
    if (!checked.ok) throw new Error(checked.blocked.message);
    const plan = planOf({ before: pool, after: edited, checked, now: NOW });
    expect(plan).toMatchObject({ moves: [], unassigned: [], kept: [{ name: 'a' }], stay: 3 });
    expect(plan.notes).toEqual([expect.stringContaining(message)]);
  });

  it('a stream is kept no more when its entry is mended', () => {
    const mended = settled(withStreams(after, changed('a', { weight: 70 })));
    expect(conditionOf(mended, 'Ready')?.status).toBe('True');
    expect(mended.pool.status).not.toHaveProperty('kept');
    expect(slicesOf(mended).get('worker-0')).toMatchObject({ jobs: ['a'], weights: { a: 70 } });
  });

  it('a kept stream stays at its worker when the ConfigMap is lost', () => {
    const lost = settled({ ...after, published: nothingPublished });
    expect(jobsOf(lost)['worker-0']).toContain('a');
    expect(lost.pool.status?.kept).toMatchObject([{ name: 'a', worker: 'worker-0' }]);
  });

  it('a suspended stream with a mistaken entry stays suspended', () => {
    const suspended = settled(withStreams(pool, changed('a', { suspend: true })));
    const { spec } = edited.pool;
    const [first, ...rest] = spec.ok ? (spec.value.streams ?? []) : [];
    const both = settled(withStreams(suspended, [{ ...first, suspend: true }, ...rest]));
    expect(slicesOf(both)).toEqual(slicesOf(suspended));
  });

  it('a kept stream gives its room to a new stream, and does not take it back', () => {
    const streams = edited.pool.spec.ok ? (edited.pool.spec.value.streams ?? []) : [];
    const needed = withStreams(after, [...streams, { name: 'd', weight: 80 }]);
    const told = next(needed);
    expect(jobsOf(told)).toEqual({ 'worker-0': ['d'], 'worker-1': ['b', 'c'] });
    // The worker still answers that it runs the stream.
    expect(jobsOf(next(told))).toEqual(jobsOf(told));
    const gone = settled(needed);
    expect(jobsOf(gone)).toEqual(jobsOf(told));
    expect(gone.pool.status?.unassigned).toMatchObject([{ name: 'a', reason }]);
    expect(gone.pool.status).not.toHaveProperty('kept');
    expect(eventsOf(confirmed(told))).toContainEqual(
      expect.objectContaining({ reason, message: expect.stringContaining('without a worker (a)') }),
    );
  });

  it('a kept stream has no worker any more when its worker is cordoned or removed', () => {
    const spec = { workers: { selector: { matchLabels: { app: 'worker' } }, cordoned: [0] } };
    const cordoned = settled(withSpec(after, spec));
    expect(jobsOf(cordoned)).toEqual({ 'worker-0': [], 'worker-1': ['b', 'c'] });
    expect(cordoned.pool.status?.unassigned).toMatchObject([{ name: 'a', reason }]);
    const smaller = settled(
      withStreams(settled(world({ streams: [{ name: 'b' }, { name: 'a' }] })), [
        { name: 'b' },
        ...(edited.pool.spec.ok ? (edited.pool.spec.value.streams ?? []) : []).slice(0, 1),
      ]),
    );
    expect(smaller.pool.status?.kept).toMatchObject([{ worker: 'worker-1' }]);
    expect(settled(scaled(smaller, 1)).pool.status?.unassigned).toMatchObject([{ reason }]);
  });

  it('a stream with a mistaken entry that never had a worker gets none', () => {
    const fresh = settled(
      world({ streams: edited.pool.spec.ok ? (edited.pool.spec.value.streams ?? []) : [] }),
    );
    expect(fresh.pool.status?.unassigned).toMatchObject([{ name: 'a', reason }]);
  });
});

describe('a stream that is pinned to a missing worker', () => {
  const after = settled(mispinned);

  it('a stream that is pinned to a missing worker moves there when the worker exists', () => {
    const moved = settled(scaled(after, 3, { isReady: true }));
    expect(jobsOf(moved)).toMatchObject({ 'worker-2': ['a'] });
    expect(conditionOf(moved, 'Ready')?.status).toBe('True');
  });

  it('with handoff Exclusive a kept stream is released before it moves to its pinned worker', () => {
    const exclusive = settled(world({ streams: list, spec: { handoff: { type: 'Exclusive' } } }));
    const kept = settled(withStreams(exclusive, changed('a', { ordinal: 2 })));
    const told = next(scaled(kept, 3, { isReady: true }));
    expect(slicesOf(told).get('worker-0')).toMatchObject({ jobs: [], releasing: ['a'] });
    expect(slicesOf(told).get('worker-2')?.jobs).toEqual([]);
    expect(jobsOf(settled(told))).toMatchObject({ 'worker-2': ['a'] });
  });
});

describe('causes that keep streams', () => {
  it('each cause that keeps streams is reported once, and not again for one more stream', () => {
    const two = settled(
      withStreams(pool, [
        { name: 'a', weight: 600 },
        { name: 'b', weight: 50, ordinal: 9 },
        { name: 'c', weight: 20 },
      ]),
    );
    expect(two.pool.status?.kept?.map(({ reason }) => reason)).toEqual([
      'TooHeavy',
      'PinnedWorkerMissing',
    ]);
    const three = withStreams(two, [
      { name: 'a', weight: 600 },
      { name: 'b', weight: 50, ordinal: 9 },
      { name: 'c', weight: 200 },
    ]);
    expect(eventsOf(three)).toEqual([]);
    expect(settled(three).pool.status?.kept).toHaveLength(3);
  });
});

describe('scaling Auto with a kept stream', () => {
  const selector = { matchLabels: { app: 'worker' } };
  const bounds = { scaling: 'Auto', minReplicas: 1, maxReplicas: 4, scaleDownDelaySeconds: 0 };
  const own: readonly Listed[] = ['a', 'b', 'c'].map((name) => ({ name, weight: 100 }));
  const at = settled(
    world({ streams: own, workers: 3, spec: { workers: { selector, ...bounds } } }),
  );

  it.each<[string, Partial<Listed>]>([
    ['a weight', { weight: 1_000 }],
    ['a pin beyond maxReplicas', { ordinal: 40 }],
  ])('with scaling Auto, %s that cannot be met adds and removes no worker', (_, change) => {
    const streams = own.map((it) => (it.name === 'c' ? { ...it, ...change } : it));
    const after = settled(withStreams(at, streams));
    expect(after.targets[0]?.replicas).toBe(3);
    expect(jobsOf(after)).toEqual({ 'worker-0': ['a'], 'worker-1': ['b'], 'worker-2': ['c'] });
    const mended = settled(withStreams(after, own.slice(0, 2)));
    expect(mended.targets[0]?.replicas).toBe(2);
  });
});

describe('a removal', () => {
  it('a held removal counts a kept stream, and keeps it with its published weight', () => {
    const emptied = settled(withStreams(settled(heavy), []));
    expect(emptied.pool.status?.removal).toMatchObject({ total: 3 });
    expect(slicesOf(emptied).get('worker-0')).toMatchObject({ jobs: ['a'], weights: { a: 60 } });
  });

  it('a held removal keeps streams that a smaller capacity cannot carry any more', () => {
    const small = { workers: { selector: { matchLabels: { app: 'worker' } }, capacity: 10 } };
    const both = settled(withSpec(settled(withStreams(pool, [])), small));
    expect(jobsOf(both)).toEqual(jobsOf(pool));
  });
});
