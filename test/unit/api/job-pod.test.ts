// Of which batch Job is a pod, also when nothing controls it any more?
import { describe, expect, it } from '@jest/globals';
import { isOfBatchJob, parseJobPod, slimJobPod } from '../../../src/api/job-pod.ts';
import type { KubeObject, ObjectMeta } from '../../../src/api/objects.ts';

const labels = {
  'batch.kubernetes.io/controller-uid': 'job-uid',
  'batch.kubernetes.io/job-name': 'night',
};
const owner = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  name: 'night',
  uid: 'job-uid',
  controller: true,
};
const long = 'a-job-with-a-name-that-kubernetes-cuts-in-the-names-of-its-pods';

const seen = (metadata: Partial<ObjectMeta>) => {
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'night-0-x2b4f', namespace: 'hpc', labels, ...metadata },
    spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] },
    status: { phase: 'Running' },
  };
  const parsed = parseJobPod(slimJobPod(pod));
  expect(parsed).toEqual(parseJobPod(slimJobPod(slimJobPod(pod))));
  return isOfBatchJob(parsed) && { jobUid: parsed.jobUid, orphanOf: parsed.orphanOf };
};

const { 'batch.kubernetes.io/controller-uid': _, ...nameOnly } = labels;

describe('a pod of a batch Job', () => {
  it.each<[string, Partial<ObjectMeta>, ReturnType<typeof seen>]>([
    ['controlled by it', { ownerReferences: [owner] }, { jobUid: 'job-uid', orphanOf: undefined }],
    ['whose Job was deleted without it', {}, { jobUid: 'job-uid', orphanOf: 'night' }],
    ['without a rank', { name: 'night-x2b4f' }, { jobUid: 'job-uid', orphanOf: 'night' }],
    ['without its UID', { labels: nameOnly }, { jobUid: undefined, orphanOf: 'night' }],
    [
      'with the label of a SwarmJob alone',
      { labels: { 'k8slab.info/job': 'night' } },
      { jobUid: undefined, orphanOf: 'night' },
    ],
    [
      'with a long name',
      {
        name: `${long.slice(0, 56)}-0-x2b4f`,
        labels: { 'batch.kubernetes.io/job-name': long },
      },
      { jobUid: undefined, orphanOf: long },
    ],
    ['that a user has copied under another name', { name: 'night-0-debug' }, false],
    ['of another Job by its name', { name: 'day-0-x2b4f' }, false],
    ['without a label', { labels: {} }, false],
    [
      'that another controller has adopted',
      { ownerReferences: [{ ...owner, kind: 'ReplicaSet', apiVersion: 'apps/v1' }] },
      false,
    ],
  ])('a pod %s', (_how, metadata, expected) => expect(seen(metadata)).toEqual(expected));
});
