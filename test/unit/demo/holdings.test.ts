import { describe, expect, it } from '@jest/globals';
import {
  handoversOf,
  handoversText,
  holdingsOf,
  overlapsOf,
  overlapText,
  recordsText,
  unlikeAnswers,
} from '../../../src/demo/checks/holdings.ts';
import { observed } from './observations.ts';
import { log } from './worker-logs.ts';

const ranges = (...texts: readonly string[]): readonly string[] =>
  holdingsOf(texts.map(log)).map(
    ({ stream, worker, from, until }) => `${stream}@${worker} ${from}-${until ?? ''}`,
  );

describe('records of workers', () => {
  it('the records of workers show which worker ran which stream, from when until when', () => {
    expect(ranges('w0: 1+a 2+b 5-a', 'w1: 6+a')).toEqual(['a@w0 1-5', 'b@w0 2-', 'a@w1 6-']);
    expect(ranges('w0: 1+a 2-a 3+a')).toEqual(['a@w0 1-2', 'a@w0 3-']);
    expect(ranges('w0: 2-a')).toEqual([]);
  });

  it.each<[what: string, logs: readonly string[], found: readonly string[]]>([
    ['one after the other', ['w0: 1+a 5-a', 'w1: 6+a'], []],
    ['in the very moment of the stop', ['w0: 1+a 5-a', 'w1: 5+a'], []],
    ['other streams meanwhile', ['w0: 1+a', 'w1: 2+b'], []],
    [
      'too early',
      ['w0: 1+a 5-a', 'w1: 3+a'],
      ['a was started on w1 2 ms before it had stopped on w0'],
    ],
    [
      'never stopped',
      ['w0: 1+a', 'w1: 3+a'],
      ['a was started on w1 while it was still running on w0'],
    ],
    [
      'whoever wrote first',
      ['w1: 3+a', 'w0: 1+a 5-a'],
      ['a was started on w1 2 ms before it had stopped on w0'],
    ],
    [
      'one that overlaps two, which do not overlap',
      ['w0: 1+a 9-a', 'w1: 2+a 3-a', 'w2: 4+a 5-a'],
      [
        'a was started on w1 7 ms before it had stopped on w0',
        'a was started on w2 5 ms before it had stopped on w0',
      ],
    ],
  ])('overlapsOf finds streams that two workers run at a time: %s', (_, logs, found) => {
    expect(overlapsOf(holdingsOf(logs.map(log))).map(overlapText)).toEqual(found);
  });

  it('the records of workers show how many streams were handed over, and the shortest gap', () => {
    const holdings = holdingsOf(['w0: 1+a 2+b 5-a 7-b 8+b', 'w1: 9+a 20-a', 'w2: 23+a'].map(log));
    const handovers = handoversOf(holdings);
    expect(
      handovers.map(({ from, to, gapMs }) => `${to.stream} ${from.worker}-${to.worker} ${gapMs}`),
    ).toEqual(['a w0-w1 4', 'a w1-w2 3']);
    expect(handoversText(handovers)).toBe(
      '2 handovers so far, with at least 3 ms between the stop on one worker and the start on the next',
    );
    expect(recordsText(holdings)).toBe('5 starts and 3 stops recorded by 3 workers');
  });

  it('records of workers that lack a start differ from the answers of the workers', () => {
    const { workers } = observed({ streams: ['a', 'b'], runs: { w0: ['a', 'b'] } });
    const own = (text: string) => holdingsOf([{ ...log(text), pod: 'u' }]);
    expect(unlikeAnswers(own('w0: 1+a 2+b'), workers)).toEqual([]);
    expect(unlikeAnswers(own('w0: 1+a'), workers)).toEqual([
      'w0 runs 1 streams by its log, but reports 2',
    ]);
    expect(unlikeAnswers(own('w0: 1+a 2+c'), workers)).toHaveLength(1);
  });
});
