// Does a group scale members of kinds that the administrator names, as it scales all others, and
// does it leave members of any other kind alone?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { conditionOf, groupWorld, settled, sizesOf, withSpec } from '../../support/group-worlds.ts';
import { T, untilBack } from '../../support/staged-group.ts';
import { apiVersion, cell, cellNamed, deployment, kindOf, setUp } from './cells-of-groups.ts';

describe('a member of a kind that was named', () => {
  it('a member of another kind is scaled with the others, and ready when all its replicas are', async () => {
    const { clock, see, group, resize, bring, replicasOf, memberOf, statusOf, ready } =
      await setUp();
    ready(1);
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    group([deployment, cellNamed('a', { ratio: 2 })]);
    await clock.advance(3_000);
    expect(replicasOf(cell, 'a')).toBe(2);
    bring('a');
    await clock.advance(3_000);
    expect(memberOf('a')).toMatchObject({ kind: 'Cell', replicas: 2, ready: 2, state: 'Ready' });
    resize(3);
    await clock.advance(10);
    expect([replicasOf(kinds.Deployment, 'web'), replicasOf(cell, 'a')]).toEqual([3, 6]);
    await clock.advance(3_000);
    expect(memberOf('a')).toMatchObject({ state: 'Scaling', message: '2 of 6 are ready' });
    bring('a');
    ready(3);
    await clock.advance(3_000);
    expect(statusOf()?.transition).toMatchObject({ state: 'Completed', from: 1, to: 3 });
    resize(1);
    await clock.advance(10);
    expect(replicasOf(cell, 'a')).toBe(2);
    expect(memberOf('a')).toMatchObject({ state: 'Scaling' });
  });

  it('a group decides nothing before it has read the scale of a member of another kind', async () => {
    const { clock, api, see, group, statusOf, replicasOf, ready } = await setUp();
    ready(5);
    see(cell, 'a');
    api.faults = {
      before: async ({ subresource }) => {
        if (subresource === 'scale') await new Promise<void>((go) => void clock.after(3_000, go));
      },
    };
    group([deployment, cellNamed('a')], 'shop', 2);
    await clock.advance(2_500);
    expect([statusOf(), replicasOf(kinds.Deployment, 'web')]).toEqual([undefined, 5]);
    await clock.advance(4_000);
    expect(replicasOf(kinds.Deployment, 'web')).toBe(2);
  });

  it('the scale of a member is read every two seconds while the group moves, every half minute at rest', async () => {
    const { clock, see, group, bring, resize, reads } = await setUp();
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    group([cellNamed('a')]);
    await clock.advance(5_000);
    const before = reads();
    await clock.advance(300_000);
    expect(reads() - before).toBe(10);
    resize(2);
    await clock.advance(20_000);
    expect(reads() - before - 10).toBeGreaterThanOrEqual(9);
    bring('a');
    await clock.advance(4_000);
    const after = reads();
    await clock.advance(60_000);
    expect(reads() - after).toBe(2);
  });

  it('a member of another kind that changed since it was read is read again at once, and scaled', async () => {
    const { clock, see, group, resize, replicasOf } = await setUp();
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    group([cellNamed('a')]);
    await clock.advance(5_000);
    see(cell, 'a', { replicas: 1, color: 'red' }, { replicas: 1 });
    resize(4);
    await clock.advance(500);
    expect(replicasOf(cell, 'a')).toBe(4);
  });

  it('a member of another kind is left to an autoscaler of its own API group, and of no other', async () => {
    const { clock, see, group, memberOf, replicasOf } = await setUp();
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    const target = { kind: 'Cell', name: 'a' };
    see(kinds.HorizontalPodAutoscaler, 'far', {
      scaleTargetRef: { ...target, apiVersion: 'other.org/v1' },
    });
    group([cellNamed('a')], 'shop', 2);
    await clock.advance(3_000);
    expect(replicasOf(cell, 'a')).toBe(2);
    see(kinds.HorizontalPodAutoscaler, 'near', {
      scaleTargetRef: { ...target, apiVersion: 'example.org/v1beta1' },
    });
    await clock.advance(3_000);
    expect(memberOf('a')).toMatchObject({
      state: 'Conflicted',
      message: expect.stringContaining('HorizontalPodAutoscaler near scales it'),
    });
  });

  it('a member of another kind belongs to the older of two groups, whatever version they name', async () => {
    const { clock, see, group, memberOf } = await setUp([
      'example.org/v1/Cell',
      'example.org/v2/Cell',
    ]);
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    see(kindOf('example.org', 'v2'), 'a', { replicas: 1 }, { replicas: 1 });
    group([{ ...cellNamed('a'), apiVersion: 'example.org/v2' }], 'old');
    await clock.advance(2_000);
    group([cellNamed('a')], 'young');
    await clock.advance(2_000);
    expect(memberOf('a', 'young')).toMatchObject({
      state: 'Conflicted',
      message: 'the older SwarmGroup old scales it',
    });
    expect(memberOf('a', 'old')).toMatchObject({ state: 'Ready' });
  });

  it('two members of the same name in different API groups belong to different groups', async () => {
    const { clock, see, group, memberOf } = await setUp([
      'example.org/v1/Cell',
      'other.org/v1/Cell',
    ]);
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    see(kindOf('other.org'), 'a', { replicas: 1 }, { replicas: 1 });
    group([cellNamed('a')]);
    group([{ ...cellNamed('a'), apiVersion: 'other.org/v1' }], 'second');
    await clock.advance(2_000);
    expect(memberOf('a')).toMatchObject({ state: 'Ready' });
    expect(memberOf('a', 'second')).toMatchObject({ state: 'Ready' });
  });

  it('a younger group gets a member whose version the older group may not scale', async () => {
    const { clock, see, group, memberOf } = await setUp();
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    group([{ ...cellNamed('a'), apiVersion: 'example.org/v2' }], 'old');
    await clock.advance(2_000);
    group([cellNamed('a')], 'young');
    await clock.advance(2_000);
    expect(memberOf('a', 'young')).toMatchObject({ state: 'Ready' });
    expect(memberOf('a', 'old')).toMatchObject({ state: 'Refused' });
  });

  it('a member of kind Deployment in another API group is not an apps Deployment', async () => {
    const { clock, api, see, group, replicasOf, memberOf, ready } = await setUp([
      'example.org/v1/Deployment',
    ]);
    api.served = [
      { name: 'deployments', kind: 'Deployment', namespaced: true, verbs: ['get'] },
      { name: 'deployments/scale', kind: 'Scale', namespaced: true, verbs: ['get'] },
    ];
    const far = kindOf('example.org', 'v1', 'Deployment');
    ready(1);
    see(far, 'web', { replicas: 1 }, { replicas: 1 });
    group([{ ...deployment, apiVersion }], 'shop', 3);
    await clock.advance(3_000);
    expect([replicasOf(kinds.Deployment, 'web'), replicasOf(far, 'web')]).toEqual([1, 3]);
    expect(memberOf('web')).toMatchObject({ kind: 'Deployment', state: 'Scaling' });
  });

  it('the scale of a member is no longer read when its group is gone, or another replica leads', async () => {
    const { clock, api, see, group, reads, runner } = await setUp();
    see(cell, 'a', { replicas: 1 }, { replicas: 1 });
    group([cellNamed('a')]);
    group([cellNamed('a')], 'second');
    await clock.advance(5_000);
    api.store.remove(kinds.SwarmGroup, { namespace: 'shop', name: 'shop' });
    await clock.advance(35_000);
    const before = reads();
    await clock.advance(60_000);
    expect(reads() - before).toBe(2);
    await runner.lead(false);
    const after = reads();
    await clock.advance(120_000);
    expect(reads()).toBe(after);
  });
});

