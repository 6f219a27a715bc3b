// What does a waiting job say, and what does a ResourceQuota of the namespace leave for it?
import { describe, expect, it } from '@jest/globals';
import { backsOffForMs } from '../../../src/api/swarm-job.ts';
import { noDefaults } from '../../../src/core/completed-pod.ts';
import { decideQueues } from '../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../src/queue/world.ts';
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
  it('a job is not admitted while its status shows an earlier attempt', () => {
    const jobs = [jobOf('a', {}, { status: running })];
    expect(admittedIn(atRest(worldOf({ queues: [queue], jobs })))).toEqual([]);
    const again = [jobOf('a', {}, { status: waiting })];
    expect(admittedIn(atRest(worldOf({ queues: [queue], jobs: again })))).toEqual(['a']);
  });

  it.each([
    ['is suspended', { suspend: true }],
    [
      'has a volume of the operator',
      { template: { spec: { volumes: [{ name: 'k8slab-swarm' }] } } },
    ],
  ])('a job is not admitted when it %s', (_, spec) => {
    const jobs = [jobOf('a', spec)];
    expect(admittedIn(atRest(worldOf({ queues: [queue], jobs })))).toEqual([]);
  });

  it('the message of a waiting job does not change with the free amounts', () => {
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
      'a queue that is invalid',
      [queueOf({ pods: '4' }, { strategy: 'Random' })],
      {},
      'QueueBlocked',
      'SwarmQueue batch admits nothing: InvalidSpec: spec.strategy: must be equal to one of the allowed values: ["StrictFIFO","BestEffort"] (found "Random")',
    ],
    [
      'devices that it claims',
      [queueOf({ pods: '4' })],
      {
        template: {
          spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }] },
        },
      },
      'ResourceNotOffered',
      'resourceClaims has gpu: SwarmQueue batch cannot count devices that are claimed',
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
      'a signal before the start, by the deadline of its queue',
      [queueOf({ pods: '4' }, { jobDefaults: { activeDeadlineSeconds: 60 } })],
      { deadlineSignalSeconds: 60 },
      'InvalidDeadlineSignal',
      'deadlineSignalSeconds is 60, and jobDefaults.activeDeadlineSeconds of SwarmQueue batch is 60: the signal has to come after the start',
    ],
    [
      'a signal of its queue before the start',
      [queueOf({ pods: '4' }, { jobDefaults: { deadlineSignalSeconds: 60 } })],
      { activeDeadlineSeconds: 30 },
      'InvalidDeadlineSignal',
      'jobDefaults.deadlineSignalSeconds of SwarmQueue batch is 60, and activeDeadlineSeconds is 30: the signal has to come after the start',
    ],
    [
      'pods that outlive its deadline',
      [queueOf({ pods: '4' }, { jobDefaults: { deadlineSignalSeconds: 60 } })],
      { activeDeadlineSeconds: 600, template: { spec: { terminationGracePeriodSeconds: 61 } } },
      'InvalidDeadlineSignal',
      'jobDefaults.deadlineSignalSeconds of SwarmQueue batch is 60, and template.spec.terminationGracePeriodSeconds is 61: the pods would outlive the deadline',
    ],
    [
      'a paused queue',
      [queueOf({ pods: '4' }, { paused: true })],
      {},
      'QueuePaused',
      'SwarmQueue batch is paused',
    ],
  ])('a job with %s has that reason', (_, queues, spec, reason, message) => {
    const { verdicts } = decideQueues(atRest(worldOf({ queues, jobs: [jobOf('a', spec)] })), NOW);
    expect(verdicts?.get('uid-a')).toMatchObject({ name: 'a', reason, message });
  });

  it.each([
    ['smaller than its deadline', { activeDeadlineSeconds: 61 }],
    ['of none', { activeDeadlineSeconds: 30, deadlineSignalSeconds: 0 }],
    ['without a deadline', { template: { spec: { terminationGracePeriodSeconds: 61 } } }],
    [
      'as long as its pods may take to end',
      { activeDeadlineSeconds: 600, template: { spec: { terminationGracePeriodSeconds: 60 } } },
    ],
  ])('a job with a signal %s is admitted', (_, spec) => {
    const queues = [queueOf({ pods: '4' }, { jobDefaults: { deadlineSignalSeconds: 60 } })];
    expect(admittedIn(atRest(worldOf({ queues, jobs: [jobOf('a', spec)] })))).toEqual(['a']);
  });

  it('a job with an invalid signal is stalled, and holds up no other job', () => {
    const queues = [queueOf({ pods: '4' }, { strategy: 'StrictFIFO' })];
    const never = jobOf('a', { activeDeadlineSeconds: 30, deadlineSignalSeconds: 30 });
    const jobs = [never, jobOf('b', {}, { creationTimestamp: secondsLater(1) })];
    const rest = atRest(worldOf({ queues, jobs }));
    expect(admittedIn(rest)).toEqual(['b']);
    expect(decideQueues(rest, NOW).verdicts?.get('uid-a')).toMatchObject({ isStalled: true });
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
    const leftMs = decision.requeueAfterMs ?? 0;
    expect(leftMs).toBeGreaterThanOrEqual(15_000);
    expect(leftMs).toBeLessThanOrEqual(20_000);
    expect(admittedIn(atRest(rest, now + leftMs - 1))).toEqual([]);
    expect(admittedIn(atRest(rest, now + leftMs))).toEqual(['a']);
  });

  it('jobs that failed together retry at different times', () => {
    const failed = {
      failures: { start: 1 },
      history: [{ state: 'Waiting', reason: 'BackingOff', time: secondsLater(0) }],
    };
    const pauses = ['a', 'b', 'c', 'd'].map((name) =>
      backsOffForMs(jobOf(name, {}, { status: { state: 'Waiting', ...failed } }), NOW),
    );
    expect(new Set(pauses).size).toBe(4);
    for (const ms of pauses) expect(10_000 <= ms && ms <= 12_500).toBe(true);
  });

  it('with StrictFIFO no job passes a job whose pods have ended and whose status does not show it yet', () => {
    const strict = queueOf({ pods: '4' }, { strategy: 'StrictFIFO' });
    const other = jobOf('b', { size: 1 }, { creationTimestamp: secondsLater(60) });
    const admittedBeside = (status: object) =>
      admittedIn(atRest(worldOf({ queues: [strict], jobs: [jobOf('a', {}, { status }), other] })));
    expect(admittedBeside({ state: 'Suspending', reason: 'Disrupted' })).toEqual([]);
    expect(admittedBeside({ state: 'Suspending', reason: 'SuspendRequested' })).toEqual([]);
    expect(admittedBeside({ state: 'Failed' })).toEqual(['b']);
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

  it('a single missing pod is named in the singular', () => {
    const one = { name: 'names', hard: new Map([['services', 1_000_000_000n]]), scopes: [] };
    const used = new Map([['services', 1_000_000_000n]]);
    const jobs = [jobOf('a', { size: 2 })];
    const world = worldOf({ queues: [queue], jobs, resourceQuotas: [{ ...one, used }] });
    expect(atRest(world).queues[0]?.status?.waiting?.[0]?.message).toBe(
      'ResourceQuota names: needs 1 service, 0 are free',
    );
  });

  it('a pod that a ResourceQuota may not count yet is still promised', () => {
    const seen = withPods({ hard: 5, used: 4 });
    const { pods } = seen;
    expect(admittedIn(atRest(seen))).toEqual(['a', 'b']);
    const freshPodsMs = new Map(pods.map(({ uid }) => [uid, 1_000]));
    const fresh = atRest({ ...seen, freshPodsMs });
    expect(admittedIn(fresh)).toEqual(['a']);
    expect(decideQueues(fresh, NOW).requeueAfterMs).toBe(2_000);
  });

  it('living pods count even if a ResourceQuota shows less, since its watch may lag', () => {
    expect(admittedIn(atRest(withPods({ hard: 4, used: 0 })))).toEqual(['a']);
    expect(admittedIn(atRest(withPods({ hard: 5, used: 0 })))).toEqual(['a', 'b']);
  });

  it('a pod that was created before a LimitRange counts as created', () => {
    const hard = new Map([['requests.cpu', 4_000_000_000n]]);
    const resourceQuotas = [{ ...quota, hard, used: new Map() }];
    const podDefaults = { ...noDefaults, requests: new Map([['cpu', 1_000_000_000n]]) };
    const seen = { ...withPods({ hard: 9, used: 4 }), resourceQuotas };
    expect(admittedIn(atRest({ ...seen, podDefaults }))).toEqual(['a', 'b']);
  });

  /** Four pods of job a live, and job b with one waits. */
  function withPods(amounts: { readonly hard: number; readonly used: number }): QueueWorld {
    const [hard, used] = [amounts.hard, amounts.used].map(
      (count) => new Map([['pods', 1_000_000_000n * BigInt(count)]]),
    );
    const resourceQuotas = [{ ...quota, hard: hard ?? new Map(), used: used ?? new Map() }];
    const world = withRunning({ queues: [queueOf({ pods: '9' })], resourceQuotas });
    const pods = [0, 1, 2, 3].map((at) => podOf('a', { uid: `pod-${at}`, name: `a-${at}` }));
    return { ...world, jobs: [...world.jobs, jobOf('b', { size: 1 })], pods };
  }

  it('a job is refused without the field that a ResourceQuota requires of each pod', () => {
    const cpus = { ...quota, hard: new Map([['limits.cpu', 4_000_000_000n]]) };
    const world = worldOf({ queues: [queue], jobs: [jobOf('a')], resourceQuotas: [cpus] });
    expect(decideQueues(atRest(world), NOW).verdicts?.get('uid-a')).toMatchObject({
      reason: 'RequestMissing',
      message: 'container main has no resources.limits.cpu, which ResourceQuota compute bounds',
    });
  });
});
