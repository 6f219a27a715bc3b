// Does a stream keep its worker in spite of a mistake of its own, and is no other worse off for it?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assign } from '../../../../src/pool/assign/assign.ts';
import {
  assignAndKeep,
  type KeepInput,
  type KeepingResult,
} from '../../../../src/pool/assign/keep.ts';
import type { AssignStream } from '../../../../src/pool/assign/problem/problem.ts';
import { tries } from '../../../support/tries.ts';
import { input, lists, stream } from './sound.ts';

/** By worker: the weight of each stream that is published there. */
type Published = readonly Readonly<Record<string, number>>[];

function published(
  was: Published,
  streams: readonly AssignStream[],
  workers: number,
  more: Partial<KeepInput> = {},
): KeepInput {
  const previous = was.map((weights, at) => [`w${at}`, Object.keys(weights)] as const);
  return {
    ...input(streams, workers, { previous: new Map(previous) }),
    weightAt: (worker, { name }) => was[Number(worker.slice(1))]?.[name],
    weightsFrom: was,
    ...more,
  };
}

const cordoned = (given: KeepInput, ordinal: number): KeepInput => ({
  ...given,
  workers: given.workers.map((it) => ({ ...it, isCordoned: it.ordinal === ordinal })),
});

const heavy = (name: string): AssignStream => stream(name, 200);
const mispinned = (name: string, weight = 0): AssignStream => stream(name, weight, { ordinal: 9 });

/** The streams of each worker, and the kept ones with their weights. */
type Want = readonly [
  lists: readonly (readonly string[])[],
  kept: Readonly<Record<string, number>>,
];

const found = (result: KeepingResult): Want => [
  lists(result),
  Object.fromEntries(result.kept.map(({ name, weight }) => [name, weight])),
];

