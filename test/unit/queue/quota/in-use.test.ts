// Until when is what a job holds taken, as far as is known, and what does that say of others?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { estimateStarts } from '../../../../src/queue/order/estimate.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import {
  atRest,
  carriedOut,
  jobOf,
  NOW,
  podOf,
  queueOf,
  runOf,
  secondsLater,
  worldOf,
} from '../../../support/queue-worlds.ts';

const queue = queueOf({ pods: '4' });
const LATER = 20_000;
/** A grace period of thirty seconds, and what the operator takes to know. */
const ENDS_MS = 35_000;
/** A batch Job that runs says in which second it began. */
const LEFT_MS = 1_000 + ENDS_MS;
/** One that does not run yet. */
const WHOLE_MS = 2_000 + ENDS_MS;

/** Job a is admitted under grant 2, and b waits for its quota. */
function withBoth(
  spec: object,
  run: Partial<BatchJob> | undefined,
  over: Partial<QueueWorld> = {},
) {
  const first = atRest(worldOf({ queues: [queue], jobs: [jobOf('a', { size: 4, ...spec })] }));
  const jobs = [
    jobOf('a', { size: 4, ...spec }, { status: { state: 'Running' } }),
    jobOf('b', { size: 2 }, { creationTimestamp: secondsLater(1) }),
  ];
  const runs = run === undefined ? [] : [runOf('a', run)];
  return { ...first, jobs, runs, pods: [podOf('a')], ...over };
}

/** When job b starts, 20 s later. */
function startOf(world: QueueWorld, name = 'b'): unknown {
  const now = NOW + LATER;
  const { desired } = decideQueues(world, now);
  if (desired === undefined) throw new Error('nothing is decided');
  const { facts, pass } = desired;
  return estimateStarts('batch', facts, pass, desired.holdings()).get(`uid-${name}`);
}

