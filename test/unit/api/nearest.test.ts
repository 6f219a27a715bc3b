// Is a typo recognized, and nothing suggested that is not near?
import { expect, it } from '@jest/globals';
import { hint, nearest } from '../../../src/api/nearest.ts';

const commands = ['status', 'plan', 'explain', 'validate', 'top'];

it.each([
  ['staus', 'status'],
  ['sttaus', 'status'],
  ['statusx', 'status'],
  ['stetus', 'status'],
  ['STATUS', 'status'],
  ['pln', 'plan'],
  ['tpo', 'top'],
  ['vlidaet', 'validate'],
  ['apply', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('the typed word %s is taken for %s', (word, expected) =>
  expect(nearest(word, commands)).toBe(expected),
);

it('a hint suggests the nearest word, or is empty where none is near', () => {
  expect(hint('staus', commands)).toBe('; did you mean status?');
  expect(hint('apply', commands)).toBe('');
});
