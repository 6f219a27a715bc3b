// Does the board draw what the answer says, and animate what moved?
import { describe, expect, it } from '@jest/globals';
import type {
  AssignedStream,
  BoardWorker,
  ShownBoard,
  WorkerState,
} from '../../../src/api/introspection.ts';
import {
  type BlockState,
  columnsOf,
  onlyFailing,
  stateOf,
  travelsBetween,
  travelsOf,
  workersIn,
} from '../../../src/web/model/blocks.ts';
import { cellAfter } from '../../../src/web/model/grid.ts';
import { layoutOf } from '../../../src/web/model/layout.ts';

const worker = (name: string, rest: Partial<BoardWorker> = {}): BoardWorker => ({
  name,
  state: 'Converged',
  isReady: true,
  streams: 0,
  releasing: 0,
  load: 0,
  capacity: 100,
  ...rest,
});

const board = (workers: readonly BoardWorker[], rest: Partial<ShownBoard> = {}): ShownBoard => ({
  asOf: '',
  version: 1,
  capacity: 100,
  streams: 0,
  isNamed: true,
  workers: { total: workers.length, first: workers },
  ...rest,
});

const jobs = (...names: readonly string[]): NonNullable<BoardWorker['assigned']> =>
  names.map((name) => ({ name, weight: 0, isRunning: true }));

describe('a stream', () => {
  it.each<[BlockState, WorkerState, boolean | undefined]>([
    ['confirmed', 'Converged', true],
    ['confirmed', 'Converged', undefined],
    ['confirmed', 'Cordoned', undefined],
    ['confirmed', 'Refreshing', true],
    ['confirmed', 'Stuck', true],
    ['waiting', 'Refreshing', false],
    ['waiting', 'Refreshing', undefined],
    ['waiting', 'Pending', undefined],
    ['waiting', 'Releasing', false],
    ['waiting', 'Converged', false],
    ['stuck', 'Stuck', false],
    ['stuck', 'Stuck', undefined],
    ['stuck', 'Missing', undefined],
  ])(
    'a stream is drawn as %s at a worker that is %s and reports %s',
    (expected, state, isRunning) => {
      expect(
        stateOf({ state }, { name: 'a', weight: 0, ...(isRunning !== undefined && { isRunning }) }),
      ).toBe(expected);
    },
  );

  it.each<[BlockState, AssignedStream['state']]>([
    ['failing', 'Restarting'],
    ['failing', 'Failed'],
    ['suspended', 'Suspended'],
    ['completed', 'Completed'],
    ['confirmed', 'Starting'],
    ['confirmed', 'Stopping'],
  ])('a stream is drawn as %s when its worker reports it as %s', (expected, state) => {
    expect(stateOf({ state: 'Converged' }, { name: 'a', weight: 0, isRunning: true, state })).toBe(
      expected,
    );
  });

  it('a failing stream shows the reason, if known, and whether it was given up', () => {
    const fails = { weight: 0, state: 'Restarting', message: 'exit code 1' } as const;
    const assigned = [
      { name: 'a', ...fails },
      { name: 'b', ...fails, state: 'Failed' as const },
      { name: 'c', weight: 0, state: 'Failed' as const },
      { name: 'd', weight: 0, state: 'Restarting' as const },
      { name: 'e', weight: 0, state: 'Completed' as const, message: 'exit code 0' },
    ];
    const [column] = columnsOf(board([worker('w-0', { assigned, failing: 4 })]));
    expect(column?.tone).toBe('bad');
    expect(column?.blocks.map(({ message }) => message)).toEqual([
      'exit code 1',
      'gave up restarting: exit code 1',
      'gave up restarting',
      undefined,
      undefined,
    ]);
  });

  it('the streams of a worker are sorted by weight, each as high as its share', () => {
    const assigned = [
      { name: 'a', weight: 0 },
      { name: 'b', weight: 25 },
      { name: 'c', weight: 250 },
    ];
    const [column] = columnsOf(board([worker('w-0', { assigned })]));
    expect(column?.blocks.map(({ name, share }) => [name, share])).toEqual([
      ['c', 1],
      ['b', 0.25],
      ['a', 0],
    ]);
  });

  it('a stream is drawn at its worker until the worker has released it', () => {
    const [column] = columnsOf(board([worker('w-0', { assigned: [], leaving: ['a'] })]));
    expect(column?.blocks).toMatchObject([{ name: 'a', worker: 'w-0', state: 'leaving' }]);
  });

  it('a stream of two workers is drawn only at the new one', () => {
    const columns = columnsOf(
      board([
        worker('w-0', { assigned: [], leaving: ['a'] }),
        worker('w-1', { assigned: jobs('a') }),
      ]),
    );
    expect(columns.map(({ blocks }) => blocks.map(({ state }) => state))).toEqual([
      [],
      ['confirmed'],
    ]);
  });

  it('a stream has no height without a capacity, as when the spec cannot be read', () => {
    const [column] = columnsOf(
      board([worker('w-0', { assigned: [{ name: 'a', weight: 5 }] })], { capacity: 0 }),
    );
    expect(column?.blocks[0]?.share).toBe(0);
  });
});

