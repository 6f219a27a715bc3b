// What happens to an invalid pool? The API server refuses it, or its status says what is wrong; no
// other pool is affected.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiVersionOf, kinds } from '../../../src/api/kinds.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../../src/api/validate.ts';
import { eventually } from '../../support/processes.ts';
import { refusals, type Spec, specOf } from '../../support/refusals.ts';
import type { Pool } from '../support/pool.ts';
import { names, workload } from '../support/shape.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let good: Pool;
let published: string | undefined;
const streams = names(6);
const namespace = 'bad';

const pool = (name: string, spec: Spec) => ({
  apiVersion: apiVersionOf(kinds.SwarmPool),
  kind: 'SwarmPool',
  metadata: { name, namespace },
  spec: specOf(name, spec),
});

/** With labels that a selector may find. */
function target(name: string, workers = 0, labels: object = {}): object {
  const { spec } = workload({
    streams: [],
    workers,
    volume: { configMap: { name: `${name}-assignments`, optional: true } },
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name, namespace, labels },
    spec: own(spec, name),
  };
}

/** Each StatefulSet selects its own pods: with the same selector, each would claim the other's. */
const own = (spec: object, name: string): object =>
  JSON.parse(JSON.stringify(spec).replaceAll('"app":"worker"', `"app":"${name}"`));

function deployment(name: string, labels: object): object {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'main', image: 'busybox' }] },
  };
  const spec = { replicas: 0, selector: { matchLabels: { app: name } }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels }, spec };
}

const configMap = (name: string, data: Readonly<Record<string, string>>): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
});

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
  good = await swarm.pool(namespace, { streams, workers: 2 });
  await good.converged(streams, 2);
  published = (await good.published()).object.metadata.resourceVersion;
});

afterAll(() => swarm.stop());

describe('an invalid pool at the API server', () => {
  it.each(refusals.map(([title, spec, message]) => ({ title, spec, message })))(
    'the API server refuses $title',
    async ({ spec, message }) => {
      const trial = swarm.api.create(kinds.SwarmPool, pool('refused', spec), { isTrial: true });
      await expect(trial).rejects.toThrow(message);
    },
  );

  it('the API server refuses a name that would not fit into a label', async () => {
    await expect(swarm.apply(pool('x'.repeat(64), {}))).rejects.toThrow(
      "a pool's name has at most 63 characters",
    );
  });
});

type Row = {
  readonly title: string;
  readonly name: string;
  readonly spec?: Spec;
  readonly objects?: readonly object[];
  readonly told: readonly [type: string, status: string, reason: string, message: string];
};

const fromList = (name: string): Spec => ({
  streamsFrom: [{ configMapKeyRef: { name, key: 'streams' } }],
});
const paired = { workers: { selector: { matchLabels: { pair: 'yes' } } } };

