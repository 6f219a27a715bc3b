// Why is a stream where it is? Each row is a world, a stream, and its explanation.
import { describe, expect, it } from '@jest/globals';
import type { Explanation } from '../../../../src/api/introspection.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { explain } from '../../../../src/pool/plan/explain.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  NOW,
  scaled,
  withPod,
  withPresence,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

function explained(at: PoolWorld, stream: string): Explanation {
  const told = explain(at, decidePool(at, NOW).basis, stream, NOW);
  if (!told.ok) throw new Error(told.blocked.message);
  return told.explanation;
}

const many = settled(world({ streams: 4 }));
const weighed = settled(
  world({
    workers: 2,
    streams: [
      { name: 'whole', weight: 100 },
      { name: 'half', weight: 50 },
      { name: 'pinned', weight: 20, ordinal: 1 },
      { name: 'a', weight: 5, spreadGroup: 'g' },
      { name: 'b', weight: 5, spreadGroup: 'g' },
      { name: 'big', weight: 60 },
    ],
  }),
);
const exclusive = settled(
  world({ streams: 2, workers: 1, spec: { handoff: { type: 'Exclusive' } } }),
);
/** The new worker is Ready, and the old one has not released the stream yet. */
const releasing = carriedOut(
  scaled(exclusive, 2),
  decidePool(settledReady(scaled(exclusive, 2)), NOW),
);

const pausedWithNew = withSpec(withStreams(many, ['s0', 's1', 's2', 's3', 'new']), {
  paused: true,
});

/** The leader has seen worker-0 away for 100 seconds. */
const noted = carriedOut(
  awayFor(100_000),
  decidePool({ ...awayFor(100_000), ages: { ...many.ages, statusLagMs: 60_000 } }, NOW),
);

function awayFor(ms: number): PoolWorld {
  const trouble = { trouble: 'ImagePullBackOff', troubleDetail: 'example/worker:1' };
  return withPresence(withPod(many, 0, { isReady: false, ...trouble }), {
    missingMs: { 'worker-0': ms },
    readyMs: { 'worker-1': 60_000 },
  });
}

function settledReady(at: PoolWorld): PoolWorld {
  const readyMs = Object.fromEntries(at.pods.map(({ name }) => [name, 60_000]));
  return withPresence(at, { readyMs });
}

describe('a stream', () => {
  it.each<[string, PoolWorld, string, Partial<Explanation>, readonly string[]]>([
    [
      'at rest',
      many,
      's1',
      { state: 'Confirmed', worker: 'worker-0' },
      [
        'it reserves nothing, and is one of 2 streams there',
        'moving it would not improve the balance',
        'worker-0 confirmed version 1',
      ],
    ],
    [
      'with a worker of its own',
      weighed,
      'whole',
      { state: 'Confirmed' },
      ['it reserves 100, the whole capacity of worker-0'],
    ],
    [
      'with a pin',
      weighed,
      'pinned',
      { state: 'Confirmed', worker: 'worker-1' },
      [
        'it is pinned to ordinal 1',
        'it reserves 20 of 100; with all its streams worker-1 carries 80',
      ],
    ],
    ['of a group', weighed, 'a', { state: 'Confirmed' }, ['group g: 2 streams on 1 worker']],
    [
      'without room',
      weighed,
      'big',
      { state: 'Nowhere' },
      [
        'InsufficientCapacity: needs 60, but the freest worker has 20; 1 more worker would be enough',
      ],
    ],
    [
      'that is not listed',
      many,
      'other',
      { state: 'Unlisted' },
      ['it is not among the 4 streams of the pool'],
    ],
    [
      'that is listed and not yet published',
      withStreams(many, ['s0', 's1', 's2', 's3', 'new']),
      'new',
      { state: 'Moving', next: 'worker-0' },
      ['it is new in the list'],
    ],
    [
      'of a paused pool',
      pausedWithNew,
      'new',
      { state: 'Moving' },
      ['the pool is paused: it stays where it is until the pool is resumed'],
    ],
    [
      'of a paused pool that is resumed',
      withSpec(carriedOut(pausedWithNew, decidePool(pausedWithNew, NOW)), { paused: false }),
      'new',
      { state: 'Moving', next: 'worker-0' },
      ['it is new in the list'],
    ],
    [
      'of a paused pool whose worker is gone',
      withSpec(scaled(many, 1), { paused: true }),
      's2',
      { state: 'Nowhere', next: 'worker-0' },
      ['Paused: worker-1 is gone, and the pool is paused'],
    ],
    [
      'whose worker is away',
      { ...withPod(many, 0, { isReady: false }), answers: {} },
      's0',
      { state: 'Down' },
      [
        'worker-0 is down: its pod is not Ready',
        'other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)',
      ],
    ],
    [
      'whose worker cannot get its image, by the time that status notes',
      noted,
      's0',
      { state: 'Down', worker: 'worker-0' },
      [
        'worker-0 is down: its pod is not Ready (ImagePullBackOff: example/worker:1)',
        'other workers take over its streams in 200 s (spec.workers.failover.timeoutSeconds)',
      ],
    ],
    [
      'of a worker that does not answer',
      { ...many, answers: { 'uid-0': { ok: false, reason: 'connection refused' } } },
      's0',
      { state: 'Assigned' },
      ['worker-0 does not answer: connection refused'],
    ],
    [
      'whose worker runs something else',
      { ...many, answers: { 'uid-0': { ok: true, report: { version: 1, jobs: ['x'] } } } },
      's0',
      { state: 'Assigned' },
      ['worker-0 reports version 1, and x'],
    ],
    [
      'of a list that cannot be read',
      {
        ...many,
        lists: [
          { source: 'l/k', read: { ok: false, problems: [{ field: 'l/k', message: 'no' }] } },
        ],
      },
      's0',
      { state: 'Confirmed' },
      ['InvalidStreams: l/k: no; the published assignment stays in force'],
    ],
  ])(
    'explain gives the state and the causes of a stream %s',
    (_, at, stream, expected, because) => {
      const told = explained(at, stream);
      expect(told).toMatchObject(expected);
      expect(told.because).toEqual(expect.arrayContaining([...because]));
    },
  );

  it('explain names the owner that has not released a stream', () => {
    const told = explained(confirmed(settledReady(releasing), []), 's1');
    expect(told).toMatchObject({ state: 'Moving', next: 'worker-1' });
    expect(told.because).toContain(
      'worker-0 has not confirmed that it released it, and handoff Exclusive waits for that',
    );
  });

  it('explain says what blocks a pool about which nothing can be decided', () => {
    const without = { ...many, targets: [] };
    expect(explain(without, decidePool(without, NOW).basis, 's0', NOW)).toMatchObject({
      ok: false,
      blocked: { reason: 'TargetNotFound' },
    });
  });
});
