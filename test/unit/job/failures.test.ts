// What becomes of a job whose attempt fails?
import { describe, expect, it } from '@jest/globals';
import { backsOffForMs } from '../../../src/api/swarm-job.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const failures = (counts: object) => ({
  application: 0,
  image: 0,
  start: 0,
  disruption: 0,
  ...counts,
});

describe('an attempt that fails', () => {
  it('a job without retries fails with the exit code of the rank that failed', () => {
    const cluster = new JobCluster({ size: 3 }).running();
    cluster.podsEnd({ exitCode: 3 }, 2).controllerSyncs().terminatingEnd(143);
    cluster.controllerSyncs().rest();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      reason: 'CommandFailed',
      message: 'attempt 1 failed: rank 2 ended with exit code 3',
      exitCode: 3,
      failures: failures({ application: 1 }),
    });
    expect(cluster.condition('Finished')?.status).toBe('True');
  });

  it.each([
    [{ exitCode: 1, reason: 'Error', message: 'its own last words' }, ''],
    [{ exitCode: 137, reason: 'OOMKilled' }, ' (OOMKilled)'],
    [
      { exitCode: 128, reason: 'StartError', message: 'exec: "rnu": not found\nin $PATH' },
      ' (StartError: exec: "rnu": not found in $PATH)',
    ],
  ])(
    'the message of a failed job contains what Kubernetes reports about the end of its rank: %j',
    (end, why) => {
      const cluster = new JobCluster({ retries: { application: 0 } }).running();
      cluster.podsEnd(end).controllerSyncs().rest();
      expect(cluster.status.message).toBe(
        `attempt 1 failed: rank 0 ended with exit code ${end.exitCode}${why}`,
      );
    },
  );

  it('a job whose command failed backs off before its next attempt', () => {
    const cluster = new JobCluster({ retries: { application: 2 } }).running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs();
    expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    expect(cluster.status).toMatchObject({ reason: 'BackingOff', exitCode: 1, attempt: 1 });
    const pauseMs = backsOffForMs(cluster.swarmJob, cluster.now);
    expect(pauseMs).toBeGreaterThanOrEqual(10_000);
    expect(pauseMs).toBeLessThanOrEqual(12_500);
  });

  it('the pods of a failed attempt stay until the next attempt is created', () => {
    const cluster = new JobCluster({ retries: { application: 1 } }).running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    cluster.entry = undefined;
    expect(cluster.later(10_000).rest()).toEqual([]);
    expect(cluster.pods).toHaveLength(1);
    expect(textsOf(cluster.admit().rest())).toEqual([
      'delete Job',
      'create Job',
      'operate test k8slab.info~1grant 4, replace suspend false',
      'status Starting',
    ]);
    expect(cluster.status).toMatchObject({ attempt: 2 });
    expect(cluster.status.exitCode).toBeUndefined();
    cluster.controllerSyncs().podsReady().rest();
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({ state: 'Succeeded', exitCode: 0 });
    expect(cluster.status.failures).toEqual(failures({ application: 1 }));
  });

  it('a failure counts once when a new leader sees an earlier state of the batch Job', () => {
    const cluster = new JobCluster({ retries: { application: 1 } }).running();
    const earlier = cluster.batchJob;
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    const failed = cluster.batchJob;
    cluster.batchJob = earlier;
    expect(cluster.later(1_000).rest()).toEqual([]);
    expect(cluster.decide().requeueAfterMs).toBe(5_000);
    expect(cluster.later(28_000).rest()).toEqual([]);
    cluster.batchJob = failed;
    expect(cluster.rest()).toEqual([]);
    expect(cluster.status.failures).toEqual(failures({ application: 1 }));
  });

  it('a failure counts once when a new leader sees the failed batch Job after the next attempt has begun', () => {
    const cluster = new JobCluster({ retries: { application: 2 } }).running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    const failed = cluster.batchJob;
    cluster.entry = undefined;
    cluster.later(10_000).admit().rest();
    expect(cluster.status).toMatchObject({ state: 'Starting', attempt: 2 });
    cluster.batchJob = failed;
    cluster.step();
    expect(cluster.status).toMatchObject({ attempt: 2, failures: failures({ application: 1 }) });
  });

  it('a job that backs off keeps its reason until its queue reports another one', () => {
    const cluster = new JobCluster({ retries: { application: 1 } }).running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    cluster.entry = undefined;
    cluster.waits = { reason: 'BackingOff', message: 'its last attempt failed' };
    expect(cluster.rest()).toEqual([]);
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 2 cpu, 1 is free' };
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'WaitingForQuota' });
    expect(cluster.status.history?.[0]).toMatchObject({ reason: 'BackingOff' });
  });

  it('a disruption is counted and retried apart from failures of the command', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd('Disrupted').controllerSyncs().rest();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      message: 'attempt 1 failed: rank 0 was disrupted: Eviction API: evicting',
      failures: failures({ disruption: 1 }),
    });
    expect(cluster.status.exitCode).toBeUndefined();
  });

  it('a disruption whose pod is gone is reported without the words of Kubernetes', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd('Disrupted').controllerSyncs().pods = [];
    cluster.rest();
    expect(cluster.status).toMatchObject({
      message: 'attempt 1 failed: a rank was evicted, preempted, or lost with its node',
      failures: failures({ disruption: 1 }),
    });
  });

  it('an exit code that no watch has reported is read before the failure is counted', () => {
    const cluster = new JobCluster();
    cluster.admit().rest();
    cluster.breakPodWatch(true).controllerSyncs().podsEnd({ exitCode: 4 }).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({ state: 'Failed', exitCode: 4 });
  });

  it('a failed attempt whose pods were deleted counts as a disruption', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.pods = cluster.pods.slice(0, 1);
    cluster.endBatchJob('Failed', 'BackoffLimitExceeded');
    expect(cluster.rest()).toEqual([]);
    cluster.podsEnd({ exitCode: 143 }).pods = [];
    cluster.rest();
    expect(cluster.status).toMatchObject({
      message: 'attempt 1 failed: its pods were deleted before they had ended',
      failures: failures({ disruption: 1 }),
    });
  });

  it('a job is retried after disruptions until no retry is left, and fails then', () => {
    const cluster = new JobCluster({ retries: { other: 2 } });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      cluster.running();
      expect(cluster.status.attempt).toBe(attempt);
      cluster.podsEnd('Disrupted').controllerSyncs().rest();
      cluster.entry = undefined;
    }
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      failures: failures({ disruption: 3 }),
    });
    expect(cluster.rest()).toEqual([]);
  });

  it('a failure is counted although the status does not show the start of the attempt yet', () => {
    const cluster = new JobCluster();
    const { steps } = cluster.admit().decide();
    for (const step of steps) cluster.carryOut(step);
    const [start] = cluster.decide().steps;
    if (start === undefined) throw new Error('nothing is started');
    cluster.carryOut(start);
    cluster.controllerSyncs().podsEnd({ exitCode: 5 }).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({ state: 'Failed', exitCode: 5, attempt: 1 });
    expect(cluster.status.failures).toEqual(failures({ application: 1 }));
  });

  it('a failure is counted although the job is suspended at the same time', () => {
    const cluster = new JobCluster({ retries: { application: 1 } }).running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().edit({ suspend: true }).rest();
    expect(cluster.status).toMatchObject({
      state: 'Suspended',
      failures: failures({ application: 1 }),
    });
  });
});

