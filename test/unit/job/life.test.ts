// What becomes of a job that nothing disturbs?
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const START = 'operate test k8slab.info~1grant 2, replace suspend false';

describe('a job of one pod', () => {
  it('a job of one pod costs a create, a start and three writes of status', () => {
    const cluster = new JobCluster();
    expect(textsOf(cluster.rest())).toEqual([]);
    expect(textsOf(cluster.admit().rest())).toEqual(['create Job', START, 'status Starting']);
    expect(textsOf(cluster.controllerSyncs().rest())).toEqual([]);
    expect(textsOf(cluster.later(9_000).podsReady().rest())).toEqual([]);
    expect(cluster.decide().requeueAfterMs).toBe(1_000);
    expect(textsOf(cluster.later(1_000).rest())).toEqual(['status Running']);
    cluster.later(60_000).podsEnd({ exitCode: 0 });
    expect(textsOf(cluster.controllerSyncs().rest())).toEqual(['status Succeeded']);
    cluster.entry = undefined;
    expect(cluster.later(60_000).rest()).toEqual([]);
  });

  it('a waiting job writes its reason once, and again when the reason changes', () => {
    const cluster = new JobCluster();
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 2 cpu, 1 is free' };
    expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    expect(cluster.status).toMatchObject({ ...cluster.waits, readyRanks: 0, size: 0 });
    cluster.waits = { reason: 'BehindHead', message: 'there is room, and it is kept for other' };
    expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    expect(cluster.status.history).toHaveLength(1);
    expect(textsOf(cluster.admit().rest())).toEqual([
      'create Job',
      'operate test k8slab.info~1grant 2, replace suspend false',
      'status Starting',
    ]);
  });

  it('a job keeps its status while its queue has not reported a reason to wait', () => {
    const cluster = new JobCluster();
    cluster.waits = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };
    cluster.rest();
    cluster.waits = undefined;
    expect(cluster.rest()).toEqual([]);
  });

  it('a job is stalled when its queue reports that it can never start', () => {
    const cluster = new JobCluster();
    cluster.waits = { reason: 'TooLargeEver', message: 'needs 9 cpu of 8', isStalled: true };
    cluster.rest();
    expect(cluster.condition('Stalled')).toMatchObject({ status: 'True', reason: 'TooLargeEver' });
    expect(cluster.condition('Reconciling')?.status).toBe('False');
    expect(cluster.condition('Ready')?.status).toBe('False');
  });

  it('a job starts nothing without an entry, and nothing while the ledger is not known', () => {
    const cluster = new JobCluster();
    expect(cluster.rest()).toEqual([]);
    cluster.admit().isLedgerKnown = false;
    expect(cluster.rest()).toEqual([]);
  });

  it('the status of a job has its admission, times, exit code and history', () => {
    const cluster = new JobCluster().running().later(61_000);
    expect(cluster.status).toMatchObject({
      state: 'Running',
      reason: 'AllRanksRunning',
      message: '1 of 1 rank runs',
      admission: { queue: 'batch', size: 1, requests: { pods: '1' }, time: '2026-01-01T00:00:00Z' },
      size: 1,
      selector: 'k8slab.info/job=sim',
      readyRanks: 1,
      hosts: 'sim-0',
      attempt: 1,
      submitTime: '2026-01-01T00:00:00Z',
      admitTime: '2026-01-01T00:00:00Z',
      startTime: '2026-01-01T00:00:00Z',
    });
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({
      state: 'Succeeded',
      exitCode: 0,
      finishTime: '2026-01-01T00:01:02Z',
      readyRanks: 0,
      size: 0,
    });
    expect(cluster.status.admission).toBeUndefined();
    expect(cluster.status.history?.map(({ state }) => state)).toEqual([
      'Succeeded',
      'Running',
      'Starting',
    ]);
  });
});

describe('the conditions of a job', () => {
  const trueIn = (cluster: JobCluster): readonly string[] =>
    (cluster.status.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type }) => type);

  it('the conditions of a job follow its state', () => {
    const cluster = new JobCluster();
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 2 cpu, 1 is free' };
    cluster.rest();
    expect(trueIn(cluster)).toEqual(['Reconciling']);
    cluster.admit().rest();
    expect(trueIn(cluster)).toEqual(['Reconciling', 'Admitted']);
    cluster.controllerSyncs().podsReady().rest();
    cluster.told();
    expect(trueIn(cluster)).toEqual(['Ready', 'Admitted', 'Running']);
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(trueIn(cluster)).toEqual(['Ready', 'Complete', 'Finished']);
  });

  it('the conditions of a failed job are Stalled, Failed and Finished', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 3 }).controllerSyncs().rest();
    expect(trueIn(cluster)).toEqual(['Stalled', 'Failed', 'Finished']);
  });

  it('the only true condition of a suspended job is Suspended', () => {
    const cluster = new JobCluster({ suspend: true });
    cluster.rest();
    expect(trueIn(cluster)).toEqual(['Suspended']);
  });
});

