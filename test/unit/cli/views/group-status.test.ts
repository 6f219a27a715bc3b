// Does a group show its state, its members and its transition at a glance?
import { describe, expect, it } from '@jest/globals';
import type { SwarmGroup } from '../../../../src/api/validate.ts';
import { tableLines, textOf } from '../../../../src/cli/render.ts';
import { groupLines, groupsTable } from '../../../../src/cli/views/group-status.ts';
import { durationText } from '../../../../src/cli/views/time.ts';
import { condition, memberAt, NOW, swarmGroup } from '../group-object.ts';

const texts = (group: SwarmGroup): readonly string[] =>
  groupLines(group, 200, NOW).map((line) => textOf(line).trimEnd());

const completed = {
  state: 'Completed',
  from: 2,
  to: 1,
  reason: 'SizeChanged',
  requestTime: '2026-01-01T00:04:56Z',
  finishTime: '2026-01-01T00:05:00Z',
  times: { totalMilliseconds: 4_210, patchMilliseconds: 24 },
};

const scaling = swarmGroup({
  spec: { replicas: 3 },
  generation: 2,
  status: {
    observedGeneration: 2,
    readyMembers: 1,
    members: [
      memberAt('db', 1, { stage: 0 }),
      memberAt('web', 5, {
        stage: 1,
        replicas: 2,
        ready: 2,
        state: 'Waiting',
        message: 'another stage is ready first',
      }),
    ],
    transition: {
      state: 'Scaling',
      from: 1,
      to: 3,
      stage: 0,
      reason: 'SizeChanged',
      requestTime: '2026-01-01T00:09:48Z',
    },
    conditions: [
      condition('Ready', 'False', 'Working', 'Deployment/web Waiting'),
      condition('Stalled', 'False', 'Working'),
    ],
  },
});

const stuck = swarmGroup({
  status: {
    readyMembers: 0,
    members: [
      memberAt('db', 1, { state: 'Conflicted', message: 'HorizontalPodAutoscaler a scales it' }),
      { kind: 'Deployment', name: 'web', desired: 2, state: 'Missing', message: 'not found' },
    ],
    transition: { ...completed, state: 'TimedOut', times: undefined },
    conditions: [
      condition('Ready', 'False', 'TransitionTimedOut', 'size 1 was not reached'),
      condition('Stalled', 'True', 'TransitionTimedOut', 'size 1 was not reached'),
      condition('Conflicted', 'True', 'AutoscalerConflict', 'Deployment/db: an HPA'),
      condition('Limited', 'True', 'AtMaximum', 'the size would be 9'),
      condition('MetricsAvailable', 'False', 'NoAnswer', 'the source is away'),
    ],
  },
});

