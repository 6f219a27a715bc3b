import { describe, expect, it } from '@jest/globals';
import { type DrainInput, drainOf } from '../../../src/demo/checks/drain.ts';
import { log } from './worker-logs.ts';

const scaling = { at: 130, note: 'set 2 -> 1' };
const well: DrainInput = {
  logs: ['w0: 1+a 115+b', 'w1: 1+b 110-b 140!'].map(log),
  leaving: ['w1'],
  askedAt: 100,
  scaling,
};
const of = (...texts: readonly string[]): DrainInput => ({ ...well, logs: texts.map(log) });

describe('a scale-down that empties workers first', () => {
  it('the demo shows the steps of a draining scale-down in order, with times', () => {
    expect(drainOf(well)).toEqual({
      problems: [],
      timeline: [
        { ms: 10, what: 'the leaving workers have stopped all of their feeds (1)' },
        { ms: 15, what: 'the remaining workers have started all of them' },
        { ms: 30, what: 'the operator: set 2 -> 1' },
        { ms: 40, what: 'w1 get SIGTERM, with no feed left to stop' },
      ],
    });
  });

  it.each<[what: string, input: DrainInput, problem: string]>([
    [
      'stopped only as the pod ended',
      of('w0: 1+a', 'w1: 1+b 140! 142-b'),
      'w1 was still running b when it got SIGTERM',
    ],
    [
      'started after the scaling',
      of('w0: 1+a 135+b', 'w1: 1+b 110-b 140!'),
      'b started on w0 5 ms after the StatefulSet was scaled, not before',
    ],
    ['a log without its end', of('w0: 1+a 115+b', 'w1: 1+b 110-b'), 'w1 has not logged a SIGTERM'],
    [
      'a log that is not there',
      of('w0: 1+a 115+b'),
      'only 0 of 1 leaving workers have logged records',
    ],
    [
      'an operator that did not say so',
      { ...well, scaling: undefined },
      'the operator has no event that it scaled the StatefulSet',
    ],
  ])('a draining scale-down is not verified: %s', (_, input, problem) =>
    expect(drainOf(input).problems).toEqual([problem]),
  );

  it('a draining scale-down counts a stream that moved to a leaving worker in between', () => {
    const { problems, timeline } = drainOf(of('w0: 1+b 50-b 115+b', 'w1: 60+b 110-b 140!'));
    expect(problems).toEqual([]);
    expect(timeline[0]).toEqual({
      ms: 10,
      what: 'the leaving workers have stopped all of their feeds (1)',
    });
  });
});
