import { describe, expect, it } from '@jest/globals';
import { tableLines, textOf } from '../../../src/cli/render.ts';
import { boardOf, sharedPrefix, stateOf } from '../../../src/demo/screen/board.ts';
import { observed, pod, withWorker, worker } from './observations.ts';

const streams = ['stream:a', 'stream:b', 'stream:c'];
const seen = withWorker(
  observed({ streams, runs: { w0: ['stream:a', 'stream:b'], w1: ['stream:c'] }, version: 7 }),
  {
    name: 'w1',
    slice: { jobs: ['stream:c'], version: 8 },
  },
);
const notes = {
  pool: 'tv',
  news: new Set(['stream:b']),
  seconds: 1.234,
  isOperatorUp: false,
  isVerified: false,
};

describe('the board', () => {
  it('the board shows the streams of each worker, the newest first', () => {
    const { headline, table } = boardOf(seen, notes);
    expect(textOf(headline)).toBe(
      'pool tv · version 7 · 3 streams · 1/2 workers converged · operator down · 1.2 s',
    );
    expect(tableLines(table, 60).map(textOf)).toEqual([
      'WORKER  STATE       VERSION   #  STREAMS (stream:…)',
      'w0      Converged   7         2  +b a',
      'w1      Refreshing  7→8       1  c',
    ]);
  });

  it('the board shows the load of each worker, its heaviest streams first', () => {
    const runs = { w0: ['stream:a', 'stream:b'], w1: ['stream:c'] };
    const { table } = boardOf(observed({ streams, runs, weights: { 'stream:b': 60 } }), {
      ...notes,
      news: new Set(),
    });
    expect(tableLines(table, 60).map(textOf)).toEqual([
      'WORKER  STATE       VERSION    LOAD   #  STREAMS (stream:…)',
      'w0      Converged   1        60/100   2  b(60) a',
      'w1      Converged   1         0/100   1  c',
    ]);
  });

  it('the board says that all is verified, and after how long', () => {
    const { headline } = boardOf(seen, { ...notes, isOperatorUp: true, isVerified: true });
    expect(textOf(headline)).toBe(
      'pool tv · version 7 · 3 streams · 1/2 workers converged · verified in 1.2 s',
    );
  });

  const w = worker('w', ['a'], 3);
  const silent = { ok: false, reason: 'refused' } as const;
  it.each([
    ['Converged', w],
    ['No pod', { ...w, pod: undefined }],
    ['Ending', { ...w, pod: { ...pod, isEnding: true } }],
    ['Starting', { ...w, pod: { ...pod, isReady: false }, answer: silent }],
    ['Starting', { ...w, pod: { ...pod, isReady: false } }],
    ['Silent', { ...w, answer: silent }],
    ['Waiting', { ...w, slice: undefined }],
    ['Refreshing', { ...w, slice: { jobs: ['a'], version: 4 } }],
    ['Refreshing', { ...w, slice: { jobs: ['b'], version: 3 } }],
    [
      'Stuck',
      { ...w, slice: { jobs: ['b'], version: 4 }, entry: { name: 'w', state: 'Stuck' } as const },
    ],
  ])('the board calls a worker %s', (state, of) => expect(stateOf(of)).toBe(state));

  it.each([
    [['stream:a', 'stream:b'], 'stream:'],
    [['stream:a', 'cars:b'], ''],
    [['a', 'b'], ''],
    [['stream:a'], ''],
    [[], ''],
  ])('the names %j have the shared prefix %j', (names, prefix) =>
    expect(sharedPrefix(names)).toBe(prefix),
  );
});
