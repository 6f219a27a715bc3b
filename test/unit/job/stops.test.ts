// What becomes of a job that may not run any more, and of one that must not run yet?
import { describe, expect, it } from '@jest/globals';
import { JobCluster, textsOf } from '../../support/job-cluster.ts';

const TAKE_BACK =
  'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true';

describe('a job that is suspended', () => {
  it('gives everything back, and is Suspended once its pods have ended', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    expect(textsOf(cluster.rest())).toEqual([TAKE_BACK, 'status Suspending']);
    expect(cluster.status.reason).toBe('SuspendRequested');
    expect(cluster.status.message).toMatch(/^spec.suspend is set; 1 pod has not ended: sim-0-/);
    cluster.controllerSyncs();
    expect(cluster.rest()).toEqual([]);
    expect(textsOf(cluster.terminatingEnd().rest())).toEqual(['status Suspended']);
    cluster.entry = undefined;
    expect(cluster.rest()).toEqual([]);
  });

  it('waits again when it is resumed, and runs again when it is admitted', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.rest();
    cluster.settle();
    cluster.entry = undefined;
    expect(textsOf(cluster.edit({ suspend: false }).rest())).toEqual(['status Waiting']);
    expect(cluster.status.reason).toBe('Queued');
    cluster.running();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
    expect(cluster.status.failures).toBeUndefined();
  });

  it('is taken back before it was started', () => {
    const cluster = new JobCluster();
    cluster.admit().step();
    expect(textsOf(cluster.edit({ suspend: true }).rest())).toEqual([
      TAKE_BACK,
      'status Suspended',
    ]);
  });

  it('is Suspended at once when it waits', () => {
    const cluster = new JobCluster();
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 2 cpu, 1 is free' };
    cluster.rest();
    expect(textsOf(cluster.edit({ suspend: true }).rest())).toEqual(['status Suspended']);
  });

  it('starts nothing while the entry of its earlier start is still there', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.rest();
    cluster.settle();
    cluster.edit({ suspend: false }).rest();
    expect(cluster.state).toBe('Waiting');
    expect(cluster.rest()).toEqual([]);
  });

  it('has ended all the same when all its ranks end well meanwhile', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.rest();
    cluster.podsEnd({ exitCode: 0 }).endBatchJob('Complete', 'CompletionsReached').rest();
    expect(cluster.state).toBe('Succeeded');
  });
});

describe('a deadline', () => {
  it('ends the job when it is over', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 }).running();
    expect(cluster.decide().requeueAfterMs).toBe(100_000);
    expect(textsOf(cluster.later(100_000).rest())).toEqual([TAKE_BACK, 'status Suspending']);
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'it has run for the 100 seconds that it may run',
    });
  });

  it('is kept by the batch Job, too', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 }).running();
    expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(100);
    cluster.later(99_999).podsEnd({ exitCode: 143 });
    cluster.endBatchJob('Failed', 'DeadlineExceeded').rest();
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
    expect(cluster.status.failures).toBeUndefined();
  });

  it.each([
    [0, { reason: 'CommandFailed' }],
    [1, { reason: 'DeadlineExceeded' }],
  ])('that is over with the command counts its failure, with %i retries', (application, says) => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 60, retries: { application } });
    cluster.running().later(60_000).podsEnd({ exitCode: 3 }).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({ ...says, state: 'Failed', exitCode: 3 });
    expect(cluster.status.failures).toMatchObject({ application: 1 });
  });

  it('counts the time of all attempts, and not that between them', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 });
    for (const left of [100, 60, 20]) {
      cluster.running();
      expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(left);
      cluster.later(40_000).podsEnd('Disrupted').controllerSyncs().rest();
      cluster.entry = undefined;
      cluster.later(1_000_000);
    }
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('counts all attempts when the history has forgotten the first ones', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 1_000, retries: { other: 100 } });
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      cluster.running();
      cluster.later(10_000).podsEnd('Disrupted').controllerSyncs().rest();
      cluster.entry = undefined;
    }
    expect(cluster.status.history).toHaveLength(20);
    cluster.running();
    expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(880);
  });

  it('may be edited while the job runs', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 }).running();
    expect(textsOf(cluster.edit({ activeDeadlineSeconds: 200 }).rest())).toEqual([
      'operate test k8slab.info~1grant 2, add activeDeadlineSeconds 200',
      'status Running',
    ]);
    expect(textsOf(cluster.edit({ activeDeadlineSeconds: undefined }).rest())).toEqual([
      'operate test k8slab.info~1grant 2, remove activeDeadlineSeconds undefined',
      'status Running',
    ]);
  });

  it.each([
    [undefined, {}, undefined],
    [undefined, { activeDeadlineSeconds: 50 }, 50],
    [100, { activeDeadlineSeconds: 50 }, 100],
    [100, { maxActiveDeadlineSeconds: 70 }, 70],
    [undefined, { maxActiveDeadlineSeconds: 70 }, 70],
  ])('of %s s where its queue says %j is %s s', (own, queue, expected) => {
    const cluster = new JobCluster({ ...(own && { activeDeadlineSeconds: own }) });
    cluster.queue = queue;
    cluster.running();
    expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(expected);
  });
});

