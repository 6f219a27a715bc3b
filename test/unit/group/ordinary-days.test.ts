// Do broken, missing and refused members and pauses do what a user expects?
import { describe, expect, it } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import {
  conditionOf,
  decide,
  groupWorld,
  later,
  next,
  ready,
  scalesOf,
  settled,
  sizesOf,
  withMember,
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';
import { atSize, outcomes, pass, spec } from '../../support/staged-group.ts';

describe('a broken service', () => {
  const broken = (order: string): GroupWorld =>
    withMember(atSize(6, order), 'service', ({ size }) => ({ size: { ...size, ready: 0 } }));

  it.each(['Together', 'Staged'])('a broken member is scaled down, with order %s', (order) => {
    const down = pass(withSpec(broken(order), { replicas: 2 }), 3_000, 'service');
    const gone = withMember(down, 'service', ({ size }) => ({
      size: { ...size, observedGeneration: size.generation, present: 2, ready: 0 },
    }));
    const done = pass(gone, 2_000, 'service');
    expect(sizesOf(done)).toEqual({ db: 2, service: 2, web: 2 });
    expect(outcomes(done)[0]).toBe('6-2 Completed');
    expect(conditionOf(done, 'Ready')).toMatchObject({ status: 'False', reason: 'MembersUnready' });
  });

  it('a broken member whose size stays does not stop the others', () => {
    const members = { db: { maxReplicas: 1 }, web: {} };
    const at = settled(groupWorld({ members, spec: spec('Together') }));
    const unready = withMember(at, 'db', ({ size }) => ({ size: { ...size, ready: 0 } }));
    const done = next(ready(next(withSpec(unready, { replicas: 3 })), 'web'));
    expect(outcomes(done)[0]).toBe('1-3 Completed');
  });
});

describe('a group with no free member', () => {
  const conflict = { reason: 'AutoscalerConflict', message: 'an HPA scales it' } as const;

  it('a group whose members are all scaled by autoscalers completes no transition', () => {
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

  it('a group says that its selector selects nothing', () => {
    const selector = { matchLabels: { shop: 'yes' } };
    const at = settled(groupWorld({ members: {}, spec: { members: undefined, selector } }));
    expect(conditionOf(at, 'Ready')).toMatchObject({ status: 'False', reason: 'NoMembers' });
  });
});

describe('a scale that the API server refuses', () => {
  it('a member shows that the API server refused its scale, and waiting members name it', () => {
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
      message: 'waiting for Deployment/db',
    });
    expect(conditionOf(told, 'Ready')).toMatchObject({ reason: 'WriteRefused' });
    // Status reports it until a scale succeeds, and the next scale is sent only after a while.
    const after = next({ ...told, refused: undefined }, 5_000);
    expect(after.group.status?.members?.[0]).toMatchObject({ state: 'Refused' });
    expect(scalesOf(later(after, 5_000))).toEqual({});
    expect(scalesOf(later(after, 11_000))).toEqual({ db: 4 });
    // That holds while its pods change, too.
    const changed = next(
      withMember(after, 'db', () => ({ revision: '2' })),
      0,
    );
    expect(changed.group.status?.members?.[0]).toMatchObject({ state: 'Refused' });
    expect(scalesOf(later(changed, 5_000))).toEqual({});
    // Not when an autoscaler scales it.
    const conflict = { reason: 'AutoscalerConflict', message: 'an HPA scales it' } as const;
    const led = settled(withSeen(after, 'db', () => ({ conflict })));
    expect(conditionOf(led, 'Ready')).toMatchObject({ reason: 'AutoscalerConflict' });
  });
});

describe('the size that status names', () => {
  it('the size in status is the one that all members have', () => {
    const at = next(withSpec(atSize(2), { replicas: 4 }));
    expect(at.group.status?.replicas).toBe(2);
    const done = settled(at);
    expect(done.group.status?.replicas).toBe(4);
  });

  it('the selector in status is that of the first member with one pod for each unit of size', () => {
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
  it('a transition that was paused is not measured', () => {
    const begun = next(withSpec(atSize(2, 'Together'), { replicas: 4 }));
    const paused = next(withSpec(begun, { paused: true }), 100);
    const resumed = next(withSpec(paused, { paused: false }), 45_000);
    const done = next(ready(resumed));
    expect(done.group.status?.history?.[0]).toMatchObject({ to: 4, outcome: 'Completed' });
    expect(done.group.status?.history?.[0]?.totalMilliseconds).toBeUndefined();
  });

  it('a group reports an annotation that does not pause it', () => {
    const at = atSize(2);
    const annotations = { 'k8slab.info/paused': 'yes' };
    const group = { ...at.group, meta: { ...at.group.meta, annotations } };
    expect(conditionOf(next({ ...at, group }), 'Stalled')).toMatchObject({
      status: 'False',
      reason: 'AnnotationIgnored',
    });
  });
});
