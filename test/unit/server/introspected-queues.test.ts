// Is what the introspection tells of queues true, as fresh as the last decision, and bounded?
import { describe, expect, it } from '@jest/globals';
import type { QueueDetail } from '../../../src/api/introspection/queues.ts';
import type { JobPod } from '../../../src/api/job-pod.ts';
import type { SwarmJob } from '../../../src/api/validate.ts';
import type { QueueWorld } from '../../../src/queue/world.ts';
import {
  atRest,
  jobOf,
  podOf,
  queueOf,
  runOf,
  secondsLater,
  worldOf,
} from '../../support/queue-worlds.ts';
import { introspected, QUEUE } from './introspected.ts';

const operator = introspected();
const { seeQueues, ask, body } = operator;
const detail = async (): Promise<QueueDetail> => (await body(QUEUE)) as QueueDetail;

const rank = (at: number, over: Partial<JobPod>): JobPod =>
  podOf('run', { name: `run-${at}`, uid: `pod-${at}`, rank: at, ...over });

/** Job run has four of six pods, and two jobs wait. */
function busy(over: Partial<QueueWorld> = {}): QueueWorld {
  const size = { size: 4, activeDeadlineSeconds: 100 };
  const queues = [queueOf({ pods: '6' }), queueOf({ pods: '1' }, {}, 'night')];
  const first = atRest(worldOf({ queues, jobs: [jobOf('run', size)] }));
  const status = { state: 'Starting', reason: 'RanksStarting', message: '1 of 4 ranks run' };
  return {
    ...first,
    jobs: [
      jobOf('run', size, { status }),
      jobOf('next', { size: 3 }, { creationTimestamp: secondsLater(1) }),
      jobOf('last', { size: 1 }, { creationTimestamp: secondsLater(2) }),
      jobOf('huge', { size: 7 }, { creationTimestamp: secondsLater(3) }),
    ],
    runs: [runOf('run', { deadlineSeconds: 100 })],
    pods: [
      rank(0, {}),
      rank(1, { isReady: false }),
      rank(2, { isReady: false, trouble: 'ImagePullBackOff' }),
      podOf('other', { jobUid: 'run-other', uid: 'other', hasEnded: true }),
    ],
    ...over,
  };
}

