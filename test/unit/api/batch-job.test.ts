// What is read of batch Jobs and their pods, whatever users write on them?
import { describe, expect, it } from '@jest/globals';
import { completedRanks, parseBatchJob, slimBatchJob } from '../../../src/api/batch-job.ts';
import { parseJobPod, slimJobPod } from '../../../src/api/job-pod.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { requestsOf } from '../../../src/core/pod-requests.ts';

const QUEUE = 'k8slab.info/queue';
const many = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`example.com/r${at}`, '1']));

const object = (kind: string, metadata: object, spec: object): KubeObject => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'batch/v1',
  kind,
  metadata: { name: 'sim', namespace: 'hpc', uid: 'u', ...metadata },
  spec,
});
const jobOf = (metadata: object, spec: object = { suspend: true }) =>
  parseBatchJob(slimBatchJob(object('Job', metadata, spec)));
const podOf = (metadata: object, spec: object = {}) =>
  parseJobPod(slimJobPod(object('Pod', metadata, spec)));
const ownedBy = (apiVersion: string, kind: string): object => ({
  ownerReferences: [{ apiVersion, kind, name: 'sim', uid: 'owner', controller: true }],
});

describe('owners that users write', () => {
  it.each([
    ['k8slab.info/v1alpha1', 'owner'],
    ['k8slab.info/v1', 'owner'],
    ['other.io/v1', undefined],
    ['k8slab.info.evil/v1', undefined],
    ['v1', undefined],
  ])('a batch Job whose controller is a SwarmJob of %s belongs to %s', (apiVersion, uid) => {
    expect(jobOf(ownedBy(apiVersion, 'SwarmJob')).swarmJobUid).toBe(uid);
  });

  it.each([
    ['batch/v1', 'owner'],
    ['other.io/v1', undefined],
  ])('a pod whose controller is a Job of %s belongs to %s', (apiVersion, uid) => {
    expect(podOf(ownedBy(apiVersion, 'Job')).jobUid).toBe(uid);
  });
});

describe('what Kubernetes has noted of a start', () => {
  const suspended = (status: string): object => ({ conditions: [{ type: 'Suspended', status }] });
  const startTime = '2026-01-01T00:00:00Z';

  it.each<[string, object, boolean]>([
    ['nothing', {}, false],
    ['that it is suspended', suspended('True'), false],
    ['that it is resumed', suspended('False'), true],
    ['its start alone, since it was started at once', { startTime }, true],
    ['that it is suspended again', { startTime, ...suspended('True') }, false],
  ])(
    'a batch Job counts as resumed when Kubernetes has noted a start, and no suspension since: %s',
    (_, status, is) => {
      const job = object('Job', {}, { suspend: true });
      expect(parseBatchJob(slimBatchJob({ ...job, status })).isResumed).toBe(is);
    },
  );
});

describe('a pod that is disrupted', () => {
  it.each([
    ['its message', { reason: 'TerminationByKubelet', message: 'low on\nmemory' }, 'low on memory'],
    ['its reason', { reason: 'DeletionByPodGC', message: '' }, 'DeletionByPodGC'],
    ['its type', {}, 'DisruptionTarget'],
  ])('a disruption is told by %s', (_, condition, told) => {
    const pod = object('Pod', ownedBy('batch/v1', 'Job'), {});
    const conditions = [{ type: 'DisruptionTarget', status: 'True', ...condition }];
    expect(parseJobPod(slimJobPod({ ...pod, status: { conditions } })).disruption).toBe(told);
    const ended = conditions.map((it) => ({ ...it, status: 'False' }));
    expect(
      parseJobPod(slimJobPod({ ...pod, status: { conditions: ended } })).disruption,
    ).toBeUndefined();
  });
});

describe('the label of a queue', () => {
  it.each<[string, object, object, string | undefined]>([
    ['alone', {}, {}, 'batch'],
    ['beside that of Kueue', { 'kueue.x-k8s.io/queue-name': 'team' }, {}, undefined],
    [
      'on a Job of the usual controller',
      {},
      { managedBy: 'kubernetes.io/job-controller' },
      'batch',
    ],
    ['on a Job of MultiKueue', {}, { managedBy: 'kueue.x-k8s.io/multikueue' }, undefined],
  ])('the label of a queue %s: %s, %s', (_, labels, spec, queue) => {
    const metadata = { labels: { [QUEUE]: 'batch', ...labels } };
    const job = jobOf(metadata, { suspend: true, ...spec });
    expect(job.queue).toBe(queue);
    expect(job.hasQueueLabel).toBe(true);
  });

  it('a batch Job without the label of a queue is in none', () =>
    expect(jobOf({}, { suspend: true })).toMatchObject({ queue: undefined, hasQueueLabel: false }));
});

describe('very many requests', () => {
  const containers = Array.from({ length: 60 }, () => ({ resources: { requests: many(200) } }));
  const labels = { [QUEUE]: 'batch' };

  it('of a labelled batch Job with very many requests none is kept, and why', () => {
    const job = jobOf({ labels }, { template: { spec: { containers } } });
    expect(job.podSpec).toBeUndefined();
    expect(job.tooLarge).toMatch(/^what its pods request, and their affinity, have \d+ characters/);
    const slim = slimBatchJob(object('Job', { labels }, { template: { spec: { containers } } }));
    expect(parseBatchJob(slimBatchJob(slim)).tooLarge).toBe(job.tooLarge);
  });

  it('of a pod with very many requests a part is kept', () => {
    const pod = podOf(ownedBy('batch/v1', 'Job'), { containers });
    expect(JSON.stringify(pod.spec).length).toBeLessThan(20_000);
    expect(requestsOf(pod.spec).size).toBe(200);
  });
});

describe('the ranks that ended well', () => {
  const withIndexes = (completedIndexes: string) => {
    const job = { ...object('Job', {}, {}), status: { completedIndexes } };
    return parseBatchJob(slimBatchJob(job));
  };

  it.each([
    ['', []],
    ['3', [3]],
    ['0,2-4,7', [0, 2, 3, 4, 7]],
    ['4-2,x,1-y', []],
  ])('of %j are %j', (indexes, ranks) => {
    expect(completedRanks(withIndexes(indexes))).toEqual(ranks);
  });

  it('a status with billions of ranks takes no memory', () => {
    expect(completedRanks(withIndexes('0-4000000000')).length).toBeLessThan(100_000);
    expect(completedRanks(withIndexes('0-99999999999999')).length).toBeLessThan(100_000);
    const many = Array.from({ length: 50_000 }, (_, at) => 2 * at).join();
    expect(withIndexes(many).completedIndexes.length).toBeLessThan(20_000);
  });
});
