// When do its pods tell that a batch Job has ended?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../src/api/batch-job.ts';
import type { JobPod } from '../../../src/api/job-pod.ts';
import { withEndByPods, withEndsByPods } from '../../../src/core/batch-ends.ts';
import { podOf, runOf } from '../../support/queue-worlds.ts';

const pod = (rank: number | undefined, over: Partial<JobPod> = {}): JobPod =>
  podOf('a', { rank, uid: `pod-${rank}`, hasEnded: true, hasSucceeded: true, ...over });
const gang = { completions: 2, parallelism: 2 };

type Row = readonly [string, Partial<BatchJob>, readonly JobPod[], string | undefined];

const rows: readonly Row[] = [
  ['all ranks have ended well', gang, [pod(0), pod(1)], 'PodsSucceeded'],
  ['its only pod has ended well', {}, [pod(undefined)], 'PodsSucceeded'],
  [
    'as many pods as it wants have ended well, without ranks',
    gang,
    [pod(undefined, { uid: 'x' }), pod(undefined, { uid: 'y' })],
    'PodsSucceeded',
  ],
  [
    'a rank failed before it ended well',
    gang,
    [pod(0), pod(1, { uid: 'x', hasSucceeded: false }), pod(1)],
    'PodsSucceeded',
  ],
  [
    'a rank that ended well was counted, and its pod is gone',
    { ...gang, completedIndexes: '1' },
    [pod(0)],
    'PodsSucceeded',
  ],
  ['it has no pod yet', {}, [], undefined],
  ['it wants no pod', { completions: 0 }, [], undefined],
  ['a rank has no pod yet', gang, [pod(0)], undefined],
  ['a rank has ended well twice', gang, [pod(0), pod(0, { uid: 'x' })], undefined],
  ['a rank has failed', gang, [pod(0), pod(1, { hasSucceeded: false })], undefined],
  ['a pod still runs', gang, [pod(0), pod(1), pod(1, { hasEnded: false })], undefined],
  ['a pod was deleted before it ended', gang, [pod(0), pod(1, { isTerminating: true })], undefined],
  ['any pod may decide', { completions: undefined }, [pod(undefined)], undefined],
  ['it was suspended before it ended', { isSuspended: true }, [pod(0)], undefined],
  ['another controller makes its pods', { hasOtherController: true }, [pod(0)], undefined],
  [
    'Kubernetes has said so',
    { end: { type: 'Failed', reason: 'DeadlineExceeded', message: '', time: '' } },
    [pod(0)],
    'DeadlineExceeded',
  ],
];

describe('the end of a batch Job', () => {
  it.each(rows)('when %s', (_, over, pods, reason) => {
    expect(withEndByPods(runOf('a', over), pods).end?.reason).toBe(reason);
  });

  it('each batch Job of a namespace ends by its own pods', () => {
    const jobs = [runOf('a'), runOf('b')];
    const ended = withEndsByPods(jobs, [pod(0)]);
    expect(ended.map(({ end }) => end?.type)).toEqual(['Complete', undefined]);
  });
});
