import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AssignInput, type AssignResult, type AssignStream, assign } from '../../../src/core/pool/assign/assign.ts';

type Row = AssignStream & { readonly at?: number };

const stream = (name: string, weight = 0, more: Partial<AssignStream> = {}): AssignStream => ({ name, weight, priority: 0, ...more });

function input(streams: readonly AssignStream[], workers: number, more: Partial<AssignInput> = {}): AssignInput {
  return {
    streams,
    workers: Array.from({ length: workers }, (_, ordinal) => ({ name: `w${ordinal}`, ordinal, isCordoned: false })),
    previous: new Map(),
    capacity: 100,
    overcommit: false,
    rebalances: true,
    maxMoves: undefined,
    ...more,
  };
}

const again = (given: AssignInput, result: AssignResult): AssignInput => ({ ...given, previous: result.jobs });

const lists = (result: AssignResult): readonly (readonly string[])[] => [...result.jobs.values()];

function loads(given: AssignInput, result: AssignResult): readonly number[] {
  const weights = new Map(given.streams.map(({ name, weight }) => [name, weight]));
  return lists(result).map((jobs) => jobs.reduce((sum, job) => sum + (weights.get(job) ?? 0), 0));
}

/** What holds of every result, whatever was asked. */
function expectSound(given: AssignInput, result: AssignResult): void {
  const assigned = lists(result).flat();
  const everyone = [...assigned, ...result.unassigned.map(({ name }) => name)];
  expect([...everyone].sort()).toEqual(given.streams.map(({ name }) => name).sort());
  const byName = new Map(given.streams.map((it) => [it.name, it]));
  lists(result).forEach((jobs, worker) => {
    const members = jobs.map((job) => byName.get(job) ?? stream(job));
    const load = members.reduce((sum, { weight }) => sum + weight, 0);
    if (!given.overcommit) expect(load).toBeLessThanOrEqual(given.capacity);
    if (!given.overcommit && members.some(({ weight }) => weight >= given.capacity)) expect(members).toHaveLength(1);
    for (const { ordinal } of members) if (ordinal !== undefined) expect(ordinal).toBe(worker);
    if (given.workers[worker]?.isCordoned === true && given.maxMoves === undefined) expect(members).toEqual([]);
  });
}