const rows: readonly Row[] = [
  {
    title: 'a selector without a match',
    name: 'none',
    spec: { workers: { selector: { matchLabels: { app: 'nobody', tier: 'x' } } } },
    told: ['Ready', 'False', 'TargetNotFound', 'no StatefulSet has the labels app=nobody,tier=x'],
  },
  {
    title: 'a selector that matches labels of pods',
    name: 'on-pods',
    objects: [target('on-pods', 0, { own: 'label' })],
    spec: { workers: { selector: { matchLabels: { app: 'on-pods' } } } },
    told: [
      'Ready',
      'False',
      'TargetNotFound',
      '(only the pods of StatefulSet/on-pods have them: the StatefulSet itself needs these labels',
    ],
  },
  {
    title: 'a selector that matches another kind',
    name: 'other-kind',
    objects: [deployment('other-kind', { only: 'deployment' })],
    spec: { workers: { selector: { matchLabels: { only: 'deployment' } } } },
    told: [
      'Ready',
      'False',
      'TargetNotFound',
      '(Deployment/other-kind has these labels; set spec.workers.kind to Deployment)',
    ],
  },
  {
    title: 'a selector that matches two kinds',
    name: 'two-kinds',
    objects: [target('two-kinds', 0, { mixed: 'yes' }), deployment('two-kinds', { mixed: 'yes' })],
    spec: { workers: { selector: { matchLabels: { mixed: 'yes' } } } },
    told: [
      'Stalled',
      'True',
      'AmbiguousTarget',
      'matches StatefulSet/two-kinds and Deployment/two-kinds; set spec.workers.kind',
    ],
  },
  {
    title: 'a target that does not exist',
    name: 'absent',
    told: ['Ready', 'False', 'TargetNotFound', 'there is no StatefulSet absent'],
  },
  {
    title: 'a pin with several targets',
    name: 'pinned-pair',
    objects: [target('pair-a', 0, { pair: 'yes' }), target('pair-b', 0, { pair: 'yes' })],
    spec: { ...paired, streams: [{ name: 'a' }, { name: 'b', ordinal: 1 }] },
    told: [
      'Stalled',
      'True',
      'AmbiguousTarget',
      'spec.streams[1].ordinal needs a single target, but spec.workers selects StatefulSet/pair-a, StatefulSet/pair-b',
    ],
  },
  {
    title: 'Lead with several targets',
    name: 'led-pair',
    spec: { workers: { ...paired.workers, scaling: 'Lead' } },
    told: [
      'Stalled',
      'True',
      'AmbiguousTarget',
      'spec.workers.scaling: Lead needs a single target',
    ],
  },
  {
    title: 'a target of another pool',
    name: 'rival',
    spec: { workers: { targetRef: { name: 'worker' } } },
    told: [
      'Stalled',
      'True',
      'TargetConflict',
      'SwarmPool tv is older and already assigns streams to StatefulSet/worker',
    ],
  },
  {
    title: "another pool's ConfigMap",
    name: 'thief',
    objects: [target('thief')],
    spec: { assignments: { configMapName: 'tv-assignments' } },
    told: [
      'Stalled',
      'True',
      'AssignmentsConflict',
      'ConfigMap tv-assignments exists and does not belong to this pool',
    ],
  },
  {
    title: "another owner's ConfigMap",
    name: 'squatter',
    objects: [target('squatter'), configMap('squatter-assignments', { 'config.yml': 'mine' })],
    told: [
      'Stalled',
      'True',
      'AssignmentsConflict',
      'name another in spec.assignments.configMapName, or, to have it taken over',
    ],
  },
  {
    title: 'a list that does not exist',
    name: 'unlisted',
    objects: [target('unlisted')],
    spec: fromList('unlisted'),
    told: ['Ready', 'False', 'StreamsNotFound', 'there is no ConfigMap key unlisted/streams yet'],
  },
  {
    title: 'a list with an invalid weight',
    name: 'unweighed',
    objects: [
      target('unweighed'),
      configMap('unweighed', { streams: 'x\n\n# no number\ny=heavy\n' }),
    ],
    spec: fromList('unweighed'),
    told: ['Stalled', 'True', 'InvalidStreams', 'unweighed/streams line 4.weight: must be integer'],
  },
  {
    title: 'a list that is not YAML',
    name: 'unparsable',
    objects: [target('unparsable'), configMap('unparsable', { streams: '- x\n- y: [\n- z\n' })],
    spec: fromList('unparsable'),
    told: ['Stalled', 'True', 'InvalidStreams', 'unparsable/streams line'],
  },
  {
    title: 'a name both in the spec and in a list',
    name: 'doubled',
    objects: [target('doubled'), configMap('doubled', { streams: 'x\na\n' })],
    spec: fromList('doubled'),
    told: [
      'Stalled',
      'True',
      'InvalidStreams',
      'doubled/streams line 2: the same name as spec.streams[0]',
    ],
  },
  {
    title: 'a list with an invalid parameter name',
    name: 'misnamed',
    objects: [
      target('misnamed'),
      configMap('misnamed', { streams: '- x\n- {name: y, parameters: {"a b": c}}\n' }),
    ],
    spec: fromList('misnamed'),
    told: [
      'Stalled',
      'True',
      'InvalidStreams',
      'misnamed/streams line 2.parameters: a name is not allowed; allowed are 1 to 253 letters',
    ],
  },
  {
    title: 'a pin to a worker that does not exist',
    name: 'pinned',
    objects: [target('pinned', 1)],
    spec: { streams: [{ name: 'a' }, { name: 'b', ordinal: 7 }] },
    told: [
      'Ready',
      'False',
      'PinnedWorkerMissing',
      '(b): is pinned to ordinal 7, but there is no such worker, only 0',
    ],
  },
  {
    title: 'a weight that no worker can carry',
    name: 'heavy',
    objects: [target('heavy', 1)],
    spec: { streams: [{ name: 'a', weight: 150 }] },
    told: ['Ready', 'False', 'TooHeavy', "(a): needs 150, but a worker's whole capacity is 100"],
  },
  {
    title: 'weights without enough workers',
    name: 'crowded',
    objects: [target('crowded', 1)],
    spec: { streams: ['a', 'b', 'c'].map((name) => ({ name, weight: 60 })) },
    told: [
      'Overcommitted',
      'True',
      'InsufficientCapacity',
      '1 worker for weights that need 3; 2 streams unassigned',
    ],
  },
  {
    title: 'a target that mounts another ConfigMap',
    name: 'unmounted',
    objects: [target('unmounted')],
    spec: { assignments: { configMapName: 'elsewhere' } },
    told: [
      'Mounted',
      'False',
      'NotMounted',
      'StatefulSet/unmounted mounts unmounted-assignments, but the pool writes elsewhere',
    ],
  },
  {
    title: 'a port without a server',
    name: 'silent',
    objects: [target('silent', 1)],
    spec: { probe: { httpGet: { port: 9 } } },
    told: ['ProbeUnreachable', 'True', 'NoAnswer', 'check spec.probe.httpGet'],
  },
  {
    title: 'a port name that no container has',
    name: 'nameless',
    objects: [target('nameless', 1)],
    spec: { probe: { httpGet: { port: 'internal' } } },
    told: [
      'ProbeUnreachable',
      'True',
      'NoAnswer',
      'nameless-0: no container port is named internal',
    ],
  },
];

