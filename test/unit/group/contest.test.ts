// When does a group report that another writer scales a member, and when not?
import { describe, expect, it } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import {
  conditionOf,
  groupWorld,
  next,
  ready,
  scaledByHand,
  settled,
  sizesOf,
  stateOf,
  withMember,
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';

const conflict = { reason: 'AutoscalerConflict', message: 'an HPA scales it' } as const;

/** The group has set the sizes of its members. */
const held = (kind: string = 'Deployment'): GroupWorld =>
  settled(withSpec(settled(groupWorld({ members: { a: { kind }, b: {} } })), { replicas: 2 }));

const byHand = (at: GroupWorld, times: number): GroupWorld =>
  Array.from({ length: times }).reduce(
    (world: GroupWorld) => settled(scaledByHand(next(world), 'a', 7)),
    at,
  );

describe('a member that the group has scaled', () => {
  it('a group reverts manual scaling of a member twice, and reports a conflict the third time', () => {
    const twice = byHand(held(), 2);
    expect(sizesOf(twice)).toEqual({ a: 2, b: 2 });
    const third = byHand(twice, 1);
    expect(sizesOf(third)).toEqual({ a: 7, b: 2 });
    expect(stateOf(third, 'a')).toBe('Conflicted');
    expect(conditionOf(third, 'Conflicted')).toMatchObject({
      status: 'True',
      reason: 'ReplicasConflict',
      message:
        'Deployment/a: another writer changed its replicas 3 times within ten minutes: remove spec.replicas from its manifest, or the member from the group',
    });
    expect(sizesOf(settled(next(third, 600_000)))).toEqual({ a: 2, b: 2 });
  });

  it('the conflict about a pool names the field of the pool', () => {
    expect(conditionOf(byHand(held('SwarmPool'), 3), 'Conflicted')?.message).toContain(
      'remove spec.workers.replicas from its manifest',
    );
  });
});

describe('no conflict is reported', () => {
  it.each<[string, (at: GroupWorld) => GroupWorld]>([
    [
      'of scaling during a pause',
      (at) =>
        settled(withSpec(byHand(settled(withSpec(at, { paused: true })), 5), { paused: false })),
    ],
    [
      'of scaling that arrives together with a pause',
      (at) => {
        const paused = settled(scaledByHand(withSpec(at, { paused: true }), 'a', 7));
        return settled(withSpec(paused, { paused: false }));
      },
    ],
    [
      'when an autoscaler had the member for a while',
      (at) => {
        const led = settled(withSeen(at, 'a', () => ({ conflict })));
        return settled(withSeen(byHand(led, 5), 'a', () => ({ conflict: undefined })));
      },
    ],
    [
      'of the sizes of the group itself, however often they change',
      (at) =>
        [3, 4, 3, 4, 5, 3, 4].reduce(
          (world, replicas) => ready(next(withSpec(world, { replicas }))),
          at,
        ),
    ],
    [
      'of an earlier size of the group that a silent watch still shows',
      (at) => {
        const { found } = at.members[0] ?? {};
        const grown = next(withSpec(at, { replicas: 3 }));
        const silent = (world: GroupWorld) => withSeen(world, 'a', () => ({ found }));
        const asked = [1, 2, 3].reduce((world) => silent(next(silent(world), 3_000)), grown);
        return settled(next(silent(withSpec(asked, { replicas: 5 })), 3_000));
      },
    ],
    [
      'of members that are made anew',
      (at) =>
        ['second', 'third', 'fourth'].reduce(
          (world, uid) => settled(withMember(world, 'a', () => ({ uid, replicas: 5 }))),
          at,
        ),
    ],
    [
      'of what a member had before the group scaled it',
      (at) => byHand({ ...at, remembered: groupWorld().remembered }, 1),
    ],
  ])('a group reports no conflict %s', (_, happens) => {
    const at = settled(happens(held()));
    expect(conditionOf(at, 'Conflicted')).toMatchObject({ status: 'False' });
    expect(stateOf(at, 'a')).toBe('Ready');
    for (const member of at.remembered.members.values()) expect(member.changedMs).toEqual([]);
  });
});