describe('a gang', () => {
  it('a gang gets a Service and a ConfigMap with its hosts beside its batch Job', () => {
    const cluster = new JobCluster({ size: 4 });
    expect(textsOf(cluster.admit().step())).toEqual([
      'create Service',
      'create ConfigMap',
      'create Job',
    ]);
    expect(textsOf(cluster.rest())).toEqual([START, 'status Starting']);
    expect(cluster.status.hosts).toBe('sim-[0-3]');
  });

  it('a rank that has succeeded has run, also when its pod is deleted before the others start', () => {
    const cluster = new JobCluster({ size: 4, startTimeoutSeconds: 10 });
    cluster.admit().rest();
    cluster.controllerSyncs().podsReady(0, 1, 2).podsEnd({ exitCode: 0 }, 0, 1, 2);
    cluster.controllerSyncs().rest();
    cluster.deletePodOf(1).deletePodOf(2).controllerSyncs().rest();
    expect(cluster.state).toBe('Starting');
    cluster.podsReady(3).rest();
    cluster.told();
    expect(cluster.status).toMatchObject({ state: 'Running', readyRanks: 4 });
    expect(cluster.later(20_000).rest()).toEqual([]);
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.state).toBe('Succeeded');
  });

  it('a gang is Running when all its ranks run, and writes its progress every two seconds', () => {
    const cluster = new JobCluster({ size: 4 });
    cluster.admit().rest();
    cluster.controllerSyncs().podsReady(0);
    const { steps, requeueAfterMs } = cluster.decide();
    expect(steps).toEqual([]);
    expect(requeueAfterMs).toBe(2_000);
    cluster.later(2_000);
    expect(textsOf(cluster.rest())).toEqual(['status Starting']);
    expect(cluster.status).toMatchObject({ message: '1 of 4 ranks run', readyRanks: 1 });
    expect(textsOf(cluster.podsReady().rest())).toEqual([]);
    expect(textsOf(cluster.later(1_000).rest())).toEqual(['status Running']);
  });

  it('a rank that has succeeded counts among those that run', () => {
    const cluster = new JobCluster({ size: 2 });
    cluster.admit().rest();
    cluster.controllerSyncs().podsEnd({ exitCode: 0 }, 0).podsReady(1).rest();
    expect(cluster.told().status).toMatchObject({ state: 'Running', readyRanks: 2 });
  });

  it('the status of a starting gang names the first rank that has a problem', () => {
    const cluster = new JobCluster({ size: 4 });
    cluster.admit().rest();
    cluster.controllerSyncs().podsInTrouble('ImagePullBackOff', 1, 3).later(2_000).rest();
    expect(cluster.status.message).toBe(
      '0 of 4 ranks run; rank 1: ImagePullBackOff, and 1 more rank',
    );
  });

  it('a gang goes on running when a rank is not ready for a while', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.podsInTrouble('CrashLoopBackOff', 1).rest();
    expect(cluster.status).toMatchObject({ state: 'Running', reason: 'RanksNotReady' });
    cluster.later(400_000).rest();
    expect(cluster.state).toBe('Running');
  });

  it('a gang gets its Service and its hosts again when they are deleted', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.service = undefined;
    cluster.hosts = undefined;
    expect(textsOf(cluster.rest())).toEqual(['create Service', 'create ConfigMap']);
  });

  it('a gang that was edited while it waited gets the hosts of its new size', () => {
    const cluster = new JobCluster({ size: 2, retries: { application: 1 } }).running();
    cluster.podsEnd({ exitCode: 1 }, 0).settle();
    cluster.entry = undefined;
    cluster.edit({ size: 3 }).rest();
    expect(textsOf(cluster.admit().step())).toEqual([
      'delete Job',
      'patch ConfigMap',
      'create Job',
    ]);
  });
});

describe('a job that has ended', () => {
  it('a job that has ended is deleted when its time to live is over', () => {
    const cluster = new JobCluster({ ttlSecondsAfterFinished: 60 }).running();
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.later(59_000).decide()).toMatchObject({ steps: [], requeueAfterMs: 1_000 });
    expect(textsOf(cluster.later(1_000).step())).toEqual(['delete SwarmJob']);
  });

  it('a job that sets no time to live is deleted when that of its queue is over', () => {
    const cluster = new JobCluster().running();
    cluster.queue = { ttlSecondsAfterFinished: 60 };
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    expect(textsOf(cluster.later(60_000).step())).toEqual(['delete SwarmJob']);
  });

  it('a job that has ended stays when neither it nor its queue sets a time to live', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.later(1e12).decide()).toMatchObject({ steps: [] });
  });

  it('a job that has ended observes the generation of an edit, and keeps its status otherwise', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    const { observedGeneration: _, conditions: __, ...before } = cluster.status;
    expect(textsOf(cluster.edit({ priority: -1 }).rest())).toEqual(['status Succeeded']);
    expect(cluster.status).toMatchObject({ ...before, observedGeneration: 2 });
    expect(cluster.condition('Ready')).toMatchObject({ status: 'True', observedGeneration: 2 });
  });

  it('a job that is being deleted is left alone', () => {
    const cluster = new JobCluster().running();
    const { job } = cluster;
    if (job === undefined) throw new Error('it is gone');
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    cluster.job = { ...job, metadata: { ...job.metadata, deletionTimestamp } };
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs();
    expect(cluster.decide().steps).toEqual([]);
  });
});
