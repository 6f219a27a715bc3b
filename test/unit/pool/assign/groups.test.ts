// Are members of spread groups placed as they should be, and does a very long assignment take
// many turns?
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runToEnd } from '../../../../src/core/work.ts';
import { assign, assignInTurns } from '../../../../src/pool/assign/assign.ts';
import { spreadEvenly } from '../../../../src/pool/assign/even.ts';
import { type AssignmentProblem, NONE } from '../../../../src/pool/assign/problem/problem.ts';

function problemOf(workers: number, group: readonly number[]): AssignmentProblem {
  const count = group.length;
  const none = new Int32Array(count).fill(NONE);
  const isCordoned = new Uint8Array(workers);
  const groups = Math.max(0, ...group) + 1;
  return {
    count,
    weight: new Int32Array(count),
    pin: none,
    away: none,
    left: [],
    group: Int32Array.from(group),
    groups,
    isPinned: false,
    isWeighted: false,
    before: none,
    weightless: new Int32Array(workers),
    workers,
    isCordoned,
    capacity: 100,
  };
}

/**
 * Each member in list order goes to the worker with room that has the fewest of its group; of
 * equals, to the first.
 */
function byDefinition(
  { group }: AssignmentProblem,
  before: Int32Array,
  shares: readonly number[],
): readonly number[] {
  const owner = [...before];
  const held = shares.map((_, worker) => owner.filter((it) => it === worker).length);
  owner.forEach((present, stream) => {
    if (present !== NONE || group[stream] === NONE) return;
    const together = (worker: number): number =>
      owner.filter((it, other) => it === worker && group[other] === group[stream]).length;
    const withRoom = shares.flatMap((share, worker) =>
      (held[worker] ?? 0) < share ? [worker] : [],
    );
    const [best = NONE] = withRoom.sort((a, b) => together(a) - together(b) || a - b);
    owner[stream] = best;
    held[best] = (held[best] ?? 0) + 1;
  });
  return owner;
}

it('a member of a spread group goes to the worker with room that has the fewest of its group', () => {
  const world = fc.integer({ min: 1, max: 6 }).chain((workers) =>
    fc.record({
      workers: fc.constant(workers),
      streams: fc.array(
        fc.record({ group: fc.integer({ min: 0, max: 3 }), at: fc.option(fc.nat(workers - 1)) }),
        { maxLength: 24 },
      ),
    }),
  );
  const property = fc.property(world, ({ workers, streams }) => {
    const problem = problemOf(
      workers,
      streams.map(({ group }) => group),
    );
    const before = Int32Array.from(streams, ({ at }) => at ?? NONE);
    const owner = Int32Array.from(before);
    runToEnd(
      spreadEvenly({
        problem,
        owner,
        isWeightless: new Uint8Array(problem.count).fill(1),
        isOpen: new Uint8Array(workers).fill(1),
        load: new Float64Array(workers),
        rebalances: false,
      }),
    );
    const shares = Array.from(
      { length: workers },
      (_, worker) => owner.filter((it) => it === worker).length,
    );
    expect([...owner]).toEqual(byDefinition(problem, before, shares));
  });
  fc.assert(property, { numRuns: 500 });
});

it('an assignment of 6,000 streams in groups yields more than 500 times on its way', () => {
  const workers = Array.from({ length: 300 }, (_, ordinal) => ({
    name: `w${ordinal}`,
    ordinal,
    isCordoned: false,
  }));
  for (const weight of [0, 1]) {
    const streams = Array.from({ length: 6_000 }, (_, index) => ({
      name: `s${index}`,
      weight,
      priority: 0,
      spreadGroup: `g${index % 2_000}`,
    }));
    const input = {
      streams,
      workers,
      previous: new Map(),
      capacity: 100,
      overcommit: false,
      rebalances: true,
      maxMoves: undefined,
    };
    let turns = 0;
    const work = assignInTurns(input);
    for (let turn = work.next(); turn.done !== true; turn = work.next()) turns += 1;
    expect(turns).toBeGreaterThan(500);
    const { jobs } = assign(input);
    for (const list of jobs.values())
      expect(new Set(list.map((name) => Number(name.slice(1)) % 2_000)).size).toBe(list.length);
  }
});
