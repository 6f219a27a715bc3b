// How does a transition begin, when does it end, and how long did it take?
import { describe, expect, it } from '@jest/globals';
import { nothingRemembered } from '../../../src/group/world.ts';
import {
  carriedOut,
  conditionOf,
  decide,
  groupWorld,
  later,
  next,
  ready,
  scalesOf,
  settled,
  sizesOf,
  stateOf,
  withMember,
  withSpec,
} from '../../support/group-worlds.ts';

const rollback = {
  transition: { timeoutSeconds: 10, onTimeout: 'Rollback', retryAfterSeconds: 60 },
};

describe('a transition', () => {
  it('a transition scales all members at once where status has the replicas that each had', () => {
    const at = withSpec(settled(groupWorld({ members: { a: {}, b: { ratio: 2, replicas: 2 } } })), {
      replicas: 3,
    });
    const decision = decide(later(at, 10));
    expect(decision.steps.map(({ do: what }) => what)).toEqual([
      'scale',
      'scale',
      'status',
      'event',
    ]);
    const under = carriedOut(later(at, 10), decision);
    expect(sizesOf(under)).toEqual({ a: 3, b: 6 });
    expect(under.group.status?.transition).toMatchObject({
      state: 'Scaling',
      from: 1,
      to: 3,
      reason: 'SizeChanged',
      before: [
        { kind: 'Deployment', name: 'a', replicas: 1 },
        { kind: 'Deployment', name: 'b', replicas: 2 },
      ],
    });
    expect(conditionOf(under, 'Ready')).toMatchObject({ status: 'False', reason: 'Working' });
  });

  it('a transition writes status first where it lacks the replicas that a member had', () => {
    const rest = settled(groupWorld());
    const { members: _, ...status } = rest.group.status ?? {};
    const at = withSpec({ ...rest, group: { ...rest.group, status } }, { replicas: 3 });
    expect(decide(later(at, 10)).steps.map(({ do: what }) => what)).toEqual([
      'status',
      'scale',
      'scale',
      'event',
    ]);
  });

  it('a transition writes status first after a refusal, so that status shows it', () => {
    const at = withSpec(settled(groupWorld()), { replicas: 3 });
    const refused = { ...later(at, 10), refused: { reason: 'Forbidden', message: 'no' } };
    expect(decide(refused).steps[0]).toMatchObject({ do: 'status' });
  });

  it('a rollback restores all members though the leader ended before it wrote status', () => {
    const at = withSpec(settled(groupWorld({ spec: rollback })), { replicas: 3 });
    const decision = decide(later(at, 10));
    const scales = decision.steps.filter(({ do: what }) => what === 'scale');
    const ended = carriedOut(later(at, 10), { ...decision, steps: scales });
    const fresh = { ...ended, remembered: nothingRemembered, monotonicMs: 0 };
    expect(fresh.group.status?.transition?.state).not.toBe('Scaling');
    const taken = next(fresh);
    expect(taken.group.status?.transition).toMatchObject({
      state: 'Scaling',
      from: 1,
      to: 3,
      before: [
        { name: 'a', replicas: 1 },
        { name: 'b', replicas: 1 },
      ],
    });
    const late = next(next(taken, 0), 10_000);
    expect(sizesOf(next(late))).toEqual({ a: 1, b: 1 });
  });

  it('a transition is measured from when the request was seen until the last member was ready', () => {
    const at = withSpec(settled(groupWorld()), { replicas: 3 });
    const begun = next(at, 0);
    const half = next(ready(next(begun, 20), 'a'), 480);
    const done = next(ready(half), 500);
    expect(done.group.status?.transition).toMatchObject({
      state: 'Completed',
      times: {
        totalMilliseconds: 500,
        patchMilliseconds: 0,
        members: [
          { name: 'a', patchMilliseconds: 0, readyMilliseconds: 20 },
          { name: 'b', patchMilliseconds: 0, readyMilliseconds: 500 },
        ],
      },
    });
    expect(done.group.status?.history?.[0]).toMatchObject({
      from: 1,
      to: 3,
      outcome: 'Completed',
      totalMilliseconds: 500,
      slowest: 'Deployment/b',
    });
    expect(done.group.status?.times).toEqual({
      count: 1,
      p50Milliseconds: 500,
      maxMilliseconds: 500,
    });
    expect(conditionOf(done, 'Ready')).toMatchObject({ status: 'True', reason: 'AllReady' });
  });

  it('a transition is measured by the members that change', () => {
    const members = { a: {}, b: { maxReplicas: 1 } };
    const at = withSpec(settled(groupWorld({ members })), { replicas: 3 });
    const done = next(ready(next(at, 0)), 200);
    expect(done.group.status?.transition?.times?.members).toEqual([
      { kind: 'Deployment', name: 'a', patchMilliseconds: 0, readyMilliseconds: 0 },
    ]);
  });

  it('a transition is not measured by a leader that did not begin it', () => {
    const begun = next(withSpec(settled(groupWorld()), { replicas: 3 }), 0);
    const { remembered } = groupWorld();
    const done = next(ready({ ...begun, remembered }));
    expect(done.group.status?.transition).toMatchObject({ state: 'Completed', to: 3 });
    expect(done.group.status?.transition?.times).toBeUndefined();
    expect(done.group.status?.times).toEqual({ count: 0 });
  });

  it('a transition to a smaller size ends when the surplus pods are gone', () => {
    const at = settled(withSpec(settled(groupWorld()), { replicas: 3 }));
    const begun = next(withSpec(at, { replicas: 1 }));
    const seen = withMember(ready(begun, 'b'), 'a', ({ size }) => ({
      size: { ...size, observedGeneration: size.generation },
    }));
    const still = next(next(seen), 3_000);
    expect(stateOf(still, 'a')).toBe('Scaling');
    expect(still.group.status?.members?.[0]?.message).toBe('has 3 pods, wants 1');
    expect(next(ready(still)).group.status?.transition?.state).toBe('Completed');
  });

  it("a transition does not trust a member's status of an older generation", () => {
    const begun = next(withSpec(settled(groupWorld()), { replicas: 3 }), 0);
    const early = withMember(ready(begun), 'a', ({ size }) => ({
      size: { ...size, generation: size.generation + 1 },
    }));
    expect(next(early).group.status?.transition?.state).toBe('Scaling');
  });

  it('a group at rest writes nothing', () => {
    const at = settled(withSpec(settled(groupWorld()), { replicas: 3 }));
    for (const ms of [1_000, 60_000, 3_600_000]) expect(decide(later(at, ms)).steps).toEqual([]);
  });

  it('a group does not send a scale again while the last one is on its way', () => {
    const at = withSpec(settled(groupWorld()), { replicas: 3 });
    const seen = later(at, 0);
    const decision = decide(seen);
    // Status is written, and no answer to the scales has come.
    const steps = decision.steps.filter(({ do: what }) => what === 'status');
    const waiting = later(carriedOut(seen, { ...decision, steps }), 500);
    expect(scalesOf(waiting)).toEqual({});
    expect(decide(waiting).requeueAfterMs).toBeLessThanOrEqual(1_500);
    expect(scalesOf(later(waiting, 1_500))).toEqual({ a: 3, b: 3 });
    expect(scalesOf(withMember(waiting, 'a', () => ({})))).toEqual({ a: 3 });
  });

  it('a new size supersedes a transition, and would go back to the last size that was reached', () => {
    const at = withSpec(settled(groupWorld()), { replicas: 3 });
    const half = ready(next(at, 0), 'a');
    const other = next(withSpec(half, { replicas: 2 }));
    expect(sizesOf(other)).toEqual({ a: 2, b: 2 });
    expect(other.group.status).toMatchObject({
      transition: { state: 'Scaling', from: 1, to: 2, before: [{ replicas: 1 }, { replicas: 1 }] },
      history: [{ from: 1, to: 3, outcome: 'Superseded' }],
    });
  });
});
