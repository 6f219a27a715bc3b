// Does a stream that fails where it is move to a worker with room, once, and does no other stream
// move for it?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assign } from '../../../../src/pool/assign/assign.ts';
import type { AssignInput } from '../../../../src/pool/assign/problem/problem.ts';
import type { AssignResult } from '../../../../src/pool/assign/result.ts';
import { tries } from '../../../support/tries.ts';
import { again, expectSound, input, lists, loads, stream } from './sound.ts';

type Failing = { readonly due?: readonly string[]; readonly most?: number };

/** Settled, then these streams are to leave their worker. */
const settledWith = (given: AssignInput, result: AssignResult, failing: Failing): AssignInput => {
  const { due = [], most = 100 } = failing;
  return { ...again(given, result), elsewhere: { away: result.movedFrom, due, most } };
};

const failing = (given: AssignInput, ...due: readonly string[]): AssignInput =>
  settledWith(given, assign(given), { due });

const light = (count: number) => Array.from({ length: count }, (_, at) => stream(`s${at}`));
const ownerOf = (result: AssignResult, name: string): string | undefined =>
  [...result.jobs].find(([, jobs]) => jobs.includes(name))?.[0];
const cordoned = (given: AssignInput, ...ordinals: readonly number[]): AssignInput => ({
  ...given,
  workers: given.workers.map((it) => ({ ...it, isCordoned: ordinals.includes(it.ordinal) })),
});

describe('a stream that fails for too long at its worker', () => {
  it('a stream that fails for too long moves to another worker, and no other stream moves in exchange', () => {
    const given = failing(input(light(6), 2), 's1');
    const result = assign(given);
    expect(lists(result)).toEqual([
      ['s0', 's2'],
      ['s1', 's3', 's4', 's5'],
    ]);
    expect(result.movedFrom).toEqual(new Map([['s1', 'w0']]));
    expect(assign(settledWith(given, result, {}))).toEqual(result);
  });

  it.each([
    ['moves when another worker has room for it', [60, 30, 40, 20], ['w2']],
    ['stays when no other worker has room for it', [60, 50, 50, 50], []],
  ])('a failing stream with a weight %s', (_, [own = 0, ...others], want) => {
    const streams = [stream('a', own), ...others.map((weight, at) => stream(`o${at}`, weight))];
    const previous = new Map(
      streams.map(({ name }, at) => [`w${at}`, [name]] as [string, readonly string[]]),
    );
    const given = input(streams, 4, { previous: new Map([...previous, ['w3', ['o2']]]) });
    const result = assign({ ...given, elsewhere: { away: new Map(), due: ['a'], most: 1 } });
    expect([...result.movedFrom.keys()].length).toBe(want.length);
    expectSound(given, result);
  });

  it('no other stream moves into the room that a failing stream leaves', () => {
    const weights = [45, 100, 100, 100, 20, 45];
    const streams = weights.map((weight, at) =>
      stream(`s${at}`, weight, weight < 100 ? { spreadGroup: 'h' } : {}),
    );
    const given = failing(input(streams, 5), 's0');
    const result = assign(given);
    expect([...result.movedFrom.keys()]).toEqual(['s0']);
    for (const { name } of streams.slice(1))
      expect(ownerOf(result, name)).toBe(ownerOf(assign(input(streams, 5)), name));
  });

  it('a failing stream stays while no other worker has room for it', () => {
    const given = failing(input([stream('a', 60), stream('b', 60), stream('c', 30)], 2), 'a', 'b');
    const result = assign(given);
    expect(result.jobs).toEqual(given.previous);
    expect(result.movedFrom.size).toBe(0);
  });

  it.each([
    ['an empty worker', [stream('own', 100), stream('a', 50)], 3, 1],
    ['no worker that has streams without a weight', [stream('own', 100), ...light(4)], 3, 0],
  ])('a failing stream that needs a whole worker moves to %s', (_, streams, workers, moved) => {
    const given = failing(input(streams, workers), 'own');
    const result = assign(given);
    expect(result.movedFrom.size).toBe(moved);
    expect(ownerOf(result, 'a')).toBe(ownerOf(assign(input(streams, workers)), 'a'));
    expect(assign(settledWith(given, result, {}))).toEqual(result);
  });

  it('a failing stream that is pinned to its worker does not move', () => {
    const streams = [stream('p', 0, { ordinal: 0 }), ...light(3)];
    expect(assign(failing(input(streams, 2), 'p')).movedFrom.size).toBe(0);
  });

  it('the most urgent failing streams move first, no more than may move at once', () => {
    const given = input(light(8), 2);
    const result = assign(settledWith(given, assign(given), { due: ['s3', 's0', 's5'], most: 2 }));
    expect([...result.movedFrom]).toEqual([
      ['s3', 'w0'],
      ['s0', 'w0'],
    ]);
  });

  it('a failing stream without room elsewhere does not take the turn of one that has room', () => {
    const given = input([stream('a', 90), stream('b', 90), stream('c', 10)], 2);
    const result = assign(settledWith(given, assign(given), { due: ['a', 'c'], most: 1 }));
    expect([...result.movedFrom.keys()]).toEqual(['c']);
  });

  it('a failing stream avoids a worker with other failing streams if another worker carries as much', () => {
    const given = input(light(9), 3);
    const due = ['s0', 's3', 's4', 's5'];
    const result = assign(settledWith(given, assign(given), { due, most: 1 }));
    expect(ownerOf(result, 's0')).toBe('w2');
  });

  it('a failing stream moves to a worker that has no other stream of its spread group', () => {
    const group = { spreadGroup: 'g' };
    const streams = [stream('a', 0, group), stream('b', 0, group), ...light(4)];
    const given = input(streams, 3);
    const before = assign(given);
    const result = assign(settledWith(given, before, { due: ['a'] }));
    expect(ownerOf(result, 'a')).not.toBe(ownerOf(result, 'b'));
    expect(ownerOf(result, 'b')).toBe(ownerOf(before, 'b'));
    expect(assign(settledWith(given, result, {}))).toEqual(result);
  });

  it('failing streams move within maxMoves even without rebalancing', () => {
    const given = input(light(8), 2, { rebalances: false });
    const at = settledWith(given, assign(given), { due: ['s0', 's1'] });
    expect(assign(at).movedFrom.size).toBe(2);
    expect(assign({ ...at, maxMoves: 1 }).movedFrom.size).toBe(1);
    expect(assign({ ...at, maxMoves: 0 }).jobs).toEqual(at.previous);
  });
});

