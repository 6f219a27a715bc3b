import { describe, expect, it } from '@jest/globals';
import { describe as told, verify } from '../../../src/demo/checks/verify.ts';
import type { Observation } from '../../../src/demo/cluster/observation.ts';
import { observed, pod, withWorker } from './observations.ts';

const streams = ['a', 'b', 'c'];
const well = observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] } });

const rows: readonly (readonly [
  title: string,
  seen: Observation | undefined,
  says: readonly string[],
])[] = [
  ['all well', well, []],
  ['no pool', undefined, ['the pool does not exist']],
  [
    'missing',
    observed({ streams, runs: { w0: ['a'], w1: ['c'] } }),
    ['running on no worker (1): b'],
  ],
  [
    'doubled',
    observed({ streams, runs: { w0: ['a', 'b', 'c'], w1: ['c'] } }),
    ['running more than once (1): c (w0, w1)'],
  ],
  [
    'twice at one worker',
    observed({ streams, runs: { w0: ['a', 'b', 'b'], w1: ['c'] } }),
    ['running more than once (1): b (w0, w0)'],
  ],
  [
    'foreign',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c', 'x'] } }),
    ['running, but not in the list (1): x (w1)'],
  ],
  [
    'a silent worker',
    withWorker(well, { name: 'w1', answer: { ok: false, reason: 'refused' } }),
    ['running on no worker (1): c', 'not answering (1): w1: refused'],
  ],
  [
    'a version that is not confirmed',
    withWorker(well, { name: 'w1', slice: { jobs: ['c'], version: 2 } }),
    ['version not confirmed (1): w1 (reports 1, was assigned 2)'],
  ],
  [
    'a worker that is not Ready',
    withWorker(well, {
      name: 'w1',
      pod: { ...pod, isReady: false, trouble: 'ErrImagePull: no such image' },
    }),
    ['not Ready (1): w1: ErrImagePull: no such image'],
  ],
  [
    'a worker without a pod',
    withWorker(well, { name: 'w1', pod: undefined }),
    ['not Ready (1): w1: it has no pod', '1 pods instead of 2'],
  ],
  [
    'an older slice that is confirmed',
    withWorker(well, { name: 'w1', answer: { ok: true, version: 9, streams: ['c'] } }),
    [],
  ],
  [
    'a condition that is not true',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] }, converged: 'False' }),
    ['Converged is False (Said): so it is'],
  ],
  [
    'a condition of before the edit',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] }, generation: 2, seenGeneration: 1 }),
    ['the operator has not reconciled generation 2 of the pool yet'],
  ],
  [
    'a pool that counts other workers',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] }, replicas: 3 }),
    ["the pool's status has 3 workers instead of 2"],
  ],
  [
    'a pod that should be gone',
    { ...well, workers: [...well.workers, ...observed({ streams: [], runs: { w2: [] } }).workers] },
    ['3 pods instead of 2'],
  ],
  [
    'more than a worker can carry',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] }, weights: { a: 60, b: 60 } }),
    ['over capacity (1): w0 (120 of 100)'],
  ],
  [
    'company for who wants a worker of its own',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] }, weights: { b: 100 } }),
    ['not alone on its worker (1): b (w0, with 1 more)'],
  ],
  [
    'weights that hold',
    observed({ streams, runs: { w0: ['a', 'b'], w1: ['c'] }, weights: { a: 60, c: 100 } }),
    [],
  ],
  [
    'an operator that has not said anything',
    { ...well, status: undefined },
    ['the operator has not written the status of the pool yet'],
  ],
];

describe('verify finds and names', () => {
  it.each(rows)('verify lists the problems of a demo with this state: %s', (_, seen, says) =>
    expect(told(verify(seen, { streams, workers: 2 }))).toEqual(says),
  );

  it('verify names the first streams and counts the rest', () => {
    const many = Array.from({ length: 12 }, (_, at) => `s${at}`);
    const [line] = told(
      verify(observed({ streams: many, runs: { w0: [] } }), { streams: many, workers: 1 }),
    );
    expect(line).toBe('running on no worker (12): s0, s1, s2, s3, s4, s5, s6, s7 and 4 more');
  });
});
