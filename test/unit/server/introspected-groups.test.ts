// Is what the introspection tells of groups true, as fresh as the last decision, and bounded?
import { describe, expect, it } from '@jest/globals';
import type { Group, GroupDetail } from '../../../src/api/introspection/groups.ts';
import type { GroupWorld } from '../../../src/group/world.ts';
import {
  groupWorld,
  later,
  next,
  ready,
  settled,
  withMember,
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';
import { settled as settledPool } from '../../support/pool-decisions.ts';
import { world } from '../../support/pool-worlds.ts';
import { GROUP, introspected } from './introspected.ts';

const operator = introspected();
const { seeGroup, see, ask, body } = operator;

const detail = async (): Promise<GroupDetail> => (await body(GROUP)) as GroupDetail;
const only = async (): Promise<Group> => {
  const { items } = (await body('/api/v1/groups')) as { items: Group[] };
  if (items[0] === undefined) throw new Error('no group is listed');
  return items[0];
};

const staged = (spec: object = {}): GroupWorld =>
  groupWorld({
    members: { db: { stage: 0, maxReplicas: 1 }, back: { stage: 2 }, web: { stage: 4, ratio: 2 } },
    spec: { transition: { order: 'Staged', timeoutSeconds: 60, ...spec } },
  });

describe('a group', () => {
  it('the introspection shows the numbers of a group, in the list and by itself', async () => {
    seeGroup(settled(staged()));
    const expected: Partial<Group> = {
      namespace: 'swarm',
      name: 'shop',
      size: 1,
      desiredSize: 1,
      policy: 'Manual',
      order: 'Staged',
      desiredMembers: 3,
      readyMembers: 3,
      desiredReplicas: 4,
      readyReplicas: 4,
      state: 'Completed',
      isReady: true,
      isStalled: false,
      isPaused: false,
      reason: 'AllReady',
    };
    expect(await body('/api/v1/groups')).toMatchObject({
      leading: true,
      total: 1,
      items: [expected],
    });
    expect(await body(GROUP)).toMatchObject({
      ...expected,
      generation: 1,
      timeoutSeconds: 60,
      onTimeout: 'Keep',
      decision: { steps: { total: 0, first: [] } },
    });
  });

  it('the introspection shows the value that the policy of a group queried, which status does not', async () => {
    const prometheus = { query: 'load', target: '100' };
    const policy = { type: 'Prometheus', maxReplicas: 9, prometheus };
    const at = groupWorld({ spec: { replicas: undefined, policy } });
    seeGroup({ ...at, metric: { state: 'sampled', value: 234.5, ageMs: 0 } });
    expect(await detail()).toMatchObject({
      metricValue: 234.5,
      desiredSize: 3,
      proposal: { message: 'the metric calls for size 3, at 100 per unit' },
    });
    seeGroup(at);
    expect(await detail()).not.toHaveProperty('metricValue');
  });

  it('the introspection shows a transition under way: its stage, and the replicas that each member gets', async () => {
    const scaled = next(withSpec(settled(staged()), { replicas: 3 }));
    seeGroup(later(ready(scaled, 'db', 'back'), 5_000));
    const { members, transition, size, desiredSize, decision } = await detail();
    expect({ size, desiredSize }).toEqual({ size: 1, desiredSize: 3 });
    expect(members).toEqual([
      expect.objectContaining({ kind: 'Deployment', name: 'db', stage: 0, state: 'Ready' }),
      {
        kind: 'Deployment',
        name: 'back',
        stage: 2,
        desired: 3,
        replicas: 3,
        ready: 3,
        state: 'Ready',
      },
      expect.objectContaining({ name: 'web', desired: 6, replicas: 2, ready: 2, state: 'Scaling' }),
    ]);
    expect(transition).toMatchObject({
      state: 'Scaling',
      from: 1,
      to: 3,
      stage: 4,
      reason: 'SizeChanged',
      times: { members: expect.arrayContaining([expect.objectContaining({ name: 'back' })]) },
    });
    expect(decision.steps.first).toContainEqual({
      do: 'scale',
      kind: 'Deployment',
      name: 'web',
      about: '6 replicas',
    });
  });

  it('the introspection shows progress at once, which status shows every two seconds', async () => {
    const scaled = next(next(withSpec(settled(groupWorld()), { replicas: 4 })));
    const half = withMember(scaled, 'a', ({ size }) => ({
      size: { ...size, observedGeneration: size.generation, present: 4, ready: 2 },
    }));
    seeGroup(later(half, 50));
    expect(half.group.status?.members?.[0]?.ready).toBe(1);
    const { members, decision } = await detail();
    expect(decision.steps.total).toBe(0);
    expect(members[0]).toMatchObject({ desired: 4, ready: 2, message: '2 of 4 are ready' });
    expect(await only()).toMatchObject({ desiredReplicas: 8, readyReplicas: 3 });
  });

  it('surplus replicas of one member do not make up for those that another lacks', async () => {
    const at = settled(groupWorld({ spec: { replicas: 3 } }));
    const lacking = withMember(at, 'b', ({ size }) => ({ size: { ...size, ready: 1 } }));
    const surplus = withMember(lacking, 'a', ({ size }) => ({
      size: { ...size, present: 5, ready: 5 },
    }));
    seeGroup(later(surplus, 3_000));
    expect(await only()).toMatchObject({ desiredReplicas: 6, readyReplicas: 4 });
  });

  it('the introspection shows how a transition ended, which members were not ready, and the last transitions', async () => {
    const scaled = next(withSpec(settled(staged()), { replicas: 3 }));
    let at = ready(scaled, 'db');
    for (let round = 0; round < 4; round += 1) at = next(at, 61_000);
    seeGroup(later(at, 3_000));
    const { transition, history, times, isStalled, reason } = await detail();
    expect({ isStalled, reason }).toEqual({ isStalled: true, reason: 'TransitionTimedOut' });
    expect(transition).toMatchObject({
      state: 'TimedOut',
      message: expect.stringContaining('Deployment/back: '),
      finishTime: expect.any(String),
    });
    expect(history.map(({ from, to, outcome }) => [from, to, outcome])).toEqual([
      [1, 3, 'TimedOut'],
      [1, 1, 'Completed'],
    ]);
    expect(times).toMatchObject({ count: 1 });
    const text = JSON.stringify(await detail());
    for (const inner of ['attempt', 'before']) expect(text).not.toContain(`"${inner}"`);
  });

  it('the introspection shows what blocks a group, and no members then', async () => {
    seeGroup(withSpec(settled(groupWorld()), { replicas: -1 }));
    expect(await detail()).toMatchObject({
      isStalled: true,
      reason: 'InvalidSpec',
      desiredMembers: 2,
      readyMembers: 0,
      members: [],
      decision: { obstacle: { reason: 'InvalidSpec' } },
    });
    expect(await only()).not.toHaveProperty('desiredSize');
  });

  it('the introspection shows what was refused, and what else scales a member', async () => {
    const at = settled(groupWorld());
    seeGroup({ ...at, refused: { reason: 'Forbidden', message: 'no' } });
    expect((await detail()).decision.obstacle).toEqual({ reason: 'Forbidden', message: 'no' });
    const conflict = { reason: 'AutoscalerConflict', message: 'HPA x scales it' } as const;
    seeGroup(withSeen(at, 'b', () => ({ conflict })));
    expect((await detail()).members[1]).toMatchObject({
      state: 'Conflicted',
      message: 'HPA x scales it',
    });
  });

  it('the introspection shows what a paused group would do', async () => {
    seeGroup(withSpec(settled(groupWorld()), { replicas: 5, paused: true }));
    const shown = await detail();
    expect(shown).toMatchObject({
      isPaused: true,
      size: 1,
      desiredSize: 5,
      reason: 'Paused',
      proposal: { replicas: 5, message: expect.stringContaining('Deployment/a 1 -> 5') },
    });
    expect(shown.decision.steps.first.map((step) => step.do)).toEqual(['status']);
  });

  it('the introspection shows no size of a group while spec.replicas is omitted and not taken over', async () => {
    const members = { a: { replicas: 2 }, b: { replicas: 3 } };
    seeGroup(groupWorld({ members, spec: { replicas: undefined } }));
    const shown = await detail();
    expect(shown).toMatchObject({ reason: 'SizeUnknown', isStalled: true });
    expect(shown).not.toHaveProperty('desiredSize');
    expect(shown.members[0]).not.toHaveProperty('desired');
  });

  it('the introspection answers 404 for a deleted group, and for paths below a group', async () => {
    seeGroup(settled(groupWorld()));
    expect((await ask(`${GROUP}/members`)).status).toBe(404);
    operator.snapshots.groups.forgotten('swarm/shop');
    expect(await ask(GROUP)).toMatchObject({
      status: 404,
      body: {
        error: 'there is no SwarmGroup swarm/shop, or the operator has not reconciled it yet',
      },
    });
  });

  it('the introspection does not mix up a group and a pool of the same name', async () => {
    see(settledPool(world()));
    seeGroup(settled(groupWorld()));
    expect((await ask('/api/v1/groups/swarm/tv')).status).toBe(404);
    expect((await ask('/api/v1/pools/swarm/shop')).status).toBe(404);
  });
});

it('the introspection of groups reports a replica that does not lead', async () => {
  operator.isLeading = false;
  expect(await body('/api/v1/groups')).toEqual({ leading: false, total: 0, items: [] });
  expect(await body(GROUP)).toEqual({
    error: expect.stringContaining(
      'this replica is not the leader, and only the leader knows groups',
    ),
  });
});

it('the introspection answers briefly about a group of a hundred members that all fail', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `${at}-${'x'.repeat(60)}`);
  const at = next(
    withSpec(settled(groupWorld({ members: Object.fromEntries(names.map((it) => [it, {}])) })), {
      replicas: 1_000,
    }),
  );
  seeGroup(later(at, 3_000));
  const { status, text } = await ask(GROUP);
  expect({ status, isShort: text.length < 256 * 1024 }).toEqual({ status: 200, isShort: true });
  expect((await detail()).members).toHaveLength(100);
});

it('the introspection lists groups in parts', async () => {
  for (const name of ['c', 'a', 'b']) {
    const at = settled(groupWorld());
    const { group } = at;
    const named = { ...at, group: { ...group, meta: { ...group.meta, name } } };
    operator.snapshots.groups.decided(`swarm/${name}`, {
      world: named,
      decision: { steps: [], remembered: at.remembered },
      now: 0,
    });
  }
  expect(await body('/api/v1/groups?limit=1&after=swarm/a')).toMatchObject({
    total: 3,
    items: [{ name: 'b' }],
    next: 'swarm/b',
  });
  expect(await ask('/api/v1/groups?limit=0')).toMatchObject({ status: 400 });
});