describe('a stream with a weight or a pin that no worker can meet', () => {
  it.each<[string, KeepInput, Want]>([
    [
      'keeps its worker and its weight when it is too heavy',
      published([{ a: 60 }, { b: 40 }], [heavy('a'), stream('b', 40)], 2),
      [[['a'], ['b']], { a: 60 }],
    ],
    [
      'keeps its worker and its weight when its pinned worker is missing',
      published([{ b: 40 }, { a: 60 }], [mispinned('a', 70), stream('b', 40)], 2),
      [[['b'], ['a']], { a: 60 }],
    ],
    [
      'moves no other stream without a weight',
      published(
        [
          { a: 0, b: 0 },
          { c: 0, d: 0 },
        ],
        [heavy('a'), ...'bcd'.split('').map((it) => stream(it))],
        2,
      ),
      [
        [
          ['a', 'b'],
          ['c', 'd'],
        ],
        { a: 0 },
      ],
    ],
    [
      'sends a new stream to another worker that has room',
      published([{ a: 60 }, { b: 40 }], [heavy('a'), stream('b', 40), stream('c', 50)], 2),
      [[['a'], ['b', 'c']], { a: 60 }],
    ],
    [
      'keeps a worker of its own',
      published([{ a: 100 }, { b: 0, c: 0 }], [heavy('a'), stream('b'), stream('c')], 2),
      [[['a'], ['b', 'c']], { a: 100 }],
    ],
    [
      'does not count when the loads of the other streams are balanced',
      published([{ a: 60, b: 30 }], [heavy('a'), stream('b', 30)], 2),
      [[['a', 'b'], []], { a: 60 }],
    ],
    [
      'stays beside another one when a smaller capacity makes both too heavy',
      published([{ a: 50, b: 50, c: 0 }], [stream('a', 50), stream('b', 50), stream('c')], 1, {
        capacity: 10,
      }),
      [[['a', 'b', 'c']], { a: 50, b: 50 }],
    ],
    [
      'stays at an overcommitted worker',
      published([{ a: 60, b: 60 }], [mispinned('a', 60), stream('b', 60)], 1, { overcommit: true }),
      [[['a', 'b']], { a: 60 }],
    ],
    [
      'stays while another stream with a mistake has to go',
      published([{ a: 60 }, { b: 60 }], [heavy('a'), heavy('b'), stream('c', 50)], 2),
      [[['a'], ['c']], { a: 60 }],
    ],
    [
      'stays alone at its worker while another stream with a mistake gives way',
      published(
        [{ a: 60, b: 40 }, { c: 70 }, { d: 40, e: 40 }],
        [heavy('a'), stream('b', 50), heavy('c'), stream('d', 40), stream('e', 40)],
        3,
      ),
      [[['b'], ['c'], ['d', 'e']], { c: 70 }],
    ],
  ])('a stream with a mistake %s', (_, given, want) => {
    expect(found(assignAndKeep(given))).toEqual(want);
  });

  it.each<[string, KeepInput, readonly (readonly string[])[]]>([
    [
      'when another needs the room',
      published([{ a: 60 }], [heavy('a'), stream('b', 50)], 1),
      [['b']],
    ],
    [
      'when another would have to move',
      published(
        [{ a: 60 }, { b: 30, c: 50 }],
        [heavy('a'), stream('b', 30), stream('c', 50), stream('d', 50)],
        2,
      ),
      [['d'], ['b', 'c']],
    ],
    [
      'when another beside it has become heavier',
      published([{ a: 60, b: 40 }, {}], [heavy('a'), stream('b', 50)], 2),
      [['b'], []],
    ],
    [
      'when another is pinned to its worker',
      published([{ a: 60 }, {}], [heavy('a'), stream('b', 60, { ordinal: 0 })], 2),
      [['b'], []],
    ],
    [
      'when a stream without a weight has no other worker',
      published([{ a: 100 }], [heavy('a'), stream('b')], 1),
      [['b']],
    ],
    [
      'when the capacity became smaller, and another reserves some of it',
      published([{ a: 50, b: 5 }], [stream('a', 50), stream('b', 5)], 1, { capacity: 10 }),
      [['b']],
    ],
    [
      'when its worker is cordoned',
      cordoned(published([{ a: 60 }, { b: 0 }], [heavy('a'), stream('b')], 2), 0),
      [[], ['b']],
    ],
    [
      'when it is not published there',
      { ...published([{ a: 60 }], [heavy('a')], 1), weightAt: () => undefined },
      [[]],
    ],
    [
      'when its worker is gone',
      published([{ b: 0 }, { a: 60 }], [heavy('a'), stream('b')], 1),
      [['b']],
    ],
  ])('a stream with a mistake loses its worker %s', (_, given, want) => {
    const result = assignAndKeep(given);
    expect(found(result)).toEqual([want, {}]);
    expect(result.unassigned).toEqual([expect.objectContaining({ name: 'a', reason: 'TooHeavy' })]);
  });

  it('a stream loses its worker when the one that it is pinned to is cordoned', () => {
    const streams = [stream('a', 60, { ordinal: 1 })];
    const result = assignAndKeep(cordoned(published([{ a: 60 }, {}], streams, 2), 1));
    expect(result).toMatchObject({
      ...{ kept: [], unassigned: [{ name: 'a', reason: 'PinnedWorkerCordoned' }] },
    });
  });

  it('the message of a kept stream names the invalid value and the allowed ones', () => {
    const streams = [heavy('a'), mispinned('b'), stream('c', 200, { ordinal: 9 })];
    const { kept, unassigned } = assignAndKeep(published([{ a: 10, b: 0, c: 0 }], streams, 1));
    expect(unassigned).toEqual([]);
    expect(kept.map(({ reason, message }) => [reason, message])).toEqual([
      ['TooHeavy', 'weight is 200, but spec.workers.capacity is 100'],
      ['PinnedWorkerMissing', 'ordinal is 9, but there is no such worker, only 0'],
      [
        'TooHeavy',
        'weight is 200, but spec.workers.capacity is 100; ordinal is 9, but there is no such worker, only 0',
      ],
    ]);
  });

  it('a kept stream counts for the needed workers with the weight that it keeps and with its pin', () => {
    const needed = (a: AssignStream): object =>
      assignAndKeep(published([{ a: 60 }, { b: 60 }], [a, stream('b', 60)], 2));
    expect(needed(heavy('a'))).toMatchObject({ neededForWeights: 2, required: 2 });
    expect(needed(mispinned('a', 60))).toMatchObject({ neededForWeights: 2, required: 10 });
  });
});

