// Which numbers start a batch Job, and which take a start back?
import { describe, expect, it } from '@jest/globals';
import {
  FIRST_GRANT,
  grantAfter,
  grantAt,
  grantFrom,
  grantOf,
  stillTakenBack,
  takenBack,
  takesBack,
} from '../../../src/api/grants.ts';

describe('a grant', () => {
  it.each([FIRST_GRANT, 8, grantAt(1_700_000_000_000.5)])('%d is taken back once', (grant) => {
    const back = takenBack(grant);
    expect([takesBack(grant), takesBack(back)]).toEqual([false, true]);
    expect([grantOf(grant), grantOf(back)]).toEqual([grant, grant]);
    expect([stillTakenBack(grant), stillTakenBack(back)]).toEqual([back, back]);
  });

  it('is above the number that takes the one before it back', () => {
    expect(grantAfter(8)).toBeGreaterThan(takenBack(8));
    expect([grantAfter(8, 0), grantAfter(8), grantAfter(8, 3)]).toEqual([8, 10, 14]);
  });

  it.each([
    [8, 8],
    [9, 10],
  ])('from %d on is %d', (least, grant) => expect(grantFrom(least)).toBe(grant));
});
