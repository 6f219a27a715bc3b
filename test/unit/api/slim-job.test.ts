// Is all that is read of a waiting or running job kept, and never much more?
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../src/api/objects.ts';
import { slimSwarmJob } from '../../../src/api/slim-job.ts';
import { podSpecOf, templateConflict } from '../../../src/api/swarm-job.ts';
import { parseSwarmJob, type SwarmJob, type SwarmJobSpec } from '../../../src/api/validate.ts';
import { knownJob, slimQueue } from '../../../src/core/known-job.ts';
import { requestsOf } from '../../../src/core/pod-requests.ts';
import { endsInMs } from '../../../src/queue/order/durations.ts';

const LONG = 'x'.repeat(900_000);
const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `example.com/r${index}`);

const jobWith = (spec: object, status?: object): KubeObject => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmJob',
  metadata: {
    name: 'sim',
    namespace: 'hpc',
    uid: 'u',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': LONG },
  },
  spec: { queueName: 'batch', image: 'sim', command: ['run'], ...spec },
  ...(status !== undefined && { status }),
});

const specOf = ({ spec }: SwarmJob): SwarmJobSpec => {
  if (!spec.ok) throw new Error(JSON.stringify(spec.problems));
  return spec.value;
};

const ofUser = (job: KubeObject, user: string): KubeObject => ({
  ...job,
  metadata: {
    ...job.metadata,
    annotations: { ...job.metadata.annotations, 'k8slab.info/user': user },
  },
});

it('of the annotations of a job only its user is kept, and not a very long one', () => {
  for (const spec of [{}, { args: [LONG] }]) {
    const annotationsOf = (user: string) => knownJob(ofUser(jobWith(spec), user)).meta.annotations;
    expect(annotationsOf('alice')).toEqual({ 'k8slab.info/user': 'alice' });
    expect(annotationsOf(LONG)).toEqual({});
  }
});

it('a small job is kept whole, without its annotations', () => {
  const job = jobWith({ env: [{ name: 'A', value: '1' }] }, { state: 'Waiting' });
  const known = knownJob(job);
  expect(known).toEqual({ ...parseSwarmJob(job), meta: { ...known.meta, annotations: {} } });
  expect(known.meta).toMatchObject({ generation: 3, creationTimestamp: '2026-01-01T00:00:00Z' });
});

describe('a large job', () => {
  const long: readonly [string, object][] = [
    ['env', { env: [{ name: 'A', value: LONG }] }],
    ['args', { args: [LONG] }],
    ['command', { command: [LONG] }],
    ['unknown fields', { template: { spec: { unknown: [LONG] } } }],
    ['annotations of its pods', { template: { metadata: { annotations: { LONG } } } }],
    ['volumes', { template: { spec: { volumes: [{ name: 'a', configMap: { name: LONG } }] } } }],
    ['containers', { template: { spec: { containers: [{ name: 'main', lifecycle: LONG }] } } }],
    ['a command of workers', { launcher: { type: 'Leader', workerCommand: [LONG] } }],
  ];

  it.each(long)('a large job is kept in little memory: %s', (_, spec) => {
    const slim = slimSwarmJob(jobWith(spec));
    expect(JSON.stringify(slim).length).toBeLessThan(1_500);
    expect(parseSwarmJob(slim).isWithheld).toBe(true);
    expect(slimSwarmJob(slim)).toBe(slim);
  });

  it('a large job keeps its grace period, by which its quota is free again', () => {
    const spec = { terminationGracePeriodSeconds: 600, unknown: [LONG] };
    const kept = parseSwarmJob(slimSwarmJob(jobWith({ template: { spec } })));
    expect(endsInMs(Object(podSpecOf(specOf(kept))), 0)).toBe(605_000);
  });

  it('a large job requests as much as it does whole', () => {
    const resources = { requests: { cpu: '2', memory: '1Gi' }, limits: { 'x.org/gpu': '1' } };
    const template = {
      spec: {
        containers: [
          { name: 'main' },
          { name: 'log', env: [{ name: 'A', value: LONG }], resources },
        ],
        initContainers: [{ name: 'first', restartPolicy: 'Always', resources, args: [LONG] }],
        overhead: { cpu: '250m' },
      },
    };
    const job = jobWith({ size: 3, priority: 2, resources, template });
    const [kept, whole] = [specOf(knownJob(job)), specOf(parseSwarmJob(job))];
    expect(requestsOf(podSpecOf(kept))).toEqual(requestsOf(podSpecOf(whole)));
    expect(kept).toMatchObject({ size: 3, priority: 2, queueName: 'batch' });
  });

  it.each<[string, object]>([
    ['a volume', { volumes: [{ name: 'k8slab-swarm', emptyDir: {} }] }],
    [
      'a mount',
      { initContainers: [{ name: 'a', volumeMounts: [{ name: 'b', mountPath: '/etc/swarm/x' }] }] },
    ],
  ])('a large job with %s in the place of the files is still refused', (_, podSpec) => {
    const job = jobWith({ args: [LONG], template: { spec: podSpec } });
    expect(templateConflict(specOf(knownJob(job)))).toBe(
      templateConflict(specOf(parseSwarmJob(job))),
    );
  });
});

it.each<[string, object, string]>([
  [
    'very many requests',
    { resources: { requests: Object.fromEntries(names(40).map((it) => [it, '0'])) } },
    'its pods name 40 resources; allowed are 32',
  ],
  [
    'very many containers',
    { template: { spec: { initContainers: names(3_000).map((name) => ({ name })) } } },
    'what its pods request, and their affinity, have',
  ],
  [
    'a very long affinity',
    { template: { spec: { affinity: { nodeAffinity: LONG } } } },
    'what its pods request, and their affinity, have',
  ],
])('a job with %s is refused, and kept in little memory', (_, spec, message) => {
  const job = jobWith(spec);
  expect(knownJob(job).spec).toMatchObject({
    ok: false,
    problems: [{ field: 'spec', message: expect.stringContaining(message) }],
  });
  expect(JSON.stringify(slimSwarmJob(job)).length).toBeLessThan(1_000);
});

it('of the annotations of a queue only that which pauses it is kept', () => {
  const { metadata, ...rest } = jobWith({ quota: { pods: '4' } });
  const annotations = { ...metadata.annotations, 'k8slab.info/paused': 'true' };
  const queue = slimQueue({ ...rest, kind: 'SwarmQueue', metadata: { ...metadata, annotations } });
  expect(queue.metadata.annotations).toEqual({ 'k8slab.info/paused': 'true' });
  expect(queue['spec']).toEqual(rest['spec']);
});