describe('a group at a glance', () => {
  it('the status of a group shows its members and its last transition', () => {
    expect(texts(swarmGroup({ status: { transition: completed } }))).toEqual([
      'SwarmGroup swarm/shop: size 1, 2 of 2 members ready, Staged',
      'Ready for 5m',
      '2 -> 1 (SizeChanged): Completed in 4.2 s, 5m ago',
      '',
      'MEMBER          STAGE  WANTED  REPLICAS  READY  STATE',
      'Deployment/db       0       1         1      1  Ready',
      'Deployment/web      1       2         2      2  Ready',
    ]);
  });

  it('the status of a group shows a transition under way', () => {
    expect(texts(scaling)).toEqual([
      'SwarmGroup swarm/shop: size 1 (spec.replicas 3), 1 of 2 members ready, Staged',
      'not Ready for 5m: Working: Deployment/web Waiting',
      '1 -> 3 (SizeChanged): Scaling for 12s, stage 0',
      '',
      'MEMBER          STAGE  WANTED  REPLICAS  READY  STATE',
      'Deployment/db       0       1         1      1  Ready',
      'Deployment/web      1       5         2      2  Waiting  another stage is ready first',
    ]);
  });

  it('the status of a group shows the size that the policy proposes, not the one set by hand before', () => {
    const policy = { type: 'Random', maxReplicas: 9, random: { seed: 1 } };
    const proposal = { replicas: 3, reason: 'Drawn' };
    const group = swarmGroup({ spec: { replicas: 7, policy }, status: { proposal } });
    expect(texts(group)[0]).toBe(
      'SwarmGroup swarm/shop: size 1 (proposed: 3), policy Random, 2 of 2 members ready, Staged',
    );
  });

  it('the status of a group shows a reason and message once, whichever conditions have it', () => {
    const away = ['NoAnswer', 'the source is away'] as const;
    const conditions = [
      condition('Ready', 'False', 'TransitionTimedOut', 'size 1 was not reached'),
      condition('Stalled', 'True', 'TransitionTimedOut', 'size 1 was not reached'),
      condition('Conflicted', 'True', 'TransitionTimedOut', 'size 2 was not reached'),
      condition('Limited', 'True', ...away),
      condition('MetricsAvailable', 'False', ...away),
    ];
    const linesOf = (observedGeneration: number): readonly string[] =>
      texts(swarmGroup({ status: { conditions, observedGeneration } })).slice(1, 4);
    const others = [
      'Conflicted for 5m: TransitionTimedOut: size 2 was not reached',
      'Limited for 5m: NoAnswer: the source is away',
    ];
    expect(linesOf(1)).toEqual([
      'not Ready for 5m: TransitionTimedOut: size 1 was not reached',
      ...others,
    ]);
    // Ready is not shown here.
    expect(linesOf(0)).toEqual([
      'Changed: the operator has not reconciled the change yet',
      'Stalled for 5m: TransitionTimedOut: size 1 was not reached',
      others[0],
    ]);
  });

  it('the status of a group shows what a user has to do', () => {
    expect(texts(stuck)).toEqual([
      'SwarmGroup swarm/shop: size 1, 0 of 2 members ready, Staged',
      'not Ready for 5m: TransitionTimedOut: size 1 was not reached',
      'Conflicted for 5m: AutoscalerConflict: Deployment/db: an HPA',
      'Limited for 5m: AtMaximum: the size would be 9',
      'not MetricsAvailable for 5m: NoAnswer: the source is away',
      '2 -> 1 (SizeChanged): TimedOut, 5m ago',
      '',
      'MEMBER          WANTED  REPLICAS  READY  STATE',
      'Deployment/db        1         1      1  Conflicted  HorizontalPodAutoscaler a scales it',
      'Deployment/web       2         -      -  Missing     not found',
    ]);
  });

  it('the status of a group says that no operator has looked at it', () => {
    expect(texts(swarmGroup({ status: undefined }))).toEqual([
      'SwarmGroup swarm/shop: size unknown (spec.replicas 1), 0 of 0 members ready, Staged',
      'Unknown: no operator has reconciled it yet',
    ]);
  });

  it('the status of a group is one line of the table of groups', () => {
    const paused = swarmGroup({
      annotations: { 'k8slab.info/paused': 'true' },
      status: { conditions: [condition('Ready', 'Unknown', 'Paused', 'paused: nothing is done')] },
    });
    const all = [swarmGroup({ status: { transition: completed } }), scaling, stuck, paused];
    const lines = tableLines(groupsTable(all, NOW), 300).map((line) => textOf(line).trimEnd());
    expect(lines).toEqual([
      'NAMESPACE  GROUP  SIZE  MEMBERS  READY  TRANSITION   TOOK  SINCE  STATE',
      'swarm      shop      1        2      2  Completed   4.2 s  5m     Ready',
      'swarm      shop      1        2      1  Scaling         -  5m     Working: Deployment/web Waiting',
      'swarm      shop      1        2      0  TimedOut        -  5m     TransitionTimedOut: size 1 was not reached',
      'swarm      shop      1        2      2  -               -  5m     Paused: paused: nothing is done',
    ]);
  });

  it('the status of a group is red only where a user has to do something', () => {
    const styleOf = (group: SwarmGroup): unknown =>
      groupLines(group, 200, NOW)
        .flatMap((line) => (typeof line === 'string' ? [] : line))
        .find(({ text }) => text.startsWith('not Ready'))?.style;
    expect([styleOf(scaling), styleOf(stuck)]).toEqual(['busy', 'bad']);
  });
});

it.each([
  [undefined, undefined],
  [0, '0 ms'],
  [24.4, '24 ms'],
  [1_000, '1.0 s'],
  [4_210, '4.2 s'],
  [123_456, '123 s'],
])('a duration of %s milliseconds is written as %s', (ms, text) =>
  expect(durationText(ms)).toBe(text),
);
