// With Exclusive, does a stream move when its owner has released it, and not before?
import { describe, expect, it } from '@jest/globals';
import { digestOf, readAssigned } from '../../../../src/api/assignment.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  scaled,
  slicesOf,
  withPod,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';
import { decide, exclusive, says, step } from './exclusive.ts';

describe('handoff Exclusive', () => {
  it('a stream goes to another worker only after its owner has stopped it', () => {
    const at = scaled(settled(exclusive()), 1);
    // The pod of worker-1 still runs: it is terminating.
    const both = {
      ...at,
      pods: [
        ...at.pods,
        ...exclusive()
          .pods.slice(1)
          .map((pod) => ({ ...pod, isTerminating: true })),
      ],
    };
    const taken = step(both);
    expect(slicesOf(taken).get('worker-1')).toMatchObject({ jobs: [], releasing: ['s2', 's3'] });
    expect(jobsOf(taken)['worker-0']).toEqual(['s0', 's1']);
    const half = step(says(taken, 1, 2, ['s3']));
    expect(jobsOf(half)['worker-0']).toEqual(['s0', 's1', 's2']);
    expect(slicesOf(half).get('worker-1')).toMatchObject({ releasing: ['s3'] });
    const whole = step(says(half, 1, 3, []));
    expect(jobsOf(whole)['worker-0']).toEqual(['s0', 's1', 's2', 's3']);
  });

  it('an answer of an older version releases nothing', () => {
    const at = withStreams(settled(exclusive()), ['s0', 's1', 's2']);
    const taken = step(at);
    expect(slicesOf(taken).get('worker-1')).toMatchObject({ jobs: ['s2'], releasing: ['s3'] });
    expect(
      decide(says(taken, 1, 1, ['s2'])).steps.filter(({ do: what }) => what === 'patch'),
    ).toEqual([]);
  });

  it('the streams of an ended pod count as stopped', () => {
    const at = settled(exclusive());
    const gone = settled({ ...scaled(at, 1), answers: at.answers });
    expect(jobsOf(gone)).toEqual({ 'worker-0': ['s0', 's1', 's2', 's3'] });
  });

  it('an unreachable owner blocks only its own streams, and status names it', () => {
    const at = settled(exclusive(6, 3));
    const silent = withPod(at, 2, { isReady: false });
    const answers = {
      ...silent.answers,
      'uid-2': { ok: false, reason: 'connect ETIMEDOUT' } as const,
    };
    const cordoned = {
      ...withStreams(silent, ['s0', 's1', 's2', 's3', 's4', 'new0', 'new1']),
      answers,
    };
    const next = settled(cordoned);
    expect(Object.values(jobsOf(next)).flat()).toEqual(
      expect.arrayContaining(['new0', 'new1', 's4']),
    );
    expect(slicesOf(next).get('worker-2')).toMatchObject({ releasing: ['s5'] });
    expect(next.pool.status?.workers?.[2]).toMatchObject({
      state: 'Releasing',
      message: 'has not confirmed that it released s5; it does not answer (connect ETIMEDOUT)',
    });
  });

  it('every pod is annotated with what it may run, also a new one', () => {
    const at = settled(exclusive());
    const fresh = withPod(at, 1, { uid: 'fresh', assigned: undefined });
    const told = readAssigned(step({ ...fresh, answers: {} }).pods[1]?.assigned);
    const slice = slicesOf(at).get('worker-1');
    expect(told).toMatchObject({
      uid: 'fresh',
      version: 1,
      digest: slice === undefined ? '' : digestOf(slice),
    });
  });

  it('Exclusive needs pods that mount their own annotation', () => {
    const at = exclusive();
    const open = {
      ...at,
      targets: at.targets.map((target) => ({ ...target, mountsAssigned: false })),
    };
    expect(conditionOf(step(open), 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'NotFenced',
    });
  });

  it('a move with a handoff counts once', () => {
    const at = settled(exclusive(6, 2));
    const next = settled(scaled(at, 3));
    const moves = (next.pool.status?.history ?? []).map((entry) => entry.moves);
    expect(moves.reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(Object.values(jobsOf(next)).map((jobs) => jobs.length)).toEqual([2, 2, 2]);
  });
});

describe('the history of a handover', () => {
  const reasons = (at: PoolWorld): readonly (string | undefined)[] =>
    (at.pool.status?.history ?? []).map(({ reason }) => reason).reverse();

  it('the history counts moves when streams are released; giving them on is HandoffContinued', () => {
    const at = settled(settledExclusive());
    expect(reasons(at)).toEqual(['FirstPublication', 'WorkersChanged', 'HandoffContinued']);
    expect(at.pool.status?.history?.[1]?.moves).toBe(2);
  });

  const settledExclusive = (): PoolWorld => {
    const before = settled(
      world({ streams: 6, workers: 2, spec: { handoff: { type: 'Exclusive' } } }),
    );
    return scaled(before, 3, { isReady: true });
  };
});
