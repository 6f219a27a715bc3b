// What becomes of a job when a user changes its objects by hand, or a frozen leader's writes arrive
// late?
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const disrupted = { application: 0, image: 0, start: 0, disruption: 1 };

describe('a batch Job that is deleted by hand', () => {
  it('the deletion of a running batch Job is a disruption, and the job starts again under the same entry', () => {
    const cluster = new JobCluster({ size: 2 }).running().deleteBatchJob();
    expect(textsOf(cluster.rest())).toEqual(['status Admitted', 'status Admitted']);
    expect(cluster.status).toMatchObject({ reason: 'PodsEnding', failures: disrupted });
    expect(cluster.status.history?.[0]).toMatchObject({ reason: 'JobDeleted' });
    expect(textsOf(cluster.terminatingEnd().rest())).toEqual([
      'create Job',
      'operate test k8slab.info~1grant 2, replace suspend false',
      'status Starting',
    ]);
    expect(cluster.status).toMatchObject({ attempt: 2, failures: disrupted });
  });

  it('a batch Job that the watch has not reported yet was not deleted', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.isUnreported = true;
    expect(cluster.rest()).toEqual([]);
    expect(cluster.decide().requeueAfterMs).toBeLessThanOrEqual(5_000);
    cluster.isUnreported = false;
    expect(cluster.rest()).toEqual([]);
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 1 });
    expect(cluster.status.failures).toBeUndefined();
  });

  it('a deleted batch Job is not created again while an unreported pod of it lives', () => {
    const cluster = new JobCluster();
    cluster.admit().rest();
    cluster.breakPodWatch(true).controllerSyncs().deleteBatchJob().rest();
    expect(cluster.status).toMatchObject({ state: 'Admitted', reason: 'PodsEnding' });
    expect(cluster.decide().requeueAfterMs).toBe(5_000);
    cluster.terminatingEnd().rest();
    expect(cluster.state).toBe('Starting');
  });

  it('a job whose batch Job was deleted has the whole start timeout again', () => {
    const cluster = new JobCluster().running().later(400_000).deleteBatchJob().settle();
    expect(cluster.state).toBe('Starting');
    cluster.later(299_000).rest();
    expect(cluster.state).toBe('Starting');
  });

  it('the deletion of a running batch Job fails the job when no retry is left', () => {
    const cluster = new JobCluster({ retries: { other: 0 } }).running().deleteBatchJob();
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Failed', reason: 'Disrupted' });
  });

  it('a batch Job that is deleted before its start is created again, and no failure is counted', () => {
    const cluster = new JobCluster();
    cluster.admit().step();
    cluster.deleteBatchJob().rest();
    expect(cluster.state).toBe('Starting');
    expect(cluster.status.failures).toBeUndefined();
  });

  it('the deletion of the batch Job of a failed job changes nothing', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    cluster.deleteBatchJob();
    expect(cluster.rest()).toEqual([]);
  });
});

describe('a batch Job that is suspended by hand', () => {
  it('the suspension of a batch Job is a disruption, and the batch Job is started again', () => {
    const cluster = new JobCluster().running().suspendByHand(true);
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Admitted', failures: disrupted });
    cluster.controllerSyncs().terminatingEnd();
    expect(textsOf(cluster.rest())).toEqual([
      'operate test k8slab.info~1grant 2, replace suspend false',
      'status Starting',
    ]);
    cluster.controllerSyncs().podsReady().rest();
    expect(cluster.told().state).toBe('Running');
  });

  it('the suspension of a batch Job fails the job when no retry is left, and the start is taken back', () => {
    const cluster = new JobCluster({ retries: { other: 0 } }).running().suspendByHand(true);
    cluster.rest();
    expect(cluster.state).toBe('Failed');
    expect(cluster.parsedBatchJob?.grant).toBe(3);
  });
});

