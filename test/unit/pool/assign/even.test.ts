// Are streams without weights spread evenly, by the fewest moves?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assign as assignAll } from '../../../../src/pool/assign/assign.ts';
import type { AssignInput } from '../../../../src/pool/assign/problem/problem.ts';
import type { AssignResult } from '../../../../src/pool/assign/result.ts';
import { streamNames } from '../../../support/pool-worlds.ts';
import { tries } from '../../../support/tries.ts';

type Lists = ReadonlyMap<string, readonly string[]>;

/** Assigns streams without weights. */
function assign(input: {
  streams: readonly string[];
  workers: readonly string[];
  previous: Lists;
}): AssignResult {
  const full: AssignInput = {
    streams: input.streams.map((name) => ({ name, weight: 0, priority: 0 })),
    workers: input.workers.map((name, ordinal) => ({ name, ordinal, isCordoned: false })),
    previous: input.previous,
    capacity: 100,
    overcommit: false,
    rebalances: true,
    maxMoves: undefined,
  };
  return assignAll(full);
}

const workerNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `w${index}`);
const nothing: Lists = new Map();

/** Streams that had a worker which is still there, and have another now. */
function movesBetween(before: Lists, after: Lists): number {
  const owner = new Map(
    [...after].flatMap(([worker, jobs]) => jobs.map((job) => [job, worker] as const)),
  );
  return [...before].flatMap(([worker, jobs]) =>
    jobs.filter((job) => after.has(worker) && owner.has(job) && owner.get(job) !== worker),
  ).length;
}

/**
 * The fewest moves that leave sizes differing by at most one, by trying every choice of the workers
 * that carry one more.
 */
function fewestMoves(kept: readonly number[], streams: number): number {
  const even = Math.floor(streams / kept.length);
  const extra = streams % kept.length;
  const gains = kept
    .map((count) => Math.max(0, count - even) - Math.max(0, count - even - 1))
    .sort((a, b) => b - a);
  const ifNobody = kept.reduce((sum, count) => sum + Math.max(0, count - even), 0);
  return ifNobody - gains.slice(0, extra).reduce((sum, gain) => sum + gain, 0);
}

const sizes = (jobs: Lists): readonly number[] => [...jobs.values()].map((list) => list.length);

describe('assign', () => {
  const lineup = [
    ...[
      'xxrtve1',
      'xxrtve2',
      'zrtve2:new',
      'zrtve1:new',
      'zrtve0:new',
      'cctv0:updated',
      'history:new',
      'foo:new',
      'xxctv3:new',
    ],
    ...[
      'cctv3:updated',
      'xxctv0:updated',
      'xxctv10:updated',
      'xxctv11:updated',
      'xxctv12:updated',
      'xxctv13:updated',
      'xxctv14:updated',
    ],
    ...[
      'yxctv1:updated',
      'yxctv2:updated',
      'yxctv3:updated',
      'xabcn0:updated',
      'xacb01:updated',
      'xacb02:updated',
      'xacb03:updated',
    ],
    ...['xacb04:updated', 'sportnews0:updated', 'cars:new', 'cars:updated'],
  ].map((name) => `stream:${name}`);

  it('assign deals 27 streams to 2 workers in list order, as the first prototype did: 14, then 13', () => {
    const { jobs } = assign({
      streams: lineup,
      workers: ['swarm-worker-0', 'swarm-worker-1'],
      previous: nothing,
    });
    expect(jobs.get('swarm-worker-0')).toEqual(lineup.slice(0, 14));
    expect(jobs.get('swarm-worker-1')).toEqual(lineup.slice(14));
  });

  it('2 new workers take 10 of 27 streams from 3 workers, and no stream is lost or doubled', () => {
    const three = assign({ streams: lineup, workers: workerNames(3), previous: nothing }).jobs;
    const five = assign({ streams: lineup, workers: workerNames(5), previous: three }).jobs;
    expect(sizes(five)).toEqual([6, 6, 5, 5, 5]);
    expect(movesBetween(three, five)).toBe(10);
    expect([...five.values()].flat().sort()).toEqual([...lineup].sort());
  });

  it('all streams stay unassigned, with a reason, when there is no worker', () => {
    const { jobs, unassigned } = assign({ streams: ['a'], workers: [], previous: nothing });
    expect(jobs.size).toBe(0);
    expect(unassigned).toEqual([{ name: 'a', reason: 'NoWorkers', message: 'there is no worker' }]);
  });

  it('a stream that two workers claim stays with the first', () => {
    const previous = new Map([
      ['w0', ['a', 'b']],
      ['w1', ['a', 'c']],
    ]);
    expect(
      Object.fromEntries(
        assign({ streams: ['a', 'b', 'c'], workers: workerNames(2), previous }).jobs,
      ),
    ).toEqual({
      w0: ['a', 'b'],
      w1: ['c'],
    });
  });

  const history = fc.array(
    fc.oneof(
      fc.record({
        change: fc.constant('workers' as const),
        count: fc.integer({ min: 1, max: 12 }),
      }),
      fc.record({
        change: fc.constant('streams' as const),
        add: fc.integer({ min: 0, max: 9 }),
        drop: fc.integer({ min: 0, max: 9 }),
      }),
    ),
    { minLength: 1, maxLength: 8 },
  );

  it('over any history sizes differ by one, moves are the fewest, no stream is lost or doubled, and the assignment comes to rest', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        history,
        fc.integer({ min: 1, max: 97 }),
        (start, changes, stride) => {
          let streams = [...streamNames(start)];
          let workers = workerNames(1 + (start % 5));
          let jobs = assign({ streams, workers, previous: nothing }).jobs;
          changes.forEach((change, round) => {
            const before = jobs;
            if (change.change === 'workers') workers = workerNames(change.count);
            else {
              streams = streams.filter(
                (_, index) => (index * stride) % Math.max(1, streams.length) >= change.drop,
              );
              streams.push(...streamNames(change.add, `r${round}-`));
            }
            jobs = assign({ streams, workers, previous: before }).jobs;
            expect([...jobs.keys()]).toEqual(workers);
            expect([...jobs.values()].flat().sort()).toEqual([...streams].sort());
            expect(Math.max(...sizes(jobs)) - Math.min(...sizes(jobs))).toBeLessThanOrEqual(1);
            const live = new Set(streams);
            const kept = workers.map(
              (worker) => (before.get(worker) ?? []).filter((job) => live.has(job)).length,
            );
            expect(movesBetween(before, jobs)).toBe(fewestMoves(kept, streams.length));
            expect(assign({ streams, workers, previous: jobs }).jobs).toEqual(jobs);
          });
        },
      ),
      { numRuns: tries(130) },
    );
  });

  it('a first assignment cuts contiguous runs in list order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 80 }),
        fc.integer({ min: 1, max: 15 }),
        (count, workers) => {
          const streams = streamNames(count);
          const { jobs } = assign({ streams, workers: workerNames(workers), previous: nothing });
          expect([...jobs.values()].flat()).toEqual(streams);
          expect(sizes(jobs)).toEqual([...sizes(jobs)].sort((a, b) => b - a));
        },
      ),
    );
  });
});