describe('a stream that has moved because it failed', () => {
  const given = input(light(6), 2);
  const moved = assign(failing(given, 's1'));
  const later = (more: Partial<AssignInput>): AssignInput => ({
    ...settledWith(given, moved, {}),
    ...more,
  });

  it('a moved stream stays when a worker joins, and the others are balanced as if it had not moved', () => {
    const { workers } = input([], 3);
    const result = assign(later({ workers }));
    expect(ownerOf(result, 's1')).toBe('w1');
    expect(lists(result).map(({ length }) => length)).toEqual([1, 3, 2]);
  });

  it('a moved stream goes to a third worker, not back, when its new worker is cordoned', () => {
    const { workers } = input([], 3);
    const three = assign(later({ workers }));
    const result = assign(cordoned(settledWith({ ...given, workers }, three, {}), 1));
    expect(ownerOf(result, 's1')).toBe('w2');
    expect([...result.movedFrom]).toEqual([['s1', 'w0']]);
  });

  it('a moved stream goes back when no other worker is left', () => {
    const result = assign(cordoned(later({}), 1));
    expect(ownerOf(result, 's1')).toBe('w0');
    expect(result.movedFrom.size).toBe(0);
  });

  it('a moved stream goes back rather than leave another stream without a worker', () => {
    const streams = [stream('d', 50, { ordinal: 0 }), stream('a', 40)];
    const previous = new Map([
      ['w0', ['d']],
      ['w1', ['a']],
    ]);
    const away = new Map([['a', 'w0']]);
    const beside = (weight: number): AssignResult =>
      assign({
        ...input([...streams, stream('c', weight)], 2, { previous }),
        elsewhere: { away, due: [], most: 0 },
      });
    expect(lists(beside(60))).toEqual([['d'], ['a', 'c']]);
    expect(beside(60).movedFrom).toEqual(away);
    expect(lists(beside(70))).toEqual([['d', 'a'], ['c']]);
    expect(beside(70).movedFrom.size).toBe(0);
  });

  it('a moved stream counts at its present worker when the time of its move is over', () => {
    expect(lists(assign(later({ elsewhere: undefined }))).map(({ length }) => length)).toEqual([
      3, 3,
    ]);
  });

  it('a moved stream follows a pin back to its earlier worker', () => {
    const streams = light(6).map((it) => (it.name === 's1' ? { ...it, ordinal: 0 } : it));
    const result = assign(later({ streams }));
    expect([ownerOf(result, 's1'), result.movedFrom.size]).toEqual(['w0', 0]);
  });
});

