// Does a size at random follow from seed and number, evenly within its bounds?
import { describe, expect, it } from '@jest/globals';
import { drawnSize } from '../../../../src/group/policy/propose.ts';

describe('a size at random', () => {
  it('a random size follows from seed and number alone', () => {
    const walk = (seed: number): readonly number[] =>
      Array.from({ length: 20 }, (_, number) => drawnSize(seed, number, 1, 10));
    expect(walk(42)).toEqual(walk(42));
    expect(walk(42)).not.toEqual(walk(43));
  });

  it('a random size is the same as in earlier versions', () => {
    const walk = Array.from({ length: 12 }, (_, number) => drawnSize(42, number, 1, 5));
    expect(walk).toEqual([5, 1, 5, 1, 1, 4, 2, 3, 5, 2, 3, 3]);
  });

  it('a random size is within both bounds, and each size is as likely', () => {
    const counts = new Map<number, number>();
    for (let number = 0; number < 50_000; number += 1) {
      const size = drawnSize(7, number, 3, 7);
      counts.set(size, (counts.get(size) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([3, 4, 5, 6, 7]);
    for (const count of counts.values()) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });

  it.each([
    [5, 5],
    [0, 0],
  ])('a random size between %d and %d is that size', (least, most) => {
    expect(drawnSize(1, 2, least, most)).toBe(least);
  });
});
