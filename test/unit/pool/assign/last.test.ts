// Does an assignment that continues from the last one follow each thing that changes?
import { describe, expect, it } from '@jest/globals';
import { runToEnd } from '../../../../src/core/work.ts';
import {
  assignKeeping,
  type KeepInput,
  type LastKeeping,
} from '../../../../src/pool/assign/keep.ts';
import { input, stream } from './sound.ts';

const streams = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => stream(name, 20));
const slices = [{}, {}, {}];
const first: KeepInput = {
  ...input(streams, 3),
  weightAt: (_, { name }) => (name === 'f' ? 90 : 20),
  weightsFrom: slices,
};

const kept = (given: KeepInput, last?: LastKeeping): LastKeeping =>
  runToEnd(assignKeeping(given, last));

const last = kept(first);
const { jobs } = last.result;
const [one = '', two = ''] = [...jobs.keys()];
/** As the next decision finds it. */
const next: KeepInput = { ...first, previous: jobs };
const moved = new Map([
  ...jobs,
  [one, jobs.get(two) ?? []] as const,
  [two, jobs.get(one) ?? []] as const,
]);

describe('an assignment that continues from the last one', () => {
  it('is the same object while nothing changes', () => {
    const again = kept(next, last);
    expect(again.result).toEqual(last.result);
    expect(kept({ ...next, workers: next.workers.map((it) => ({ ...it })) }, again)).toBe(again);
  });

  it('gives a worker whose streams stay the same list again', () => {
    const added = kept({ ...next, streams: [...streams, stream('g', 20)] }, last);
    const same = [...jobs].filter(([worker, list]) => added.result.jobs.get(worker) === list);
    expect(same).toHaveLength(2);
  });

  it.each<[string, Partial<KeepInput>]>([
    ['what workers have', { previous: moved }],
    ['the capacity', { capacity: 50 }],
    ['whether workers may be overloaded', { capacity: 30, overcommit: true }],
    ['whether streams move for balance', { previous: moved, rebalances: false }],
    ['how many streams may move', { previous: moved, maxMoves: 1 }],
    ['a cordon', { workers: next.workers.map((it, at) => ({ ...it, isCordoned: at === 0 })) }],
    ['the number of workers', { workers: next.workers.slice(0, 2) }],
    ['the order of workers', { workers: [...next.workers].reverse() }],
    ['a weight', { streams: streams.with(3, stream('d', 70)) }],
    ['a pin', { streams: streams.with(3, stream('d', 20, { ordinal: 2 })) }],
    ['a group', { streams: streams.map(({ name }) => stream(name, 20, { spreadGroup: name })) }],
    ['the order of the list', { streams: [...streams].reverse() }],
    [
      'what a stream reserves where it is',
      { streams: streams.with(5, stream('f', 500)), weightsFrom: [] },
    ],
    ['a stream that fails', { elsewhere: { away: new Map(), due: ['a'], most: 1 } }],
    ['a stream that failed', { elsewhere: { away: new Map([['a', two]]), due: [], most: 0 } }],
  ])('follows a change of %s', (_, change) => {
    const again = kept(next, last);
    const given = { ...next, ...change };
    const { result } = kept(given, again);
    expect(result).toEqual(kept(given).result);
    expect(kept({ ...next, previous: result.jobs }, kept(given, again)).result).toEqual(
      kept({ ...next, previous: result.jobs }).result,
    );
  });
});