describe('a job without an entry', () => {
  it('is taken back while it runs, and waits once its pods have ended', () => {
    const cluster = new JobCluster().running();
    cluster.entry = undefined;
    expect(textsOf(cluster.rest())).toEqual([TAKE_BACK, 'status Suspending']);
    expect(cluster.status.reason).toBe('NotAdmitted');
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'Queued' });
    expect(cluster.status.failures).toBeUndefined();
  });

  it.each(['Admitted', 'Starting', 'Running', 'Suspending'])(
    'waits when its status says %s and nothing of it lives',
    (state) => {
      const cluster = new JobCluster();
      cluster.makeUpStatus({ state });
      expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    },
  );

  it('goes on as it is while the ledger is lost or was edited', () => {
    const cluster = new JobCluster().running();
    cluster.entry = undefined;
    cluster.isLedgerKnown = false;
    expect(cluster.rest()).toEqual([]);
  });

  it('whose batch Job is gone waits for its pods', () => {
    const cluster = new JobCluster().running();
    cluster.entry = undefined;
    cluster.deleteBatchJob().rest();
    expect(cluster.state).toBe('Suspending');
    cluster.terminatingEnd().rest();
    expect(cluster.state).toBe('Waiting');
  });
});

describe('a job that is blocked', () => {
  it.each([
    [{ size: 0 }, 'InvalidSpec', 'spec.size: must be >= 1'],
    [{ launcher: { type: 'MPI' } }, 'NotSupportedYet', 'launcher.type MPI'],
    [{ admission: 'Kueue' }, 'NotSupportedYet', 'admission Kueue'],
    [
      { template: { spec: { volumes: [{ name: 'k8slab-swarm', emptyDir: {} }] } } },
      'TemplateConflict',
      'a volume is named k8slab-swarm',
    ],
    [
      {
        template: {
          spec: {
            containers: [
              { name: 'main', volumeMounts: [{ name: 'a', mountPath: '/etc//swarm/' }] },
            ],
          },
        },
      },
      'TemplateConflict',
      'container main mounts a volume at /etc/swarm',
    ],
  ])('by %j is stalled because of %s', (spec, reason, message) => {
    const cluster = new JobCluster(spec);
    expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    expect(cluster.condition('Stalled')).toMatchObject({ status: 'True', reason });
    expect(cluster.status.message).toContain(message);
    expect(cluster.rest()).toEqual([]);
  });

  it('goes on running, and gives its quota back when it has ended', () => {
    const cluster = new JobCluster().running().edit({ admission: 'Kueue' });
    expect(textsOf(cluster.rest())).toEqual(['status Running']);
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    expect(cluster.state).toBe('Waiting');
  });
});