describe('a batch Job that is unsuspended by hand', () => {
  it('a batch Job that is unsuspended by hand is suspended again, and its grant stays taken back', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.settle();
    cluster.entry = undefined;
    cluster.suspendByHand(false).controllerSyncs();
    expect(textsOf(cluster.rest())).toEqual([
      'operate test k8slab.info~1grant 3, replace k8slab.info~1grant 3, replace suspend true',
      'status Suspending',
    ]);
    cluster.settle();
    expect(cluster.state).toBe('Suspended');
  });

  it('a batch Job that is unsuspended by hand after the job has failed is suspended again', () => {
    const cluster = new JobCluster({ activeDeadlineSeconds: 10 }).running().later(11_000);
    cluster.settle();
    expect(cluster.state).toBe('Failed');
    cluster.suspendByHand(false);
    expect(textsOf(cluster.rest())).toEqual([
      'operate test k8slab.info~1grant 3, replace k8slab.info~1grant 3, replace suspend true',
    ]);
    expect(cluster.state).toBe('Failed');
  });
});

it.each([0, 1, 3])(
  'a batch Job of 2 ranks that is scaled to %i by hand is taken back',
  (scaled) => {
    const cluster = new JobCluster({ size: 2 }).running().scaleByHand(scaled);
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Suspending', reason: 'NotAdmitted' });
    expect(cluster.settle().state).toBe('Waiting');
  },
);

it('a batch Job that is Complete because it was scaled down by hand is no success', () => {
  const cluster = new JobCluster({ size: 2 }).running().podsEnd({ exitCode: 0 }, 0);
  cluster.scaleByHand(0).deletePods(1).terminatingEnd().endBatchJob('Complete', 'Completed').rest();
  expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'BackingOff' });
  cluster.entry = undefined;
  expect(cluster.running().status).toMatchObject({ state: 'Running', attempt: 2 });
});

describe('the grant of a batch Job', () => {
  it('a batch Job whose grant was removed is deleted and created again', () => {
    const cluster = new JobCluster().running().annotateByHand(undefined);
    expect(textsOf(cluster.rest())).toContain('delete Job');
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Starting', failures: disrupted });
    expect(cluster.parsedBatchJob?.grant).toBe(2);
  });

  it('a batch Job whose grant was raised by hand is suspended', () => {
    const cluster = new JobCluster().running().annotateByHand('1000');
    expect(textsOf(cluster.rest())).toEqual([
      'operate test k8slab.info~1grant 1000, replace k8slab.info~1grant 1001, replace suspend true',
      'status Suspending',
    ]);
  });
});

describe('a status that is changed by hand', () => {
  it('a status that was wiped while the job ran is written again', () => {
    const cluster = new JobCluster().running().makeUpStatus(undefined);
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 1, readyRanks: 1 });
  });

  it('a status that was wiped after the job had ended is written again', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    cluster.later(1_000).makeUpStatus(undefined).rest();
    expect(cluster.status).toMatchObject({
      state: 'Succeeded',
      exitCode: 0,
      finishTime: '2026-01-01T00:00:01Z',
    });
  });

  it('a status that was wiped after an attempt had failed is written again', () => {
    const cluster = new JobCluster({ retries: { application: 1 } }).running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs().rest();
    cluster.makeUpStatus(undefined).rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', attempt: 1, exitCode: 1 });
  });

  it('a status that was wiped while the job was suspended or waited gets its state back', () => {
    const cluster = new JobCluster().running().edit({ suspend: true });
    cluster.settle();
    cluster.entry = undefined;
    cluster.makeUpStatus(undefined).rest();
    expect(cluster.state).toBe('Suspended');
    cluster.edit({ suspend: false }).makeUpStatus(undefined).rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'Queued' });
  });

  it.each(['Waiting', 'Admitted', 'Suspending', 'Suspended', 'Succeeded', 'Failed'])(
    'the edited status %s of a running job is corrected',
    (state) => {
      const cluster = new JobCluster().running().makeUpStatus({ state });
      cluster.rest();
      expect(cluster.state).toBe('Running');
    },
  );

  it('an edited status does not hide the failure of the job', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 1 }).controllerSyncs();
    cluster.makeUpStatus({ state: 'Waiting' }).rest();
    expect(cluster.status).toMatchObject({ state: 'Failed', exitCode: 1 });
  });
});

