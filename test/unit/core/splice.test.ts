// Where do two lists differ?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { spliceBetween } from '../../../src/core/splice.ts';

describe('the place where two lists differ', () => {
  it.each([
    ['nothing differs', 'abc', 'abc', { start: 3, removed: 0, inserted: 0 }],
    ['an element is replaced', 'abc', 'axc', { start: 1, removed: 1, inserted: 1 }],
    ['an element is added', 'ac', 'abc', { start: 1, removed: 0, inserted: 1 }],
    ['one of two equal elements is removed', 'aa', 'a', { start: 1, removed: 1, inserted: 0 }],
    ['an element is added to equal ones', 'aa', 'aaa', { start: 2, removed: 0, inserted: 1 }],
    ['all is new', 'ab', 'xy', { start: 0, removed: 2, inserted: 2 }],
  ])('is found when %s', (_, before, after, splice) => {
    expect(spliceBetween([...before], [...after])).toEqual(splice);
  });

  it('turns one list into the other', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const { start, removed, inserted } = spliceBetween(before, after);
        const turned = before.toSpliced(start, removed, ...after.slice(start, start + inserted));
        expect(turned).toEqual(after);
      }),
      { numRuns: 300 },
    );
  });
});
