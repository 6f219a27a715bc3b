// Does a plan of a group say what the operator would do, in its order?
import { describe, expect, it } from '@jest/globals';
import type { SwarmGroup } from '../../../../../src/api/validate.ts';
import { planGroup } from '../../../../../src/cli/group/plan.ts';
import { textOf } from '../../../../../src/cli/render.ts';
import { groupPlanLines } from '../../../../../src/cli/views/group-plan.ts';
import { condition, memberAt, swarmGroup } from '../../group-object.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function planned(group: SwarmGroup, replicas?: number): readonly string[] {
  const plan = planGroup(group, NOW, { replicas });
  return typeof plan === 'string'
    ? [plan]
    : groupPlanLines(plan, 200).map((line) => textOf(line).trimEnd());
}

const stages = (order: 'Together' | 'Staged') =>
  swarmGroup({
    spec: {
      members: [
        { kind: 'Deployment', name: 'db', stage: 0, maxReplicas: 2 },
        { kind: 'StatefulSet', name: 'cache', stage: 2, ratio: '0.5' },
        { kind: 'Deployment', name: 'web', stage: 1, ratio: '1.5' },
      ],
      transition: { order },
    },
    status: {
      members: [
        memberAt('db', 1),
        memberAt('cache', 1, { kind: 'StatefulSet' }),
        memberAt('web', 2),
      ],
    },
  });

describe('a plan of a group', () => {
  it('a plan of a group at rest scales nothing', () =>
    expect(planned(swarmGroup())).toEqual([
      'SwarmGroup swarm/shop: size 1, nothing would be scaled',
    ]));

  it('a plan of a group scales up stage by stage', () =>
    expect(planned(stages('Staged'), 3)).toEqual([
      'SwarmGroup swarm/shop: size 1 -> 3, Staged: 3 members would be scaled',
      '',
      'TURN  STAGE  MEMBER             NOW  THEN',
      '   1      0  Deployment/db        1     2',
      '   2      1  Deployment/web       2     5',
      '   3      2  StatefulSet/cache    1     2',
    ]));

  it('a plan of a group scales down in reverse', () =>
    expect(planned(stages('Staged'), 0).slice(2)).toEqual([
      'TURN  STAGE  MEMBER             NOW  THEN',
      '   1      2  StatefulSet/cache    1     0',
      '   2      1  Deployment/web       2     0',
      '   3      0  Deployment/db        1     0',
    ]));

  it('a plan of a group with order Together scales all at once, and leaves out members that stay', () =>
    expect(planned(stages('Together'), 2)).toEqual([
      'SwarmGroup swarm/shop: size 1 -> 2, Together: 2 members would be scaled, 1 would stay',
      '',
      'MEMBER          NOW  THEN',
      'Deployment/db     1     2',
      'Deployment/web    2     3',
    ]));

  it('a plan of a group keeps within the bounds of the size, and says so', () =>
    expect(planned(swarmGroup({ spec: { policy: { maxReplicas: 2 } } }), 9).slice(0, 2)).toEqual([
      'SwarmGroup swarm/shop: size 1 -> 2, Staged: 1 member would be scaled, 1 would stay',
      'note: the size would be 9; spec.policy.maxReplicas is 2',
    ]));

  it('a plan of a group leaves alone members that cannot be scaled', () => {
    const members = [
      memberAt('db', 1, { state: 'Conflicted', message: 'SwarmPool p scales it' }),
      { kind: 'Deployment', name: 'web', desired: 3, state: 'Missing', message: 'not found' },
    ];
    expect(planned(swarmGroup({ status: { members } }), 2)).toEqual([
      'SwarmGroup swarm/shop: size 1 -> 2, nothing would be scaled',
      '',
      'NOT SCALED      STATE',
      'Deployment/db   Conflicted  SwarmPool p scales it',
      'Deployment/web  Missing     not found',
    ]);
  });

  it('a plan of the present size repeats the message of the operator, which remembers that it failed', () => {
    const group = swarmGroup({
      spec: { replicas: 5 },
      status: {
        conditions: [condition('Ready', 'False', 'BackingOff', 'size 5 was not reached')],
      },
    });
    expect(planned(group)).toEqual([
      'SwarmGroup swarm/shop: size 1 -> 5, nothing would be scaled',
      'note: size 5 was not reached',
    ]);
    expect(planned(group, 5)[0]).toContain('1 member would be scaled');
  });

  it('a plan of a group computes the present size itself where the operator has not looked yet', () =>
    expect(planned(swarmGroup({ spec: { replicas: 3 }, generation: 2 }))).toEqual([
      'SwarmGroup swarm/shop: size 1 -> 3, Staged: 1 member would be scaled, 1 would stay',
      'note: the operator has not reconciled the last change yet',
      '',
      'TURN  STAGE  MEMBER          NOW  THEN',
      '   1      1  Deployment/web    2     5',
    ]));

  it('a plan of a group follows its policy, within the bounds that a schedule has moved', () => {
    const policy = { type: 'Random', maxReplicas: 9, random: { seed: 1 } };
    const proposal = { replicas: 3, reason: 'Drawn' };
    // What was set by hand before decides nothing.
    const spec = { replicas: 7, policy };
    expect(planned(swarmGroup({ spec, generation: 2, status: { proposal } }))[0]).toContain(
      'size 1 -> 3',
    );
    const schedules = [{ name: 'night', schedule: '0 20 * * *', maxReplicas: 2 }];
    const bound = { replicas: 7, policy: { schedules } };
    const [first, note] = planned(swarmGroup({ spec: bound, generation: 2 }));
    expect(first).toContain('size 1 -> 2');
    expect(note).toBe('note: the size would be 7; spec.policy.schedules[night].maxReplicas is 2');
  });

  it('a plan of a group names a transition under way', () => {
    const transition = {
      state: 'Scaling',
      from: 1,
      to: 1,
      reason: 'MemberChanged',
      requestTime: '2026-01-01T00:00:00Z',
    };
    expect(planned(swarmGroup({ status: { transition } }))).toContain(
      'note: a transition to size 1 is in progress',
    );
  });

  it.each<[string, SwarmGroup, string]>([
    [
      'the spec is invalid',
      swarmGroup({ spec: { paused: 3 } }),
      'InvalidSpec: spec.paused: must be boolean (found 3)',
    ],
    [
      'no operator has looked',
      swarmGroup({ status: undefined }),
      'no operator has reconciled the group yet',
    ],
    [
      'the operator cannot decide',
      swarmGroup({
        status: {
          members: undefined,
          conditions: [condition('Ready', 'False', 'TooManyMembers', '101')],
        },
      }),
      'TooManyMembers: 101',
    ],
    [
      'there is no size yet',
      swarmGroup({ spec: { replicas: undefined } }),
      'spec.replicas is not set, and the operator has not taken a size from the members yet; use --replicas N to assume one',
    ],
    [
      'its policy has proposed nothing yet',
      swarmGroup({
        spec: { replicas: 2, policy: { type: 'Random', maxReplicas: 9, random: { seed: 1 } } },
        status: { members: [] },
      }),
      'policy.type Random has not proposed a size yet; use --replicas N to assume one',
    ],
  ])('a plan of a group cannot be made where %s', (_, group, why) =>
    expect(planGroup(group, NOW)).toBe(why),
  );
});
