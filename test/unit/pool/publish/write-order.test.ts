// Is each stream in one of the files of a pool between any two writes of one publication?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { placedIn } from '../../../../src/api/assignment.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  slicesOf,
  streamNames,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const sharded = (shards: number, workers: number, streams: readonly (string | object)[]) =>
  world({
    ...{ workers, streams: streams.map((it) => (typeof it === 'string' ? { name: it } : it)) },
    spec: { assignments: { shards }, streamPolicy: { completion: 'Once' } },
    mounts: Array.from({ length: shards }, (_, index) => `tv-assignments-${index}`),
  });

const pinned = (ordinals: Readonly<Record<string, number>>): readonly object[] =>
  Object.entries(ordinals).map(([name, ordinal]) => ({ name, ordinal }));

/** The world after each write of a ConfigMap, as the next leader would find it. */
function afterEachWrite(at: PoolWorld): readonly PoolWorld[] {
  const decision = decidePool(at, NOW);
  return decision.steps.flatMap((step, index) =>
    step.do === 'patch' || step.do === 'create'
      ? [carriedOut(at, { ...decision, steps: decision.steps.slice(0, index + 1) })]
      : [],
  );
}

/** Streams of workers, and those that are recorded as completed. */
const heldIn = (at: PoolWorld): ReadonlySet<string> =>
  new Set([
    ...[...slicesOf(at).values()].flatMap(placedIn),
    ...(at.published.assignment?.completed?.keys() ?? []),
  ]);

/** Of the first streams, by write: those that are in no file after it. */
const missingAfterEach = (at: PoolWorld): readonly (readonly string[])[] =>
  afterEachWrite(at).map((it) => [...heldIn(at)].filter((stream) => !heldIn(it).has(stream)));

function completing(at: PoolWorld, done: readonly string[]): PoolWorld {
  const told = confirmed(at);
  const answers = Object.entries(told.answers).map(([uid, answer]) => {
    if (!answer.ok) return [uid, answer] as const;
    const mine = (answer.report.jobs ?? []).filter((job) => done.includes(job));
    const streams = Object.fromEntries(
      mine.map((job) => [job, { state: 'Completed' as const, restarts: 0 }]),
    );
    return [uid, { ...answer, report: { ...answer.report, streams } }] as const;
  });
  return { ...told, answers: Object.fromEntries(answers) };
}

describe('the order in which the files of a publication are written', () => {
  it('a chain of moves is written from its end', () => {
    const at = settled(sharded(3, 3, pinned({ a: 0, b: 1, c: 2 })));
    const moving = withStreams(at, pinned({ a: 1, b: 2, c: 2 }));
    expect(missingAfterEach(moving)).toEqual([[], [], []]);
    expect(jobsOf(settled(moving))).toEqual({
      'worker-0': [],
      'worker-1': ['a'],
      'worker-2': ['b', 'c'],
    });
  });

  it('of two files that exchange streams one is written first, and the other puts back what it misses', () => {
    const at = settled(sharded(2, 2, pinned({ a: 0, b: 1 })));
    const exchange = withStreams(at, pinned({ a: 1, b: 0 }));
    expect(missingAfterEach(exchange).map(({ length }) => length)).toEqual([1, 0]);
  });

  it.each(streamNames(8))(
    'a completed stream is recorded before it leaves its worker: %s',
    (stream) => {
      const at = completing(settled(sharded(2, 2, streamNames(8))), [stream]);
      expect(missingAfterEach(at).flat()).toEqual([]);
    },
  );

  it('streams that complete together stay with their workers or in the record between any two writes', () => {
    const streams = streamNames(9);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 4 }),
        fc.integer({ min: 2, max: 6 }),
        fc.subarray([...streams], { minLength: 1 }),
        (shards, workers, done) => {
          const at = completing(settled(sharded(shards, workers, streams)), done);
          expect(missingAfterEach(at).flat()).toEqual([]);
          expect([...(settled(at).published.assignment?.completed?.keys() ?? [])].sort()).toEqual(
            done,
          );
        },
      ),
    );
  });

  it('only streams that files exchange are in none of them between two writes', () => {
    const place = fc.integer({ min: 0, max: 3 });
    const moves = fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(moves, (all) => {
        const pins = (end: 0 | 1) =>
          pinned(Object.fromEntries(all.map((move, index) => [`s${index}`, move[end]])));
        const moving = withStreams(settled(sharded(4, 4, pins(0))), pins(1));
        for (const stream of missingAfterEach(moving).flat()) {
          const [from, to] = all[Number(stream.slice(1))] ?? [0, 0];
          expect([...reachedFrom(to, all)]).toContain(from);
        }
      }),
    );
  });
});

/** The files that streams of this file go to, and on from there. */
function reachedFrom(
  start: number,
  moves: readonly (readonly [from: number, to: number])[],
): ReadonlySet<number> {
  const reached = new Set([start]);
  for (const file of reached) for (const [from, to] of moves) if (from === file) reached.add(to);
  return reached;
}