describe('a start that takes too long', () => {
  it('a job that a foreign object keeps from its start names that object in its last message, too', () => {
    const cluster = new JobCluster({ startTimeoutSeconds: 10, retries: { other: 0 } });
    cluster.taken = ['Job sim'];
    cluster.admit().rest();
    expect(cluster.status).toMatchObject({ state: 'Admitted', reason: 'NameTaken' });
    cluster.later(11_000).rest();
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      reason: 'StartTimedOut',
      message:
        'not all ranks ran within 10 s: Job sim exists, and is not its own: delete or rename it',
    });
  });

  it('a job whose start timed out keeps its message while its pods end, and at its end', () => {
    const cluster = new JobCluster({ size: 2, startTimeoutSeconds: 10, retries: { other: 0 } });
    cluster.admit().rest();
    cluster.controllerSyncs().podsReady(0).podsInTrouble('ImagePullBackOff', 1).rest();
    cluster.later(11_000).rest();
    cluster.refused = { reason: 'Forbidden', message: 'no', steps: [] } as never;
    cluster.controllerSyncs().later(3_000).rest();
    expect(cluster.status.state).toBe('Suspending');
    cluster.refused = undefined;
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      message: 'not all ranks ran within 10 s: 1 of 2 ranks run; rank 1: ImagePullBackOff',
    });
  });

  it('a start that takes too long is taken back, and the job waits for a retry', () => {
    const cluster = new JobCluster({ size: 2, startTimeoutSeconds: 60 });
    cluster.admit().rest();
    cluster.controllerSyncs().podsReady(0).later(60_000).rest();
    expect(cluster.state).toBe('Starting');
    expect(cluster.decide().requeueAfterMs).toBe(1_000);
    expect(textsOf(cluster.later(1_000).rest())).toEqual([
      'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true',
      'status Suspending',
    ]);
    expect(cluster.status).toMatchObject({
      reason: 'StartTimedOut',
      failures: failures({ start: 1 }),
    });
    expect(cluster.status.message).toContain('not all ranks ran within 60 s: 1 of 2 ranks run');
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      message: 'not all ranks ran within 60 s: 1 of 2 ranks run',
    });
    expect(cluster.status.history?.map(({ reason }) => reason)).toEqual([
      'BackingOff',
      'StartTimedOut',
      'RanksStarting',
    ]);
  });

  it('a start has its whole time, in whichever part of a second it began', () => {
    const cluster = new JobCluster({ startTimeoutSeconds: 1 }).later(985);
    cluster.admit().rest();
    cluster.controllerSyncs().later(999).rest();
    expect(cluster.state).toBe('Starting');
    expect(cluster.later(16).rest()).not.toEqual([]);
    expect(cluster.status.reason).toBe('StartTimedOut');
  });

  it('a start times out on time even if a clock that was ahead wrote its time', () => {
    const cluster = new JobCluster({ startTimeoutSeconds: 60 });
    cluster.admit().rest();
    cluster.controllerSyncs().later(1_000).correctClock(-3_600_000).rest();
    cluster.later(59_000).rest();
    expect(cluster.state).toBe('Starting');
    cluster.later(1_000).rest();
    expect(cluster.status.reason).toBe('StartTimedOut');
  });

  it('a start that takes too long because of an image counts as a failure of the image', () => {
    const cluster = new JobCluster();
    cluster.admit().rest();
    cluster.controllerSyncs().podsInTrouble('ImagePullBackOff').later(301_000).rest();
    expect(cluster.status).toMatchObject({
      reason: 'StartTimedOut',
      failures: failures({ image: 1 }),
    });
  });

  it('a start that takes too long fails the job when no retry is left', () => {
    const cluster = new JobCluster({ retries: { other: 0 } });
    cluster.admit().rest();
    cluster.controllerSyncs().later(301_000).settle();
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'StartTimedOut' });
  });

  it('a start that takes too long is counted once when the operator ends before it writes status', () => {
    const cluster = new JobCluster();
    cluster.admit().rest();
    cluster.controllerSyncs().later(301_000);
    const [takesBack] = cluster.decide().steps;
    if (takesBack === undefined) throw new Error('nothing is taken back');
    cluster.carryOut(takesBack);
    expect(textsOf(cluster.rest())).toEqual(['status Suspending']);
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      failures: failures({ start: 1 }),
    });
  });

  it('a failure counts when a leader takes the attempt back without knowing of the failure', () => {
    const cluster = new JobCluster({ retries: { application: 1 } });
    cluster.admit().rest();
    cluster.controllerSyncs().later(301_000);
    const [takesBack] = cluster.decide().steps;
    cluster.podsEnd({ exitCode: 3 }).controllerSyncs();
    if (takesBack === undefined) throw new Error('nothing is taken back');
    cluster.carryOut(takesBack);
    expect(cluster.parsedBatchJob).toMatchObject({ grant: 3, end: { type: 'Failed' } });
    cluster.controllerSyncs().settle();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      exitCode: 3,
      failures: failures({ application: 1 }),
    });
  });

  it('a job whose start timed out creates nothing until it has a new entry', () => {
    const cluster = new JobCluster({ size: 2 });
    cluster.taken = ['Service sim'];
    expect(textsOf(cluster.admit().rest())).toEqual(['status Admitted']);
    expect(cluster.status).toMatchObject({ reason: 'NameTaken' });
    expect(cluster.status.message).toBe(
      'Service sim exists, and is not its own: delete or rename it',
    );
    expect(textsOf(cluster.later(301_000).rest())).toEqual(['status Suspending', 'status Waiting']);
    cluster.taken = [];
    expect(cluster.rest()).toEqual([]);
    cluster.entry = undefined;
    expect(textsOf(cluster.later(10_000).admit().step())).toContain('create Job');
  });

  it('the message of a job names each foreign object with the name of one of its own', () => {
    const cluster = new JobCluster({ size: 2 });
    cluster.taken = ['Service sim', 'ConfigMap sim-hosts'];
    cluster.admit().rest();
    expect(cluster.status.message).toBe(
      'Service sim and ConfigMap sim-hosts exist, and are not its own: delete or rename them',
    );
  });

  it('the time without an operator does not count for the start timeout', () => {
    const cluster = new JobCluster();
    cluster.admit().later(600_000);
    expect(textsOf(cluster.rest())).toContain('status Starting');
  });
});

describe('a write that the API server refuses', () => {
  it('a job with an invalid template fails with the message of the API server', () => {
    const cluster = new JobCluster();
    cluster.refused = {
      reason: 'Invalid',
      message:
        'POST /apis/batch/v1/namespaces/hpc/jobs: spec.template.spec.volumes[0]: Required value',
    };
    expect(textsOf(cluster.admit().rest())).toEqual(['status Failed']);
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      reason: 'TemplateRefused',
      message: 'spec.template.spec.volumes[0]: Required value',
    });
  });

  it('a forbidden write is reported in status and tried again', () => {
    const cluster = new JobCluster();
    cluster.refused = { reason: 'Forbidden', message: 'exceeded quota: jobs' };
    expect(textsOf(cluster.admit().step())).toEqual(['status Admitted', 'create Job']);
    expect(cluster.status).toMatchObject({
      reason: 'WriteRefused',
      message: 'Forbidden: exceeded quota: jobs',
    });
    cluster.refused = undefined;
    cluster.rest();
    expect(cluster.state).toBe('Starting');
  });
});