describe('a queue', () => {
  it('the introspection shows the jobs that have failed, the last one first, and counts those that never start', async () => {
    const at = busy();
    const ended = (name: string, seconds: number, state = 'Failed'): SwarmJob => {
      const message = `${name} ended with exit code 3`;
      const status = { state, reason: 'CommandFailed', message, finishTime: secondsLater(seconds) };
      return jobOf(name, { size: 1 }, { status });
    };
    seeQueues({
      ...at,
      jobs: [...at.jobs, ended('old', 5), ended('new', 9), ended('good', 7, 'Succeeded')],
      runs: [
        ...at.runs,
        runOf('cron', {
          swarmJobUid: undefined,
          end: { type: 'Failed', reason: 'DeadlineExceeded', message: '', time: secondsLater(7) },
        }),
      ],
    });
    const { failedJobs, ...rest } = await detail();
    expect(rest).toMatchObject({
      neverStart: 1,
      firstNeverStart: 'huge: needs 7 pods, the whole quota of SwarmQueue batch is 6 pods',
      failed: 3,
      lastFailed: 'new: new ended with exit code 3',
    });
    expect(failedJobs).toMatchObject({
      total: 3,
      first: [
        { kind: 'SwarmJob', name: 'new', reason: 'CommandFailed', time: secondsLater(9) },
        { kind: 'Job', name: 'cron', reason: 'DeadlineExceeded' },
        { kind: 'SwarmJob', name: 'old', message: 'old ended with exit code 3' },
      ],
    });
  });

  it('the introspection shows the quota of a queue, and its jobs in numbers', async () => {
    seeQueues(busy());
    const expected = {
      namespace: 'hpc',
      name: 'batch',
      strategy: 'BestEffort',
      quota: [{ resource: 'pods', quota: '6', used: '4', free: '2', part: 4 / 6 }],
      admitted: 1,
      waiting: 3,
      ranks: 4,
      readyRanks: 1,
      isReady: true,
      isStalled: false,
      isPaused: false,
      reason: 'Admitting',
    };
    expect(await body('/api/v1/queues')).toMatchObject({
      leading: true,
      total: 2,
      items: [expected, { name: 'night', admitted: 0, waiting: 0 }],
    });
    expect(await detail()).toMatchObject(expected);
  });

  it('the introspection shows the ranks of an admitted job, and when its deadline ends it', async () => {
    seeQueues(busy(), 20_000);
    expect((await detail()).admittedJobs).toEqual({
      total: 1,
      first: [
        {
          kind: 'SwarmJob',
          name: 'run',
          size: 4,
          since: secondsLater(0),
          state: 'Starting',
          message: '1 of 4 ranks run',
          ranks: { running: 1, succeeded: 0, starting: 1, failing: 1, ending: 0, missing: 1 },
          rankTiles: expect.objectContaining({ ranksEach: 1 }),
          endsBy: secondsLater(136),
        },
      ],
    });
  });

  it('the introspection shows waiting jobs in order, each with its reason and estimated start', async () => {
    seeQueues(busy(), 20_000);
    expect((await detail()).waitingJobs).toEqual({
      total: 3,
      first: [
        {
          position: 1,
          kind: 'SwarmJob',
          name: 'next',
          priority: 0,
          size: 3,
          reason: 'WaitingForQuota',
          message: 'needs 3 pods, 2 are free',
          startsBy: secondsLater(138),
        },
        expect.objectContaining({
          position: 2,
          name: 'last',
          reason: 'BehindHead',
          startsBy: secondsLater(138),
        }),
        {
          kind: 'SwarmJob',
          name: 'huge',
          priority: 0,
          size: 7,
          reason: 'TooLargeEver',
          message: 'needs 7 pods, the whole quota of SwarmQueue batch is 6 pods',
        },
      ],
    });
  });

  it('the introspection names the job without a deadline, for which another has no estimate', async () => {
    seeQueues(busy({ runs: [runOf('run')] }));
    const { admittedJobs, waitingJobs } = await detail();
    expect(admittedJobs.first[0]).not.toHaveProperty('endsBy');
    expect(waitingJobs.first[0]).toMatchObject({ noEstimate: 'job run has no deadline' });
    expect(waitingJobs.first[0]).not.toHaveProperty('startsBy');
  });

  it('a rank whose pod was replaced is counted once, by the pod that runs', async () => {
    const replaced = rank(3, { uid: 'old', hasEnded: true });
    seeQueues(
      busy({ pods: [rank(3, {}), replaced, rank(0, { hasSucceeded: true, hasEnded: true })] }),
    );
    expect((await detail()).admittedJobs.first[0]?.ranks).toEqual({
      ...{ running: 1, succeeded: 1, starting: 0, failing: 0, ending: 0, missing: 2 },
    });
  });

  it('a rank that has ended well counts when its pod is gone', async () => {
    seeQueues(busy({ runs: [runOf('run', { completedIndexes: '0,3' })] }));
    expect((await detail()).admittedJobs.first[0]?.ranks).toEqual({
      ...{ running: 0, succeeded: 2, starting: 1, failing: 1, ending: 0, missing: 0 },
    });
  });

  it('the introspection shows pods of a job that is over', async () => {
    const jobs = [jobOf('run', { size: 4 }, { status: { state: 'Succeeded' } })];
    seeQueues(busy({ jobs }));
    expect((await detail()).heldJobs).toEqual({
      total: 1,
      first: [{ name: 'run', pods: 3, message: 'pod run-0 on node node-1 has not ended' }],
    });
  });

  it('the introspection shows why a queue admits nothing', async () => {
    seeQueues(busy({ queues: [queueOf({ pods: '6' }, { strategy: 'Random' })] }));
    expect(await detail()).toMatchObject({
      isReady: false,
      isStalled: true,
      reason: 'InvalidSpec',
      decision: { obstacle: { reason: 'InvalidSpec' } },
    });
    seeQueues(busy({ refused: { reason: 'Forbidden', message: 'no' } }));
    expect(await detail()).toMatchObject({
      reason: 'WriteRefused',
      decision: { obstacle: { reason: 'Forbidden', message: 'no' } },
    });
  });

  it('the introspection shows a queue before its ledger is read, without figures', async () => {
    seeQueues(busy({ epoch: 'leader-2' }));
    expect(await detail()).toMatchObject({ quota: [], admitted: 0, waitingJobs: { total: 0 } });
  });

  it('the introspection answers 404 for a deleted queue, and for paths below a queue', async () => {
    seeQueues(busy());
    expect((await ask(`${QUEUE}/jobs`)).status).toBe(404);
    seeQueues(busy({ queues: [queueOf({ pods: '1' }, {}, 'night')] }));
    expect(await ask(QUEUE)).toMatchObject({
      status: 404,
      body: {
        error: 'there is no SwarmQueue hpc/batch, or the operator has not reconciled it yet',
      },
    });
    operator.snapshots.queues.forgotten('hpc/(all)');
    expect(await body('/api/v1/queues')).toMatchObject({ total: 0 });
  });
});

it('the introspection answers briefly about a queue with thousands of jobs', async () => {
  const long = 'x'.repeat(50);
  const jobs = Array.from({ length: 3_000 }, (_, at) => jobOf(`${at}-${long}`, { size: 1 }));
  const world = atRest(worldOf({ queues: [queueOf({ pods: '1000' })], jobs }));
  seeQueues(world);
  const { status, text } = await ask(QUEUE);
  expect({ status, isShort: text.length < 128 * 1024 }).toEqual({ status: 200, isShort: true });
  const { admittedJobs, waitingJobs, admitted, waiting } = await detail();
  expect([admitted, waiting]).toEqual([1_000, 2_000]);
  expect([admittedJobs.total, admittedJobs.first.length]).toEqual([1_000, 100]);
  expect([waitingJobs.total, waitingJobs.first.length]).toEqual([2_000, 100]);
});
