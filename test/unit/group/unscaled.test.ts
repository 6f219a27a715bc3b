// When does a member, or the whole group, not get the size that is asked for?
import { describe, expect, it } from '@jest/globals';
import {
  conditionOf,
  groupWorld,
  settled,
  sizesOf,
  stateOf,
  withMember,
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';

describe('a member', () => {
  it('a member that is created later is brought to the size of the group', () => {
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

  it('a member that is created again does not count as changed by a user', () => {
    let at = settled(groupWorld());
    for (const uid of ['second', 'third', 'fourth'])
      at = settled(withMember(at, 'a', () => ({ uid, replicas: 5 })));
    expect(stateOf(at, 'a')).toBe('Ready');
    expect(sizesOf(at)).toEqual({ a: 1, b: 1 });
  });

  it('a group leaves alone a member that an autoscaler scales, and scales the others', () => {
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
  it('a paused group shows what it would scale, and scales nothing', () => {
    const at = settled(withSpec(settled(groupWorld()), { paused: true, replicas: 4 }));
    expect(sizesOf(at)).toEqual({ a: 1, b: 1 });
    expect(at.group.status?.proposal).toEqual({
      replicas: 4,
      reason: 'Manual',
      message: 'spec.replicas is 4; would scale Deployment/a 1 -> 4, Deployment/b 1 -> 4',
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
  ])('a group with bounds limits size %p to %p', (replicas, size, reason, message) => {
    const policy = { type: 'Manual', minReplicas: 2, maxReplicas: 4 };
    const at = settled(groupWorld({ spec: { replicas, policy } }));
    expect(sizesOf(at)).toEqual({ a: size, b: size });
    expect(conditionOf(at, 'Limited')).toMatchObject({ status: 'True', reason, message });
  });
});
