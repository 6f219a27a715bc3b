// Is only the version in a worker's first answer believed?
import { describe, expect, it } from '@jest/globals';
import type { ProbeAnswer } from '../../../../src/api/report.ts';
import { FirstVersions } from '../../../../src/pool/observe/first-versions.ts';

const says = (version: number, podUid: string | undefined = 'a', read?: number): ProbeAnswer => ({
  ok: true,
  report: { version, ...(podUid !== undefined && { podUid }), ...(read !== undefined && { read }) },
});

describe('the first word of a worker', () => {
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
    const words = new FirstVersions();
    expect(answers.map((answer) => words.highest('n/tv', ['a'], { a: answer })).at(-1)).toBe(
      expected,
    );
  });

  it('goes with the pod', () => {
    const words = new FirstVersions();
    expect(words.highest('n/tv', ['a', 'b'], { a: says(9), b: says(3, 'b') })).toBe(9);
    expect(words.highest('n/tv', ['b'], { b: says(4, 'b') })).toBe(3);
    words.forget('n/tv');
    expect(words.highest('n/tv', ['b'], { b: says(4, 'b') })).toBe(4);
  });
});