describe('over any history of mistakes', () => {
  type Mistake = 'weight' | 'ordinal' | undefined;

  const rows = fc.array(
    fc.record({
      weight: fc.constantFrom(0, 0, 0, 5, 10, 25, 40, 60, 100),
      priority: fc.constantFrom(0, 0, 0, 1, -1),
      group: fc.constantFrom(undefined, undefined, 'g', 'h'),
      ordinal: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const edits = fc.array(
    fc.record({
      workers: fc.constantFrom(2, 2, 3, 3, 4, 5),
      capacity: fc.constantFrom(100, 100, 100, 100, 20),
      cordoned: fc.constantFrom(undefined, undefined, undefined, 0, 1),
      maxMoves: fc.constantFrom(undefined, undefined, 0, 1),
      rebalances: fc.constantFrom(true, true, false),
      listed: fc.constantFrom(1, 0.6, 0.8),
      mistakes: fc.array(fc.constantFrom<Mistake>('weight', 'ordinal', undefined, undefined), {
        minLength: 1,
        maxLength: 7,
      }),
    }),
    { minLength: 1, maxLength: 5 },
  );

  const workerOf = (result: Pick<KeepingResult, 'jobs'>): ReadonlyMap<string, string> =>
    new Map([...result.jobs].flatMap(([worker, names]) => names.map((name) => [name, worker])));

  it('over any history of mistakes no other stream is worse off for a kept one, and the pool comes to rest', () => {
    fc.assert(
      fc.property(rows, edits, fc.boolean(), (list, history, overcommit) => {
        let was: Published = [];
        for (const edit of history) {
          const streams = list.slice(0, Math.ceil(list.length * edit.listed)).map((row, index) => {
            const { weight, priority, group, ordinal } = row;
            const mistake = edit.mistakes[index % edit.mistakes.length];
            const pin = mistake === 'ordinal' ? 50 : ordinal;
            return {
              ...{ name: `s${index}`, weight: mistake === 'weight' ? 1_000 : weight, priority },
              ...(group !== undefined && { spreadGroup: group }),
              ...(pin !== undefined && { ordinal: pin }),
            };
          });
          const { capacity, rebalances, maxMoves } = edit;
          for (let round = 1; ; round += 1) {
            const more = { capacity, rebalances, maxMoves, overcommit };
            const given = cordoned(
              published(was, streams, edit.workers, more),
              edit.cordoned ?? -1,
            );
            const result = assignAndKeep(given);
            expectFair(given, result);
            const next = publishedBy(result, streams);
            const isAtRest = JSON.stringify(next) === JSON.stringify(was);
            was = next;
            if (isAtRest) break;
            // A bound of one move in a round takes as many rounds as there are moves.
            expect(round).toBeLessThan(maxMoves === 1 ? 60 : 8);
          }
        }
      }),
      { numRuns: tries(70) },
    );
  });

  function publishedBy(result: KeepingResult, streams: readonly AssignStream[]): Published {
    const kept = new Map(result.kept.map(({ name, weight }) => [name, weight]));
    const weights = new Map(streams.map(({ name, weight }) => [name, kept.get(name) ?? weight]));
    return lists(result).map((names) =>
      Object.fromEntries(names.map((name) => [name, weights.get(name) ?? 0])),
    );
  }

  function expectFair(given: KeepInput, result: KeepingResult): void {
    const without = assign(given);
    const [is, would] = [workerOf(result), workerOf(without)];
    const kept = new Map(result.kept.map((it) => [it.name, it]));
    const before = workerOf({ jobs: given.previous });
    const present = new Set(given.workers.map(({ name }) => name));
    const everyone = [...lists(result).flat(), ...result.unassigned.map(({ name }) => name)];
    expect([...everyone].sort()).toEqual(given.streams.map(({ name }) => name).sort());
    expect(result.deferred).toBeLessThanOrEqual(without.deferred);
    for (const { name } of given.streams) {
      const it = kept.get(name);
      if (it !== undefined) {
        expect([is.get(name), would.get(name)]).toEqual([it.worker, undefined]);
        expect(it.weight).toBe(given.weightAt(it.worker, stream(name)));
        expect(it.worker).toBe(before.get(name));
        continue;
      }
      if (would.has(name)) expect([name, is.get(name)]).toEqual([name, expect.anything()]);
      const from = before.get(name);
      const stays = from !== undefined && present.has(from) && would.get(name) === from;
      if (stays) expect([name, is.get(name)]).toEqual([name, from]);
    }
    for (const { name, reason, message } of result.unassigned) {
      const it = without.unassigned.find((other) => other.name === name);
      expect({ name, reason, message }).toMatchObject({ name, reason: it?.reason });
    }
    if (given.overcommit) return;
    const weights = new Map(given.streams.map(({ name, weight }) => [name, weight]));
    for (const names of lists(result)) {
      const others = names.filter((name) => !kept.has(name));
      const reserved = others.reduce((sum, name) => sum + (weights.get(name) ?? 0), 0);
      const beside = names.reduce((sum, name) => sum + (kept.get(name)?.weight ?? 0), 0);
      if (reserved > 0) expect(reserved + beside).toBeLessThanOrEqual(given.capacity);
      if (others.some((name) => (weights.get(name) ?? 0) >= given.capacity))
        expect(names).toHaveLength(1);
    }
  }
});
