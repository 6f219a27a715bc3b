// Does a round have the same steps each time, and are wrong sizes refused?
import { describe, expect, it } from '@jest/globals';
import { sizesIn, walkOf } from '../../../../src/cli/experiment/walk.ts';

it.each<[readonly number[], string]>([
  [[1, 3, 5, 2], '1-3 3-5 5-2 2-1'],
  [[1, 2], '1-2 2-1'],
  [[1, 2, 1], '1-2 2-1'],
  [[0, 100_000], '0-100000 100000-0'],
])('a round of the sizes %j has the steps %s', (sizes, steps) =>
  expect(
    walkOf(sizes)
      .map(({ from, to }) => `${from}-${to}`)
      .join(' '),
  ).toBe(steps),
);

describe('sizes are read', () => {
  it('sizes are read as typed', () => expect(sizesIn(['1', '3', '0'])).toEqual([1, 3, 0]));

  it.each([
    [['1']],
    [[]],
    [['1', '1']],
    [['1', '2', '2', '3']],
    [['1', 'x']],
    [['1', '-2']],
    [['1', '1.5']],
    [['1', '100001']],
    [['1', '']],
  ])('the sizes %j are refused', (texts) =>
    expect(() => sizesIn(texts)).toThrow(
      `--sizes is ${JSON.stringify(texts.join())}; allowed are two or more whole numbers from 0 to 100000`,
    ),
  );
});
