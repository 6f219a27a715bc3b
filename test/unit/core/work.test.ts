// Is long work divided into pieces, and is its result the same?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eachOf, eachUpTo, runToEnd, someOf, sortedTexts } from '../../../src/core/work.ts';
import { tries } from '../../support/tries.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

describe('work on a long list', () => {
  it.each([
    [0, 0],
    [999, 0],
    [1_000, 1],
    [2_500, 2],
  ])('work on a list of %i items pauses %i times, and takes each item once', (count, pauses) => {
    const [taken, counted]: [number[], number[]] = [[], []];
    expect([...eachOf(numbers(count), (it) => taken.push(it))]).toHaveLength(pauses);
    expect([...eachUpTo(count, (it) => counted.push(it))]).toHaveLength(pauses);
    expect([taken, counted]).toEqual([numbers(count), numbers(count)]);
  });

  it('work on a list ends with the first item that is meant', () => {
    const taken: number[] = [];
    const isMeant = (it: number): boolean => taken.push(it) === 3;
    expect(runToEnd(someOf(numbers(5), isMeant))).toBe(true);
    expect(taken).toEqual([0, 1, 2]);
    expect(runToEnd(someOf(numbers(5), () => false))).toBe(false);
  });

  it('texts are sorted as `sort` does, in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3_500 }), (texts) => {
        expect(runToEnd(sortedTexts(texts))).toEqual([...texts].sort());
      }),
      { numRuns: tries(20) },
    );
    const many = numbers(3_500).map((it) => `s${(it * 7_919) % 3_500}`);
    for (const texts of [many, [...many].sort(), [...many].sort().reverse()]) {
      expect(runToEnd(sortedTexts(texts))).toEqual([...many].sort());
      // Four pieces, two merges of two pieces each, and one of four.
      expect([...sortedTexts(texts)]).toHaveLength(4 + 2 + 1 + 3);
    }
  });
});
