// What becomes of a job that may not run any more, and of one that must not run yet?
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const TAKE_BACK =
  'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true';

describe('a job that is suspended', () => {
  it('a suspended job is taken back, and is Suspended once its pods have ended', () => {
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

  it('a resumed job waits again, and runs again when it is admitted', () => {
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

  it('a suspended job is taken back before it was started', () => {
    const cluster = new JobCluster();
    cluster.admit().step();
    expect(textsOf(cluster.edit({ suspend: true }).rest())).toEqual([
      TAKE_BACK,
      'status Suspended',
    ]);
  });

  it('a waiting job is Suspended at once when an edit suspends it', () => {
    const cluster = new JobCluster();
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 2 cpu, 1 is free' };
    cluster.rest();
    expect(textsOf(cluster.edit({ suspend: true }).rest())).toEqual(['status Suspended']);
  });

  it('a resumed job starts nothing while the entry of its earlier start is still there', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.rest();
    cluster.settle();
    cluster.edit({ suspend: false }).rest();
    expect(cluster.state).toBe('Waiting');
    expect(cluster.rest()).toEqual([]);
  });

  it('a job whose ranks all succeed while it is being suspended is Succeeded', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.rest();
    cluster.podsEnd({ exitCode: 0 }).endBatchJob('Complete', 'CompletionsReached').rest();
    expect(cluster.state).toBe('Succeeded');
  });
});

it('a job whose ranks all succeed while it is being suspended is Succeeded, also when the watch of pods is late', () => {
  const cluster = new JobCluster({ size: 2 }).running().edit({ suspend: true });
  cluster.rest();
  cluster.breakPodWatch(true).podsEnd({ exitCode: 0 });
  cluster.endBatchJob('Complete', 'CompletionsReached').rest();
  expect(cluster.state).toBe('Succeeded');
});

describe('a job whose ranks succeed because they were told to end', () => {
  const told = (cluster: JobCluster): JobCluster => {
    cluster.rest();
    cluster.controllerSyncs().terminatingEnd(0).controllerSyncs().rest();
    expect(cluster.parsedBatchJob?.end?.type).toBe('Complete');
    return cluster;
  };

  it('a suspended job is Suspended, and runs again when it is resumed', () => {
    const cluster = told(new JobCluster().running().edit({ suspend: true }));
    expect(cluster.state).toBe('Suspended');
    cluster.entry = undefined;
    cluster.edit({ suspend: false }).rest();
    expect(cluster.state).toBe('Waiting');
    cluster.running();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
  });

  it('a job has not succeeded when its deadline is over', () => {
    const cluster = told(new JobCluster({ activeDeadlineSeconds: 60 }).running().later(60_000));
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
  });
});

describe('a deadline', () => {
  it('a job fails when its deadline is over', () => {
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

  it('a job that is suspended as its deadline is over is Suspended, and fails once it is resumed', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 }).running();
    cluster.later(100_000).edit({ suspend: true }).rest();
    expect(cluster.status.reason).toBe('SuspendRequested');
    cluster.settle();
    expect(cluster.state).toBe('Suspended');
    cluster.edit({ suspend: false }).rest();
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('a job may run for its whole deadline, in whichever part of a second it began', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 1 }).later(985);
    cluster.admit().rest();
    cluster.controllerSyncs().podsReady().later(999).rest();
    expect(cluster.state).toBe('Starting');
    expect(textsOf(cluster.later(16).rest())).toEqual([TAKE_BACK, 'status Suspending']);
    expect(cluster.status.reason).toBe('DeadlineExceeded');
  });

  it('a job fails when its batch Job has failed at the deadline, and no failure is counted', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 }).running();
    expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(101);
    cluster.later(100_999).podsEnd({ exitCode: 143 });
    cluster.endBatchJob('Failed', 'DeadlineExceeded').rest();
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
    expect(cluster.status.failures).toBeUndefined();
  });

  it.each([
    [0, { reason: 'CommandFailed' }],
    [1, { reason: 'DeadlineExceeded' }],
  ])(
    'a deadline that is over with the command counts its failure, with %i retries',
    (application, says) => {
      const cluster = new JobCluster({ activeDeadlineSeconds: 60, retries: { application } });
      cluster.running().later(61_000).podsEnd({ exitCode: 3 }).controllerSyncs().rest();
      expect(cluster.status).toMatchObject({ ...says, state: 'Failed', exitCode: 3 });
      expect(cluster.status.failures).toMatchObject({ application: 1 });
    },
  );

  it('a deadline counts the time of all attempts, and not the time between them', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 });
    for (const left of [100, 61, 22]) {
      cluster.running();
      expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(left + 1);
      cluster.later(39_000).podsEnd('Disrupted').controllerSyncs().rest();
      cluster.entry = undefined;
      cluster.later(1_000_000);
    }
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('a deadline counts no more of an earlier attempt than its own time', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 3, retries: { application: 1 } });
    cluster.later(987).admit().rest();
    cluster.controllerSyncs().podsReady().later(2_020).podsEnd({ exitCode: 3 });
    cluster.controllerSyncs().rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'BackingOff' });
  });

  it('a deadline counts attempts that are no longer in the history', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 1_000, retries: { other: 100 } });
    for (let attempt = 1; attempt <= 12; attempt += 1) {
      cluster.running();
      cluster.later(9_000).podsEnd('Disrupted').controllerSyncs().rest();
      cluster.entry = undefined;
    }
    expect(cluster.status.history).toHaveLength(20);
    cluster.running();
    expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(893);
  });

  it('a deadline may be edited while the job runs', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 100 }).running();
    expect(textsOf(cluster.edit({ activeDeadlineSeconds: 200 }).rest())).toEqual([
      'operate test k8slab.info~1grant 2, add activeDeadlineSeconds 201',
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
  ])(
    'a job with the deadline %s in a queue with %j gets the deadline %s, and a second for rounding',
    (own, queue, expected) => {
      const cluster = new JobCluster({ ...(own && { activeDeadlineSeconds: own }) });
      cluster.queue = queue;
      cluster.running();
      expect(cluster.parsedBatchJob?.deadlineSeconds).toBe(expected && expected + 1);
    },
  );
});

