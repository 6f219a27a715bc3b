// What is told of a job when Kubernetes cannot create the pods of its ranks?
import { describe, expect, it } from '@jest/globals';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const REFUSAL = 'the pod of rank 0 is forbidden: violates PodSecurity "restricted:latest"';

/** It may make pods, and has none. */
function started(spec: object = {}): JobCluster {
  const cluster = new JobCluster({ size: 2, ...spec });
  cluster.admit().rest();
  return cluster;
}

describe('a job whose pods are refused', () => {
  it('the status of a job says once why its pods are refused, with a warning', () => {
    const cluster = started();
    cluster.podRefusal = REFUSAL;
    const steps = cluster.rest();
    expect(textsOf(steps)).toEqual(['status Starting']);
    expect(cluster.status).toMatchObject({
      state: 'Starting',
      reason: 'PodsRefused',
      message: `0 of 2 ranks run; ${REFUSAL}`,
    });
    expect(steps).toContainEqual(
      expect.objectContaining({
        event: {
          type: 'Warning',
          reason: 'PodsRefused',
          action: 'Decide',
          message: `Starting: 0 of 2 ranks run; ${REFUSAL}`,
        },
      }),
    );
    expect(cluster.condition('Ready')).toMatchObject({ status: 'False', reason: 'PodsRefused' });
    expect(cluster.later(60_000).rest()).toEqual([]);
  });

  it('the refusal is forgotten when all pods exist', () => {
    const cluster = started();
    cluster.podRefusal = REFUSAL;
    cluster.rest();
    cluster.controllerSyncs().rest();
    expect(cluster.status).toMatchObject({ reason: 'RanksStarting', message: '0 of 2 ranks run' });
    cluster.podsReady().rest();
    cluster.told();
    expect(cluster.status).toMatchObject({ state: 'Running', message: '2 of 2 ranks run' });
  });

  it('refused pods count as a failure of the start, and its message keeps the refusal', () => {
    const cluster = started({ startTimeoutSeconds: 60 });
    cluster.podRefusal = REFUSAL;
    cluster.rest();
    cluster.later(61_000).rest();
    const message = `not all ranks ran within 60 s: 0 of 2 ranks run; ${REFUSAL}`;
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      message,
      failures: { application: 0, image: 0, start: 1, disruption: 0 },
    });
  });

  it('the message of a start that timed out keeps the trouble of a rank', () => {
    const cluster = started({ startTimeoutSeconds: 60 });
    cluster.controllerSyncs().podsInTrouble('ImagePullBackOff', 1).later(61_000).rest();
    expect(cluster.status.message).toContain('; 2 pods have not ended: ');
    cluster.settle();
    expect(cluster.status).toMatchObject({
      reason: 'BackingOff',
      message: 'not all ranks ran within 60 s: 0 of 2 ranks run; rank 1: ImagePullBackOff',
    });
  });
});

describe('a job that misses pods', () => {
  it('events are read only while a started batch Job lacks pods', () => {
    const cluster = new JobCluster({ size: 2 });
    expect(cluster.decide().lacking).toEqual([]);
    cluster.admit().step();
    expect(cluster.decide().lacking).toEqual([]);
    cluster.rest();
    expect(cluster.decide().lacking).toEqual([cluster.world().batchJob]);
    cluster.controllerSyncs();
    expect(cluster.decide().lacking).toEqual([]);
    cluster.podsReady().podsEnd({ exitCode: 0 }).controllerSyncs().rest();
    expect(cluster.decide().lacking).toEqual([]);
  });

  it('a rank that has succeeded lacks no pod when its pod is deleted', () => {
    const cluster = new JobCluster({ size: 2 }).running();
    cluster.podsEnd({ exitCode: 0 }, 0).controllerSyncs().deletePodOf(0);
    cluster.podRefusal = REFUSAL;
    cluster.later(60_000).rest();
    expect(cluster.status).toMatchObject({ state: 'Running', message: '2 of 2 ranks run' });
    expect(cluster.decide().lacking).toEqual([]);
  });
});
