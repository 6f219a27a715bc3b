// What do the commands of groups print, and what do they write?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Command } from '../../../../../src/cli/arguments/command.ts';
import { groupPlan } from '../../../../../src/cli/commands/group/plan.ts';
import { groupRetry } from '../../../../../src/cli/commands/group/retry.ts';
import { groupStatus } from '../../../../../src/cli/commands/group/status.ts';
import { groupTimes } from '../../../../../src/cli/commands/group/times.ts';
import { FakeCluster, metadata } from '../../fake-cluster.ts';
import { condition, groupObject, memberAt } from '../../group-object.ts';
import { ran } from '../../ran.ts';

const entry = (to: number, outcome: string, rest: object = {}): object => ({
  from: 1,
  to,
  outcome,
  reason: 'SizeChanged',
  requestTime: new Date(Date.now() - 150_000).toISOString(),
  ...rest,
});
const transition = (to: number, state: string, rest: object = {}): object => ({
  from: 1,
  to,
  state,
  reason: 'SizeChanged',
  requestTime: '2026-01-01T00:00:00Z',
  ...rest,
});
const backingOff = condition('Ready', 'False', 'BackingOff', 'size 5 was not reached: web');

const cluster = new FakeCluster({
  swarmgroups: [
    groupObject(),
    groupObject({ name: 'new', status: undefined }),
    groupObject({
      name: 'failed',
      spec: { replicas: 5 },
      status: {
        conditions: [backingOff],
        transition: transition(5, 'RolledBack'),
        history: [entry(4, 'TimedOut'), entry(5, 'RolledBack'), entry(5, 'Completed')],
      },
    }),
    groupObject({ name: 'edited', generation: 2, status: { conditions: [backingOff] } }),
    groupObject({
      name: 'paused',
      spec: { paused: true },
      status: { conditions: [backingOff] },
    }),
    groupObject({
      name: 'kept',
      status: {
        conditions: [condition('Ready', 'False', 'TransitionTimedOut', 'web is not ready')],
        transition: transition(5, 'TimedOut'),
      },
    }),
    groupObject({
      name: 'selected',
      spec: { members: undefined, selector: { matchLabels: { app_name: 'shop' } } },
      status: { members: [memberAt('db', 1), memberAt('web', 2)] },
    }),
    groupObject({
      name: 'measured',
      status: {
        transition: transition(3, 'Completed', {
          times: {
            totalMilliseconds: 4_210,
            patchMilliseconds: 24,
            members: [
              { kind: 'Deployment', name: 'web', patchMilliseconds: 24, readyMilliseconds: 4_210 },
            ],
          },
        }),
        history: [
          entry(3, 'Completed', {
            totalMilliseconds: 4_210,
            patchMilliseconds: 24,
            slowest: 'Deployment/web',
          }),
          entry(2, 'Superseded', { patchMilliseconds: 9 }),
          entry(1, 'Completed', { totalMilliseconds: 900, patchMilliseconds: 20 }),
        ],
      },
    }),
  ],
  deployments: [
    { metadata: metadata('db', { annotations: { 'k8slab.info/max-replicas': '1' } }) },
    {
      metadata: metadata('web', {
        annotations: { 'k8slab.info/ratio': '1.5', 'k8slab.info/stage': '1' },
      }),
    },
  ],
  statefulsets: [],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const typed = (command: Command, ...args: readonly string[]) =>
  ran(command, ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl group status', () => {
  it('group status shows one group, or a line for each, with code 1 where one is not Ready', async () => {
    const one = await typed(groupStatus, 'shop');
    expect(one.stdout).toContain('SwarmGroup swarm/shop: size 1, 2 of 2 members ready, Staged\n');
    expect(one.code).toBe(0);
    const all = await typed(groupStatus);
    expect(all.stdout).toMatch(/^NAMESPACE +GROUP +SIZE .*\nswarm +edited /);
    expect(all.code).toBe(1);
  });

  it('group status prints JSON', async () =>
    expect(JSON.parse((await typed(groupStatus, 'shop', '-o', 'json')).stdout)).toMatchObject({
      namespace: 'swarm',
      name: 'shop',
      replicas: 1,
    }));

  it('group status says that there is no group', async () => {
    expect(await typed(groupStatus, '-n', 'other')).toMatchObject({
      code: 0,
      stdout: 'no SwarmGroup in this namespace; -A shows all namespaces\n',
    });
    expect(await typed(groupStatus, 'nobody')).toMatchObject({
      code: 2,
      stderr: 'there is no SwarmGroup nobody in namespace swarm\n',
    });
  });
});

describe('swarmctl group plan', () => {
  it('group plan has code 0 where each member is scaled, and 1 where nothing can be planned', async () => {
    expect(await typed(groupPlan, 'shop', '--replicas', '3')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('size 1 -> 3, Staged: 1 member would be scaled'),
    });
    expect(await typed(groupPlan, 'new')).toMatchObject({
      code: 1,
      stdout: 'no plan is possible: no operator has reconciled the group yet\n',
    });
  });

  it('group plan reads the annotations of members that a selector finds', async () =>
    expect((await typed(groupPlan, 'selected', '--replicas', '3')).stdout.split('\n')).toEqual([
      'SwarmGroup swarm/selected: size 1 -> 3, Staged: 1 member would be scaled, 1 would stay',
      'note: the members that the selector finds are those that the operator saw last',
      '',
      'TURN  STAGE  MEMBER          NOW  THEN',
      '   1      1  Deployment/web    2     5',
      '',
    ]));

  it('group plan prints JSON', async () =>
    expect(
      JSON.parse((await typed(groupPlan, 'shop', '--replicas', '3', '-o', 'json')).stdout),
    ).toEqual({
      namespace: 'swarm',
      group: 'shop',
      size: 1,
      wanted: 3,
      order: 'Staged',
      scales: [{ member: 'Deployment/web', stage: 1, from: 2, to: 5, turn: 1 }],
      stay: ['Deployment/db'],
      left: [],
      notes: [],
    }));
});