describe('weights', () => {
  it('are hard: what does not fit stays unassigned, the last in the list first, with what would be enough', () => {
    const result = assign(input([stream('a', 60), stream('b', 60), stream('c', 60)], 2));
    expect(result.unassigned).toEqual([
      { name: 'c', reason: 'InsufficientCapacity', message: 'needs 60, the freest worker has 40; 1 more worker would be enough' },
    ]);
    expect(result.required).toBe(3);
  });

  it('of the whole capacity mean a worker of its own; the others share the rest by count', () => {
    const given = input([stream('cnbc', 100), ...['a', 'b', 'c', 'd'].map((name) => stream(name))], 3);
    expect(lists(assign(given))).toEqual([['cnbc'], ['a', 'b'], ['c', 'd']]);
  });

  it('given to a stream that stands among others moves the others, not the stream', () => {
    const before = assign(
      input(
        ['a', 'b', 'c', 'd'].map((name) => stream(name)),
        2,
      ),
    );
    const given = input([stream('a', 100), stream('b'), stream('c'), stream('d')], 2, { previous: before.jobs });
    expect(lists(assign(given))).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it.each([
    ['a higher priority is kept first', [stream('low', 100), stream('high', 100, { priority: 5 })], ['low']],
    ['of equals the first in the list', [stream('first', 100), stream('second', 100)], ['second']],
    ['what is too heavy for any worker is named so', [stream('huge', 150), stream('small', 10)], ['huge']],
    [
      'a more important stream that reserves nothing keeps a worker open',
      [stream('own', 100), stream('light', 0, { priority: 1 })],
      ['own'],
    ],
    ['otherwise it yields to reservations', [stream('light'), stream('own', 100)], ['light']],
  ])('where room is short, %s', (_, streams, unassigned) => {
    expect(assign(input(streams, 1)).unassigned.map(({ name }) => name)).toEqual(unassigned);
  });

  it('with overcommit are carried all the same', () => {
    const given = input([stream('a', 60), stream('b', 60), stream('c', 60)], 2, { overcommit: true });
    const result = assign(given);
    expect(result).toMatchObject({ unassigned: [], isOvercommitted: true, required: 3 });
    expect([...loads(given, result)].sort()).toEqual([120, 60].sort());
  });
});

describe('a pin', () => {
  it.each([
    ['is kept', stream('p', 30, { ordinal: 1 }), [[], ['p']], []],
    ['to an ordinal that does not exist is reported', stream('p', 0, { ordinal: 7 }), [[], []], ['PinnedWorkerMissing']],
    ['also for a stream that reserves nothing', stream('p', 0, { ordinal: 1 }), [[], ['p']], []],
  ])('%s', (_, pinned, want, reasons) => {
    const result = assign(input([pinned], 2));
    expect(lists(result)).toEqual(want);
    expect(result.unassigned.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('to a worker that is full is reported with what it lacks', () => {
    const result = assign(input([stream('a', 80, { ordinal: 0 }), stream('b', 30, { ordinal: 0 })], 2));
    expect(result.unassigned).toEqual([
      { name: 'b', reason: 'PinnedWorkerFull', message: 'needs 30, the worker that it is pinned to has 20' },
    ]);
  });

  it('bends the even counts only where it must', () => {
    const given = input([...['a', 'b', 'c', 'd'].map((name) => stream(name, 0, { ordinal: 0 })), stream('e'), stream('f')], 3);
    expect(lists(assign(given))).toEqual([['a', 'b', 'c', 'd'], ['e'], ['f']]);
  });
});

describe('a spread group', () => {
  it.each([
    ['of streams that reserve nothing', 0],
    ['of reserved streams', 20],
  ])('%s is spread as far as possible', (_, weight) => {
    const streams = ['a', 'b', 'c'].flatMap((group) =>
      [1, 2, 3].map((index) => stream(`${group}${index}`, weight, { spreadGroup: group })),
    );
    const result = assign(input(streams, 3));
    for (const jobs of lists(result)) expect(jobs.map((job) => job[0]).sort()).toEqual(['a', 'b', 'c']);
  });

  it('that comes up later is pulled apart by exchanging, loads unchanged', () => {
    const names = ['a', 'b', 'c', 'd'];
    const before = assign(
      input(
        names.map((name) => stream(name)),
        2,
      ),
    );
    expect(lists(before)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    const given = input(
      names.map((name) => stream(name, 0, name < 'c' ? { spreadGroup: 'g' } : {})),
      2,
      { previous: before.jobs },
    );
    const result = assign(given);
    expect(lists(result).map((jobs) => jobs.filter((job) => job < 'c').length)).toEqual([1, 1]);
    expect(assign(again(given, result)).jobs).toEqual(result.jobs);
  });
});

describe('cordoned workers', () => {
  const cordoned = (given: AssignInput, ...ordinals: readonly number[]): AssignInput => ({
    ...given,
    workers: given.workers.map((worker) => ({ ...worker, isCordoned: ordinals.includes(worker.ordinal) })),
  });

  it('are emptied, and given nothing', () => {
    const given = input(
      ['a', 'b', 'c'].map((name) => stream(name, name === 'a' ? 50 : 0)),
      3,
    );
    const result = assign(cordoned(again(given, assign(given)), 0));
    expect(lists(result)[0]).toEqual([]);
    expect(result.unassigned).toEqual([]);
  });

  it('all of them: nothing can be given', () => {
    expect(assign(cordoned(input([stream('a')], 2), 0, 1)).unassigned).toEqual([
      { name: 'a', reason: 'NoWorkers', message: 'every worker is cordoned' },
    ]);
  });
});

describe('rebalance', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => stream(name));

  it('WhenRequired moves only what has lost its worker', () => {
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

  it('maxMoves bounds what may stay where it is; what has lost its worker moves in any case', () => {
    const before = assign(input(six, 1));
    const given = input(six, 3, { previous: before.jobs, maxMoves: 1 });
    const result = assign(given);
    expect(lists(result).map((jobs) => jobs.length)).toEqual([5, 1, 0]);
    expect(result.deferred).toBe(3);
    const lost = assign(input(six, 2, { previous: new Map([['gone', ['a', 'b', 'c', 'd', 'e', 'f']]]), maxMoves: 1 }));
    expect(lost).toMatchObject({ unassigned: [], deferred: 0 });
  });

  it('in steps of maxMoves arrives where it would have arrived at once', () => {
    let given = input(six, 3, { previous: assign(input(six, 1)).jobs, maxMoves: 1 });
    for (let step = 0; step < 4; step += 1) given = again(given, assign(given));
    expect(lists(assign(given)).map((jobs) => jobs.length)).toEqual([2, 2, 2]);
  });
});

describe('on every case of up to 7 streams, 3 workers and these weights', () => {
  const WEIGHTS = [20, 40, 60, 100];

  /** Everything that may be: each stream on a worker or nowhere. Told apart by plain search, sharing nothing with what is tested. */
  function brute(weights: readonly number[], before: readonly number[], workers: number): { count: number; uneven: number; moved: number } {
    const order = weights.map((_, index) => index);
    const fits = (subset: readonly number[]): boolean => search(subset, () => true);
    const admitted: number[] = [];
    for (const index of order) if (fits([...admitted, index])) admitted.push(index);
    let best = { uneven: Number.POSITIVE_INFINITY, moved: Number.POSITIVE_INFINITY };
    search(admitted, (load, own, owner) => {
      const shared = load.filter((_, worker) => own[worker] !== true);
      const heaviest = Math.max(0, ...admitted.map((index) => weights[index] ?? 0).filter((weight) => weight < 100));
      const uneven = shared.length === 0 ? 0 : Math.max(0, Math.max(...shared) - Math.min(...shared) - heaviest);
      const moved = admitted.reduce((sum, index) => {
        const old = before[index] ?? -1;
        return old >= 0 && old !== owner[index] ? sum + (weights[index] ?? 0) : sum;
      }, 0);
      if (uneven < best.uneven || (uneven === best.uneven && moved < best.moved)) best = { uneven, moved };
      return false;
    });
    return { count: admitted.length, ...best };

    function search(subset: readonly number[], visit: (load: number[], own: boolean[], owner: number[]) => boolean): boolean {
      const load = Array.from({ length: workers }, () => 0);
      const own = Array.from({ length: workers }, () => false);
      const owner: number[] = [];
      const step = (depth: number): boolean => {
        const index = subset[depth];
        if (index === undefined) return visit(load, own, owner);
        const weight = weights[index] ?? 0;
        for (let worker = 0; worker < workers; worker += 1) {
          if (own[worker] === true || (load[worker] ?? 0) + weight > 100) continue;
          load[worker] = (load[worker] ?? 0) + weight;
          own[worker] = weight === 100;
          owner[index] = worker;
          if (step(depth + 1)) return true;
          load[worker] = (load[worker] ?? 0) - weight;
          own[worker] = false;
        }
        return false;
      };
      return step(0);
    }
  }

  function* multisets(length: number, from = 0): Generator<readonly number[]> {
    if (length === 0) yield [];
    else for (let at = from; at < WEIGHTS.length; at += 1) for (const rest of multisets(length - 1, at)) yield [WEIGHTS[at] ?? 0, ...rest];
  }

  /** A different way through the cases for each, and always the same. */
  const mix = (seed: number): number => {
    const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
    return (mixed ^ (mixed >>> 12)) >>> 0;
  };

  it.each([1, 2, 3, 4, 5, 6, 7])('%i streams: admitted, balanced and moved as the best of all ways', (length) => {
    let cases = 0;
    for (const sorted of multisets(length)) {
      for (let variant = 0; variant < 5; variant += 1) {
        const workers = 1 + (mix(cases * 31 + variant) % 3);
        const weights = [...sorted].sort((a, b) => (mix(a * 7 + variant) % 97) - (mix(b * 7 + variant) % 97));
        const before = weights.map((_, index) => (mix(cases * 131 + index * 17 + variant) % (workers + 2)) - 1);
        const streams = weights.map((weight, index) => stream(`s${index}`, weight));
        const previous = new Map<string, string[]>();
        before.forEach((worker, index) => {
          if (worker >= 0) previous.set(`w${worker}`, [...(previous.get(`w${worker}`) ?? []), `s${index}`]);
        });
        const given = input(streams, workers, { previous });
        const result = assign(given);
        const want = brute(
          weights,
          before.map((worker) => (worker < workers ? worker : -1)),
          workers,
        );
        expectSound(given, result);
        const owner = new Map([...result.jobs].flatMap(([name, jobs]) => jobs.map((job) => [job, Number(name.slice(1))] as const)));
        const moved = streams.reduce((sum, { name, weight }, index) => {
          const old = before[index] ?? -1;
          return old >= 0 && old < workers && owner.has(name) && owner.get(name) !== old ? sum + weight : sum;
        }, 0);
        expect({ count: owner.size, moved }).toEqual({ count: want.count, moved: want.moved });
        expect(assign(again(given, result)).jobs).toEqual(result.jobs);
        cases += 1;
      }
    }
    expect(cases).toBeGreaterThan(0);
  });
});

describe('over anything', () => {
  const rows = fc.array(
    fc.record({
      weight: fc.constantFrom(0, 0, 0, 1, 5, 10, 25, 40, 60, 100),
      priority: fc.constantFrom(0, 0, 0, 1, -1),
      group: fc.constantFrom(undefined, undefined, 'g', 'h'),
      ordinal: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 9),
    }),
    { maxLength: 60 },
  );

  const toStreams = (
    list: readonly { weight: number; priority: number; group: string | undefined; ordinal: number | undefined }[],
  ): readonly Row[] =>
    list.map(({ weight, priority, group, ordinal }, index) => ({
      name: `s${index}`,
      weight,
      priority,
      ...(group !== undefined && { spreadGroup: group }),
      ...(ordinal !== undefined && { ordinal }),
    }));

  it('nothing is lost, doubled or overloaded; workers come and go; at rest on its own result', () => {
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        fc.boolean(),
        (list, sizes, overcommit, rebalances) => {
          const streams = toStreams(list);
          let previous: AssignInput['previous'] = new Map();
          for (const size of sizes) {
            const base = input(streams, size, { previous, overcommit, rebalances });
            const given = { ...base, workers: base.workers.map((worker) => ({ ...worker, isCordoned: worker.ordinal === 3 && size > 5 })) };
            const result = assign(given);
            expectSound(given, result);
            expect(assign(again(given, result))).toEqual({ ...result, jobs: result.jobs });
            previous = result.jobs;
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it('without pins, loads of shared workers differ by at most the largest shared weight', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(1, 3, 7, 10, 20), { maxLength: 80 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (weights, first, second) => {
          const streams = weights.map((weight, index) => stream(`s${index}`, weight));
          const start = input(streams, first, { capacity: 10_000 });
          const given = input(streams, second, { capacity: 10_000, previous: assign(start).jobs });
          for (const each of [start, given]) {
            const carried = loads(each, assign(each));
            expect(Math.max(...carried) - Math.min(...carried)).toBeLessThanOrEqual(Math.max(0, ...weights));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
