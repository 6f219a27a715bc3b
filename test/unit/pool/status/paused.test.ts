// Does the status of a paused pool say which streams run nowhere, and why?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import { figuresOf } from '../../../../src/pool/status/figures.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  NOW,
  nothingPublished,
  scaled,
  withPresence,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const later = (at: PoolWorld): PoolWorld => ({ ...at, ages: { ...at.ages, publishedMs: 10_000 } });
const next = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(later(at), NOW));
const paused = (at: PoolWorld): PoolWorld => withSpec(at, { paused: true });

const calm = settled(world({ streams: 6, workers: 3 }));

describe('a paused pool', () => {
  it('a paused pool counts the streams of a removed worker as without a worker', () => {
    const at = next(scaled(paused(calm), 2));
    const message = 'worker-2 is gone, and the pool is paused';
    expect(at.pool.status).toMatchObject({
      convergedReplicas: 2,
      streams: { total: 6, assigned: 4, unassigned: 2 },
      unassigned: [
        { name: 's4', reason: 'Paused', message },
        { name: 's5', reason: 'Paused', message },
      ],
    });
    expect(conditionOf(at, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'Paused',
      message: `paused: 2 streams would move; 2 streams without a worker (s4, s5): ${message}`,
    });
    expect(conditionOf(at, 'Converged')).toMatchObject({
      status: 'False',
      message:
        'a change is pending (2 streams would move, 2 streams without a worker until then): the pool is paused',
    });
    expect(figuresOf(later(at), decidePool(later(at), NOW)).counts).toMatchObject({
      unassigned: 2,
      isConverged: false,
    });
    expect(decidePool(later(at), NOW).steps).toEqual([]);
  });

  it('a paused pool counts the streams of a worker that is away for too long as without a worker', () => {
    const away = {
      ...paused(calm),
      pods: calm.pods.filter(({ name }) => name !== 'worker-2'),
    };
    const soon = next(withPresence(away, { missingMs: { 'worker-2': 10_000 } }));
    expect(soon.pool.status?.streams).toEqual({ total: 6, assigned: 6, unassigned: 0, down: 2 });
    const at = next(withPresence(away, { missingMs: { 'worker-2': 300_000 } }));
    expect(at.pool.status).toMatchObject({
      streams: { total: 6, assigned: 4, unassigned: 2 },
      unassigned: [{ message: 'worker-2 has been away for too long, and the pool is paused' }, {}],
      workers: [
        {},
        {},
        { state: 'Missing', message: 'away for too long; its streams will move to other workers' },
      ],
    });
  });

  it('a paused pool counts new streams as without a worker, and Ready stays Unknown', () => {
    const at = next(paused(withStreams(calm, 7)));
    expect(at.pool.status).toMatchObject({
      streams: { total: 7, assigned: 6, unassigned: 1 },
      unassigned: [
        { name: 's6', reason: 'Paused', message: 'it is not published while the pool is paused' },
      ],
    });
    expect(conditionOf(at, 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'Paused',
      message: 'paused: 1 stream would move',
    });
    const resumed = next(withSpec(at, { paused: false }));
    expect(resumed.published.change?.reason).toBe('StreamsChanged');
  });

  it('a paused pool does not count streams that workers have yet to stop as assigned again', () => {
    const emptied = withSpec(withStreams(calm, []), { removal: { allowEmpty: true } });
    const at = next(paused(withStreams(next(emptied), 6)));
    expect(at.pool.status?.streams).toEqual({ total: 6, assigned: 0, unassigned: 6 });
  });

  it('a paused pool takes the streams of a lost ConfigMap from the reports of its workers', () => {
    const at = next({ ...paused(calm), published: nothingPublished });
    expect(at.pool.status?.streams).toEqual({ total: 6, assigned: 6, unassigned: 0 });
  });

  it('a resumed pool assigns all streams again', () => {
    const at = settled(withSpec(next(scaled(paused(calm), 2)), { paused: false }));
    expect(at.pool.status?.streams).toEqual({ total: 6, assigned: 6, unassigned: 0 });
    expect(at.published.change?.reason).toBe('WorkersChanged');
    expect(conditionOf(at, 'Ready')?.status).toBe('True');
  });
});
