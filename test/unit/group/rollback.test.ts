// Does a rollback end, and where?
import { describe, expect, it } from '@jest/globals';
import type { GroupWorld, SeenMember } from '../../../src/group/world.ts';
import {
  conditionOf,
  decide,
  groupWorld,
  later,
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
import { atSize, outcomes, pass, stages, T, untilBack } from '../../support/staged-group.ts';

describe('a rollback', () => {
  it('a rollback ends within one time-out a stage, though a rollout is stuck with a pod too many', () => {
    const start = withMember(atSize(2), 'web', ({ size }) => ({
      size: { ...size, present: 3, ready: 2, surge: 1 },
      trouble: 'ImagePullBackOff',
    }));
    const failed = pass(withSpec(start, { replicas: 4 }), T + 3_000, 'web');
    expect(failed.group.status?.transition).toMatchObject({ state: 'RollingBack', from: 2 });
    const done = pass(failed, 3 * T, 'web');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 2 });
    expect(done.group.status?.transition).toMatchObject({ state: 'RolledBack', from: 2, to: 4 });
    expect(done.group.status?.transition?.message).toContain('Deployment/web: ');
    expect(done.group.status?.transition?.message).toContain('ImagePullBackOff');
    expect(conditionOf(done, 'Ready')?.message).toContain('ImagePullBackOff');
    expect(done.group.status?.replicas).toBe(2);
  });

  it('a rollback goes on to the next stage after a stage that makes no progress', () => {
    const failed = untilBack(withSpec(atSize(2), { replicas: 4 }), 'web');
    // Its surplus pods stay.
    const held = withMember(failed, 'web', ({ size }) => ({ size: { ...size, present: 4 } }));
    const waiting = pass(held, T - 2_000, 'web');
    expect(sizesOf(waiting)).toEqual({ db: 4, service: 4, web: 2 });
    const done = pass(waiting, 6_000, 'web');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 2 });
    expect(done.group.status?.transition?.state).toBe('RolledBack');
  });

  it('a rollback goes back to the last size that was reached, not to where the scale-up began', () => {
    const four = pass(withSpec(atSize(2, 'Together'), { replicas: 4 }), 100, 'web');
    const six = next(withSpec(four, { replicas: 6 }));
    expect(six.group.status?.transition?.from).toBe(2);
    // By then all members have the pods of size 4.
    const on = next(
      withMember(ready(six, 'db', 'service'), 'web', ({ size }) => ({
        size: { ...size, observedGeneration: size.generation, present: 6, ready: 4 },
      })),
    );
    expect(on.group.status?.transition).toMatchObject({ from: 4, to: 6 });
    const done = pass(pass(on, T + 2_000, 'web'), 3 * T);
    expect(sizesOf(done)).toEqual({ db: 4, service: 4, web: 4 });
    expect(done.group.status).toMatchObject({ replicas: 4, transition: { from: 4, to: 6 } });
  });

  it('a rollback begins in time, though the size changes again and again', () => {
    let at = atSize(2, 'Together');
    for (const replicas of [4, 5, 4, 5, 4, 5, 4]) {
      at = pass(withSpec(at, { replicas }), 3_000, 'web');
    }
    expect(outcomes(at)).toContainEqual(expect.stringMatching(/^2-[45] (RolledBack|TimedOut)$/));
  });

  it('a member that is added during a rollback gets the size at which the group ends', () => {
    const { found } = groupWorld({ members: { late: {} } }).members[0] ?? {};
    const members = [...Object.keys(stages), 'late'].map((name) => ({ kind: 'Deployment', name }));
    const failed = untilBack(withSpec(atSize(3, 'Together'), { replicas: 5 }), 'web');
    const grown: GroupWorld = {
      ...withSpec(failed, { members }),
      members: [
        ...failed.members,
        { kind: 'Deployment', name: 'late', found, conflict: undefined },
      ],
    };
    expect(sizesOf(next(grown))).toEqual({ db: 3, service: 3, web: 3, late: 3 });
    // An edit makes it another attempt, which begins at once.
    expect(sizesOf(settled(grown))).toEqual({ db: 5, service: 5, web: 5, late: 5 });
  });

  it('a member that is added just before a rollback gets the size at which the group ends', () => {
    const { found } = groupWorld({ members: { late: { replicas: 1 } } }).members[0] ?? {};
    const members = [...Object.keys(stages), 'late'].map((name) => ({ kind: 'Deployment', name }));
    const rest = atSize(3, 'Together');
    const grown: GroupWorld = {
      ...withSpec(rest, { members, replicas: 5 }),
      members: [...rest.members, { kind: 'Deployment', name: 'late', found, conflict: undefined }],
    };
    const back = pass(untilBack(grown, 'web'), 2_000);
    expect(sizesOf(back)).toEqual({ db: 3, service: 3, web: 3, late: 3 });
  });

  it('a rollback does not wait for members that were not ready before', () => {
    const broken = withMember(atSize(2, 'Together'), 'db', ({ size }) => ({
      size: { ...size, ready: 0 },
    }));
    const failed = untilBack(withSpec(broken, { replicas: 4 }), 'db');
    const back = next(failed, 0);
    const gone = withMember(ready(back, 'service', 'web'), 'db', ({ size }) => ({
      size: { ...size, observedGeneration: size.generation, present: 2, ready: 0 },
    }));
    expect(next(gone).group.status?.transition?.state).toBe('RolledBack');
  });

  it('a rollback restores no mixture of two sizes', () => {
    const rest = atSize(2, 'Together');
    const decision = decide(later(withSpec(rest, { replicas: 4 }), 10));
    expect(decision.steps.filter(({ do: what }) => what === 'scale')).toHaveLength(3);
    // The first scale lands, the others do not, and another size comes.
    const half = withMember(rest, 'db', ({ size }) => ({
      replicas: 4,
      size: { ...size, generation: size.generation + 1 },
    }));
    const failed = pass(withSpec(half, { replicas: 6 }), T + 2_000, 'web');
    expect(sizesOf(pass(failed, 2_000))).toEqual({ db: 2, service: 2, web: 2 });
  });
});

