// What does a waiting job say, and what does a ResourceQuota of the namespace leave for it?
import { describe, expect, it } from '@jest/globals';
import { decideQueues } from '../../../src/queue/decide.ts';
import {
  admittedIn,
  atRest,
  jobOf,
  NOW,
  podOf,
  queueOf,
  secondsLater,
  withRunning,
  worldOf,
} from '../../support/queue-worlds.ts';

const queue = queueOf({ pods: '4' });
const waiting = { state: 'Waiting' };
const running = { state: 'Running' };

describe('a waiting job', () => {
  it('a job is not admitted while its status says that an earlier attempt goes on', () => {
    const jobs = [jobOf('a', {}, { status: running })];
    expect(admittedIn(atRest(worldOf({ queues: [queue], jobs })))).toEqual([]);
    const again = [jobOf('a', {}, { status: waiting })];
    expect(admittedIn(atRest(worldOf({ queues: [queue], jobs: again })))).toEqual(['a']);
  });

  it.each([
    ['is suspended', { suspend: true }],
    ['asks for what is not supported yet', { launcher: { type: 'MPI' } }],
    [
      'has a volume of the operator',
      { template: { spec: { volumes: [{ name: 'k8slab-swarm' }] } } },
    ],
  ])('a job is not admitted when it %s', (_, spec) => {
    const jobs = [jobOf('a', spec)];
    expect(admittedIn(atRest(worldOf({ queues: [queue], jobs })))).toEqual([]);
  });

  it('a waiting job is told its reason in words that do not change with what is free', () => {
    const world = withRunning({ queues: [queueOf({ pods: '6' })] });
    const jobs = [...world.jobs, jobOf('b', { size: 3 })];
    const first = decideQueues({ ...world, jobs }, NOW);
    const verdict = first.verdicts?.get('uid-b');
    expect(verdict).toEqual({
      name: 'b',
      isStalled: false,
      reason: 'WaitingForQuota',
      message: 'needs 3 pods, and less is free',
    });
  });

  it('jobs that can never start hide no job that waits, however many they are', () => {
    const huge = Array.from({ length: 25 }, (_, at) => jobOf(`huge-${at}`, { size: 99 }));
    const world = withRunning();
    const jobs = [...world.jobs, ...huge, jobOf('next', { size: 2 })];
    const rest = atRest({ ...world, jobs });
    expect(rest.queues[0]?.status?.waiting?.slice(0, 2)).toMatchObject([
      { name: 'next', reason: 'WaitingForQuota' },
      { name: 'huge-0', reason: 'TooLargeEver' },
    ]);
    const edited = [...world.jobs, ...huge, jobOf('next', { size: 3 })];
    const message = 'needs 3 pods, and less is free';
    const { verdicts } = decideQueues({ ...rest, jobs: edited }, NOW);
    expect(verdicts?.get('uid-next')).toMatchObject({ message });
  });

  it.each([
    ['no queue of its name', [], {}, 'QueueNotFound', 'there is no SwarmQueue batch'],
    [
      'a queue that is not supported yet',
      [queueOf({ pods: '4' }, { cohort: 'all' })],
      {},
      'QueueBlocked',
      'SwarmQueue batch admits nothing: NotSupportedYet: spec.cohort is not supported yet: leave it out',
    ],
    [
      'a deadline that the queue does not allow',
      [queueOf({ pods: '4' }, { maxActiveDeadlineSeconds: 60 })],
      { activeDeadlineSeconds: 61 },
      'DeadlineTooLong',
      'activeDeadlineSeconds is 61, SwarmQueue batch allows at most 60',
    ],
    [
      'no deadline where the queue has a bound',
      [queueOf({ pods: '4' }, { maxActiveDeadlineSeconds: 60 })],
      {},
      'DeadlineTooLong',
      'activeDeadlineSeconds is missing, SwarmQueue batch allows at most 60',
    ],
    [
      'a paused queue',
      [queueOf({ pods: '4' }, { paused: true })],
      {},
      'QueuePaused',
      'SwarmQueue batch is paused',
    ],
  ])('a job with %s is told so', (_, queues, spec, reason, message) => {
    const { verdicts } = decideQueues(atRest(worldOf({ queues, jobs: [jobOf('a', spec)] })), NOW);
    expect(verdicts?.get('uid-a')).toMatchObject({ name: 'a', reason, message });
  });

  it('a job waits after a failed attempt until its pause is over, and is admitted then', () => {
    const status = {
      state: 'Waiting',
      failures: { application: 2 },
      history: [{ state: 'Waiting', reason: 'BackingOff', time: secondsLater(0) }],
    };
    const world = worldOf({ queues: [queue], jobs: [jobOf('a', {}, { status })] });
    const now = NOW + 5_000;
    const rest = atRest(world, now);
    expect(admittedIn(rest)).toEqual([]);
    const decision = decideQueues(rest, now);
    expect(decision.verdicts?.get('uid-a')?.reason).toBe('BackingOff');
    expect(decision.requeueAfterMs).toBe(15_000);
    expect(admittedIn(atRest(rest, NOW + 20_000))).toEqual(['a']);
  });

  it('a job goes behind the others of its priority when its start took too long', () => {
    const history = [{ state: 'Suspending', reason: 'StartTimedOut', time: secondsLater(90) }];
    const late = jobOf('a', { size: 4 }, { status: { state: 'Waiting', history } });
    const other = jobOf('b', { size: 4 }, { creationTimestamp: secondsLater(60) });
    const rest = atRest(worldOf({ queues: [queue], jobs: [late, other] }), NOW + 100_000);
    expect(admittedIn(rest)).toEqual(['b']);
  });
});

