// What becomes of a job whose place another one takes?
import { describe, expect, it } from '@jest/globals';
import { conditionIn } from '../../../src/core/conditions.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const TAKE_BACK =
  'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true';
const WHY = 'job urgent of priority 9 takes its place';

/** The queue has noted it in the ledger. */
function preempt(cluster: JobCluster): JobCluster {
  if (cluster.entry === undefined) throw new Error('the job is not admitted');
  const by = { uid: 'uid-urgent', name: 'urgent', priority: 9, time: cluster.entry.time };
  cluster.entry = { ...cluster.entry, preempted: by };
  return cluster;
}

const preempted = ({ status }: JobCluster) => conditionIn(status.conditions, 'Preempted');

describe('a job that ends for another one', () => {
  it('is taken back, names the job that takes its place, and waits again once its pods have ended', () => {
    const cluster = preempt(new JobCluster().running());
    expect(textsOf(cluster.rest())).toEqual([TAKE_BACK, 'status Suspending']);
    expect(cluster.status.reason).toBe('Preempted');
    expect(cluster.status.message).toMatch(new RegExp(`^${WHY}; 1 pod has not ended: sim-0-`));
    expect(preempted(cluster)).toMatchObject({ status: 'True', message: WHY });
    cluster.controllerSyncs();
    expect(cluster.rest()).toEqual([]);
    expect(textsOf(cluster.terminatingEnd().rest())).toEqual(['status Waiting']);
    expect(cluster.status.history?.map(({ reason }) => reason)).toContain('Preempted');
    expect(cluster.status.failures).toBeUndefined();
  });

  it('keeps that condition until it is admitted again, and then runs as another attempt', () => {
    const cluster = preempt(new JobCluster().running());
    cluster.rest();
    cluster.settle();
    cluster.entry = undefined;
    cluster.waits = { reason: 'WaitingForQuota', message: 'needs 1 pod, 0 are free' };
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'WaitingForQuota' });
    expect(preempted(cluster)).toMatchObject({ status: 'True', message: WHY });
    cluster.running();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
    expect(preempted(cluster)).toMatchObject({ status: 'False', reason: 'NotPreempted' });
  });

  it('has that condition even if none of its pods was created yet', () => {
    const cluster = new JobCluster();
    cluster.admit().rest();
    expect(cluster.state).toBe('Starting');
    const steps = [TAKE_BACK, 'status Suspending', 'status Waiting'];
    expect(textsOf(preempt(cluster).rest())).toEqual(steps);
    expect(preempted(cluster)).toMatchObject({ status: 'True' });
  });

  it('has not failed when its ranks end with an error, or too late for a start', () => {
    const cluster = preempt(new JobCluster().running());
    cluster.rest();
    cluster.podsEnd({ exitCode: 143 }).controllerSyncs().rest();
    expect(cluster.state).toBe('Waiting');
    expect(cluster.status.failures).toBeUndefined();
  });

  it('is Succeeded if all of its ranks had succeeded', () => {
    const cluster = preempt(new JobCluster().running());
    cluster.rest();
    cluster.podsEnd({ exitCode: 0 }).endBatchJob('Complete', 'CompletionsReached').rest();
    expect(cluster.state).toBe('Succeeded');
  });
});
