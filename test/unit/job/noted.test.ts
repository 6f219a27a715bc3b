// When is a job Suspended that was suspended right after its start? The controller of batch Jobs
// may have learnt of the start alone, and makes pods.
import { describe, expect, it } from '@jest/globals';
import { nothingRemembered } from '../../../src/job/world.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

/** Its controller has noted nothing since it was made. */
const started = (): JobCluster => {
  const cluster = new JobCluster().admit();
  cluster.rest();
  expect(cluster.state).toBe('Starting');
  return cluster;
};

/** Its controller had noted that it is suspended, and has noted nothing since. */
const madeAndStarted = (): JobCluster => {
  const cluster = new JobCluster().admit();
  cluster.step();
  cluster.controllerSyncs().rest();
  expect(cluster.state).toBe('Starting');
  return cluster;
};

const suspend = (cluster: JobCluster): JobCluster => {
  cluster.edit({ suspend: true }).rest();
  return cluster;
};

describe('a job that is suspended right after its start', () => {
  it('a job is Suspended once its controller has noted the suspension', () => {
    const cluster = suspend(started());
    expect(cluster.status).toMatchObject({ state: 'Suspending', reason: 'SuspendRequested' });
    expect(textsOf(cluster.controllerSyncs().rest())).toEqual(['status Suspended']);
  });

  it('a job whose start was noted is Suspended once the suspension is noted, too', () => {
    const cluster = started();
    if (cluster.batchJob === undefined) throw new Error('no batch Job');
    cluster.batchJob = { ...cluster.batchJob, status: { startTime: '2026-01-01T00:00:00Z' } };
    cluster.rest();
    expect(suspend(cluster).state).toBe('Suspending');
    expect(textsOf(cluster.controllerSyncs().rest())).toEqual(['status Suspended']);
  });

  it('a job is Suspended once the pods have ended that its controller makes late', () => {
    const cluster = madeAndStarted();
    cluster.controllerSyncs();
    suspend(cluster.breakPodWatch(true)).breakPodWatch(false).rest();
    expect(cluster.state).toBe('Suspending');
    cluster.controllerSyncs().rest();
    expect(cluster.state).toBe('Suspending');
    cluster.terminatingEnd().rest();
    expect(cluster.state).toBe('Suspended');
  });

  it('a job is Suspended after five seconds in which its controller notes nothing', () => {
    const cluster = suspend(madeAndStarted());
    expect(cluster.state).toBe('Suspending');
    expect(cluster.decide().requeueAfterMs).toBe(5_000);
    expect(cluster.later(4_999).rest()).toEqual([]);
    expect(textsOf(cluster.later(1).rest())).toEqual(['status Suspended']);
  });

  it('a job is Suspending while its controller knows of pods that the watch has not reported', () => {
    const cluster = started().breakPodWatch(true).controllerSyncs();
    suspend(cluster).controllerSyncs().countTerminating().later(10_000).rest();
    expect(cluster.state).toBe('Suspending');
    cluster.terminatingEnd().countTerminating().rest();
    expect(cluster.state).toBe('Suspended');
  });

  it('a job is Suspended as late under a new leader, and stays so under the next', () => {
    const cluster = suspend(madeAndStarted()).later(3_000);
    cluster.remembered = nothingRemembered;
    expect(cluster.rest()).toEqual([]);
    expect(cluster.later(4_999).rest()).toEqual([]);
    expect(cluster.state).toBe('Suspending');
    cluster.later(1).rest();
    expect(cluster.state).toBe('Suspended');
    cluster.remembered = nothingRemembered;
    expect(cluster.rest()).toEqual([]);
  });
});
