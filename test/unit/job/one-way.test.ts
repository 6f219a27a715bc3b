// Do facts flow one way? The world of a job follows from what caches answer, and changes nothing.
import { expect, it } from '@jest/globals';
import { decideFailed } from '../../../src/job/decide.ts';
import { observeJob } from '../../../src/job/observe.ts';
import { BatchJobs } from '../../../src/runtime/store/batch-jobs.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

it('the world of a job is the same for the same answers', () => {
  const cluster = new JobCluster().running();
  const none = { get: () => undefined };
  const sources = {
    clock: { now: () => 0, monotonic: () => 5_000 },
    batchJobs: new BatchJobs(),
    caches: { hosts: none, queues: none, services: none },
  };
  const { remembered } = cluster;
  const before = {
    isGone: false,
    isUnreported: false,
    ledger: undefined,
    isOutdated: false,
    epoch: undefined,
    pods: undefined,
    creationFailures: new Map([
      ['1', 'b'],
      ['0', 'a'],
    ]),
    waits: undefined,
    remembered,
    refused: undefined,
  };
  const observed = observeJob(sources, cluster.swarmJob, before);
  expect(observed).toMatchObject({ kind: 'SwarmJob', job: cluster.swarmJob, podRefusal: 'a' });
  expect(observeJob(sources, cluster.swarmJob, before)).toEqual(observed);
});

it('a job whose decision fails is stalled, and stays in its state', () => {
  const cluster = new JobCluster().running();
  const refused = { reason: 'Invalid', message: 'no such field' };
  const { steps } = decideFailed(cluster.swarmJob, refused, cluster.now);
  expect(textsOf(steps)).toEqual(['status Running']);
  for (const step of steps) cluster.carryOut(step);
  expect(cluster.condition('Stalled')).toMatchObject({ status: 'True', reason: 'DecisionFailed' });
  expect(cluster.status).toMatchObject({ attempt: 1, reason: 'DecisionFailed' });
  cluster.rest();
  expect(cluster.status).toMatchObject({ state: 'Running', reason: 'AllRanksRunning' });
});
