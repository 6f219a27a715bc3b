// What of a ResourceQuota do jobs hold: what they have made, will make, and give back?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import {
  atRest,
  jobOf,
  NOW,
  podOf,
  queueOf,
  runOf,
  secondsLater,
  worldOf,
} from '../../../support/queue-worlds.ts';

const GIGA = 10n ** 9n;
const quotaOf = (hard: object, used: object) => ({
  name: 'all',
  hard: amounts(hard),
  used: amounts(used),
  scopes: [],
});
const amounts = (of: object): ReadonlyMap<string, bigint> =>
  new Map(Object.entries(of).map(([name, count]) => [name, BigInt(count) * GIGA]));

type Waiting = { readonly name: string; readonly size: number; readonly queueName: string };

const jobsOf = (waiting: readonly Waiting[]) =>
  waiting.map(({ name, ...spec }, index) =>
    jobOf(name, spec, { creationTimestamp: secondsLater(index + 1) }),
  );

/** Job a, of two ranks, is admitted and has its batch Job and pods; others wait. */
function running(
  run: Partial<BatchJob>,
  waiting: readonly Waiting[],
  over: Partial<QueueWorld>,
): QueueWorld {
  const queues = ['batch', 'other'].map((name) => queueOf({ pods: '9' }, {}, name));
  const first = atRest(worldOf({ queues, jobs: [jobOf('a', { size: 2 })] }));
  const jobs = [jobOf('a', { size: 2 }, { status: { state: 'Running' } }), ...jobsOf(waiting)];
  const pods = [0, 1].map((rank) => podOf('a', { uid: `pod-a-${rank}`, rank }));
  return { ...first, jobs, runs: [runOf('a', { parallelism: 2, ...run })], pods, ...over };
}

const admittedIn = (world: QueueWorld): readonly string[] =>
  decideQueues(world, NOW + 20_000).desired?.pass.admitted.map(({ name }) => name) ?? [];

describe('usage of a ResourceQuota by jobs', () => {
  it('an existing batch Job is not promised a second time', () => {
    const resourceQuotas = [quotaOf({ 'count/jobs.batch': 2 }, { 'count/jobs.batch': 1 })];
    const waiting = [{ name: 'b', size: 1, queueName: 'batch' }];
    expect(admittedIn(running({}, waiting, { resourceQuotas }))).toEqual(['b']);
  });

  it('a batch Job that does not exist yet is promised', () => {
    const resourceQuotas = [quotaOf({ 'count/jobs.batch': 2 }, { 'count/jobs.batch': 1 })];
    const waiting = [{ name: 'b', size: 1, queueName: 'batch' }];
    const world = running({}, waiting, { resourceQuotas, runs: [], pods: [] });
    expect(admittedIn(world)).toEqual([]);
  });

  const both = [
    { name: 'gang', size: 3, queueName: 'batch' },
    { name: 'small', size: 1, queueName: 'other' },
  ];

  it('room is kept for a job that waits for pods of another job', () => {
    const resourceQuotas = [quotaOf({ pods: 3 }, { pods: 2 })];
    expect(admittedIn(running({}, both, { resourceQuotas }))).toEqual([]);
  });

  it('room is kept for a job that waits for pods of a job that is over', () => {
    const resourceQuotas = [quotaOf({ pods: 3 }, { pods: 2 })];
    const end = { type: 'Complete', reason: '', message: '', time: secondsLater(9) } as const;
    expect(admittedIn(running({ end }, both, { resourceQuotas }))).toEqual([]);
  });

  it('room is kept for a job that waits for pods that have ended and still count', () => {
    const runs = running({}, both, { resourceQuotas: [quotaOf({ pods: 3 }, { pods: 2 })] });
    const { remembered } = decideQueues(runs, NOW + 20_000);
    const jobs = runs.jobs.filter(({ meta }) => meta.name !== 'a');
    const resourceQuotas = [quotaOf({ pods: 3 }, { pods: 1 })];
    const gone = { ...runs, remembered, jobs, runs: [], pods: [], resourceQuotas };
    expect(admittedIn(gone)).toEqual([]);
    expect(admittedIn({ ...gone, resourceQuotas: [quotaOf({ pods: 3 }, { pods: 0 })] })).toEqual([
      'gang',
    ]);
  });

  it('room is kept for a job that waits for requests that a webhook has added to pods of another job', () => {
    const resourceQuotas = [quotaOf({ 'requests.cpu': 5 }, { 'requests.cpu': 4 })];
    const resources = { requests: { cpu: '1' } };
    const main = { name: 'main', resources: { requests: { cpu: '2' } } };
    const waiting = both.map((job) => ({ ...job, resources }));
    const world = running({}, waiting, { resourceQuotas });
    const pods = world.pods.map((pod) => ({ ...pod, spec: { containers: [main] } }));
    const { remembered } = decideQueues({ ...world, pods }, NOW + 20_000);
    const monotonicMs = world.monotonicMs + 10_000;
    const later = { ...world, pods, remembered, monotonicMs };
    expect(admittedIn(later)).toEqual([]);
    const { verdicts } = decideQueues(later, NOW + 30_000);
    expect(verdicts?.get('uid-small')?.reason).toBe('BehindHead');
  });

  it('no room is kept for a job that waits for quota that a Deployment uses', () => {
    const resourceQuotas = [quotaOf({ pods: 4 }, { pods: 2 })];
    const gone = { resourceQuotas, runs: [], pods: [] };
    const { jobs, ...world } = atRest(running({}, [], { ...gone, jobs: [] }));
    expect(admittedIn({ ...world, jobs: [...jobs, ...jobsOf(both)] })).toEqual(['small']);
  });
});
