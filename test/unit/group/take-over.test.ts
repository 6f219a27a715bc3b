// Which size does a group take over from its members where spec.replicas is left out?
import { describe, expect, it } from '@jest/globals';
import {
  conditionOf,
  groupWorld,
  type MemberShape,
  settled,
  sizesOf,
  withSpec,
} from '../../support/group-worlds.ts';

const without = (members: Readonly<Record<string, MemberShape>>, policy = {}) =>
  groupWorld({ members, spec: { replicas: undefined, policy } });

describe('a group without a size', () => {
  it.each<[string, Record<string, MemberShape>, number]>([
    ['one member', { a: { replicas: 3 } }, 3],
    ['ratios', { a: { replicas: 3 }, b: { ratio: 2, replicas: 6 } }, 3],
    ['a ratio below 1', { a: { ratio: '0.5', replicas: 2 }, b: { replicas: 4 } }, 4],
    ['a bound', { db: { maxReplicas: 1 }, b: { replicas: 5 } }, 5],
    ['members at 0', { a: { replicas: 0 }, b: { replicas: 0 } }, 0],
  ])('a group without a size takes over the size of its members: %s', (_, members, size) => {
    const start = without(members);
    const at = settled(start);
    expect(sizesOf(at)).toEqual(sizesOf(start));
    expect(at.group.spec.ok && at.group.spec.value.replicas).toBe(size);
    expect(at.group.status?.replicas).toBe(size);
  });

  it.each<[string, Record<string, MemberShape>, string, string]>([
    [
      'a first member at 0',
      { a: { replicas: 0 }, b: { replicas: 3 } },
      'Deployment/a 0, Deployment/b 3',
      '',
    ],
    [
      'ratio 2 and 3 replicas',
      { a: { ratio: 2, replicas: 3 } },
      'Deployment/a 3',
      '; or set the ratio "1" for Deployment/a, with which size 3 matches',
    ],
    [
      'two of three that fit',
      { a: { replicas: 2 }, b: { replicas: 3 }, c: { replicas: 2 } },
      'Deployment/a 2, Deployment/b 3, Deployment/c 2',
      '; or set the ratio "1.5" for Deployment/b, with which size 2 matches',
    ],
    [
      'replicas outside of the bounds',
      { a: { maxReplicas: 2, replicas: 3 } },
      'Deployment/a 3',
      '',
    ],
  ])(
    'a group without a size scales nothing and asks for a size where none fits: %s',
    (_, members, told, proposed) => {
      const start = without(members);
      const at = settled(start);
      expect(sizesOf(at)).toEqual(sizesOf(start));
      expect(conditionOf(at, 'Stalled')).toMatchObject({
        status: 'True',
        reason: 'SizeUnknown',
        message: `spec.replicas is not set, and no size matches the replicas of all members (${told}): set spec.replicas${proposed}`,
      });
      expect(conditionOf(settled(withSpec(at, { replicas: 2 })), 'Ready')?.status).toBe('True');
    },
  );

  it('a group without a size scales nothing where the size of its members is out of bounds', () => {
    const at = settled(
      without({ a: { replicas: 3 } }, { type: 'Manual', minReplicas: 0, maxReplicas: 2 }),
    );
    expect(sizesOf(at)).toEqual({ a: 3 });
    expect(conditionOf(at, 'Stalled')).toMatchObject({ reason: 'SizeUnknown' });
  });

  it('a group without a size waits until all members exist', () => {
    const at = settled(without({ a: { isMissing: true }, b: { replicas: 4 } }));
    expect(sizesOf(at)).toEqual({ a: undefined, b: 4 });
    expect(conditionOf(at, 'Ready')).toMatchObject({
      reason: 'MemberMissing',
      message:
        'spec.replicas is not set; it is taken over from the members once Deployment/a exists',
    });
  });
});
