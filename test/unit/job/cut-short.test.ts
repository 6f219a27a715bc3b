// What becomes of a job when a rank is taken away that ends well on the signal? Kubernetes counts
// that rank as completed and does not replace it.
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const CUT_SHORT = 'a rank was deleted or evicted while others ran';
const gang = (spec: object = {}): JobCluster => new JobCluster({ size: 3, ...spec }).running();

describe('a rank that is deleted and ends well', () => {
  it('a job is taken back and retried, and the disruption is counted once', () => {
    const cluster = gang().deletePods(1);
    expect(textsOf(cluster.rest())).toEqual(['status Running']);
    expect(textsOf(cluster.terminatingEnd(0).rest())).toEqual([
      'operate test k8slab.info~1grant 2, replace k8slab.info~1grant 3, replace suspend true',
      'status Suspending',
    ]);
    expect(cluster.status.message).toMatch(`${CUT_SHORT}; 2 pods have not ended: sim-0-`);
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      message: CUT_SHORT,
      failures: { application: 0, disruption: 1 },
    });
    cluster.entry = undefined;
    cluster.later(10_000).running();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
    expect(cluster.status.failures?.disruption).toBe(1);
  });

  it('a job that was taken back by a leader that wrote no status counts the disruption', () => {
    const cluster = gang().deletePods(1);
    cluster.rest();
    const [takeBack, ...rest] = cluster.terminatingEnd(0).decide().steps;
    expect(rest[0]?.do).toBe('status');
    if (takeBack !== undefined) cluster.carryOut(takeBack);
    cluster.rest();
    expect(cluster.status).toMatchObject({
      state: 'Suspending',
      reason: 'Disrupted',
      failures: { disruption: 1 },
    });
  });

  it('a job fails when no retry is left', () => {
    const cluster = gang({ retries: { other: 0 } })
      .deletePods(1)
      .terminatingEnd(0);
    cluster.rest();
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      reason: 'Disrupted',
      message: CUT_SHORT,
    });
  });

  it('a job that is suspended meanwhile counts no disruption', () => {
    const cluster = gang().edit({ suspend: true });
    cluster.rest();
    cluster.controllerSyncs().terminatingEnd(0).rest();
    expect(cluster.state).toBe('Suspended');
    expect(cluster.status.failures).toBeUndefined();
  });

  it('a job whose other ranks end well, too, once they are told to end has not succeeded', () => {
    const cluster = gang().deletePods(1).terminatingEnd(0);
    cluster.controllerSyncs().rest();
    cluster.controllerSyncs().terminatingEnd(0).controllerSyncs().rest();
    expect(cluster.parsedBatchJob?.end?.type).toBe('Complete');
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      message: CUT_SHORT,
      failures: { disruption: 1 },
    });
    cluster.entry = undefined;
    cluster.later(10_000).running();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
  });

  it('a job is Succeeded when no other rank runs', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 0, 2).deletePods(1).terminatingEnd(0);
    cluster.controllerSyncs().rest();
    expect(cluster.state).toBe('Succeeded');
  });
});

describe('a rank that ends well by itself', () => {
  it('a job runs on with the other ranks', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 1);
    expect(cluster.rest()).toEqual([]);
    expect(cluster.status).toMatchObject({ state: 'Running', reason: 'AllRanksRunning' });
  });
});

describe('a rank that fails while others run', () => {
  it('a job tells its exit code, also when the others end well as Kubernetes ends them', () => {
    const cluster = gang().podsEnd({ exitCode: 3 }, 2).controllerSyncs();
    cluster.podsEnd({ exitCode: 0 }, 0).rest();
    cluster.podsEnd({ exitCode: 0 }, 1).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      reason: 'CommandFailed',
      exitCode: 3,
      failures: { application: 1, disruption: 0 },
    });
  });
});