describe('swarmctl group times', () => {
  it('group times shows the history, percentiles, and the members of the last transition', async () => {
    const { code, stdout } = await typed(groupTimes, 'measured');
    expect(stdout.split('\n')).toEqual([
      'SwarmGroup swarm/measured: 3 transitions, 2 completed and measured; total p50 900 ms, p90 4.2 s, longest 4.2 s; patch p50 20 ms, p90 24 ms, longest 24 ms',
      '',
      'AGE  FROM  TO   TOTAL  PATCH  OUTCOME     REASON       SLOWEST',
      ' 2m     1   3   4.2 s  24 ms  Completed   SizeChanged  Deployment/web',
      ' 2m     1   2       -   9 ms  Superseded  SizeChanged  -',
      ' 2m     1   1  900 ms  20 ms  Completed   SizeChanged  -',
      '',
      'MEMBER OF THE LAST  PATCH  READY',
      'Deployment/web      24 ms  4.2 s',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('group times shows that nothing was measured', async () =>
    expect((await typed(groupTimes, 'shop')).stdout).toBe(
      'SwarmGroup swarm/shop: 0 transitions, 0 completed and measured\n',
    ));

  it('group times prints JSON', async () =>
    expect(JSON.parse((await typed(groupTimes, 'measured', '-o', 'json')).stdout)).toMatchObject({
      total: { count: 2, p50Milliseconds: 900, p90Milliseconds: 4_210, maxMilliseconds: 4_210 },
      history: [{ to: 3 }, { to: 2 }, { to: 1 }],
      members: [{ name: 'web', readyMilliseconds: 4_210 }],
    }));
});

describe('swarmctl group retry', () => {
  it('group retry annotates a group whose size waits, and says since when it failed', async () => {
    const { code, stdout } = await typed(groupRetry, 'failed');
    expect(stdout).toBe(
      'SwarmGroup swarm/failed: the operator retries size 5 now (RolledBack; requested 2m ago)\n',
    );
    expect(code).toBe(0);
    expect(cluster.writes).toEqual([
      [
        'PATCH',
        'swarmgroups/failed',
        {
          metadata: {
            uid: 'failed-uid',
            annotations: { 'k8slab.info/retry': expect.stringMatching(/^20.*Z$/) },
          },
        },
      ],
    ]);
  });

  it.each([
    [
      'shop',
      'no size is waiting for a retry: there was no transition (AllReady: 2 members ready at size 1)',
    ],
    [
      'kept',
      'no size is waiting for a retry: the transition to size 5 is TimedOut (TransitionTimedOut: web is not ready)',
    ],
    ['new', 'no operator has reconciled the group yet'],
    ['edited', 'the operator has not reconciled its last change yet, and will try that at once'],
    ['paused', 'the group is paused; resume it, and the operator tries its size'],
  ])('group retry writes nothing for %s: %s', async (name, why) => {
    const before = cluster.writes.length;
    expect(await typed(groupRetry, name)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `SwarmGroup swarm/${name}: ${why}\n`,
    });
    expect(cluster.writes).toHaveLength(before);
  });
});
