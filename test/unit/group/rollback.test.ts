// Does a rollback end, and where?
import { describe, expect, it } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import {
  conditionOf,
  decide,
  groupWorld,
  later,
  next,
  ready,
  scaledByHand,
  scalesOf,
  settled,
  sizesOf,
  withMember,
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';

const T = 10_000;
const stages = { db: { stage: 0 }, service: { stage: 1 }, web: { stage: 2 } };

const spec = (order = 'Staged', onTimeout = 'Rollback') => ({
  transition: { order, timeoutSeconds: T / 1000, onTimeout, retryAfterSeconds: 60 },
});

const atSize = (replicas: number, order?: string, onTimeout?: string): GroupWorld =>
  settled(
    withSpec(settled(groupWorld({ members: stages, spec: spec(order, onTimeout) })), { replicas }),
  );

/** Its controller sees its size, and no pod comes or goes. */
const withSizeSeen = (at: GroupWorld, name: string): GroupWorld =>
  withMember(at, name, ({ size }) => ({ size: { ...size, observedGeneration: size.generation } }));

/** Decides often; members but those that are stuck get ready. */
function pass(at: GroupWorld, ms: number, ...stuckOnes: readonly string[]): GroupWorld {
  let world = at;
  const names = world.members.map(({ name }) => name).filter((it) => !stuckOnes.includes(it));
  for (let left = ms; left > 0; left -= 1_000)
    world = stuckOnes.reduce(withSizeSeen, ready(next(world, Math.min(left, 1_000)), ...names));
  return world;
}

/** As `pass`, until the group goes back. */
function untilBack(at: GroupWorld, ...stuckOnes: readonly string[]): GroupWorld {
  let world = at;
  for (let seconds = 0; seconds < 100; seconds += 1) {
    world = pass(world, 1_000, ...stuckOnes);
    if (world.group.status?.transition?.state === 'RollingBack') return world;
  }
  throw new Error('it never goes back');
}

const outcomes = (at: GroupWorld): readonly string[] =>
  (at.group.status?.history ?? []).map(({ from, to, outcome }) => `${from}-${to} ${outcome}`);

describe('a rollback', () => {
  it('ends within one time-out a stage, though a rollout is stuck with a pod too many', () => {
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

  it('gives up a stage that makes no progress', () => {
    const failed = untilBack(withSpec(atSize(2), { replicas: 4 }), 'web');
    // Its surplus does not go.
    const held = withMember(failed, 'web', ({ size }) => ({ size: { ...size, present: 4 } }));
    const waiting = pass(held, T - 2_000, 'web');
    expect(sizesOf(waiting)).toEqual({ db: 4, service: 4, web: 2 });
    const done = pass(waiting, 6_000, 'web');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 2 });
    expect(done.group.status?.transition?.state).toBe('RolledBack');
  });

  it('goes back to the last size that was reached, not to where the climb began', () => {
    const four = pass(withSpec(atSize(2, 'Together'), { replicas: 4 }), 100, 'web');
    const six = next(withSpec(four, { replicas: 6 }));
    expect(six.group.status?.transition?.from).toBe(2);
    // By then all have the pods of size 4.
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

  it('begins in time, though the size moves again and again', () => {
    let at = atSize(2, 'Together');
    for (const replicas of [4, 5, 4, 5, 4, 5, 4]) {
      at = pass(withSpec(at, { replicas }), 3_000, 'web');
    }
    expect(outcomes(at)).toContainEqual(expect.stringMatching(/^2-[45] (RolledBack|TimedOut)$/));
  });

  it('brings a member that comes meanwhile to the size at which the group ends', () => {
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
    // What is tried has changed: it is tried again at once.
    expect(sizesOf(settled(grown))).toEqual({ db: 5, service: 5, web: 5, late: 5 });
  });

  it('brings a member that came just before it began to the same size', () => {
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

  it('asks for no more readiness than there was', () => {
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

  it('restores no mixture of two sizes', () => {
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

describe('after a pause', () => {
  it('a rollback goes back to the size before, not to what hands did meanwhile', () => {
    const paused = settled(withSpec(atSize(2, 'Together'), { paused: true }));
    const byHand = settled(scaledByHand(paused, 'db', 7));
    const failed = untilBack(withSpec(byHand, { paused: false, replicas: 4 }), 'web');
    expect(sizesOf(pass(failed, 2_000))).toEqual({ db: 2, service: 2, web: 2 });
  });
});

describe('a ratio that was raised during a pause', () => {
  it('makes its member grow, which is waited for', () => {
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

describe('with Keep, a time-out', () => {
  it('gives the stages that have waited the new size, too', () => {
    const at = pass(withSpec(atSize(2, 'Staged', 'Keep'), { replicas: 4 }), T + 3_000, 'db');
    expect(sizesOf(at)).toEqual({ db: 4, service: 4, web: 4 });
    expect(at.group.status?.replicas).toBe(4);
    expect(conditionOf(at, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'TransitionTimedOut',
    });
  });

  it('is no rest: the next size waits for who was not ready', () => {
    const late = pass(withSpec(atSize(2, 'Together', 'Keep'), { replicas: 5 }), T + 3_000, 'db');
    const unready = withMember(late, 'db', ({ size }) => ({ size: { ...size, ready: 0 } }));
    const at = pass(withSpec(unready, { replicas: 4 }), 2_000, 'db');
    expect(at.group.status?.transition).toMatchObject({ state: 'Scaling', from: 2, to: 4 });
    const timedOut = pass(at, T, 'db');
    expect(outcomes(timedOut)[0]).toBe('2-4 TimedOut');
  });

  it('that is over late is recorded as reached', () => {
    const late = pass(withSpec(atSize(2, 'Together', 'Keep'), { replicas: 4 }), T + 3_000, 'db');
    expect(late.group.status?.transition?.state).toBe('TimedOut');
    const done = next(ready(late));
    expect(done.group.status?.transition?.state).toBe('Completed');
    expect(outcomes(done)[0]).toBe('2-4 Completed');
    expect(conditionOf(done, 'Ready')?.status).toBe('True');
    // A rollout at rest.
    const restarted = next(
      withMember(done, 'web', ({ size }) => ({ size: { ...size, ready: 1 } })),
      60_000,
    );
    expect(conditionOf(restarted, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'MembersUnready',
    });
    expect(conditionOf(restarted, 'Reconciling')?.status).toBe('True');
    expect(conditionOf(restarted, 'Stalled')?.status).toBe('False');
  });
});

describe('a size that failed', () => {
  const failed = (): GroupWorld => {
    const at = pass(withSpec(atSize(2, 'Together'), { replicas: 5 }), T + 2_000, 'web');
    return pass(at, 3_000);
  };

  it('is held back, and the group is not Ready though its members are', () => {
    let back = untilBack(withSpec(atSize(2, 'Together'), { replicas: 5 }), 'web');
    while (back.group.status?.transition?.state === 'RollingBack') back = ready(next(back));
    expect(conditionOf(back, 'Ready')).toMatchObject({ status: 'False', reason: 'BackingOff' });
    const at = next(failed());
    expect(outcomes(at)[0]).toBe('2-5 RolledBack');
    expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'False', reason: 'BackingOff' });
    expect(scalesOf(later(at, 50_000))).toEqual({});
  });

  it('is remembered over another size', () => {
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
  ])('is tried at once after %s', (_, edit) => {
    expect(sizesOf(next(edit(failed())))).toEqual({ db: 5, service: 5, web: 5 });
  });

  it('is not tried again after a pause alone', () => {
    const paused = settled(withSpec(failed(), { paused: true }));
    expect(scalesOf(later(withSpec(paused, { paused: false }), 10))).toEqual({});
  });

  it('does not keep bounds from being applied', () => {
    const policy = { type: 'Manual', minReplicas: 0, maxReplicas: 1 };
    expect(sizesOf(settled(withSpec(failed(), { policy })))).toEqual({ db: 1, service: 1, web: 1 });
  });

  it('does not keep a new member from its size', () => {
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

  it('does not let a hand scale a member', () => {
    const at = next(failed());
    const byHand = withMember(at, 'db', ({ size }) => ({
      replicas: 9,
      size: { ...size, generation: size.generation + 1 },
    }));
    expect(sizesOf(settled(ready(next(byHand))))).toEqual({ db: 2, service: 2, web: 2 });
  });
});

describe('a broken service', () => {
  const broken = (order: string): GroupWorld =>
    withMember(atSize(6, order), 'service', ({ size }) => ({ size: { ...size, ready: 0 } }));

  it.each(['Together', 'Staged'])('is scaled down, with order %s', (order) => {
    const down = pass(withSpec(broken(order), { replicas: 2 }), 3_000, 'service');
    const gone = withMember(down, 'service', ({ size }) => ({
      size: { ...size, observedGeneration: size.generation, present: 2, ready: 0 },
    }));
    const done = pass(gone, 2_000, 'service');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 2 });
    expect(outcomes(done)[0]).toBe('6-2 Completed');
    expect(conditionOf(done, 'Ready')).toMatchObject({ status: 'False', reason: 'MembersUnready' });
  });

  it('that does not change stops no other', () => {
    const members = { db: { maxReplicas: 1 }, web: {} };
    const at = settled(groupWorld({ members, spec: spec('Together') }));
    const unready = withMember(at, 'db', ({ size }) => ({ size: { ...size, ready: 0 } }));
    const done = next(ready(next(withSpec(unready, { replicas: 3 })), 'web'));
    expect(outcomes(done)[0]).toBe('1-3 Completed');
  });
});

describe('a group with no free member', () => {
  const conflict = { reason: 'AutoscalerConflict', message: 'an HPA scales it' } as const;

  it('completes nothing', () => {
    const led = ['db', 'service', 'web'].reduce(
      (at, name) => withSeen(at, name, () => ({ conflict })),
      atSize(2),
    );
    const at = settled(withSpec(led, { replicas: 4 }));
    expect(sizesOf(at)).toEqual({ db: 2, service: 2, web: 2 });
    expect(outcomes(at)[0]).toBe('1-2 Completed');
    expect(at.group.status?.replicas).toBe(2);
    expect(conditionOf(at, 'Stalled')).toMatchObject({ reason: 'AutoscalerConflict' });
  });

  it('says that a selector selects nothing', () => {
    const selector = { matchLabels: { shop: 'yes' } };
    const at = settled(groupWorld({ members: {}, spec: { members: undefined, selector } }));
    expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'False', reason: 'NoMembers' });
  });
});

describe('a scale that the API server refuses', () => {
  it('is told by member, and those that wait are told for whom', () => {
    const patient = { transition: { order: 'Staged', timeoutSeconds: 60 } };
    const at = withSpec(atSize(2), { replicas: 4, ...patient });
    const words = 'deployments "db" is forbidden: exceeded quota';
    const refused = {
      reason: 'Forbidden',
      message: words,
      scales: [{ kind: 'Deployment', name: 'db', message: words }],
    };
    const asked = decide(later(at, 10));
    const told = next({ ...later(at, 10), remembered: asked.remembered, refused }, 0);
    const members = told.group.status?.members;
    expect(members?.[0]).toMatchObject({ state: 'Refused' });
    expect(members?.[0]?.message).toContain(words);
    expect(members?.[1]).toMatchObject({
      state: 'Waiting',
      message: 'it waits for Deployment/db',
    });
    expect(conditionOf(told, 'Ready')).toMatchObject({ reason: 'WriteRefused' });
    // Told until it lands, and sent again only after a while.
    const after = next({ ...told, refused: undefined }, 5_000);
    expect(after.group.status?.members?.[0]).toMatchObject({ state: 'Refused' });
    expect(scalesOf(later(after, 5_000))).toEqual({});
    expect(scalesOf(later(after, 11_000))).toEqual({ db: 4 });
    // Also while its pods change.
    const changed = next(
      withMember(after, 'db', () => ({ revision: '2' })),
      0,
    );
    expect(changed.group.status?.members?.[0]).toMatchObject({ state: 'Refused' });
    expect(scalesOf(later(changed, 5_000))).toEqual({});
    // Not when it is somebody else's.
    const conflict = { reason: 'AutoscalerConflict', message: 'an HPA scales it' } as const;
    const led = settled(withSeen(after, 'db', () => ({ conflict })));
    expect(conditionOf(led, 'Ready')).toMatchObject({ reason: 'AutoscalerConflict' });
  });
});

describe('the size that status names', () => {
  it('is the one that the members have', () => {
    const at = next(withSpec(atSize(2), { replicas: 4 }));
    expect(at.group.status?.replicas).toBe(2);
    const done = settled(at);
    expect(done.group.status?.replicas).toBe(4);
  });

  it('comes with the pods of the first member that has one for each unit', () => {
    const selector = (members: object): string | undefined =>
      settled(groupWorld({ members: members as never, spec: { replicas: 3 } })).group.status
        ?.selector;
    expect(selector({ db: { maxReplicas: 1 }, a: { ratio: 2 }, web: {} })).toBe('app=web');
    expect(selector({ a: { ratio: 2 } })).toBe('k8slab.info/group=shop');
    expect(selector({ db: { maxReplicas: 1 }, web: { minReplicas: 2 }, ui: {} })).toBe('app=ui');
    expect(selector({ db: { maxReplicas: 1 }, web: { maxReplicas: 8 } })).toBe('app=web');
    expect(selector({ a: { ratio: '1.0' } })).toBe('app=a');
  });
});

describe('a transition that was paused', () => {
  it('is not measured', () => {
    const begun = next(withSpec(atSize(2, 'Together'), { replicas: 4 }));
    const paused = next(withSpec(begun, { paused: true }), 100);
    const resumed = next(withSpec(paused, { paused: false }), 45_000);
    const done = next(ready(resumed));
    expect(done.group.status?.history?.[0]).toMatchObject({ to: 4, outcome: 'Completed' });
    expect(done.group.status?.history?.[0]?.totalMilliseconds).toBeUndefined();
  });

  it('is told of an annotation that pauses nothing', () => {
    const at = atSize(2);
    const annotations = { 'k8slab.info/paused': 'yes' };
    const group = { ...at.group, meta: { ...at.group.meta, annotations } };
    expect(conditionOf(next({ ...at, group }), 'Stalled')).toMatchObject({
      status: 'False',
      reason: 'AnnotationIgnored',
    });
  });
});
