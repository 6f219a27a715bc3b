// Since when is a worker unconfirmed? Anew whenever it starts, is lost, or gets a new slice.
import { describe, expect, it } from '@jest/globals';
import { measureAges, type States } from '../../../../src/core/state-ages.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { agesOf } from '../../../../src/pool/observe/ages.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import {
  carriedOut,
  conditionOf,
  confirmed,
  everyPod,
  NOW,
  settled,
  stepsOf,
  withPod,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

/** What a leader sees, one world after the other, so many seconds after it began to lead. */
class Leader {
  #states: States = new Map();

  sees(at: PoolWorld, second: number): PoolWorld {
    const { ages, states } = measureAges(this.#states, second * 1000, (age) =>
      agesOf({ ...at, pods: everyPod(at) }, age),
    );
    this.#states = states;
    return { ...at, ages };
  }
}

const silent = (at: PoolWorld): PoolWorld => ({
  ...at,
  answers: { ...at.answers, 'uid-0': { ok: false, reason: 'connect ECONNREFUSED' } },
});
const restarting = (at: PoolWorld): PoolWorld => withPod(silent(at), 0, { isReady: false });

const calm = settled(world({ streams: 4, workers: 2 }));
const changed = (() => {
  const at = withStreams(calm, 6);
  return carriedOut(at, decidePool({ ...at, ages: { ...at.ages, publishedMs: 10_000 } }, NOW));
})();

const stateOf = (at: PoolWorld): string | undefined => {
  const { pool } = carriedOut(at, decidePool(at, NOW));
  return pool.status?.workers?.find(({ name }) => name === 'worker-0')?.state;
};
const reasonOf = (at: PoolWorld): string | undefined =>
  conditionOf(carriedOut(at, decidePool(at, NOW)), 'Reconciling')?.reason;

describe('the time of a worker to confirm', () => {
  const seen = (...worlds: readonly (readonly [number, PoolWorld])[]): PoolWorld => {
    const leader = new Leader();
    return worlds.map(([second, at]) => leader.sees(at, second)).at(-1) ?? calm;
  };

  it.each([
    [
      'when it is lost',
      [
        [0, calm],
        [300, silent(calm)],
      ],
      [359, 360],
    ],
    [
      'when it is Ready again',
      [
        [0, calm],
        [300, restarting(calm)],
        [400, silent(calm)],
      ],
      [459, 460],
    ],
    [
      'when its slice is new',
      [
        [0, calm],
        [300, changed],
      ],
      [359, 360],
    ],
    [
      'when it is lost once more',
      [
        [0, calm],
        [300, silent(calm)],
        [350, calm],
        [355, silent(calm)],
      ],
      [414, 415],
    ],
    ['when a new leader sees it for the first time', [[0, silent(calm)]], [59, 60]],
  ] as const)('begins %s', (_, worlds, [before, after]) => {
    const [, last] = worlds.at(-1) ?? [0, calm];
    expect(stateOf(seen(...worlds))).not.toBe('Stuck');
    expect(reasonOf(seen(...worlds, [before, last]))).not.toBe('WorkersStuck');
    expect(reasonOf(seen(...worlds, [after, last]))).toBe('WorkersStuck');
  });

  it('does not count while it is confirmed', () => {
    const { ages } = seen([0, calm], [1_000, confirmed(calm)]);
    expect(ages.unconfirmedMs).toEqual({});
    expect(ages.sliceMs).toEqual({ 'uid-0': 1_000_000, 'uid-1': 1_000_000 });
  });

  it('is over before its pod is replaced (refresh Auto)', () => {
    const auto = settled(world({ workers: 2, spec: { refresh: { mode: 'Auto' } } }));
    const report = { version: 0, jobs: [], podUid: 'uid-0' };
    const starting = {
      ...auto,
      answers: { ...auto.answers, 'uid-0': { ok: true, report } as const },
    };
    const stepsAt = (second: number) =>
      stepsOf(decidePool(seen([0, auto], [300, starting], [second, starting]), NOW));
    expect(stepsAt(359)).not.toContain('evict');
    expect(stepsAt(360)).toContain('evict');
  });
});
