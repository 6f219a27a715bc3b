// Does the page draw a job as its ranks, and does each tile say in words what its colour shows?
import { describe, expect, it } from '@jest/globals';
import type { AdmittedJob, RankTiles } from '../../../src/api/introspection/queues.ts';
import { legendOf, rankTilesOf, type TileState, tileAfter } from '../../../src/web/model/ranks.ts';
import type { ReplicaState } from '../../../src/web/model/segments.ts';

type ShownTile = RankTiles['tiles'][number];

const job = (size: number, rankTiles?: Partial<RankTiles>): AdmittedJob => ({
  ...{ kind: 'SwarmJob', name: 'sim', size, since: '2026-01-01T00:00:00Z', state: 'Running' },
  ranks: { running: 0, succeeded: 0, starting: 0, failing: 0, ending: 0, missing: 0 },
  ...(rankTiles && { rankTiles: { ranksEach: 1, hasLeader: false, tiles: [], ...rankTiles } }),
});

const only = (state: ShownTile['state'], message?: string) =>
  rankTilesOf(job(1, { tiles: [{ state, message, rank: 0, count: 1 }] }))[0];

describe('a tile', () => {
  it.each([
    ['Missing', undefined, 'missing', 'not there yet'],
    ['Pending', undefined, 'waiting', 'pending'],
    ['Stuck', 'ImagePullBackOff', 'stuck', 'ImagePullBackOff'],
    ['Waiting', undefined, 'held', 'waits for the others'],
    ['Running', undefined, 'ready', 'runs'],
    ['Succeeded', undefined, 'done', 'has ended well'],
    ['Failed', 'exit code 3', 'failed', 'failed, exit code 3'],
    ['Ending', undefined, 'leaving', 'ending'],
  ] as const)('a rank that is %s (%s) is %s: "%s"', (state, message, drawn, text) =>
    expect(only(state, message)).toEqual({
      state: drawn,
      label: `rank 0: ${text}`,
      isLeader: false,
    }),
  );

  it('only rank 0 of a job with a leader is marked, and its label says so', () => {
    const tiles = [0, 1].map((rank) => ({ state: 'Running', rank, count: 1 }) as const);
    expect(rankTilesOf(job(2, { hasLeader: true, tiles }))).toMatchObject([
      { isLeader: true, label: 'rank 0 (leader): runs' },
      { isLeader: false, label: 'rank 1: runs' },
    ]);
  });

  it.each<[string, ShownTile]>([
    ['all run', { state: 'Running', rank: 0, count: 50 }],
    ['2 of 50 have failed; rank 17: failed, x', tile('Failed', 17, 2, 'x')],
    ['1 of 50 is pending; rank 9: pending', tile('Pending', 9, 1)],
    ['all cannot start; rank 0: Unschedulable', tile('Stuck', 0, 50, 'Unschedulable')],
  ])('a tile of many ranks says how many: %s', (text, shown) =>
    expect(rankTilesOf(job(60, { ranksEach: 50, tiles: [shown] }))[0]?.label).toBe(
      `ranks 0 to 49: ${text}`,
    ),
  );

  it('the last tile may have fewer ranks, and the first one may have the leader', () => {
    const tiles = [tile('Running', 0, 5), tile('Running', 5, 5), tile('Missing', 10, 1)];
    const labels = (size: number): readonly string[] =>
      rankTilesOf(job(size, { ranksEach: 5, hasLeader: true, tiles })).map(({ label }) => label);
    expect(labels(11)).toEqual([
      'ranks 0 to 4 (rank 0 leads): all run',
      'ranks 5 to 9: all run',
      'rank 10: not there yet',
    ]);
    expect(labels(12).at(-1)).toBe(
      'ranks 10 to 11: 1 of 2 is not there yet; rank 10: not there yet',
    );
  });

  it('a batch Job has none', () => expect(rankTilesOf(job(3))).toEqual([]));
});

it('the legend explains what is drawn: a bar does not tell whether a rank fails or cannot start', () => {
  const gang = drawn(['ready', 'stuck'], []);
  const batchJob = drawn([], ['ready', 'stuck']);
  const [runs, cannot] = [
    ['ready', 'runs'],
    ['stuck', 'cannot start'],
  ];
  const [leads, fails] = [
    ['leader', 'leads the others'],
    ['stuck', 'fails'],
  ];
  expect(legendOf([gang])).toEqual([runs, cannot, leads]);
  expect(legendOf([batchJob])).toEqual([runs, fails]);
  expect(legendOf([batchJob, gang])).toEqual([runs, cannot, leads, fails]);
  expect(legendOf([])).toEqual([]);
});

it.each([
  ['ArrowRight', 0, 1],
  ['ArrowRight', 4, 5],
  ['ArrowRight', 11, 11],
  ['ArrowLeft', 5, 4],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 1, 6],
  ['ArrowDown', 8, 8],
  ['ArrowUp', 11, 6],
  ['ArrowUp', 3, 3],
  ['Home', 7, 0],
  ['End', 7, 11],
  ['Enter', 7, undefined],
])('of twelve tiles in lines of five, %s moves the focus from %d to %s', (key, from, to) =>
  expect(tileAfter(key, from, 12, 5)).toBe(to),
);

/** The first tile is that of the leader. */
const drawn = (tiles: readonly TileState[], bar: readonly ReplicaState[]) => ({
  tiles: tiles.map((state, at) => ({ state, label: '', isLeader: at === 0 })),
  segments: bar.map((state) => ({ state })),
});

function tile(state: ShownTile['state'], rank: number, count: number, message?: string): ShownTile {
  return { state, rank, count, message };
}
