// When is a size that failed tried again, and what has the group meanwhile?
import { describe, expect, it } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import {
  conditionOf,
  groupWorld,
  later,
  next,
  ready,
  scaledByHand,
  scalesOf,
  settled,
  sizesOf,
  withMember,
  withSpec,
} from '../../support/group-worlds.ts';
import { atSize, outcomes, pass, spec, T, untilBack } from '../../support/staged-group.ts';

describe('a size that failed', () => {
  const failed = (): GroupWorld => {
    const at = pass(withSpec(atSize(2, 'Together'), { replicas: 5 }), T + 2_000, 'web');
    return pass(at, 3_000);
  };

  it('a group that waits after a failed size is not Ready, though its members are', () => {
    let back = untilBack(withSpec(atSize(2, 'Together'), { replicas: 5 }), 'web');
    while (back.group.status?.transition?.state === 'RollingBack') back = ready(next(back));
    expect(conditionOf(back, 'Ready')).toMatchObject({ status: 'False', reason: 'BackingOff' });
    const at = next(failed());
    expect(outcomes(at)[0]).toBe('2-5 RolledBack');
    expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'False', reason: 'BackingOff' });
    expect(scalesOf(later(at, 50_000))).toEqual({});
  });

  it('a group says when it tries a failed size again, and how a user can have it tried at once', () => {
    const at = failed();
    const message =
      'size 5 was not reached within 10 s (Deployment/web: 2 of 5 are ready); the operator tries it again at 2026-01-01T00:01:28Z, or at once after "swarmctl group retry shop", and keeps size 2 until then';
    expect(conditionOf(at, 'Ready')).toMatchObject({ message });
    const [soon, shortly, late] = [next(at), next(at, 4_000), next(at, 50_000)];
    for (const then of [soon, shortly, late])
      expect(conditionOf(then, 'Ready')).toMatchObject({ message });
  });

  it('a group that backs off names only the members at fault', () => {
    const at = pass(withSpec(atSize(2), { replicas: 5 }), T + 5_000, 'db');
    expect(at.group.status?.transition?.message).toMatch(/^Deployment\/db: [^,]*$/);
  });

  it('a group remembers a failed size while it has another size', () => {
    const four = settled(withSpec(failed(), { replicas: 4 }));
    expect(sizesOf(four)).toEqual({ db: 4, service: 4, web: 4 });
    const again = next(withSpec(four, { replicas: 5 }));
    expect(sizesOf(again)).toEqual({ db: 4, service: 4, web: 4 });
    expect(conditionOf(again, 'Ready')).toMatchObject({ status: 'False', reason: 'BackingOff' });
    expect(scalesOf(later(again, 60_000))).toMatchObject({ web: 5 });
  });

  it.each<[string, (at: GroupWorld) => GroupWorld]>([
    [
      'a longer time-out',
      (at) => withSpec(at, { transition: { ...spec('Together').transition, timeoutSeconds: 600 } }),
    ],
    ['another template of a member', (at) => withMember(at, 'web', () => ({ revision: '2' }))],
    ['a member that is made anew', (at) => withMember(at, 'web', () => ({ uid: 'second' }))],
    [
      'the annotation that asks for it',
      (at) => ({
        ...at,
        group: {
          ...at.group,
          meta: { ...at.group.meta, annotations: { 'k8slab.info/retry': 'now' } },
        },
      }),
    ],
  ])('a group tries a failed size at once after %s', (_, edit) => {
    expect(sizesOf(next(edit(failed())))).toEqual({ db: 5, service: 5, web: 5 });
  });

  it('a group does not try a failed size again after a pause alone', () => {
    const paused = settled(withSpec(failed(), { paused: true }));
    expect(scalesOf(later(withSpec(paused, { paused: false }), 10))).toEqual({});
  });

  it('a group applies its bounds while a failed size waits', () => {
    const policy = { type: 'Manual', minReplicas: 0, maxReplicas: 1 };
    expect(sizesOf(settled(withSpec(failed(), { policy })))).toEqual({ db: 1, service: 1, web: 1 });
  });

  it('a group gives a new member its size while that size waits after a failure', () => {
    const { found } = groupWorld({ members: { late: {} } }).members[0] ?? {};
    const at = failed();
    const held = {
      ...at,
      members: [
        ...at.members,
        { kind: 'Deployment', name: 'late', found, conflict: undefined } as const,
      ],
    };
    expect(sizesOf(next(held))).toMatchObject({ late: 5 });
  });

  it('a group does not try a failed size again when the API server refuses to scale a member back', () => {
    const words = { kind: 'Deployment', name: 'service', message: 'exceeded quota' };
    const refused = { reason: 'Forbidden', message: 'exceeded quota', scales: [words] } as const;
    const held = (from: GroupWorld, forSeconds: number): GroupWorld => {
      let at = from;
      for (let seconds = 0; seconds < forSeconds; seconds += 1) {
        const { found } = at.members.find(({ name }) => name === 'service') ?? {};
        at = ready(next({ ...at, refused }, 1_000), 'db', 'web');
        at = withMember(at, 'service', () => ({ ...found }));
      }
      return at;
    };
    const back = untilBack(withSpec(atSize(2, 'Together'), { replicas: 5 }), 'web');
    const at = held(back, 13);
    expect(at.group.status?.transition).toMatchObject({ state: 'RolledBack', from: 2, to: 5 });
    expect(sizesOf(at)).toEqual({ db: 2, service: 5, web: 2 });
    const byHand = held(scaledByHand(at, 'db', 7), 20);
    expect(sizesOf(byHand)).toEqual({ db: 2, service: 5, web: 2 });
    const allowed = pass({ ...byHand, refused: undefined }, 20_000);
    expect(sizesOf(allowed)).toEqual({ db: 2, service: 2, web: 2 });
    expect(allowed.group.status?.replicas).toBe(2);
    expect(conditionOf(allowed, 'Ready')).toMatchObject({ status: 'False', reason: 'BackingOff' });
  });

  it('a group that waits after a failed size reverts a member that a user scaled', () => {
    const at = next(failed());
    const byHand = withMember(at, 'db', ({ size }) => ({
      replicas: 9,
      size: { ...size, generation: size.generation + 1 },
    }));
    expect(sizesOf(settled(ready(next(byHand))))).toEqual({ db: 2, service: 2, web: 2 });
  });
});