const statusOf = async (name: string): Promise<SwarmPoolStatus | undefined> =>
  parseSwarmPool(await swarm.api.get(kinds.SwarmPool, { namespace, name })).status;

describe('the status of an invalid pool', () => {
  beforeAll(() =>
    swarm.apply(
      ...rows.flatMap(({ objects = [], name, spec = {} }) => [...objects, pool(name, spec)]),
    ),
  );

  it.each(rows)(
    'the status reports $title',
    async ({ name, told: [type, status, reason, message] }) => {
      let seen: unknown;
      // While the operator does not see all new objects yet, it may report another problem first.
      await eventually(`${name} is ${type}: ${message}`, async () => {
        const condition = (await statusOf(name))?.conditions?.find((it) => it.type === type);
        seen = condition;
        return (
          condition?.status === status &&
          condition.reason === reason &&
          condition.message.includes(message)
        );
      }).catch((error: Error) => {
        throw new Error(`${error.message}; status says ${JSON.stringify(seen)}`);
      });
    },
  );
});

describe('a pool stored before parameter names were validated', () => {
  const odd = (name: string, more: Spec = {}): object =>
    pool(name, { streams: [{ name: 'a', parameters: { 'a"b': 'x' } }], ...more });
  const isTaken = (object: object): Promise<boolean> =>
    swarm.apply(object).then(
      () => true,
      () => false,
    );
  const rules = `/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/streams/items/properties/parameters/x-kubernetes-validations`;

  it('an invalid parameter name that was stored earlier is reported until the pool is corrected', async () => {
    await swarm.kubectl(
      'patch',
      'crd',
      'swarmpools.k8slab.info',
      '--type=json',
      '-p',
      JSON.stringify([{ op: 'remove', path: rules }]),
    );
    await eventually('the API server has dropped the rule', () => isTaken(odd('older')));
    await swarm.apply(target('older'));
    await swarm.kubectl('apply', '-f', new URL('../../../crds', import.meta.url).pathname);
    await eventually(
      'the API server has the rule again',
      async () => !(await isTaken(odd('newer'))),
    );
    await swarm.apply(odd('older', { streamDefaults: { weight: 1 } }));
    const { generation } = (await swarm.api.get(kinds.SwarmPool, { namespace, name: 'older' }))
      .metadata;
    const condition = async () => {
      const status = await statusOf('older');
      return status?.observedGeneration === generation
        ? status?.conditions?.find(({ type }) => type === 'Stalled')
        : undefined;
    };
    await eventually(
      'the status is of the last edit',
      async () => (await condition()) !== undefined,
    );
    expect(await condition()).toMatchObject({
      status: 'True',
      reason: 'InvalidStreams',
      message: expect.stringContaining(
        'spec.streams[0].parameters: the name "a\\"b" is not allowed; allowed are 1 to 253 letters',
      ),
    });
    await swarm.apply(pool('older', {}));
    await eventually(
      'it is no longer Stalled',
      async () => (await statusOf('older'))?.conditions?.some(isNotStalled) === true,
    );
  });
});

const isNotStalled = ({
  type,
  status,
}: {
  readonly type: string;
  readonly status: string;
}): boolean => type === 'Stalled' && status === 'False';

describe('kubectl get', () => {
  it('kubectl get shows why a pool is not Ready', async () => {
    const text = await swarm.kubectl('-n', namespace, 'get', 'swarmpools');
    expect(text).toMatch(/^rival +1 +0 +False +TargetConflict +\w+$/m);
    expect(text).toMatch(/^tv .* True +AllConfirmed +\w+$/m);
  });
});

describe('a good pool among bad ones', () => {
  it('a good pool among bad ones is unchanged and keeps working', async () => {
    expect((await good.published()).object.metadata.resourceVersion).toBe(published);
    await good.streams([...streams, 'late']);
    const status = await good.until(
      'converges',
      ({ version, convergedReplicas }) => version === 2 && convergedReplicas === 2,
    );
    expect(status).toMatchObject({
      replicas: 2,
      readyReplicas: 2,
      streams: { total: 7, assigned: 7, unassigned: 0 },
    });
  });

  it('a deleted pool loses its target to its rival at once', async () => {
    await swarm.kubectl('-n', namespace, 'delete', 'swarmpool/tv');
    await eventually('the rival has published', async () => {
      const { items } = await swarm.api.list(kinds.ConfigMap, namespace);
      return items.some(({ metadata }) => metadata.name === 'rival-assignments');
    });
  });
});
