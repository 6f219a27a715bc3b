// Are two values the same JSON?
import { describe, expect, it } from '@jest/globals';
import { isSameJson } from '../../../src/core/json.ts';

describe('two values', () => {
  it.each([
    ['the order of keys', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['an absent key', { a: 1, b: undefined }, { a: 1 }, true],
    ['another value', { a: [1, 2] }, { a: [2, 1] }, false],
    ['a further key', { a: 1 }, { a: 1, b: 2 }, false],
    ['a key with the name of a method', { a: 1 }, { a: 1, constructor: 'x' }, false],
    ['the same, the other way round', { a: 1, toString: 'x' }, { a: 1 }, false],
    ['null', { a: null }, { a: {} }, false],
  ])('are compared with %s', (_, a, b, isSame) => {
    expect(isSameJson(a, b)).toBe(isSame);
  });

  it('are compared with a long list, with another one, and again', () => {
    const list = (last: string) => [...Array.from({ length: 20 }, (_, index) => `s${index}`), last];
    const [a, same, other] = [list('x'), list('x'), list('y')];
    const compared = [same, other, same].map((it) => isSameJson(a, it));
    expect([...compared, isSameJson(other, a)]).toEqual([true, false, true, false]);
  });
});