describe('a job without an entry', () => {
  it('a running job without an entry is taken back, and waits once its pods have ended', () => {
    const cluster = new JobCluster().running();
    cluster.entry = undefined;
    expect(textsOf(cluster.rest())).toEqual([TAKE_BACK, 'status Suspending']);
    expect(cluster.status.reason).toBe('NotAdmitted');
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'Queued' });
    expect(cluster.status.failures).toBeUndefined();
  });

  it.each(['Admitted', 'Starting', 'Running', 'Suspending'])(
    'a job without an entry waits when its status says %s and it has no pods',
    (state) => {
      const cluster = new JobCluster();
      cluster.makeUpStatus({ state });
      expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    },
  );

  it('a running job goes on while the ledger is not known', () => {
    const cluster = new JobCluster().running();
    cluster.entry = undefined;
    cluster.isLedgerKnown = false;
    expect(cluster.rest()).toEqual([]);
  });

  it('a job without an entry and without its batch Job waits once its pods have ended', () => {
    const cluster = new JobCluster().running();
    cluster.entry = undefined;
    cluster.deleteBatchJob().rest();
    expect(cluster.state).toBe('Suspending');
    cluster.terminatingEnd().rest();
    expect(cluster.state).toBe('Waiting');
  });
});

describe('a job with the name of a deleted job', () => {
  it('a new job waits, and starts once the pods of the deleted job of its name have ended', () => {
    const cluster = new JobCluster().running().createAgain();
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 1 pod, and less is free' };
    expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    expect(cluster.status).toMatchObject({ reason: 'WaitingForQuota', size: 0 });
    cluster.admit().rest();
    expect(cluster.status).toMatchObject({ state: 'Admitted', reason: 'PodsEnding' });
    cluster.terminatingEnd().rest();
    expect(cluster.state).toBe('Starting');
  });

  it('a new job that is suspended is Suspended while pods of the deleted job of its name live', () => {
    const cluster = new JobCluster().running().createAgain().edit({ suspend: true });
    expect(textsOf(cluster.rest())).toEqual(['status Suspended']);
  });
});

describe('a job that is blocked', () => {
  it.each([
    ['InvalidSpec', 'spec.size: must be >= 1', { size: 0 }],
    [
      'TemplateConflict',
      'a volume is named k8slab-swarm',
      { template: { spec: { volumes: [{ name: 'k8slab-swarm', emptyDir: {} }] } } },
    ],
    [
      'TemplateConflict',
      'container main mounts a volume at /etc/swarm',
      {
        template: {
          spec: {
            containers: [
              { name: 'main', volumeMounts: [{ name: 'a', mountPath: '/etc//swarm/' }] },
            ],
          },
        },
      },
    ],
  ])('a job that cannot run is stalled by %s: %s', (reason, message, spec) => {
    const cluster = new JobCluster(spec);
    expect(textsOf(cluster.rest())).toEqual(['status Waiting']);
    expect(cluster.condition('Stalled')).toMatchObject({ status: 'True', reason });
    expect(cluster.status.message).toContain(message);
    expect(cluster.rest()).toEqual([]);
  });

  it('a job that is blocked while it runs goes on, and waits when its attempt has failed', () => {
    const cluster = new JobCluster().running().edit({ size: 0 });
    expect(textsOf(cluster.rest())).toEqual(['status Running']);
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    expect(cluster.state).toBe('Waiting');
  });
});