describe('a board', () => {
  const many = (count: number): BoardWorker =>
    worker('w-0', {
      streams: count,
      assigned: jobs(...Array.from({ length: count }, (_, at) => `f:${at}`)),
    });
  const laidOut = (workers: readonly BoardWorker[], rest: Partial<ShownBoard> = {}) => {
    const at = board(workers, rest);
    return layoutOf(at, columnsOf(at));
  };

  it.each([
    ['rows', 14],
    ['chips', 15],
    ['chips', 44],
    ['dots', 45],
  ])('a board is laid out in %s with %d streams at the fullest worker', (density, count) => {
    expect(laidOut([many(count), worker('w-1')]).density).toBe(density);
  });

  it('a board shows only failing streams, if that is chosen', () => {
    const bad = { name: 'b', weight: 0, state: 'Restarting' } as const;
    const columns = columnsOf(
      board([
        worker('w-0', { assigned: [...jobs('a'), bad], failing: 1 }),
        worker('w-1', { assigned: jobs('c') }),
      ]),
    );
    const shown = onlyFailing(columns).map(({ blocks }) => blocks.map(({ name }) => name));
    expect(shown).toEqual([['b']]);
    const tiles = columnsOf(board([worker('w-0', { failing: 7 }), worker('w-1')]));
    expect(onlyFailing(tiles).map(({ worker: { name } }) => name)).toEqual(['w-0']);
  });

  it('a board without names of streams shows levels, and shortens the names of workers', () => {
    const tiles = laidOut([worker('w-1', { streams: 8 }), worker('w-10')], { isNamed: false });
    expect(tiles).toMatchObject({
      density: 'tiles',
      scale: { isTile: true, short: 'w-', fullest: 10, isWeighed: false },
    });
    expect(tiles.note).toContain('columns show how many streams each worker has');
    const weighed = laidOut([worker('w-1', { streams: 8, load: 40 })], { isNamed: false });
    expect(weighed.note).toContain('columns show how full each worker is');
  });

  it('a board is scaled by the capacity if there are weights, and by the fullest worker beyond it', () => {
    expect(laidOut([worker('w-0', { load: 40 })]).scale).toMatchObject({
      isWeighed: true,
      fullest: 100,
    });
    expect(laidOut([worker('w-0', { load: 140 })]).scale.fullest).toBe(140);
    expect(laidOut([worker('w-0')]).scale.fullest).toBe(1.25);
  });

  it('an empty board shows the reason', () => {
    expect(laidOut([worker('w-0')]).note).toMatch(/^No worker has a stream/);
    expect(laidOut([]).note).toBe('');
  });

  it('a board names the parts that it omits', () => {
    expect(laidOut([many(3)]).start).toBe('f:');
    expect(laidOut([many(3)]).note).toBe('All stream names begin with f:');
    expect(laidOut([worker('w-0')], { workers: { total: 501, first: [worker('w-0')] } }).note).toBe(
      'The first 1 of 501 workers.',
    );
  });
});

describe('a worker that is down', () => {
  it('a worker that is down is red, and so are its streams, except suspended ones', () => {
    const assigned = [
      { name: 'a', weight: 0, state: 'Down' as const },
      { name: 'b', weight: 0, state: 'Suspended' as const },
    ];
    const down = worker('w-0', { state: 'Pending', isDown: true, assigned });
    const [column] = columnsOf(board([down]));
    expect(column?.tone).toBe('bad');
    expect(column?.blocks.map(({ state }) => state)).toEqual(['down', 'suspended']);
  });
});

describe('a move on the board', () => {
  const owners = (workers: readonly BoardWorker[]) => workersIn(columnsOf(board(workers)));

  it('a move on the board is a stream at another worker, not a new or removed one', () => {
    const before = owners([worker('w-0', { assigned: jobs('a', 'b', 'old') }), worker('w-1')]);
    const after = owners([
      worker('w-0', { assigned: jobs('a') }),
      worker('w-1', { assigned: jobs('b', 'new') }),
    ]);
    expect(travelsBetween(before, after)).toEqual([{ stream: 'b', from: 'w-0', to: 'w-1' }]);
  });

  const moves = [
    { stream: 'a', from: 'w-0', to: 'w-1', reason: '' },
    { stream: 'b', to: 'w-1', reason: '' },
  ];
  const change = { version: 2, reason: '', moves: { total: 2, first: moves } };

  it('a board without names of streams takes moves from the last change, once', () => {
    const [before, after] = [
      board([], { isNamed: false }),
      board([], { isNamed: false, version: 2, lastChange: change }),
    ];
    expect(travelsOf(before, after)).toEqual([{ stream: 'a', from: 'w-0', to: 'w-1' }]);
    expect(travelsOf(after, after)).toEqual([]);
  });

  it('a board shows no move from before the page was opened, and none that is not in force yet', () => {
    expect(travelsOf(undefined, board([], { version: 2, lastChange: change }))).toEqual([]);
    expect(travelsOf(board([]), board([], { version: 1, lastChange: change }))).toEqual([]);
  });
});

describe('the focus among columns of 3, 0 and 1 blocks', () => {
  it.each([
    ['ArrowDown', [0, 0], [0, 1]],
    ['ArrowDown', [0, 2], [0, 2]],
    ['ArrowUp', [0, 0], [0, 0]],
    ['ArrowRight', [0, 2], [2, 0]],
    ['ArrowRight', [2, 0], [2, 0]],
    ['ArrowLeft', [2, 0], [0, 0]],
    ['End', [0, 0], [0, 2]],
    ['Home', [0, 2], [0, 0]],
  ])(
    'the key %s moves the focus from %j to %j',
    (key, [column = 0, row = 0], [toColumn, toRow]) => {
      expect(cellAfter(key, { column, row }, [3, 0, 1])).toEqual({ column: toColumn, row: toRow });
    },
  );

  it('the board ignores other keys', () =>
    expect(cellAfter('a', { column: 0, row: 0 }, [1])).toBeUndefined());
});
