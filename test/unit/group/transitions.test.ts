import { describe, expect, it } from '@jest/globals';
import { type GroupWorld, nothingRemembered } from '../../../src/group/world.ts';
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
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';

const stages = { db: { stage: 0 }, service: { stage: 1 }, web: { stage: 2 } };

const rollback = {
  transition: { timeoutSeconds: 10, onTimeout: 'Rollback', retryAfterSeconds: 60 },
};

describe('a transition', () => {
  it('moves all members at once, since status has what each had', () => {
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

  it('writes status first where it has not what a member had', () => {
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

  it('writes status first after a refusal, so that it says so', () => {
    const at = withSpec(settled(groupWorld()), { replicas: 3 });
    const refused = { ...later(at, 10), refused: { reason: 'Forbidden', message: 'no' } };
    expect(decide(refused).steps[0]).toMatchObject({ do: 'status' });
  });

  it('goes back to what each had, though its leader ended before status was written', () => {
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

  it('is measured from when the request was seen until the last member was ready', () => {
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

  it('is measured by the members that change', () => {
    const members = { a: {}, b: { maxReplicas: 1 } };
    const at = withSpec(settled(groupWorld({ members })), { replicas: 3 });
    const done = next(ready(next(at, 0)), 200);
    expect(done.group.status?.transition?.times?.members).toEqual([
      { kind: 'Deployment', name: 'a', patchMilliseconds: 0, readyMilliseconds: 0 },
    ]);
  });

  it('is not measured by a leader that did not begin it', () => {
    const begun = next(withSpec(settled(groupWorld()), { replicas: 3 }), 0);
    const { remembered } = groupWorld();
    const done = next(ready({ ...begun, remembered }));
    expect(done.group.status?.transition).toMatchObject({ state: 'Completed', to: 3 });
    expect(done.group.status?.transition?.times).toBeUndefined();
    expect(done.group.status?.times).toEqual({ count: 0 });
  });

  it('ends going down when what is too many is gone', () => {
    const at = settled(withSpec(settled(groupWorld()), { replicas: 3 }));
    const begun = next(withSpec(at, { replicas: 1 }));
    const seen = withMember(ready(begun, 'b'), 'a', ({ size }) => ({
      size: { ...size, observedGeneration: size.generation },
    }));
    const still = next(next(seen), 3_000);
    expect(stateOf(still, 'a')).toBe('Scaling');
    expect(still.group.status?.members?.[0]?.message).toBe('3 are there, 1 are wanted');
    expect(next(ready(still)).group.status?.transition?.state).toBe('Completed');
  });

  it('does not believe a status that speaks of an older generation', () => {
    const begun = next(withSpec(settled(groupWorld()), { replicas: 3 }), 0);
    const early = withMember(ready(begun), 'a', ({ size }) => ({
      size: { ...size, generation: size.generation + 1 },
    }));
    expect(next(early).group.status?.transition?.state).toBe('Scaling');
  });

  it('writes nothing when nothing changes', () => {
    const at = settled(withSpec(settled(groupWorld()), { replicas: 3 }));
    for (const ms of [1_000, 60_000, 3_600_000]) expect(decide(later(at, ms)).steps).toEqual([]);
  });

  it('does not send a scale again while the last is on its way', () => {
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

  it('is superseded by a new size from where the members are, and would go back to the last rest', () => {
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

describe('a staged transition', () => {
  const spec = {
    transition: { order: 'Staged', timeoutSeconds: 60, onTimeout: 'Keep', retryAfterSeconds: 300 },
  };
  const group = () => settled(groupWorld({ members: stages, spec }));

  it('goes up by stage, each ready before the next', () => {
    const first = next(withSpec(group(), { replicas: 2 }));
    expect(sizesOf(first)).toEqual({ db: 2, service: 1, web: 1 });
    expect(first.group.status?.transition?.stage).toBe(0);
    expect(stateOf(first, 'web')).toBe('Waiting');
    expect(scalesOf(later(first, 5_000))).toEqual({});
    const second = next(ready(first));
    expect(sizesOf(second)).toEqual({ db: 2, service: 2, web: 1 });
    const third = next(ready(second));
    expect(sizesOf(third)).toEqual({ db: 2, service: 2, web: 2 });
  });

  it('goes down in reverse', () => {
    const up = settled(withSpec(group(), { replicas: 3 }));
    const first = next(withSpec(up, { replicas: 1 }));
    expect(sizesOf(first)).toEqual({ db: 3, service: 3, web: 1 });
    const second = next(ready(first));
    expect(sizesOf(second)).toEqual({ db: 3, service: 1, web: 1 });
    expect(sizesOf(next(ready(second)))).toEqual({ db: 1, service: 1, web: 1 });
  });

  it('superseded by a size in between, lets none wait for one that has more than enough', () => {
    const up = next(withSpec(group(), { replicas: 5 }));
    const mid = next(ready(up));
    expect(sizesOf(mid)).toEqual({ db: 5, service: 5, web: 1 });
    const turned = next(withSpec(mid, { replicas: 3 }));
    expect(sizesOf(turned)).toEqual({ db: 5, service: 3, web: 3 });
    expect(scalesOf(later(ready(turned, 'web'), 0))).toEqual({});
    expect(sizesOf(settled(turned))).toEqual({ db: 3, service: 3, web: 3 });
  });

  it('does not wait for a member that is missing', () => {
    const at = withSeen(group(), 'db', () => ({ found: undefined }));
    const first = next(withSpec(at, { replicas: 2 }));
    expect(sizesOf(first)).toEqual({ db: undefined, service: 2, web: 1 });
    expect(stateOf(first, 'db')).toBe('Missing');
  });
});

describe('a time-out', () => {
  const spec = (onTimeout: string, order = 'Together') => ({
    transition: { order, timeoutSeconds: 10, onTimeout, retryAfterSeconds: 60 },
  });
  const begun = (onTimeout: string, order?: string) =>
    next(
      withSpec(settled(groupWorld({ members: stages, spec: spec(onTimeout, order) })), {
        replicas: 3,
      }),
      0,
    );

  it('with Keep leaves the members as they are, and says so', () => {
    const at = next(next(ready(begun('Keep'), 'db'), 100), 10_000);
    expect(at.group.status?.transition?.state).toBe('TimedOut');
    const told = next(at);
    expect(sizesOf(told)).toEqual({ db: 3, service: 3, web: 3 });
    expect(conditionOf(told, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'TransitionTimedOut',
      message:
        'size 3 was not reached within 10 s: Deployment/service Unready (its controller has not seen its new size yet), Deployment/web Unready (its controller has not seen its new size yet)',
    });
    expect(conditionOf(settled(ready(told)), 'Ready')?.status).toBe('True');
  });

  it('with Rollback goes back to exactly what each had', () => {
    const timedOut = next(next(begun('Rollback'), 100), 10_000);
    expect(timedOut.group.status?.transition?.state).toBe('RollingBack');
    const back = next(timedOut, 0);
    expect(sizesOf(back)).toEqual({ db: 1, service: 1, web: 1 });
    const done = next(ready(back));
    expect(done.group.status).toMatchObject({
      transition: { state: 'RolledBack', from: 1, to: 3 },
      history: [{ outcome: 'RolledBack', to: 3 }],
    });
    const rest = next(done);
    expect(scalesOf(later(rest, 59_000))).toEqual({});
    expect(conditionOf(rest, 'Reconciling')).toMatchObject({
      status: 'True',
      reason: 'BackingOff',
    });
  });

  it('with Rollback goes back to what no size of the group gives', () => {
    const members = { a: { replicas: 1 }, b: { replicas: 4 } };
    const created = groupWorld({ members, spec: { ...rollback, replicas: 3 } });
    const late = next(next(next(created, 0), 0), 10_000);
    expect(sizesOf(next(late))).toEqual({ a: 1, b: 4 });
  });

  it('tries the same size again after a while, doubled each time; another size at once', () => {
    const failed = (at: GroupWorld) => next(ready(next(next(next(at, 100), 10_000), 0)));
    const once = next(failed(begun('Rollback')));
    expect(scalesOf(later(next(withSpec(once, { replicas: 2 })), 0))).toEqual({});
    expect(sizesOf(next(withSpec(once, { replicas: 2 })))).toMatchObject({ db: 2 });
    expect(scalesOf(later(once, 59_000))).toEqual({});
    const again = next(later(once, 0), 60_000);
    expect(sizesOf(again)).toMatchObject({ db: 3 });
    expect(again.group.status?.transition).toMatchObject({ reason: 'Retried', from: 1, to: 3 });
    const twice = next(failed(again));
    expect(scalesOf(later(twice, 119_000))).toEqual({});
    expect(scalesOf(later(twice, 120_000))).toMatchObject({ db: 3 });
  });
});

describe('a member', () => {
  it('that comes later is brought to the size of the group', () => {
    const at = settled(
      groupWorld({ members: { a: {}, b: { isMissing: true } }, spec: { replicas: 3 } }),
    );
    expect(sizesOf(at)).toEqual({ a: 3, b: undefined });
    expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'False', reason: 'MemberMissing' });
    const { found } = groupWorld().members[1] ?? {};
    const come = settled(withSeen(at, 'b', () => ({ found })));
    expect(sizesOf(come)).toEqual({ a: 3, b: 3 });
    expect(conditionOf(come, 'Ready')?.status).toBe('True');
  });

  it('that is made anew has not been changed by a hand', () => {
    let at = settled(groupWorld());
    for (const uid of ['second', 'third', 'fourth'])
      at = settled(withMember(at, 'a', () => ({ uid, replicas: 5 })));
    expect(stateOf(at, 'a')).toBe('Ready');
    expect(sizesOf(at)).toEqual({ a: 1, b: 1 });
  });

  it('that an autoscaler scales is left alone, and stops no other', () => {
    const conflict = { reason: 'AutoscalerConflict', message: 'an HPA scales it' } as const;
    const at = withSeen(settled(groupWorld()), 'a', () => ({ conflict }));
    const scaled = settled(withSpec(at, { replicas: 2 }));
    expect(sizesOf(scaled)).toEqual({ a: 1, b: 2 });
    expect(conditionOf(scaled, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'AutoscalerConflict',
      message: 'Deployment/a: an HPA scales it',
    });
    expect(sizesOf(settled(withSeen(scaled, 'a', () => ({ conflict: undefined }))))).toEqual({
      a: 2,
      b: 2,
    });
  });
});

describe('a pause', () => {
  it('shows what would be done, and touches nothing', () => {
    const at = settled(withSpec(settled(groupWorld()), { paused: true, replicas: 4 }));
    expect(sizesOf(at)).toEqual({ a: 1, b: 1 });
    expect(at.group.status?.proposal).toEqual({
      replicas: 4,
      reason: 'Manual',
      message: 'spec.replicas is 4; it would be done: Deployment/a 1 -> 4, Deployment/b 1 -> 4',
    });
    expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'Paused' });
    expect(at.group.status?.replicas).toBe(1);
    const resumed = settled(withSpec(at, { paused: false }));
    expect(sizesOf(resumed)).toEqual({ a: 4, b: 4 });
    expect(resumed.group.status?.transition).toMatchObject({
      from: 1,
      to: 4,
      reason: 'SizeChanged',
    });
  });
});

describe('bounds', () => {
  it.each([
    [0, 2, 'AtMinimum', 'the size would be 0; spec.policy.minReplicas is 2'],
    [9, 4, 'AtMaximum', 'the size would be 9; spec.policy.maxReplicas is 4'],
  ])('hold size %p at %p', (replicas, size, reason, message) => {
    const policy = { type: 'Manual', minReplicas: 2, maxReplicas: 4 };
    const at = settled(groupWorld({ spec: { replicas, policy } }));
    expect(sizesOf(at)).toEqual({ a: size, b: size });
    expect(conditionOf(at, 'Limited')).toMatchObject({ status: 'True', reason, message });
  });
});
