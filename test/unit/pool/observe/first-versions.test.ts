// Is only the version in a worker's first answer believed?
import { describe, expect, it } from '@jest/globals';
import type { ProbeAnswer } from '../../../../src/api/report.ts';
import { firstVersions } from '../../../../src/pool/observe/first-versions.ts';

const says = (version: number, podUid: string | undefined = 'a', read?: number): ProbeAnswer => ({
  ok: true,
  report: { version, ...(podUid !== undefined && { podUid }), ...(read !== undefined && { read }) },
});

const nothing: ReadonlyMap<string, number> = new Map();

describe('the first answer of a worker', () => {
  it.each<[string, readonly ProbeAnswer[], number]>([
    ['is what it follows', [says(9)], 9],
    ['is what it is about to follow', [says(7, 'a', 9)], 9],
    ['stays the first, whatever it says later', [says(2), says(999)], 2],
    ['is not yet there while it does not answer', [{ ok: false, reason: 'no answer' }, says(9)], 9],
    [
      'is none of a pod that does not name itself, or names another',
      [says(9, 'b'), says(9, '')],
      0,
    ],
  ])('%s', (_, answers, expected) => {
    const remembered = answers.reduce(
      (before, answer) => firstVersions(before, ['a'], { a: answer }),
      nothing,
    );
    expect(remembered.get('a') ?? 0).toBe(expected);
  });

  it('is forgotten with the pod', () => {
    const both = firstVersions(nothing, ['a', 'b'], { a: says(9), b: says(3, 'b') });
    expect([...both.values()]).toEqual([9, 3]);
    expect([...firstVersions(both, ['b'], { b: says(4, 'b') }).values()]).toEqual([3]);
  });
});
