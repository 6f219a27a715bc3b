// What becomes of a job whose pods end before Kubernetes or its status have told that they run?
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { stepText, textsOf } from '../../support/job-steps.ts';

describe('a job whose ranks have all succeeded', () => {
  it('a job has succeeded when its last pod has, and the end of its batch Job changes nothing', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.podsEnd({ exitCode: 0 }, 0);
    expect(textsOf(cluster.rest())).toEqual([]);
    cluster.podsEnd({ exitCode: 0 }, 1);
    expect(textsOf(cluster.rest())).toEqual(['status Succeeded']);
    expect(cluster.status).toMatchObject({ finishTime: '2026-01-01T00:00:01Z', exitCode: 0 });
    expect(textsOf(cluster.later(1_000).controllerSyncs().rest())).toEqual([]);
    cluster.entry = undefined;
    expect(textsOf(cluster.rest())).toEqual([]);
    expect(cluster.batchJob?.['spec']).toMatchObject({ suspend: false });
  });

  it('a job that was edited before its status closed its spec reports how many ranks succeeded', () => {
    const cluster = new JobCluster({ size: 2 });
    cluster.admit().rest();
    cluster.edit({ size: 5 }).rest();
    cluster.controllerSyncs().podsEnd({ exitCode: 0 }).rest();
    expect(cluster.status.message).toBe('all 2 ranks ended well');
  });

  it('a rank that Kubernetes creates again after its job has succeeded is ended', () => {
    const cluster = new JobCluster().running();
    cluster.podsEnd({ exitCode: 0 }).rest();
    cluster.entry = undefined;
    cluster.pods = [];
    cluster.controllerSyncs();
    expect(cluster.living).toHaveLength(1);
    cluster.settle();
    expect(cluster.living).toEqual([]);
    expect(cluster.state).toBe('Succeeded');
  });
});

describe('a job that runs for less than a second', () => {
  it('a job whose ranks run for less than a second reports its run and its end in one write', () => {
    const cluster = new JobCluster();
    cluster.admit().rest();
    cluster.controllerSyncs().later(9_000).podsReady().rest();
    cluster.later(900).podsEnd({ exitCode: 0 });
    const steps = cluster.rest();
    expect(steps.map(stepText)).toEqual([
      'status Succeeded',
      'event AllRanksRunning',
      'event Completed',
    ]);
    const start = '2026-01-01T00:00:09Z';
    expect(cluster.status).toMatchObject({ startTime: start, finishTime: start });
    expect(cluster.status.history).toMatchObject([
      { state: 'Succeeded', reason: 'Completed', time: start },
      { state: 'Running', reason: 'AllRanksRunning', message: '1 of 1 rank runs', time: start },
      { state: 'Starting' },
    ]);
  });

  it('a rank that fails within a second after all ran fails a job that ran', () => {
    const cluster = new JobCluster({ size: 2, retries: { application: 1 } });
    cluster.admit().rest();
    cluster.controllerSyncs().podsReady().rest();
    cluster.later(500).podsEnd({ exitCode: 3 }, 1);
    expect(textsOf(cluster.rest())).toEqual([]);
    cluster.settle();
    expect(cluster.status.history?.map(({ state, reason }) => [state, reason])).toEqual([
      ['Waiting', 'BackingOff'],
      ['Running', 'AllRanksRunning'],
      ['Starting', 'RanksStarting'],
    ]);
  });

  it('the start timeout no longer applies once all ranks have run, even before the status shows it', () => {
    const cluster = new JobCluster({ startTimeoutSeconds: 60 });
    cluster.admit().rest();
    cluster.controllerSyncs().later(60_500).podsReady().rest();
    cluster.later(600).podsInTrouble('CrashLoopBackOff').rest();
    expect(cluster.state).toBe('Starting');
    expect(cluster.told().status).toMatchObject({ state: 'Running', reason: 'RanksNotReady' });
  });
});
