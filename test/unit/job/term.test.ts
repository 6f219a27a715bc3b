// What does a new leader do for a job before it has written the ledger? What it has read of an
// earlier leader may be outdated.
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

describe('while the ledger is that of an earlier leader', () => {
  it('no batch Job is created until the ledger is of this term', () => {
    const cluster = new JobCluster().admit();
    cluster.isOfThisTerm = false;
    expect(cluster.rest()).toEqual([]);
    cluster.isOfThisTerm = true;
    expect(textsOf(cluster.step())).toEqual(['create Job']);
  });

  it('no batch Job is started until the ledger is of this term', () => {
    const cluster = new JobCluster().admit();
    cluster.step();
    cluster.isOfThisTerm = false;
    expect(cluster.rest()).toEqual([]);
    cluster.isOfThisTerm = true;
    expect(textsOf(cluster.rest())).toEqual([
      'operate test k8slab.info~1grant 2, replace suspend false',
      'status Starting',
    ]);
  });

  it('no batch Job is created or started while a watch is broken', () => {
    const cluster = new JobCluster().admit();
    cluster.isOutdated = true;
    expect(cluster.rest()).toEqual([]);
    cluster.isOutdated = false;
    expect(textsOf(cluster.step())).toEqual(['create Job']);
    cluster.isOutdated = true;
    expect(cluster.rest()).toEqual([]);
  });

  it('a job without an entry keeps its state, and its failure is counted later', () => {
    const cluster = new JobCluster().running().deleteBatchJob();
    const { entry } = cluster;
    cluster.entry = undefined;
    cluster.isOfThisTerm = false;
    expect(cluster.rest()).toEqual([]);
    cluster.terminatingEnd().isOfThisTerm = true;
    cluster.entry = entry;
    cluster.rest();
    expect(cluster.status).toMatchObject({ attempt: 2, failures: { disruption: 1 } });
  });

  it('a running job keeps a true status, and is taken back when its user suspends it', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.isOfThisTerm = false;
    cluster.podsInTrouble('CrashLoopBackOff', 1).later(2_000).rest();
    expect(cluster.status).toMatchObject({ state: 'Running', reason: 'RanksNotReady' });
    cluster.edit({ suspend: true }).rest();
    expect(cluster.state).toBe('Suspending');
    cluster.settle();
    expect(cluster.state).toBe('Suspended');
  });

  it('a failure is counted once', () => {
    const cluster = new JobCluster({ retries: { application: 1 } }).running();
    cluster.isOfThisTerm = false;
    cluster.podsEnd({ exitCode: 3 }).controllerSyncs().rest();
    cluster.isOfThisTerm = true;
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Waiting', failures: { application: 1 } });
  });
});
