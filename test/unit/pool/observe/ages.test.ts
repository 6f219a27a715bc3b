// Since when is a worker unconfirmed? Counted anew when it starts, is lost, or gets a new slice.
// And since when does a stream fail at its worker?
import { describe, expect, it } from '@jest/globals';
import type { ReportedState } from '../../../../src/api/reported-streams.ts';
import { measureAges, type States } from '../../../../src/core/state-ages.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import { agesOf } from '../../../../src/pool/observe.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  everyPod,
  NOW,
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
      'when it stops answering',
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
      'when its slice changes',
      [
        [0, calm],
        [300, changed],
      ],
      [359, 360],
    ],
    [
      'when it stops answering once more',
      [
        [0, calm],
        [300, silent(calm)],
        [350, calm],
        [355, silent(calm)],
      ],
      [414, 415],
    ],
    ['when a new leader sees it for the first time', [[0, silent(calm)]], [59, 60]],
  ] as const)("a worker's time to confirm begins %s", (_, worlds, [before, after]) => {
    const [, last] = worlds.at(-1) ?? [0, calm];
    expect(stateOf(seen(...worlds))).not.toBe('Stuck');
    expect(reasonOf(seen(...worlds, [before, last]))).not.toBe('WorkersStuck');
    expect(reasonOf(seen(...worlds, [after, last]))).toBe('WorkersStuck');
  });

  it("a worker's time to confirm does not run while it has confirmed", () => {
    const { ages } = seen([0, calm], [1_000, confirmed(calm)]);
    expect(ages.unconfirmedMs).toEqual({});
    expect(ages.sliceMs).toEqual({ 'uid-0': 1_000_000, 'uid-1': 1_000_000 });
  });

  it('refresh Auto replaces a pod only when its time to confirm is over', () => {
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

describe('the time that a stream fails at its worker', () => {
  const pool = settled(world({ streams: 4, spec: { streamPolicy: { moveAfterSeconds: 60 } } }));
  const report = { version: 1, jobs: ['s0', 's1'], podUid: 'uid-0' };
  const telling = (state: ReportedState, uid = 'uid-0', at = pool): PoolWorld => ({
    ...withPod(at, 0, { uid }),
    answers: {
      [uid]: {
        ok: true,
        report: { ...report, podUid: uid, streams: { s0: { state, restarts: 3 } } },
      },
    },
  });
  const fails = telling('Restarting');
  /** Another worker has it. */
  const without = (at: PoolWorld): PoolWorld => ({
    ...at,
    published: settled(withStreams(pool, ['s1', 's2', 's3'])).published,
  });
  const fallsSilent = (at: PoolWorld): PoolWorld => {
    const answer = at.answers['uid-0'];
    const last = answer?.ok === true ? answer.report : undefined;
    const now = { ok: false, reason: 'timeout', ...(last && { last }) } as const;
    return { ...at, answers: { 'uid-0': now } };
  };

  it.each<[string, readonly (readonly [number, PoolWorld])[], number | undefined]>([
    [
      'goes on when its worker gives it up',
      [
        [0, fails],
        [50, telling('Failed')],
      ],
      50_000,
    ],
    [
      'goes on while its worker is silent',
      [
        [0, fails],
        [20, fallsSilent(fails)],
        [50, fails],
      ],
      50_000,
    ],
    [
      'begins anew after it ran well',
      [
        [0, fails],
        [20, telling('Running')],
        [50, fails],
      ],
      0,
    ],
    [
      'begins anew in another pod',
      [
        [0, fails],
        [50, telling('Failed', 'uid-0+')],
      ],
      0,
    ],
    [
      'is not measured while it is well',
      [
        [0, telling('Starting')],
        [50, telling('Running')],
      ],
      undefined,
    ],
    [
      'begins when its worker is assigned it, whatever the worker reported before',
      [
        [0, without(fails)],
        [20, fails],
        [50, fails],
      ],
      30_000,
    ],
    [
      'is not measured where moveAfterSeconds is unset',
      [[0, telling('Failed', 'uid-0', calm)]],
      undefined,
    ],
  ])('the time that a stream fails %s', (_, worlds, ms) => {
    const leader = new Leader();
    const { ages, pods } = worlds.map(([second, at]) => leader.sees(at, second)).at(-1) ?? pool;
    expect(ages.failingMs?.[pods[0]?.uid ?? '']?.get('s0')).toBe(ms);
  });
});