describe('a second rollback', () => {
  const wrong = (at: GroupWorld): GroupWorld =>
    withMember(at, 'web', () => ({ refusal: 'its annotation k8slab.info/stage is "-1"' }));
  const right = (at: GroupWorld): GroupWorld =>
    withSeen(at, 'web', ({ found }) => {
      if (found === undefined) return {};
      const { refusal: _, ...mended } = found;
      return { found: mended };
    });
  /** Another annotation makes it another attempt, which begins at once. */
  const edited = (at: GroupWorld): GroupWorld =>
    withMember(right(at), 'web', () => ({ rules: { stage: 3 } }));
  const ratioOfWeb = (ratio: number) => ({
    members: [
      ...['db', 'service'].map((name) => ({ kind: 'Deployment', name })),
      { kind: 'Deployment', name: 'web', ratio },
    ],
  });
  /** Size 4 failed; the replicas of `web` fit no size by its edited ratio. */
  const rolledBack = (): GroupWorld => {
    const rest = settled(withSpec(atSize(2, 'Together'), ratioOfWeb(2)));
    const failed = untilBack(withSpec(rest, { ...ratioOfWeb(1), replicas: 4 }), 'db');
    const done = pass(wrong(failed), 2_000, 'db');
    expect(done.group.status?.transition).toMatchObject({ state: 'RolledBack', from: 2, to: 4 });
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 4 });
    return done;
  };

  it('a second rollback restores a member that was refused in between and is mended while its size is tried', () => {
    const again = pass(rolledBack(), 61_000, 'db');
    expect(again.group.status?.transition?.state).toBe('Scaling');
    const done = pass(untilBack(right(again), 'db'), 2_000, 'db');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 4 });
  });

  it('a second rollback restores a member that was refused in between and is mended before', () => {
    const again = pass(edited(rolledBack()), 1_000, 'db');
    expect(again.group.status?.transition?.state).toBe('Scaling');
    const done = pass(untilBack(again, 'db'), 2_000, 'db');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 4 });
  });

  it('a second rollback gives a member that an HPA scaled in between its replicas at the size', () => {
    const conflict = { reason: 'AutoscalerConflict', message: 'the HPA web scales it' } as const;
    const held = withSeen(right(rolledBack()), 'web', () => ({ conflict }));
    const again = pass(scaledByHand(held, 'web', 7), 61_000, 'db');
    const freed = withSeen(again, 'web', () => ({ conflict: undefined }));
    const done = pass(untilBack(freed, 'db'), 2_000, 'db');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 2 });
  });
});

