// Does an assignment that may move only a few streams at a time come to rest?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assign } from '../../../../src/pool/assign/assign.ts';
import type { AssignInput, AssignStream } from '../../../../src/pool/assign/problem/problem.ts';
import { again, expectSound, input, lists, stream } from './sound.ts';

type Lists = readonly (readonly string[])[];

const from = (was: Lists): ReadonlyMap<string, readonly string[]> =>
  new Map(was.map((names, at) => [`w${at}`, names]));

const cordoned = (given: AssignInput, ordinal: number | undefined): AssignInput => ({
  ...given,
  workers: given.workers.map((it) => ({ ...it, isCordoned: it.ordinal === ordinal })),
});

const member = (name: string, group: string, weight = 0): AssignStream =>
  stream(name, weight, { spreadGroup: group });

/** Every assignment on the way to rest, which is the last. No step may come back to another. */
function stepsOf(given: AssignInput): readonly Lists[] {
  const steps: Lists[] = [];
  const seen = new Set<string>([JSON.stringify([...given.previous.values()])]);
  for (let at = given; ; ) {
    const result = assign(at);
    expectSound(at, result);
    at = again(at, result);
    const now = lists(result);
    if (JSON.stringify(now) === JSON.stringify(steps.at(-1))) return steps;
    steps.push(now);
    const key = JSON.stringify(now);
    if (steps.length > 1) expect([...seen]).not.toContain(key);
    seen.add(key);
  }
}

describe('rebalance.maxMoves: 1', () => {
  it('empties a cordoned worker, and spreads the group of the stream that leaves it', () => {
    const streams = [stream('a'), member('b', 'g', 25), member('c', 'g')];
    const given = input(streams, 3, { previous: from([['b'], ['c'], ['a']]), maxMoves: 1 });
    expect(stepsOf(cordoned(given, 0))).toEqual([
      [[], ['b', 'c'], ['a']],
      [[], ['a', 'b', 'c'], []],
      [[], ['a', 'b'], ['c']],
    ]);
  });

  it('spreads a group by two moves that follow each other', () => {
    const streams = [member('a', 'g'), member('b', 'g'), stream('c'), stream('d')];
    const previous = from([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    const steps = stepsOf(input(streams, 2, { previous, maxMoves: 1 }));
    expect(steps).toHaveLength(2);
    for (const names of steps.at(-1) ?? [])
      expect(names.filter((name) => name === 'a' || name === 'b')).toHaveLength(1);
  });
});

it('with any maxMoves no assignment on the way to rest is made twice', () => {
  const row = fc.record({
    weight: fc.constantFrom(0, 0, 0, 0, 25, 40),
    group: fc.constantFrom(undefined, 'g', 'h', 'i'),
    ordinal: fc.constantFrom(undefined, undefined, undefined, undefined, 1),
    at: fc.nat(4),
  });
  const property = fc.property(
    fc.array(row, { minLength: 2, maxLength: 16 }),
    fc.integer({ min: 2, max: 5 }),
    fc.constantFrom(undefined, 0),
    fc.constantFrom(1, 1, 2, 3),
    (rows, workers, cordon, maxMoves) => {
      const streams = rows.map(({ weight, group, ordinal }, index) => ({
        ...stream(`s${index}`, weight),
        ...(group !== undefined && { spreadGroup: group }),
        ...(ordinal !== undefined && { ordinal }),
      }));
      const was = Array.from({ length: workers }, (_, worker) =>
        rows.flatMap(({ at }, index) => (at % workers === worker ? [`s${index}`] : [])),
      );
      const given = input(streams, workers, { previous: from(was), maxMoves });
      stepsOf(cordoned(given, cordon));
    },
  );
  fc.assert(property, { numRuns: 200 });
});
