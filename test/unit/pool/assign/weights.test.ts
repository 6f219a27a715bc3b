// Are weights, pins and groups kept, each where it is asked for?
import { describe, expect, it } from '@jest/globals';
import { assign } from '../../../../src/pool/assign/assign.ts';
import { again, input, lists, loads, stream } from './sound.ts';

describe('weights', () => {
  it.each([3_000_000_000, 4_294_967_316])(
    'a weight of %s, from a ConfigMap that was edited by hand, is reported as too heavy',
    (weight) => {
      const { unassigned } = assign(input([stream('a', weight), stream('b')], 2));
      expect(unassigned).toEqual([
        {
          name: 'a',
          reason: 'TooHeavy',
          message: `needs ${weight}, but a worker's whole capacity is 100`,
        },
      ]);
    },
  );

  it('weights are hard limits: the last stream in the list stays unassigned, and its message names the number of workers that would be enough', () => {
    const result = assign(input([stream('a', 60), stream('b', 60), stream('c', 60)], 2));
    expect(result.unassigned).toEqual([
      {
        name: 'c',
        reason: 'InsufficientCapacity',
        message: 'needs 60, but the freest worker has 40; 1 more worker would be enough',
      },
    ]);
    expect(result.required).toBe(3);
  });

  it.each([
    ['waits for a worker that is not there', { ordinal: 9 }, 1, 10],
    ['waits for a worker that is cordoned', { ordinal: 1 }, 2, 3],
  ])(
    'the message about missing room does not count a stream that %s',
    (_, pin, workers, required) => {
      const given = input([stream('a', 60), stream('b', 60), stream('c', 60, pin)], workers);
      const [first, ...cordoned] = given.workers;
      const result = assign({
        ...given,
        workers: [
          ...(first === undefined ? [] : [first]),
          ...cordoned.map((worker) => ({ ...worker, isCordoned: true })),
        ],
      });
      expect(result.unassigned.map(({ message }) => message)).toEqual([
        'needs 60, but the freest worker has 40; 1 more worker would be enough',
        expect.stringContaining(`is pinned to ordinal ${pin.ordinal}`),
      ]);
      expect(result).toMatchObject({ neededForWeights: 2, required });
    },
  );

  it('a stream that weighs the whole capacity has a worker of its own; the others share the rest by count', () => {
    const given = input(
      [stream('cnbc', 100), ...['a', 'b', 'c', 'd'].map((name) => stream(name))],
      3,
    );
    expect(lists(assign(given))).toEqual([['cnbc'], ['a', 'b'], ['c', 'd']]);
  });

  it('a stream that comes to weigh the whole capacity stays, and the others move away', () => {
    const before = assign(
      input(
        ['a', 'b', 'c', 'd'].map((name) => stream(name)),
        2,
      ),
    );
    const given = input([stream('a', 100), stream('b'), stream('c'), stream('d')], 2, {
      previous: before.jobs,
    });
    expect(lists(assign(given))).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it.each([
    [
      'a higher priority is kept first',
      [stream('low', 100), stream('high', 100, { priority: 5 })],
      ['low'],
    ],
    [
      'the first of equal streams in the list is kept',
      [stream('first', 100), stream('second', 100)],
      ['second'],
    ],
    [
      'a stream that is too heavy for any worker stays unassigned',
      [stream('huge', 150), stream('small', 10)],
      ['huge'],
    ],
    [
      'a stream without a weight but with a higher priority keeps a worker open',
      [stream('own', 100), stream('light', 0, { priority: 1 })],
      ['own'],
    ],
    [
      'a stream without a weight yields to one with a weight',
      [stream('light'), stream('own', 100)],
      ['light'],
    ],
  ])('if room is short, %s', (_, streams, unassigned) => {
    expect(assign(input(streams, 1)).unassigned.map(({ name }) => name)).toEqual(unassigned);
  });

  it('with overcommit all streams are carried, also beyond the capacity', () => {
    const given = input([stream('a', 60), stream('b', 60), stream('c', 60)], 2, {
      overcommit: true,
    });
    const result = assign(given);
    expect(result).toMatchObject({ unassigned: [], isOvercommitted: true, required: 3 });
    expect([...loads(given, result)].sort()).toEqual([120, 60].sort());
  });
});

describe('workers that are equal otherwise', () => {
  it('the least reserved worker gets a stream without a weight', () => {
    const streams = [stream('sport', 40), stream('a'), stream('b'), stream('c')];
    expect(lists(assign(input(streams, 4)))).toEqual([['sport'], ['a'], ['b'], ['c']]);
    const more = [...streams, stream('news', 30), stream('d')];
    expect(lists(assign(again(input(more, 4), assign(input(streams, 4)))))).toEqual([
      ['sport', 'd'],
      ['a', 'news'],
      ['b'],
      ['c'],
    ]);
  });

  it.each([2, 40])(
    'of %i equal workers, the one with the fewest streams gets a stream with a weight',
    (count) => {
      const light = Array.from({ length: count * 5 + 1 }, (_, index) => stream(`s${index}`));
      const before = assign(input(light, count));
      const result = assign(again(input([...light, stream('news', 60)], count), before));
      expect(lists(before).map(({ length }) => length)).toEqual([6, ...Array(count - 1).fill(5)]);
      expect(result.jobs.get('w1')).toContain('news');
    },
  );

  it('the worker with the fewest streams is cleared for a stream that needs a whole worker', () => {
    const light = ['a', 'b', 'c', 'd'].map((name) => stream(name));
    const before = new Map([
      ['w0', ['a', 'b']],
      ['w1', ['c', 'd']],
      ['w2', []],
    ]);
    const given = input([...light, stream('cinema', 100)], 3, { previous: before });
    expect(assign(given).jobs.get('w2')).toEqual(['cinema']);
  });
});

describe('a pin', () => {
  it.each([
    ['is kept', stream('p', 30, { ordinal: 1 }), [[], ['p']], []],
    [
      'to an ordinal that does not exist is reported',
      stream('p', 0, { ordinal: 7 }),
      [[], []],
      ['PinnedWorkerMissing'],
    ],
    ['is kept also for a stream without a weight', stream('p', 0, { ordinal: 1 }), [[], ['p']], []],
  ])('a pin %s', (_, pinned, want, reasons) => {
    const result = assign(input([pinned], 2));
    expect(lists(result)).toEqual(want);
    expect(result.unassigned.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('a stream that is pinned to a full worker is reported with the remaining room', () => {
    const result = assign(
      input([stream('a', 80, { ordinal: 0 }), stream('b', 30, { ordinal: 0 })], 2),
    );
    expect(result.unassigned).toEqual([
      {
        name: 'b',
        reason: 'PinnedWorkerFull',
        message: 'needs 30, but the worker that it is pinned to has 20',
      },
    ]);
  });

  it('pins make counts uneven only where they must', () => {
    const given = input(
      [
        ...['a', 'b', 'c', 'd'].map((name) => stream(name, 0, { ordinal: 0 })),
        stream('e'),
        stream('f'),
      ],
      3,
    );
    expect(lists(assign(given))).toEqual([['a', 'b', 'c', 'd'], ['e'], ['f']]);
  });
});

describe('a spread group', () => {
  it.each([
    ['of streams without weights', 0],
    ['of streams with weights', 20],
  ])('a spread group %s is spread over all workers', (_, weight) => {
    const streams = ['a', 'b', 'c'].flatMap((group) =>
      [1, 2, 3].map((index) => stream(`${group}${index}`, weight, { spreadGroup: group })),
    );
    const result = assign(input(streams, 3));
    for (const jobs of lists(result))
      expect(jobs.map((job) => job[0]).sort()).toEqual(['a', 'b', 'c']);
  });

  it('streams that become a spread group later are pulled apart, and the result is at rest', () => {
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
