import { describe, expect, it } from '@jest/globals';
import {
  fewestMoves,
  movesBetween,
  movesSince,
  movesText,
  newsSince,
} from '../../../src/demo/checks/moves.ts';
import { observed } from './observations.ts';

/** "ab c" is: w0 runs a and b, w1 runs c. */
const owners = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(' ').flatMap((slice, at) => [...slice].map((stream) => [stream, `w${at}`] as const)),
  );
const workers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `w${at}`);

const rows: readonly (readonly [before: string, after: string, count: number, says: string])[] = [
  ['', 'abc de', 2, '5 new, 0 moved'],
  ['abc de', 'abc de', 2, '0 moved'],
  ['abc def', 'ab de cf', 3, '2 moved (the fewest possible)'],
  ['abc def', 'ad be cf', 3, '4 moved (2 would be enough)'],
  ['ab cd ef', 'abe cdf', 2, '2 moved (the fewest possible)'],
  ['ab cd', 'bx cd', 2, '1 new, 1 removed, 0 moved'],
  ['abcd e', 'abc ed', 2, '1 moved (the fewest possible)'],
];

describe('moves between two moments', () => {
  it.each(rows)(
    'the demo counts the moves from %j to %j on %i workers',
    (before, after, count, says) => {
      const moves = movesBetween(owners(before), owners(after));
      expect(movesText(moves, fewestMoves(owners(before), owners(after), workers(count)))).toBe(
        says,
      );
    },
  );

  it('moves count as needed when streams make room for one that needs a worker of its own', () => {
    const now = observed({
      streams: [...'abcdX'],
      runs: { w0: ['a', 'b', 'c', 'd'], w1: ['X'] },
      weights: { X: 100 },
    });
    expect(movesSince(owners('ab cd'), now)).toBe('1 new, 2 moved (the fewest possible)');
  });

  it('moves are not compared with the fewest possible when a stream with a weight moved', () => {
    const now = observed({
      streams: ['a', 'b', 'c'],
      runs: { w0: ['a'], w1: ['b', 'c'] },
      weights: { c: 60 },
    });
    expect(movesSince(owners('ac b'), now)).toBe('1 moved');
  });

  it('streams of a changed worker are marked as new, but not at the first assignment', () => {
    const seen = observed({ streams: ['a', 'b', 'c'], runs: { w0: ['a'], w1: ['b', 'c'] } });
    expect([...newsSince(owners('ab'), seen)]).toEqual(['b', 'c']);
    expect([...newsSince(new Map(), seen)]).toEqual([]);
  });
});