describe('over any history', () => {
  const shapes = fc.record({
    weights: fc.array(fc.constantFrom(0, 0, 0, 20, 45, 100), { minLength: 1, maxLength: 14 }),
    pins: fc.array(fc.option(fc.integer({ min: 0, max: 3 }), { freq: 5 }), { maxLength: 14 }),
    groups: fc.array(fc.option(fc.constantFrom('g', 'h'), { freq: 2 }), { maxLength: 14 }),
    rounds: fc.array(
      fc.record({
        workers: fc.integer({ min: 1, max: 6 }),
        due: fc.array(fc.integer({ min: 0, max: 13 }), { maxLength: 6 }),
        most: fc.integer({ min: 0, max: 3 }),
        cordoned: fc.option(fc.integer({ min: 0, max: 5 }), { freq: 4 }),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    overcommit: fc.boolean(),
    rebalances: fc.boolean(),
  });

  const streamsOf = ({
    weights,
    pins,
    groups,
  }: {
    weights: number[];
    pins: (number | null)[];
    groups: (string | null)[];
  }) =>
    weights.map((weight, at) => {
      const [ordinal, spreadGroup] = [pins[at] ?? undefined, groups[at] ?? undefined];
      return stream(`s${at}`, weight, {
        ...(ordinal !== undefined && { ordinal }),
        ...(spreadGroup !== undefined && { spreadGroup }),
      });
    });

  it('over any history, failing streams move within limit and pins, and go back only without room elsewhere', () => {
    fc.assert(
      fc.property(shapes, ({ rounds, overcommit, rebalances, ...shape }) => {
        let given = input(streamsOf(shape), 2, { overcommit, rebalances });
        let before = assign(given);
        for (const round of rounds) {
          const { workers } = input([], round.workers);
          const at = cordoned({ ...again(given, before), workers }, round.cordoned ?? -1);
          const due = round.due.map((index) => `s${index}`);
          given = { ...at, elsewhere: { away: before.movedFrom, due, most: round.most } };
          const result = assign(given);
          expectSound(given, result);
          const fresh = [...result.movedFrom].filter(
            ([it, from]) => before.movedFrom.get(it) !== from,
          );
          expect(fresh.length).toBeLessThanOrEqual(round.most);
          for (const [name, from] of result.movedFrom) {
            expect(ownerOf(result, name)).not.toBe(from);
            expect(given.streams.find((it) => it.name === name)?.ordinal).toBeUndefined();
          }
          for (const [name, from] of before.movedFrom)
            if (ownerOf(result, name) === from) expect(roomFor(given, result, name)).toEqual([]);
          before = result;
        }
      }),
      { numRuns: tries(200) },
    );
  });

  it('failing streams that move leave all other streams where they are, and assigning again changes nothing', () => {
    fc.assert(
      fc.property(shapes, ({ rounds: [round], rebalances, ...shape }) => {
        const given = input(streamsOf(shape), round?.workers ?? 1, { rebalances });
        const before = assign(given);
        fc.pre(before.unassigned.length === 0);
        const due = (round?.due ?? []).map((index) => `s${index}`);
        const at = settledWith(given, before, { due, most: 3 });
        const result = assign(at);
        for (const { name } of given.streams)
          if (!result.movedFrom.has(name))
            expect(ownerOf(result, name)).toBe(ownerOf(before, name));
        if (result.movedFrom.size < 3)
          for (const name of due)
            if (isFree(given, name) && !result.movedFrom.has(name))
              expect(roomFor(at, result, name)).toEqual([]);
        expect(assign(settledWith(given, result, { due, most: 0 }))).toEqual(result);
      }),
      { numRuns: tries(200) },
    );
  });

  const isFree = (given: AssignInput, name: string): boolean =>
    given.streams.some((it) => it.name === name && it.ordinal === undefined);

  /** Other workers that could take it as they are. */
  function roomFor(given: AssignInput, result: AssignResult, name: string): readonly string[] {
    const weightOf = new Map(given.streams.map((it) => [it.name, it.weight]));
    const weight = weightOf.get(name) ?? 0;
    const here = ownerOf(result, name);
    return lists(result).flatMap((jobs, at) => {
      const worker = given.workers[at];
      if (worker === undefined || worker.isCordoned || worker.name === here) return [];
      // One that needs a whole worker counts where it failed, too: that worker is kept for it.
      const counted = [...result.movedFrom].filter(([, from]) => from === worker.name);
      const isTaken = [...jobs, ...counted.map(([job]) => job)].some(
        (job) => (weightOf.get(job) ?? 0) >= given.capacity,
      );
      const load = loads(given, result)[at] ?? 0;
      const fits = weight >= given.capacity ? jobs.length === 0 : load + weight <= given.capacity;
      return fits && !isTaken && !given.overcommit ? [worker.name] : [];
    });
  }
});
