// Which streams move when streams with weights are assigned again?
import { describe, expect, it } from '@jest/globals';
import { assign } from '../../../../src/pool/assign/assign.ts';
import type { AssignInput, AssignStream } from '../../../../src/pool/assign/problem/problem.ts';
import { again, input, lists, stream } from './sound.ts';

describe('assigning again', () => {
  const restsOn = (given: AssignInput): void => {
    const result = assign(given);
    expect(assign(again(given, result))).toEqual(result);
  };

  it('assigning again changes nothing if a stream finds room only after balancing', () => {
    const free = [60, 5, 25, 60].map((weight, at) => stream(`free-${at}`, weight));
    const pinned = [stream('there', 40, { ordinal: 1 }), stream('too-much', 100, { ordinal: 1 })];
    const given = input(
      [stream('late', 25, { priority: -1, ordinal: 0 }), ...free, ...pinned, stream('last', 25)],
      7,
    );
    restsOn(given);
    expect(assign(given).unassigned.map(({ name }) => name)).toEqual(['too-much']);
  });

  it('assigning again changes nothing in groups of which some streams have weights and others do not', () => {
    const g = { spreadGroup: 'g' };
    const h = { spreadGroup: 'h' };
    const streams = [
      stream('s0', 0, { priority: 1 }),
      stream('s1', 0, h),
      stream('s2', 40, { ...h, ordinal: 1 }),
      stream('s3', 100, { ...h, priority: -1 }),
      stream('s4', 0, { ...g, ordinal: 1 }),
      stream('s5', 1),
      stream('s6', 1, g),
      stream('s7', 25, { ...h, ordinal: 0 }),
      stream('s8', 25, { ...g, ordinal: 0 }),
      stream('s9', 0, g),
    ];
    restsOn(
      input(streams, 3, {
        previous: new Map([['w0', ['s0', 's1', 's5', 's6', 's7', 's8', 's9']]]),
      }),
    );
  });

  it('assigning again changes nothing if a group makes room for an earlier stream', () => {
    const row = (name: string, group?: number, ordinal?: number): AssignStream =>
      stream(name, 0, {
        ...(group !== undefined && { spreadGroup: `g${group}` }),
        ...(ordinal !== undefined && { ordinal }),
      });
    const first = [row('s0', 2), row('s1', 2), row('s2', 4, 0), row('s3', 1, 1)];
    const streams = [
      ...first,
      row('s4', 4),
      row('s5', 2, 1),
      row('s6', 1),
      row('s7', undefined, 2),
    ];
    const previous = new Map([
      ['w0', ['s4']],
      ['w1', ['s1']],
      ['w3', ['s3', 's5']],
    ]);
    restsOn(input(streams, 3, { previous }));
  });
});

describe('cordoned workers', () => {
  const cordoned = (given: AssignInput, ...ordinals: readonly number[]): AssignInput => ({
    ...given,
    workers: given.workers.map((worker) => ({
      ...worker,
      isCordoned: ordinals.includes(worker.ordinal),
    })),
  });

  it('cordoned workers are emptied, and get no streams', () => {
    const given = input(
      ['a', 'b', 'c'].map((name) => stream(name, name === 'a' ? 50 : 0)),
      3,
    );
    const result = assign(cordoned(again(given, assign(given)), 0));
    expect(lists(result)[0]).toEqual([]);
    expect(result.unassigned).toEqual([]);
  });

  it('no stream is assigned when all workers are cordoned', () => {
    expect(assign(cordoned(input([stream('a')], 2), 0, 1)).unassigned).toEqual([
      { name: 'a', reason: 'NoWorkers', message: 'every worker is cordoned' },
    ]);
  });
});

describe('rebalance', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => stream(name));

  it('rebalance WhenRequired moves only streams that have lost their worker', () => {
    const before = assign(input(six, 2));
    const more = assign(input(six, 3, { previous: before.jobs, rebalances: false }));
    expect(lists(more)).toEqual([['a', 'b', 'c'], ['d', 'e', 'f'], []]);
    const fewer = assign(
      input(six, 2, {
        previous: new Map([
          ['w0', ['a', 'b']],
          ['w2', ['c', 'd', 'e', 'f']],
        ]),
        rebalances: false,
      }),
    );
    expect(lists(fewer)[0]).toEqual(expect.arrayContaining(['a', 'b']));
    expect(fewer.unassigned).toEqual([]);
  });

  it('maxMoves bounds moves of streams that could stay; streams without a worker move in any case', () => {
    const before = assign(input(six, 1));
    const given = input(six, 3, { previous: before.jobs, maxMoves: 1 });
    const result = assign(given);
    expect(lists(result).map((jobs) => jobs.length)).toEqual([5, 1, 0]);
    expect(result.deferred).toBe(3);
    const lost = assign(
      input(six, 2, { previous: new Map([['gone', ['a', 'b', 'c', 'd', 'e', 'f']]]), maxMoves: 1 }),
    );
    expect(lost).toMatchObject({ unassigned: [], deferred: 0 });
  });

  it('steps of maxMoves arrive at the balance that one change would reach', () => {
    let given = input(six, 3, { previous: assign(input(six, 1)).jobs, maxMoves: 1 });
    for (let step = 0; step < 4; step += 1) given = again(given, assign(given));
    expect(lists(assign(given)).map((jobs) => jobs.length)).toEqual([2, 2, 2]);
  });

  it('a stream that needs a whole worker goes where no other stream has to make way', () => {
    const reserved = [stream('own', 100), stream('a', 25), stream('b', 25), stream('c', 25)];
    const streams = [...reserved, stream('pinned', 10, { ordinal: 1 }), stream('light')];
    const previous = new Map([
      ['w0', ['own']],
      ['w1', ['a', 'b', 'c', 'pinned']],
      ['w3', ['light']],
    ]);
    let given = input(streams, 4, { previous, maxMoves: 1 });
    given = {
      ...given,
      workers: given.workers.map((it) => ({ ...it, isCordoned: it.ordinal === 0 })),
    };
    for (let step = 0; step < 6; step += 1) given = again(given, assign(given));
    const result = assign(given);
    expect(result.jobs).toEqual(given.previous);
    expect(result.deferred).toBe(0);
    expect(result.jobs.get('w3')).toContain('light');
  });
});
