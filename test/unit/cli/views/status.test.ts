// Does a pool show its state and what is wrong at a glance?
import { describe, expect, it } from '@jest/globals';
import type { SwarmPool } from '../../../../src/api/validate.ts';
import { tableLines, textOf } from '../../../../src/cli/render.ts';
import { bar } from '../../../../src/cli/views/bar.ts';
import { isWell } from '../../../../src/cli/views/state.ts';
import { poolLines, poolsTable } from '../../../../src/cli/views/status.ts';
import { ageText } from '../../../../src/cli/views/time.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  NOW,
  withoutTarget,
  withPod,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const texts = (pool: SwarmPool, now = NOW + 65_000): readonly string[] =>
  poolLines(pool, 200, false, now).map((line) => textOf(line).trimEnd());
const decided = (at: PoolWorld, times = 3): PoolWorld =>
  times === 0
    ? at
    : decided(
        carriedOut(at, decidePool({ ...at, ages: { ...at.ages, publishedMs: 10_000 } }, NOW)),
        times - 1,
      );

const calm = settled(
  world({
    streams: [
      { name: 'a', weight: 50 },
      { name: 'b', weight: 20 },
    ],
  }),
);

/** As the operator writes it once all streams of a finite pool have completed. */
const complete: SwarmPool = {
  ...calm.pool,
  status: {
    ...calm.pool.status,
    streams: { total: 2, assigned: 0, unassigned: 0, completed: 2 },
    conditions: [
      ...(calm.pool.status?.conditions ?? []),
      {
        ...{ type: 'Complete', status: 'True', reason: 'AllCompleted' },
        message: '2 of 2 streams are completed',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
};

describe('a pool at a glance', () => {
  it('the status of a pool shows its workers, loads and versions', () => {
    expect(texts(calm.pool)).toEqual([
      'SwarmPool swarm/tv: version 1, 2 of 2 workers converged, 2 streams, StatefulSet/worker',
      'Ready for 65s',
      '',
      'WORKER    STREAMS  LOAD              VERSION  CONFIRMED  STATE',
      'worker-0        1    50  █████             1          1  Converged',
      'worker-1        1    20  ██                1          1  Converged',
    ]);
    expect(isWell(calm.pool)).toBe(true);
  });

  it.each<[string, PoolWorld, string]>([
    [
      'a pool without a target counts its list',
      withoutTarget(world({ streams: 1 })),
      'SwarmPool swarm/tv: version 0, 0 workers, 1 stream, 1 without a worker',
    ],
    [
      'a pool with an invalid spec counts nothing',
      world({ streams: 1, spec: { overcommit: 'Maybe' } }),
      'SwarmPool swarm/tv: version 0, 2 workers, StatefulSet/worker',
    ],
  ])('the first line of status shows it: %s', (_, at, first) => {
    const lines = texts(decided(at).pool);
    expect(lines[0]).toBe(first);
    expect(lines.join('\n')).not.toMatch(/WITHOUT A WORKER|more stream/);
  });

  it('the status of a pool shows numbers of streams where no stream has a weight', () => {
    expect(texts(settled(world({ streams: 3 })).pool).slice(3)).toEqual([
      'WORKER    STREAMS              VERSION  CONFIRMED  STATE',
      'worker-0        2  ██████████        1          1  Converged',
      'worker-1        1  █████             1          1  Converged',
    ]);
  });

  it('the status of a pool shows which workers are outstanding, and since when', () => {
    const { pool } = decided(
      withStreams(calm, [
        { name: 'a', weight: 50 },
        { name: 'c', weight: 20 },
      ]),
    );
    expect(isWell(pool)).toBe(false);
    expect(texts(pool)).toEqual(
      expect.arrayContaining([
        'not Ready for 65s: WorkersOutstanding: worker-1 Refreshing',
        '1 worker outstanding; version 2 (StreamsChanged) was published 65s ago',
        'worker-1        1    20  ██                2          1  Refreshing',
      ]),
    );
  });

  it('the status of a pool names streams without a worker, and conditions that need attention', () => {
    const { pool } = decided(
      withStreams(calm, [
        { name: 'a', weight: 90 },
        { name: 'b', weight: 90 },
        { name: 'c', weight: 90 },
      ]),
    );
    expect(texts(pool)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^Overcommitted for 65s: InsufficientCapacity: 2 workers for weights that need 3/,
        ),
        expect.stringMatching(
          /^c {17}InsufficientCapacity {2}needs 90, but the freest worker has 10; 1 more worker would be enough$/,
        ),
      ]),
    );
  });

  it.each<[string, SwarmPool, string]>([
    ['no operator has looked at', world().pool, 'Unknown: no operator has reconciled it yet'],
    [
      'is paused',
      decided(withSpec(calm, { paused: true })).pool,
      'Paused for 65s: paused: 0 streams would move',
    ],
    [
      'has changed since the last look',
      withStreams(calm, 3).pool,
      'Changed: the operator has not reconciled the change yet',
    ],
    [
      'mounts another ConfigMap',
      decided(settled(world({ mounts: ['other'] }))).pool,
      'not Mounted for 65s: NotMounted: StatefulSet/worker mounts other, but the pool writes tv-assignments',
    ],
    [
      'has a worker that is not Ready',
      decided(withPod(calm, 1, { isReady: false })).pool,
      'worker-1        1    20  ██                1          1  Pending    its pod is not Ready; other workers take over its streams after 300 s (spec.workers.failover.timeoutSeconds)',
    ],
    [
      'has a worker that is down',
      decided(withPod(calm, 1, { isReady: false })).pool,
      'SwarmPool swarm/tv: version 1, 1 of 2 workers converged, 2 streams, 1 down, StatefulSet/worker',
    ],
    [
      'has a worker whose streams others take over',
      decided(withPod(calm, 1, { isReady: false })).pool,
      'other workers take over 1 stream of worker-1 in 4m',
    ],
    [
      'has done all its work',
      complete,
      'SwarmPool swarm/tv: version 1, 2 of 2 workers converged, 2 streams, 2 completed, StatefulSet/worker',
    ],
    ['is complete', complete, 'Complete for 65s: AllCompleted: 2 of 2 streams are completed'],
  ])('the status of a pool that %s shows it', (_, pool, says) =>
    expect(texts(pool)).toContain(says),
  );

  it('the status of a pool is one row of the table of pools', () => {
    expect(
      tableLines(poolsTable([calm.pool], NOW), 200).map((line) => textOf(line).trimEnd()),
    ).toEqual([
      'NAMESPACE  POOL  VERSION  WORKERS  CONVERGED  STREAMS  UNASSIGNED  FAILING  SINCE  STATE',
      'swarm      tv    1        2        2          2        0           -        0s     Ready',
    ]);
  });

  it('the table of pools counts streams that are down or completed where there are any', () => {
    const down = decided(withPod(calm, 1, { isReady: false })).pool;
    const [head, ...rows] = tableLines(poolsTable([down, complete], NOW), 300).map(textOf);
    expect(head).toMatch(/ FAILING +DOWN +COMPLETED +SINCE /);
    expect(rows).toEqual([
      expect.stringMatching(/ +- +1 +- +0s +WorkersOutstanding: 1 stream is down/),
      expect.stringMatching(/ +- +- +2 +0s +Ready/),
    ]);
  });
});

it.each([
  [0, 100, ''],
  [0.1, 100, '▏'],
  [50, 100, '█████'],
  [56, 100, '█████▌'],
  [99.9, 100, '█████████▉'],
  [100, 100, '██████████'],
  [130, 100, '██████████'],
  [1, 0, '▏'],
])('a bar of %d out of %d is drawn as "%s"', (part, whole, text) =>
  expect(bar(part, whole).text.trimEnd()).toBe(text),
);

it.each([
  [0, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [3 * 3_600_000, '3h'],
  [50 * 3_600_000, '2d'],
])('an age of %d ms is written as %s', (ms, text) => expect(ageText(ms)).toBe(text));
