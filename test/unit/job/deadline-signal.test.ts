// Are the ranks of a job told to end so long before its deadline as it says, and what is it then?
import { describe, expect, it } from '@jest/globals';
import { asNumber, dig } from '../../../src/api/objects.ts';
import { nothingRemembered } from '../../../src/job/world.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const TAKE_BACK =
  'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true';

const ofBatchJob = (cluster: JobCluster) => ({
  deadline: cluster.parsedBatchJob?.deadlineSeconds,
  grace: asNumber(
    dig(cluster.batchJob, 'spec', 'template', 'spec', 'terminationGracePeriodSeconds'),
  ),
});

/** SIGTERM after 60 s; the deadline is at 100 s. */
const signalled = { activeDeadlineSeconds: 100, deadlineSignalSeconds: 40 };
const template = (seconds: number) => ({
  template: { spec: { terminationGracePeriodSeconds: seconds } },
});

describe('the batch Job of a job with a deadline signal', () => {
  it.each<[string, object, object, { deadline: number | undefined; grace: number | undefined }]>([
    ['its own', signalled, {}, { deadline: 61, grace: 40 }],
    [
      'that of its queue',
      { activeDeadlineSeconds: 100 },
      { deadlineSignalSeconds: 30 },
      { deadline: 71, grace: 30 },
    ],
    [
      'its own, not that of its queue',
      signalled,
      { deadlineSignalSeconds: 30 },
      { deadline: 61, grace: 40 },
    ],
    [
      'none, whatever its queue says',
      { activeDeadlineSeconds: 100, deadlineSignalSeconds: 0 },
      { deadlineSignalSeconds: 30 },
      { deadline: 101, grace: undefined },
    ],
    [
      'one that means nothing without a deadline',
      { deadlineSignalSeconds: 40, ...template(7) },
      {},
      { deadline: undefined, grace: 7 },
    ],
    [
      'the deadline of its queue',
      { deadlineSignalSeconds: 40 },
      { activeDeadlineSeconds: 50 },
      { deadline: 11, grace: 40 },
    ],
    [
      'the longest deadline that its queue allows',
      { deadlineSignalSeconds: 40 },
      { maxActiveDeadlineSeconds: 45 },
      { deadline: 6, grace: 40 },
    ],
    [
      'more time to end than its template gives',
      { ...signalled, ...template(5) },
      {},
      { deadline: 61, grace: 40 },
    ],
    [
      'a signal that came into conflict after the admission',
      { activeDeadlineSeconds: 100, ...template(50) },
      { deadlineSignalSeconds: 30 },
      { deadline: 101, grace: 50 },
    ],
    [
      'a deadline that became shorter after the admission',
      { deadlineSignalSeconds: 40 },
      { activeDeadlineSeconds: 40 },
      { deadline: 41, grace: undefined },
    ],
  ])('with %s', (_, spec, queue, expected) => {
    const cluster = new JobCluster({ ...spec });
    cluster.queue = queue;
    expect(ofBatchJob(cluster.running())).toEqual(expected);
  });
});

describe('a job with a deadline signal', () => {
  const told = (cluster: JobCluster): JobCluster => {
    expect(cluster.decide().requeueAfterMs).toBe(60_000);
    expect(cluster.later(59_999).rest()).toEqual([]);
    expect(textsOf(cluster.later(1).rest())).toEqual([TAKE_BACK, 'status Suspending']);
    expect(cluster.status.message).toMatch(
      /^it was told to end 40 seconds before the end of the 100 seconds that it may run; \d pods? ha/,
    );
    return cluster;
  };
  const isPastDeadline = {
    state: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'it was told to end 40 seconds before the end of the 100 seconds that it may run',
  };

  it('a job gets SIGTERM before its deadline, and has failed once its pods have ended', () => {
    const cluster = told(new JobCluster(signalled).running());
    cluster.settle();
    expect(cluster.status).toMatchObject(isPastDeadline);
    expect(cluster.status.failures).toBeUndefined();
  });

  it.each([1, 3])('%i ranks that save their work and exit with 0 have not succeeded', (size) => {
    const cluster = told(new JobCluster({ ...signalled, size }).running());
    cluster.controllerSyncs().terminatingEnd(0).controllerSyncs().rest();
    expect(cluster.parsedBatchJob?.end?.type).toBe('Complete');
    expect(cluster.status).toMatchObject(isPastDeadline);
  });

  it('a job has failed by its deadline although its ranks exit with 0 while no operator runs', () => {
    const cluster = new JobCluster({ ...signalled, size: 2 }).running().later(61_000);
    cluster.podsEnd({ exitCode: 0 }).endBatchJob('Failed', 'DeadlineExceeded').rest();
    expect(cluster.status).toMatchObject(isPastDeadline);
  });

  it('a new leader sends the signal at the same time, also when the queue has changed', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 });
    cluster.queue = { deadlineSignalSeconds: 40 };
    cluster.running().remembered = nothingRemembered;
    cluster.queue = { deadlineSignalSeconds: 5 };
    told(cluster);
    cluster.remembered = nothingRemembered;
    cluster.queue = {};
    cluster.settle();
    expect(cluster.status).toMatchObject(isPastDeadline);
  });

  it('an edited deadline moves the signal of a running job', () => {
    const cluster = new JobCluster(signalled).running();
    expect(textsOf(cluster.edit({ activeDeadlineSeconds: 200 }).rest())).toEqual([
      'operate test k8slab.info~1grant 2, add activeDeadlineSeconds 161',
      'status Running',
    ]);
    expect(cluster.decide().requeueAfterMs).toBe(160_000);
  });

  it('a job gets SIGTERM at once when its deadline becomes shorter than the signal', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 });
    cluster.queue = { deadlineSignalSeconds: 40 };
    cluster.running().edit({ activeDeadlineSeconds: 30 }).rest();
    expect(cluster.status).toMatchObject({ state: 'Suspending', reason: 'DeadlineExceeded' });
  });

  it('a deadline that is set while the job runs has no signal, since its pods have another grace period', () => {
    const cluster = new JobCluster({ deadlineSignalSeconds: 40 }).running();
    cluster.edit({ activeDeadlineSeconds: 100 }).rest();
    expect(ofBatchJob(cluster)).toEqual({ deadline: 101, grace: undefined });
    expect(cluster.decide().requeueAfterMs).toBe(100_000);
  });

  it('no attempt begins after the time of the signal', () => {
    const cluster = new JobCluster(signalled);
    for (const left of [60, 21]) {
      cluster.running();
      expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(left + 1);
      cluster.later(39_000).podsEnd('Disrupted').controllerSyncs().rest();
      cluster.entry = undefined;
    }
    expect(cluster.status).toMatchObject(isPastDeadline);
  });

  it('a waiting job does not end because the signal of its queue is longer than its deadline', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 20 });
    cluster.queue = { deadlineSignalSeconds: 40 };
    cluster.waits = { reason: 'InvalidDeadlineSignal', message: 'no', isStalled: true };
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'InvalidDeadlineSignal' });
  });

  it('the pods of a suspended job have the time of the signal to end', () => {
    const cluster = new JobCluster(signalled).running().edit({ suspend: true });
    cluster.rest();
    cluster.settle();
    expect(cluster.state).toBe('Suspended');
    cluster.entry = undefined;
    const { grace } = ofBatchJob(
      cluster.edit({ suspend: false, deadlineSignalSeconds: 20 }).running(),
    );
    expect(grace).toBe(20);
  });
});
