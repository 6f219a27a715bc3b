// What becomes of a job when a rank is taken away that ends well on the signal? Kubernetes counts
// that rank as completed and does not replace it.
import { describe, expect, it } from '@jest/globals';
import { mustKnowPods } from '../../../src/job/attempt/certainty.ts';
import { decideJob } from '../../../src/job/decide.ts';
import { nothingRemembered } from '../../../src/job/world.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const CUT_SHORT = 'a rank was deleted or evicted while others ran';
const gang = (spec: object = {}): JobCluster => new JobCluster({ size: 3, ...spec }).running();

describe('a rank that is deleted and succeeds', () => {
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

  it('a job whose ranks Kubernetes ends at the deadline is not cut short by the first rank that ends', () => {
    const cluster = gang({ activeDeadlineSeconds: 100 }).deletePods(0, 1, 2);
    cluster.podsEnd({ exitCode: 0 }, 1);
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Running', reason: 'RanksNotReady' });
  });

  it('a job that is suspended at the same time counts no disruption', () => {
    const cluster = gang().edit({ suspend: true });
    cluster.rest();
    cluster.controllerSyncs().terminatingEnd(0).rest();
    expect(cluster.state).toBe('Suspended');
    expect(cluster.status.failures).toBeUndefined();
  });

  it('a job has not succeeded when its other ranks succeed only after they were told to end', () => {
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

  it.each([
    ['with one rank', new JobCluster().running().deletePods(0), 0],
    ['whose other ranks have ended well', gang().podsEnd({ exitCode: 0 }, 0, 2).deletePods(1), 1],
  ])('a job %s is retried as well', (_, cluster, rank) => {
    cluster.rest();
    cluster.terminatingEnd(0).controllerSyncs().rest();
    expect(cluster.parsedBatchJob?.end?.type).toBe('Complete');
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      message: `attempt 1 failed: rank ${rank} was told to end: its pod was deleted`,
      failures: { application: 0, disruption: 1 },
    });
    cluster.entry = undefined;
    cluster.later(10_000).running();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
  });

  it('a job that is evicted is retried in the words of Kubernetes', () => {
    const cluster = new JobCluster().running().evictPods(0);
    cluster.rest();
    cluster.terminatingEnd(0).controllerSyncs().rest();
    expect(cluster.status.message).toBe(
      'attempt 1 failed: rank 0 was disrupted: Eviction API: evicting',
    );
  });

  it('a job whose pods are deleted while no operator runs is retried', () => {
    const cluster = gang().deletePods(0, 1, 2).terminatingEnd(0).controllerSyncs().podsGone();
    cluster.remembered = nothingRemembered;
    cluster.rest();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      message:
        'attempt 1 failed: the pod of rank 0 is gone, and the operator has not seen how it ended',
      failures: { disruption: 1 },
    });
  });

  it('a job of which one rank is deleted while no operator runs is taken back and retried', () => {
    const cluster = gang().deletePods(1).terminatingEnd(0).controllerSyncs().podsGone();
    cluster.remembered = nothingRemembered;
    expect(cluster.rest()).toEqual([]);
    cluster.later(5_000).rest();
    expect(cluster.status).toMatchObject({
      state: 'Suspending',
      reason: 'Disrupted',
      message: expect.stringMatching(
        /^the pod of rank 1 is gone, and the operator has not seen how it ended; 2 pods have not/,
      ),
      failures: { disruption: 1 },
    });
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Waiting', reason: 'BackingOff' });
  });

  it('a job goes on when a leader still finds the pod of the rank', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 1).controllerSyncs();
    const world = { ...cluster.world(), remembered: nothingRemembered };
    const pods = world.pods.filter(({ rank }) => rank !== 1);
    const { remembered, steps } = decideJob({ ...world, pods }, cluster.now);
    expect(steps).toEqual([]);
    const { job, batchJob, entry } = world;
    expect(mustKnowPods({ job, batchJob, entry, remembered })).toBe(true);
    cluster.remembered = remembered;
    cluster.later(5_000).rest();
    cluster.later(5_000).rest();
    expect(cluster.status).toMatchObject({ state: 'Running', endedRanks: '1' });
  });

  it('a job goes on under a new leader when the status shows that the rank had succeeded', () => {
    const cluster = gang({ size: 5 }).podsEnd({ exitCode: 0 }, 0, 1, 3);
    cluster.later(5_000).rest();
    expect(cluster.status.endedRanks).toBe('0-1,3');
    cluster.controllerSyncs().podsGone().remembered = nothingRemembered;
    cluster.later(5_000).rest();
    expect(cluster.status).toMatchObject({ state: 'Running', endedRanks: '0-1,3' });
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.state).toBe('Succeeded');
    expect(cluster.status.endedRanks).toBeUndefined();
  });

  it('a job goes on when its status was written by an earlier version of the operator, without ended ranks', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 1);
    cluster.rest();
    cluster.makeUpStatus({ ...cluster.status, endedRanks: undefined });
    cluster.controllerSyncs().podsGone().remembered = nothingRemembered;
    cluster.later(5_000).rest();
    expect(cluster.state).toBe('Running');
  });

  it('a job whose pods are deleted after they have succeeded is Succeeded', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 0, 1);
    cluster.rest();
    cluster.controllerSyncs().podsGone().podsEnd({ exitCode: 0 }, 2).controllerSyncs().rest();
    expect(cluster.state).toBe('Succeeded');
  });

  it('a Succeeded job stays Succeeded under a leader that finds no pod of it', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }).controllerSyncs();
    cluster.rest();
    cluster.podsGone().remembered = nothingRemembered;
    expect(cluster.rest()).toEqual([]);
    expect(cluster.state).toBe('Succeeded');
  });

  it('a job is Succeeded although the watch of pods reports their ends late', () => {
    const cluster = gang().breakPodWatch(true);
    cluster.podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.state).toBe('Succeeded');
  });
});

describe('a rank that succeeds by itself', () => {
  it('a job runs on with the other ranks', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 1);
    expect(cluster.rest()).toEqual([]);
    expect(cluster.status).toMatchObject({ state: 'Running', reason: 'AllRanksRunning' });
  });
});

describe('a rank that fails while others run', () => {
  it('a job reports the exit code of its failed rank, also when Kubernetes ends the others with success', () => {
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

describe('pods whose batch Job was deleted without them', () => {
  it('a job waits for them, names them, and then runs again', () => {
    const cluster = gang().orphanPods();
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Admitted', reason: 'PodsEnding' });
    expect(cluster.status.message).toMatch(
      /3 pods have not ended: sim-0-\w+, sim-1-\w+, sim-2-\w+; delete the 3 that no Job controls any more/,
    );
    expect(cluster.later(60_000).rest()).toEqual([]);
    cluster.deletePodOf(0).deletePodOf(1).deletePodOf(2).rest();
    cluster.controllerSyncs().podsReady().rest();
    cluster.told();
    expect(cluster.status).toMatchObject({ state: 'Running', attempt: 2 });
  });
});
