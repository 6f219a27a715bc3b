// Which groups and command lines does an experiment refuse? Nothing is written to them.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { groupExperiment } from '../../../../../src/cli/commands/group/experiment.ts';
import { FakeCluster, metadata } from '../../fake-cluster.ts';
import { condition, groupObject } from '../../group-object.ts';
import { ran } from '../../ran.ts';

const autoscaler = (name: string, kind: string, group: string, apiVersion: string): object => ({
  metadata: metadata(name),
  spec: { scaleTargetRef: { kind, name: group, apiVersion } },
});
const own = 'k8slab.info/v1alpha1';

const cluster = new FakeCluster({
  swarmgroups: [
    groupObject(),
    groupObject({ name: 'random', spec: { policy: { type: 'Random', random: { seed: 1 } } } }),
    groupObject({ name: 'invalid', spec: { paused: 3 } }),
    groupObject({ name: 'paused', spec: { paused: true } }),
    groupObject({ name: 'noted', annotations: { 'k8slab.info/paused': 'true' } }),
    groupObject({ name: 'autoscaled' }),
    groupObject({ name: 'bounded', spec: { policy: { maxReplicas: 2 } } }),
    groupObject({ name: 'new', status: undefined }),
    groupObject({ name: 'edited', generation: 2 }),
    groupObject({
      name: 'unready',
      status: { conditions: [condition('Ready', 'False', 'MemberMissing', 'web is not there')] },
    }),
    groupObject({ name: 'sizeless', spec: { replicas: undefined } }),
    groupObject({
      name: 'idle',
      spec: { memberDefaults: { maxReplicas: 1 }, members: [{ kind: 'Deployment', name: 'db' }] },
      status: { members: [{ kind: 'Deployment', name: 'db', state: 'Ready' }] },
    }),
  ],
  horizontalpodautoscalers: [
    autoscaler('other-kind', 'Deployment', 'shop', 'apps/v1'),
    autoscaler('other-group', 'SwarmGroup', 'shop', 'example.org/v1'),
    autoscaler('by-load', 'SwarmGroup', 'autoscaled', own),
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());
afterEach(() => expect(cluster.writes).toEqual([]));

const typed = (...args: readonly string[]) =>
  ran(groupExperiment, ...args, '--kubeconfig', cluster.kubeconfig);

describe('a group is refused', () => {
  it.each([
    [
      'random',
      'its policy.type is Random, which sets its size; an experiment needs policy.type Manual',
    ],
    ['invalid', 'its spec is invalid: spec.paused: must be boolean (found 3)'],
    ['paused', 'it is paused; resume it first (spec.paused or the annotation k8slab.info/paused)'],
    ['noted', 'it is paused; resume it first (spec.paused or the annotation k8slab.info/paused)'],
    [
      'autoscaled',
      'HorizontalPodAutoscaler by-load scales it; delete the autoscaler first, or change its scaleTargetRef',
    ],
    ['bounded', 'the size would be 3; spec.policy.maxReplicas is 2'],
    ['new', 'no operator has reconciled it yet'],
    ['edited', 'the operator has not reconciled its last change yet'],
    ['unready', 'it is not Ready (MemberMissing: web is not there)'],
    ['sizeless', 'its spec.replicas is not set'],
    [
      'idle',
      'size 1 and size 3 give each member the same replicas, so there is nothing to measure',
    ],
  ])('an experiment refuses the group %s: %s', async (name, why) =>
    expect(await typed(name, '--sizes', '1,3')).toEqual({
      code: 1,
      stdout: '',
      stderr: `SwarmGroup ${name}: ${why}\n`,
    }),
  );

  it('an experiment names all groups that it refuses, before it scales any', async () =>
    expect(await typed('shop', 'new', 'paused', '--sizes', '1,3')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^SwarmGroup new: .*\nSwarmGroup paused: .*\n$/),
    }));
});

it.each<[readonly string[], string]>([
  [['shop'], '--sizes: missing; expected two or more sizes, such as 1,3,5,2'],
  [['shop', '--sizes', '1'], '--sizes is "1"; allowed are two or more'],
  [['--sizes', '1,2'], 'GROUP... is missing'],
  [['shop', 'shop', '--sizes', '1,2'], 'a group is named more than once'],
  [['nobody', '--sizes', '1,2'], 'there is no SwarmGroup nobody in namespace swarm'],
  [
    ['shop', '--sizes', '1,2', '--order', 'Random'],
    '--order is "Random"; allowed is some of Together, Staged',
  ],
  [
    ['shop', '--sizes', '1,2', '--repeat', '0'],
    '--repeat is "0"; allowed is a whole number from 1',
  ],
])('an experiment refuses the arguments %j', async (args, says) =>
  expect(await typed(...args)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(says),
  }),
);
