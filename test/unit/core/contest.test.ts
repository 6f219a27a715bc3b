// When does another writer count as one who contests what the operator has set?
import { expect, it } from '@jest/globals';
import { contestEndsInMs, isContested, recentChanges } from '../../../src/core/contest.ts';

const MINUTE = 60_000;

it.each([
  ['three changes within ten minutes', [0, 4, 9], 9, true, 1],
  ['three changes, the first ten minutes ago', [0, 4, 9], 10, false, undefined],
  ['two changes', [8, 9], 9, false, undefined],
  ['four changes, newest first', [9, 6, 4, 2], 9, true, 3],
  ['none', [], 9, false, undefined],
])(
  'an object with %s, at minutes %j and now %i: contested %s, for %s minutes more',
  (_, at, now, is, left) => {
    const recent = recentChanges(
      at.map((minute) => minute * MINUTE),
      now * MINUTE,
    );
    expect(isContested(recent)).toBe(is);
    expect(contestEndsInMs(recent, now * MINUTE)).toBe(left && left * MINUTE);
  },
);