describe('late writes of a frozen leader', () => {
  it('a batch Job that a frozen leader creates after its entry is gone cannot be started', () => {
    const cluster = new JobCluster().admit();
    const late = cluster.decide().steps;
    cluster.entry = undefined;
    cluster.edit({ suspend: true }).rest();
    for (const step of late) cluster.carryOut(step);
    const [start] = cluster.admit().edit({ suspend: false }).decide().steps;
    expect(start?.do).not.toBe('operate');
    cluster.entry = undefined;
    expect(textsOf(cluster.rest())).toContain(
      'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true',
    );
  });

  it('a batch Job that a frozen leader creates under an earlier entry is replaced', () => {
    const cluster = new JobCluster().admit();
    const late = cluster.decide().steps;
    cluster.admit();
    for (const step of late) cluster.carryOut(step);
    expect(textsOf(cluster.rest())).toEqual([
      'delete Job',
      'create Job',
      'operate test k8slab.info~1grant 4, replace suspend false',
      'status Starting',
    ]);
  });

  it('a start that a frozen leader sends late starts nothing', () => {
    const cluster = new JobCluster().admit();
    cluster.step();
    const [late] = cluster.decide().steps;
    if (late === undefined) throw new Error('nothing is started');
    cluster.edit({ suspend: true }).rest();
    expect(() => cluster.carryOut(late)).toThrow('Stale');
    cluster.entry = undefined;
    cluster.edit({ suspend: false }).rest();
    cluster.admit().step();
    expect(() => cluster.carryOut(late)).toThrow('Stale');
  });
});

describe('an operator that ends between two writes', () => {
  it('an operator that ends between two objects of a job creates neither of them twice', () => {
    const cluster = new JobCluster({ size: 2 }).admit();
    const [service] = cluster.decide().steps;
    if (service === undefined) throw new Error('nothing is made');
    cluster.carryOut(service);
    expect(textsOf(cluster.step())).toEqual(['create ConfigMap', 'create Job']);
  });

  it('an operator that ends between a start and its status writes the status later', () => {
    const cluster = new JobCluster().admit();
    cluster.step();
    const [start] = cluster.decide().steps;
    if (start === undefined) throw new Error('nothing is started');
    cluster.carryOut(start);
    expect(textsOf(cluster.rest())).toEqual(['status Starting']);
  });
});

describe('a job that is edited between its admission and its start', () => {
  it.each([
    ['its size', { size: 3 }],
    ['its queue', { queueName: 'another' }],
    ['its requests', { resources: { requests: { cpu: '2' } } }],
  ])('a job creates nothing when %s changed after its admission', (_, change) => {
    const cluster = new JobCluster({ size: 2 }).admit().edit(change);
    expect(textsOf(cluster.rest())).toEqual([]);
  });

  it('a batch Job that was created before an edit of the size is taken back, and the job waits', () => {
    const cluster = new JobCluster({ size: 2 }).admit();
    cluster.step();
    expect(textsOf(cluster.edit({ size: 3 }).rest())).toEqual([
      'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true',
      'status Waiting',
    ]);
  });

  it('a job starts when an edit after its admission requests no more than before', () => {
    const cluster = new JobCluster({ size: 2 }).admit().edit({ command: ['another'] });
    cluster.rest();
    expect(cluster.state).toBe('Starting');
  });
});

it('a job does not start while a batch Job that it does not own has its name', () => {
  const cluster = new JobCluster();
  cluster.taken = ['Job sim'];
  cluster.admit().rest();
  expect(cluster.status).toMatchObject({ state: 'Admitted', reason: 'NameTaken' });
});

describe('a failure of a batch Job whose attempt is not that of the status', () => {
  it('a failure counts though the annotation of its attempt was removed by hand', () => {
    const cluster = new JobCluster().running().forgetAttempt();
    cluster.podsEnd({ exitCode: 3 }).controllerSyncs().rest();
    cluster.later(31_000).rest();
    expect(cluster.status).toMatchObject({ failures: { application: 1 }, exitCode: 3 });
  });

  it('a failure counts though an edited status has a later attempt', () => {
    const cluster = new JobCluster().running();
    cluster.makeUpStatus({ ...cluster.status, attempt: 99 });
    cluster.podsEnd({ exitCode: 3 }).controllerSyncs().rest();
    cluster.later(31_000).rest();
    expect(cluster.status).toMatchObject({ failures: { application: 1 }, exitCode: 3 });
  });
});