describe('a rollback that bounds keep from the size before', () => {
  const members = [
    ...['db', 'service'].map((name) => ({ kind: 'Deployment', name })),
    { kind: 'Deployment', name: 'web', ratio: '0.333333333' },
  ];
  /** One of the two pods of `web` is not ready, at size 5 and at size 6. */
  const halfReady = (at: GroupWorld): GroupWorld =>
    withMember(at, 'web', ({ size }) => ({ size: { ...size, present: 2, ready: 1 } }));
  const rolledBack = (): GroupWorld => {
    const rest = settled(withSpec(atSize(2, 'Together'), { members }));
    const asked = next(withSpec(rest, { replicas: 6, policy: { type: 'Manual', minReplicas: 5 } }));
    const done = pass(untilBack(halfReady(asked), 'web'), 2_000, 'web');
    expect(done.group.status?.transition).toMatchObject({ state: 'RolledBack', from: 2, to: 6 });
    expect(sizesOf(done)).toEqual({ db: 5, service: 5, web: 2 });
    return done;
  };

  it('a failed size is not completed by a retry while a member that grew for it is not ready', () => {
    const again = pass(rolledBack(), 63_000, 'web');
    expect(sizesOf(again)).toEqual({ db: 6, service: 6, web: 2 });
    expect(again.group.status?.transition).toMatchObject({ state: 'Scaling', from: 2, to: 6 });
    expect(pass(again, 2_000).group.status?.transition?.state).toBe('Completed');
  });

  it('a rollback goes back to the size within bounds once all members are ready there', () => {
    const again = pass(pass(rolledBack(), 5_000), 60_000, 'db');
    expect(again.group.status?.transition).toMatchObject({ state: 'Scaling', from: 5, to: 6 });
  });
});

describe('after a pause', () => {
  it('a rollback after a pause goes back to the size before, not to sizes set by hand meanwhile', () => {
    const paused = settled(withSpec(atSize(2, 'Together'), { paused: true }));
    const byHand = settled(scaledByHand(paused, 'db', 7));
    const failed = untilBack(withSpec(byHand, { paused: false, replicas: 4 }), 'web');
    expect(sizesOf(pass(failed, 2_000))).toEqual({ db: 2, service: 2, web: 2 });
  });
});

describe('after an older group has let members go', () => {
  it('a rollback goes back to the last size of the group, not to what an older group had set', () => {
    const names = Object.keys(stages);
    const heldBy = (at: GroupWorld, conflict: SeenMember['conflict']): GroupWorld =>
      names.reduce((world, name) => withSeen(world, name, () => ({ conflict })), at);
    const held = heldBy(atSize(2, 'Together'), {
      reason: 'TargetConflict',
      message: 'the older SwarmGroup older scales it',
    });
    const scaled = names.reduce((world, name) => scaledByHand(world, name, 3), held);
    const asked = settled(withSpec(scaled, { replicas: 6 }));
    expect(stateOf(asked, 'web')).toBe('Conflicted');
    expect(sizesOf(asked)).toEqual({ db: 3, service: 3, web: 3 });
    const failed = untilBack(heldBy(asked, undefined), 'web');
    expect(sizesOf(failed)).toEqual({ db: 6, service: 6, web: 6 });
    const back = pass(failed, 2_000);
    expect(sizesOf(back)).toEqual({ db: 2, service: 2, web: 2 });
    expect(back.group.status).toMatchObject({ replicas: 2, transition: { from: 2, to: 6 } });
  });
});

describe('a ratio that was raised during a pause', () => {
  it('a group waits for a member that grows by a ratio raised during a pause', () => {
    const paused = settled(withSpec(atSize(2, 'Together'), { paused: true }));
    const members = [
      { kind: 'Deployment', name: 'web', ratio: 3 },
      ...['db', 'service'].map((name) => ({ kind: 'Deployment', name })),
    ];
    const edited = settled(withSpec(paused, { members }));
    const at = next(next(withSpec(edited, { paused: false })));
    expect(sizesOf(at)).toMatchObject({ web: 6 });
    const two = next(
      withMember(at, 'web', ({ size }) => ({
        size: { ...size, observedGeneration: size.generation, present: 6, ready: 2 },
      })),
    );
    expect(two.group.status?.transition?.state).toBe('Scaling');
    expect(next(ready(two)).group.status?.transition?.state).toBe('Completed');
  });
});
