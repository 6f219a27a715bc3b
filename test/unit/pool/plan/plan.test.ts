// What a plan says is what the operator would do: each row is a world, a wish and what comes of it.
import { describe, expect, it } from '@jest/globals';
import { type PoolPlan, planOf } from '../../../../src/pool/plan/plan.ts';
import { suppose, type Wish, withoutEffect } from '../../../../src/pool/plan/suppose.ts';
import { checkPreconditions } from '../../../../src/pool/preconditions.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled } from '../../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  type Shape,
  scaled,
  streamNames,
  withPod,
  withSpec,
  world,
} from '../../../support/pool-worlds.ts';

const nothing: Wish = { add: [], remove: [] };

function planned(before: PoolWorld, wish: Partial<Wish>): PoolPlan {
  const after = suppose(before, { ...nothing, ...wish });
  if (typeof after === 'string') throw new Error(after);
  const checked = checkPreconditions(after);
  if (!checked.ok) throw new Error(checked.blocked.message);
  return planOf({ before, after, checked, now: NOW });
}

const summary = ({ changes, moves, stay, unassigned }: PoolPlan) => ({
  changes: changes.length,
  moves: moves.map(({ stream, from, to, why }) => `${stream} ${from ?? '-'} ${to ?? '-'}: ${why}`),
  stay,
  refused: unassigned.map(({ name, reason }) => `${name} ${reason}`),
});

const still = { changes: 0, moves: [], refused: [] };
const weighed = (...weights: readonly number[]): readonly object[] =>
  weights.map((weight, index) => ({ name: `s${index}`, weight }));

describe('a plan', () => {
  it.each<[string, Shape, Partial<Wish>, Partial<ReturnType<typeof summary>>]>([
    ['of a pool at rest is to do nothing', {}, {}, { ...still, stay: 4 }],
    [
      'with one more worker moves streams to it',
      { streams: 6 },
      { workers: 3 },
      {
        moves: [
          's2 worker-0 worker-2: worker-2 joins and takes its share',
          's5 worker-1 worker-2: worker-2 joins and takes its share',
        ],
        stay: 4,
      },
    ],
    [
      'with one worker less moves its streams',
      { streams: 4 },
      { workers: 1 },
      {
        moves: [
          's2 worker-1 worker-0: worker-1 is being removed',
          's3 worker-1 worker-0: worker-1 is being removed',
        ],
        stay: 2,
      },
    ],
    [
      'with one more stream starts it',
      { streams: 1, workers: 1 },
      { add: [{ name: 'x' }] },
      { moves: ['x - worker-0: it is new in the list'], stay: 1 },
    ],
    [
      'with one stream less ends it',
      { streams: 2 },
      { remove: ['s1'] },
      { moves: ['s1 worker-1 -: it is no longer in the list'], stay: 1 },
    ],
    [
      'with a stream that fits nowhere refuses it',
      { streams: weighed(60, 60) },
      { add: [{ name: 'x', weight: 60 }] },
      { changes: 0, moves: [], stay: 2, refused: ['x InsufficientCapacity'] },
    ],
    [
      'with another weight of a stream gives it its own worker',
      { streams: weighed(30, 30), workers: 1 },
      { workers: 2, add: [{ name: 's0', weight: 100 }] },
      { moves: [expect.stringMatching(/s[01] worker-0 worker-1/) as unknown as string], stay: 1 },
    ],
  ])('a plan %s', (_, shape, wish, expected) =>
    expect(summary(planned(settled(world(shape)), wish))).toMatchObject(expected),
  );

  it.each([
    ['AtLeastOnce', 1],
    ['Exclusive', 2],
  ])('a plan of a pool with handoff %s has %i changes, and the same moves', (type, changes) => {
    const before = settled(world({ streams: 6, spec: { handoff: { type } } }));
    expect(summary(planned(before, { workers: 3 }))).toMatchObject({
      changes,
      stay: 4,
      moves: [expect.anything(), expect.anything()],
    });
  });

  it('a plan with a bound on moves shows all moves, in as many changes as it takes', () => {
    const before = settled(world({ streams: 12, spec: { rebalance: { maxMoves: 1 } } }));
    const plan = planned(before, { workers: 3 });
    expect({ moves: plan.moves.length, isComplete: plan.isComplete }).toEqual({
      moves: 4,
      isComplete: true,
    });
    expect(plan.changes.length).toBeGreaterThanOrEqual(4);
  });

  it('a plan of a paused pool shows what would happen, and notes the pause', () => {
    const plan = planned(withSpec(settled(world({ streams: 2 })), { paused: true }), {
      add: [{ name: 'x' }],
    });
    expect(plan).toMatchObject({
      moves: [{ stream: 'x' }],
      notes: [expect.stringContaining('paused')],
    });
  });

  it('a plan leaves a worker that is not Ready its streams', () => {
    const before = withPod(settled(world({ streams: 4 })), 1, { isReady: false });
    expect(summary(planned(before, {}))).toMatchObject({ ...still, stay: 4 });
  });

  it('the moves of a plan are those that the operator then makes', () => {
    const before = settled(world({ streams: streamNames(17), workers: 3 }));
    const plan = planned(before, { workers: 5 });
    const after = settled(scaled(before, 5));
    const ownerIn = (at: PoolWorld) =>
      new Map(
        Object.entries(jobsOf(at)).flatMap(([worker, jobs]) =>
          jobs.map((job) => [job, worker] as const),
        ),
      );
    const [was, is] = [ownerIn(before), ownerIn(after)];
    const moved = [...is]
      .filter(([stream, owner]) => was.get(stream) !== owner)
      .map(([stream, to]) => `${stream} ${was.get(stream)} ${to}`);
    expect(plan.moves.map(({ stream, from, to }) => `${stream} ${from} ${to}`).sort()).toEqual(
      moved.sort(),
    );
    expect(plan.workers.map(({ after: share }) => share?.streams)).toEqual(
      Object.values(jobsOf(after)).map(({ length }) => length),
    );
  });

  it('a plan changes nothing of the world that it is made from', () => {
    const before = settled(world({ streams: 6 }));
    const version = before.published.assignment?.version;
    planned(before, { workers: 4, add: [{ name: 'x' }] });
    expect(before.published.assignment?.version).toBe(version);
    expect(summary(planned(before, {}))).toMatchObject(still);
  });

  it('a plan refuses to remove a stream that is not in the list', () =>
    expect(suppose(world(), { ...nothing, remove: ['no'] })).toBe(
      'no: not among the 4 streams of SwarmPool tv',
    ));

  it.each<[string, Wish['add'], readonly string[]]>([
    ['a new stream', [{ name: 'x' }], []],
    ['another weight', [{ name: 's0', weight: 7 }], []],
    [
      'a stream that is there',
      [{ name: 's0' }],
      ['s0 is already in the list and stays as it is (s0=WEIGHT would change its weight)'],
    ],
    [
      'a weight that it has',
      [{ name: 's1', weight: 5 }],
      ['s1 is already in the list with weight 5 and stays as it is'],
    ],
  ])('a wish to add %s is noted when it changes nothing', (_, add, notes) => {
    const streams = [{ name: 's0' }, { name: 's1', weight: 5 }];
    expect(withoutEffect(world({ streams }), add)).toEqual(notes);
  });

  it('a plan without a target says what blocks it', () => {
    const before = { ...world(), targets: [] };
    const after = suppose(before, { ...nothing, workers: 2 });
    expect(typeof after !== 'string' && checkPreconditions(after)).toMatchObject({
      ok: false,
      blocked: { reason: 'TargetNotFound' },
    });
  });
});