describe('a member is refused, and the others are scaled,', () => {
  const allowed =
    'allowed are Deployment, StatefulSet, SwarmPool, and the kinds that the administrator lists in --member-kinds';

  it.each<[string, readonly string[], object, string]>([
    [
      'when its kind was not named',
      [],
      {},
      `apiVersion example.org/v1, kind Cell is not allowed; ${allowed} (none)`,
    ],
    [
      'when another version of its kind was named',
      ['example.org/v2/Cell', 'other.org/v1/Cell'],
      {},
      `apiVersion example.org/v1, kind Cell is not allowed; ${allowed} (example.org/v2/Cell, other.org/v1/Cell)`,
    ],
    [
      'when its kind is a workload of an API version of long ago',
      [],
      { apiVersion: 'extensions/v1beta1', kind: 'Deployment', name: 'b' },
      `apiVersion extensions/v1beta1, kind Deployment is not allowed; ${allowed} (none)`,
    ],
  ])('a member is refused, and the others are scaled, %s', async (_, named, member, message) => {
    const { clock, see, group, statusOf, replicasOf, ready } = await setUp(named);
    ready(1);
    see(cell, 'a');
    group([deployment, { ...cellNamed('a'), ...member }], 'shop', 3);
    await clock.advance(3_000);
    expect(replicasOf(kinds.Deployment, 'web')).toBe(3);
    expect(replicasOf(cell, 'a')).toBe(1);
    expect(statusOf()?.members?.[1]).toMatchObject({ state: 'Refused', message });
    ready(3);
    await clock.advance(3_000);
    const stalled = statusOf()?.conditions?.find(({ type }) => type === 'Stalled');
    expect(stalled).toMatchObject({ status: 'True', reason: 'MemberRefused' });
  });

  it('a member is refused when the API server forbids to read it, until it may be read', async () => {
    const { clock, api, see, group, memberOf, replicasOf, ready } = await setUp();
    ready(1);
    see(cell, 'a');
    api.faults = {
      before: ({ subresource, kind }) => {
        if (subresource === 'scale' && kind.kind === 'Cell')
          throw new KubeError('Forbidden', 'cells "a" is forbidden');
      },
    };
    group([deployment, cellNamed('a')], 'shop', 3);
    await clock.advance(3_000);
    expect(replicasOf(kinds.Deployment, 'web')).toBe(3);
    const message = 'cannot read its scale: cells "a" is forbidden';
    expect(memberOf('a')).toMatchObject({ state: 'Refused', message });
    api.faults = {};
    await clock.advance(31_000);
    expect(replicasOf(cell, 'a')).toBe(3);
  });

  it('a member of another kind is Missing, not refused, when there is no such object', async () => {
    const { clock, see, group, memberOf, replicasOf } = await setUp();
    group([cellNamed('a')], 'shop', 3);
    await clock.advance(3_000);
    expect(memberOf('a')).toMatchObject({ state: 'Missing', message: 'not found' });
    see(cell, 'a');
    await clock.advance(31_000);
    expect(replicasOf(cell, 'a')).toBe(3);
  });
});

describe('a decision', () => {
  const members = { db: { apiVersion, kind: 'Cell' }, web: { stage: 1 } };
  const transition = { order: 'Staged', timeoutSeconds: T / 1000, onTimeout: 'Rollback' };

  it('a group rolls back a member of another kind with the others', () => {
    const rested = settled(groupWorld({ members, spec: { transition } }));
    const back = settled(untilBack(withSpec(rested, { replicas: 3 }), 'web'));
    expect(sizesOf(back)).toEqual({ db: 1, web: 1 });
    expect(back.group.status?.history?.[0]).toMatchObject({ to: 3, outcome: 'RolledBack' });
  });

  it('a group takes over no size while a member cannot be read, and says why', () => {
    const unread = { isPending: false, why: 'cannot read its scale: no' };
    const world = groupWorld({
      members: { ...members, db: { ...members.db, unread } },
      spec: { replicas: undefined },
    });
    expect(conditionOf(settled(world), 'Ready')).toMatchObject({
      reason: 'MemberMissing',
      message:
        'spec.replicas is not set; it is taken over from the members once Cell/db (cannot read its scale: no) exists',
    });
  });
});