describe('a job that waits for one that is in use', () => {
  const deadline = { activeDeadlineSeconds: 100 };

  it('the estimate is the remaining deadline of the running batch Job', () =>
    expect(startOf(withBoth(deadline, { deadlineSeconds: 90 }))).toEqual({ ms: 70_000 + LEFT_MS }));

  it('a deadline begins when the batch Job is started', () => {
    const run = { deadlineSeconds: 90, isSuspended: true };
    expect(startOf(withBoth(deadline, run))).toEqual({ ms: 90_000 + WHOLE_MS });
    expect(startOf(withBoth(deadline, undefined))).toEqual({ ms: 100_000 + WHOLE_MS });
  });

  it('the estimate after a deadline is the time that pods take to end', () => {
    expect(startOf(withBoth(deadline, { deadlineSeconds: 5 }))).toEqual({ ms: LEFT_MS - 15_000 });
    const template = { spec: { terminationGracePeriodSeconds: 10 } };
    const short = { ...deadline, template };
    expect(startOf(withBoth(short, { deadlineSeconds: 5 }))).toEqual({ ms: LEFT_MS - 35_000 });
    expect(
      startOf(
        withBoth(
          { ...deadline, template: { spec: { terminationGracePeriodSeconds: 0 } } },
          { deadlineSeconds: 5 },
        ),
      ),
    ).toEqual({
      unknown: 'pods of job a have not ended after its deadline',
    });
  });

  describe('with a signal before its deadline', () => {
    const signalled = { ...deadline, deadlineSignalSeconds: 60 };
    /** Its pods have ended at the deadline, and the operator takes five seconds to know. */
    const KNOWN_MS = 5_000;

    it('a job with a signal frees its quota at its deadline, without an additional grace period', () =>
      expect(startOf(withBoth(signalled, { deadlineSeconds: 41, signalSeconds: 60 }))).toEqual({
        ms: 81_000 + 1_000 + KNOWN_MS,
      }));

    it('the estimate is the same before the batch Job is created or started', () => {
      const run = { deadlineSeconds: 41, signalSeconds: 60, isSuspended: true };
      expect(startOf(withBoth(signalled, run))).toEqual({ ms: 101_000 + 2_000 + KNOWN_MS });
      const made = withBoth(signalled, undefined);
      expect(startOf(made)).toEqual({ ms: 100_000 + 2_000 + KNOWN_MS });
      const jobDefaults = { activeDeadlineSeconds: 100, deadlineSignalSeconds: 60 };
      const queues = [queueOf({ pods: '4' }, { jobDefaults })];
      expect(startOf(withBoth({}, undefined, { queues }))).toEqual(startOf(made));
    });

    it('a batch Job that was created without a signal has its grace period', () =>
      expect(startOf(withBoth(signalled, { deadlineSeconds: 101 }))).toEqual({
        ms: 81_000 + LEFT_MS,
      }));
  });

  it('a start is estimated with the longest start of the running jobs', () => {
    const run = { deadlineSeconds: 90, startedMs: NOW + 8_000 };
    const world = withBoth(deadline, run);
    const { desired } = decideQueues(world, NOW + LATER);
    expect(desired?.facts.startsInMs).toBe(9_000);
    expect(startOf(world)).toEqual({ ms: 78_000 + LEFT_MS });
  });

  it('a start counts from the admission, even if the batch Job was created late', () => {
    const run = { createdMs: NOW + 7_000, startedMs: NOW + 8_000 };
    const { desired } = decideQueues(withBoth(deadline, run), NOW + LATER);
    expect(desired?.facts.startsInMs).toBe(9_000);
  });

  it('a start that took very long counts as a minute', () => {
    const { desired } = decideQueues(withBoth(deadline, { startedMs: NOW + 900_000 }), NOW + LATER);
    expect(desired?.facts.startsInMs).toBe(60_000);
  });

  it('a job without a deadline has the default of its queue', () => {
    const jobDefaults = { activeDeadlineSeconds: 50 };
    const queues = [queueOf({ pods: '4' }, { jobDefaults })];
    expect(startOf(withBoth({}, undefined, { queues }))).toEqual({ ms: 50_000 + WHOLE_MS });
  });

  it('a job without a deadline is named', () =>
    expect(startOf(withBoth({}, {}))).toEqual({ unknown: 'job a has no deadline' }));

  it('a job that is over is named while its pods hold the quota', () => {
    const end = { type: 'Complete', reason: '', message: '', time: secondsLater(9) } as const;
    expect(startOf(withBoth(deadline, { deadlineSeconds: 90, end }))).toEqual({
      unknown: 'pods of job a, which is over, have not ended',
    });
    expect(startOf(withBoth(deadline, { end }, { pods: [] }))).toEqual({ ms: 0 });
  });

  it('a labelled batch Job counts with its own deadline', () => {
    const podSpec = { containers: [{ name: 'main' }] };
    const plain = { swarmJobUid: undefined, parallelism: 4, podSpec };
    const night = runOf('night', { ...plain, isSuspended: true, grant: undefined });
    const empty = worldOf({ queues: [queue], runs: [night] });
    const made = carriedOut(empty, decideQueues(empty, NOW));
    const first = carriedOut(made, decideQueues(made, NOW));
    const jobs = [jobOf('b', { size: 2 }, { creationTimestamp: secondsLater(1) })];
    const runsFor = (deadlineSeconds: number | undefined) => [
      runOf('night', { ...plain, deadlineSeconds }),
    ];
    expect(startOf({ ...first, jobs, runs: runsFor(30) })).toEqual({ ms: 10_000 + LEFT_MS });
    expect(startOf({ ...first, jobs, runs: runsFor(undefined) })).toEqual({
      unknown: 'job night has no deadline',
    });
  });

  it('a ResourceQuota gets back the pods of a job, and not the pods of others', () => {
    const quotaOf = (used: bigint) => ({
      name: 'all',
      hard: new Map([['pods', 5n * 10n ** 9n]]),
      used: new Map([['pods', used * 10n ** 9n]]),
      scopes: [],
    });
    const queues = [queueOf({ pods: '9' })];
    const at = (used: bigint) =>
      startOf(
        withBoth(deadline, { deadlineSeconds: 90 }, { queues, resourceQuotas: [quotaOf(used)] }),
      );
    // One of its four pods is there, and three are promised.
    expect(at(1n)).toEqual({ ms: 70_000 + LEFT_MS });
    expect(at(4n)).toEqual({ ms: 70_000 + LEFT_MS });
    expect(at(5n)).toEqual({
      unknown: 'no job that ends gives back enough pods of ResourceQuota all',
    });
  });
});