describe('a ResourceQuota of the namespace', () => {
  const hard = new Map([['pods', 4_000_000_000n]]);
  const quota = { name: 'compute', hard, used: new Map(), scopes: [] };

  it('a ResourceQuota admits a job only if all of its pods fit beside those promised to others', () => {
    const big = queueOf({ pods: '9' });
    const jobs = [jobOf('a', { size: 3 }), jobOf('b', { size: 2 })];
    const rest = atRest(worldOf({ queues: [big], jobs, resourceQuotas: [quota] }));
    expect(admittedIn(rest)).toEqual(['a']);
    expect(rest.queues[0]?.status?.waiting).toEqual([
      {
        name: 'b',
        reason: 'ResourceQuotaLacks',
        message: 'ResourceQuota compute: needs 2 pods, 1 is free',
      },
    ]);
  });

  it('one that is needed is named in the singular', () => {
    const one = { name: 'names', hard: new Map([['services', 1_000_000_000n]]), scopes: [] };
    const used = new Map([['services', 1_000_000_000n]]);
    const jobs = [jobOf('a', { size: 2 })];
    const world = worldOf({ queues: [queue], jobs, resourceQuotas: [{ ...one, used }] });
    expect(atRest(world).queues[0]?.status?.waiting?.[0]?.message).toBe(
      'ResourceQuota names: needs 1 service, 0 are free',
    );
  });

  it('a pod that a ResourceQuota may not count yet is still promised', () => {
    const world = withRunning({ queues: [queueOf({ pods: '9' })], resourceQuotas: [quota] });
    const pods = [0, 1, 2, 3].map((at) => podOf('a', { uid: `pod-${at}`, name: `a-${at}` }));
    const jobs = [...world.jobs, jobOf('b', { size: 1 })];
    const seen = { ...world, jobs, pods };
    expect(admittedIn(atRest(seen))).toEqual(['a', 'b']);
    const freshPodsMs = new Map(pods.map(({ uid }) => [uid, 1_000]));
    const fresh = atRest({ ...seen, freshPodsMs });
    expect(admittedIn(fresh)).toEqual(['a']);
    expect(decideQueues(fresh, NOW).requeueAfterMs).toBe(2_000);
  });

  it('a job lacks the field that a ResourceQuota wants each pod to have', () => {
    const cpus = { ...quota, hard: new Map([['limits.cpu', 4_000_000_000n]]) };
    const world = worldOf({ queues: [queue], jobs: [jobOf('a')], resourceQuotas: [cpus] });
    expect(decideQueues(atRest(world), NOW).verdicts?.get('uid-a')).toMatchObject({
      reason: 'RequestMissing',
      message: 'resources.limits.cpu is missing, which ResourceQuota compute bounds',
    });
  });
});
