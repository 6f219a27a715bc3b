// When does an admitted job give its entry in the ledger back, and what does it use until then?
import { describe, expect, it } from '@jest/globals';
import { ledgerData, parseLedger } from '../../../../src/api/ledger.ts';
import { parseConfigMap } from '../../../../src/api/observed.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  jobOf,
  NOW,
  podOf,
  queueOf,
  runOf,
  secondsLater,
  withRunning,
  worldOf,
} from '../../../support/queue-worlds.ts';

const waiting = { state: 'Waiting' };
const running = { state: 'Running' };

describe('an admitted job', () => {
  it('an admitted job keeps its entry while its pods run, and others wait for its quota', () => {
    const world = withRunning();
    const next = atRest({ ...world, jobs: [...world.jobs, jobOf('b')] });
    expect(admittedIn(next)).toEqual(['a']);
    expect(next.queues[0]?.status).toMatchObject({
      pending: 1,
      running: 1,
      usage: { pods: '4' },
      waiting: [{ name: 'b', reason: 'WaitingForQuota', message: 'needs 1 pod, 0 are free' }],
    });
  });

  it('an admitted job keeps its entry until its batch Job is created', () => {
    expect(admittedIn(atRest(withRunning({ runs: [], pods: [] })))).toEqual(['a']);
  });

  it.each([
    ['no batch Job was made', []],
    [
      'that of an earlier attempt was not replaced',
      [{ grant: 1, isSuspended: true, isResumed: false }],
    ],
  ])('an admitted job gives its entry back when it did not start in time and %s', (_, earlier) => {
    const late = { state: 'Suspending', reason: 'StartTimedOut', message: '' };
    const history = [{ ...late, time: secondsLater(9) }];
    const jobs = [jobOf('a', { size: 4 }, { status: { state: 'Waiting', history } })];
    const runs = earlier.map((it) => runOf('a', it));
    const world = withRunning({ runs, pods: [], jobs });
    expect(world.ledger?.entries).toMatchObject([{ grant: 2 }]);
    expect(atRest(world, NOW + 9_000).ledger?.entries).toMatchObject([{ grant: 4 }]);
    // The clock of another leader is behind: it is admitted once all the same.
    const [time] = history.map((it) => it.time);
    expect(atRest(world).ledger?.entries).toMatchObject([{ grant: 4, time }]);
  });

  it('an admitted job keeps its entry while a pod of it is terminating', () => {
    const pods = [podOf('a', { isTerminating: true })];
    const suspended = jobOf('a', { size: 4, suspend: true }, { status: { state: 'Suspending' } });
    const world = withRunning({
      jobs: [suspended],
      runs: [runOf('a', { grant: 3, isSuspended: true })],
      pods,
    });
    const next = atRest(world);
    expect(admittedIn(next)).toEqual(['a']);
    expect(next.queues[0]?.status?.held).toEqual([
      { name: 'a', pods: 1, message: 'pod a-0 on node node-1 has not ended' },
    ]);
    const runs = [runOf('a', { grant: 3, isSuspended: true, isResumed: false })];
    expect(admittedIn(atRest({ ...next, pods: [], runs }))).toEqual([]);
  });

  it('a pod that should end, and does not, is named while its job still runs', () => {
    const lost = podOf('a', { isTerminating: true, disruption: 'lost', node: 'node-2' });
    const other = podOf('a', { name: 'a-1', uid: 'pod-a-1', rank: 1 });
    const [queued] = atRest(withRunning({ pods: [lost, other] })).queues;
    expect(queued?.status).toMatchObject({
      usage: { pods: '4' },
      held: [{ name: 'a', pods: 1, message: 'pod a-0 on node node-2 has not ended' }],
    });
  });

  it('an admitted job keeps its entry after its batch Job has ended until its status shows the end', () => {
    const end = { type: 'Complete', reason: '', message: '', time: '' } as const;
    const world = withRunning({ runs: [runOf('a', { end })], pods: [] });
    expect(admittedIn(atRest(world))).toEqual(['a']);
    const jobs = [jobOf('a', { size: 4 }, { status: { state: 'Succeeded' } })];
    expect(admittedIn(atRest({ ...world, jobs }))).toEqual([]);
  });

  it('an admitted job keeps its entry while its batch Job may still be started', () => {
    const jobs = [jobOf('a', { size: 4, suspend: true }, { status: running })];
    const world = withRunning({ jobs, runs: [runOf('a', { isSuspended: true })], pods: [] });
    expect(admittedIn(atRest(world))).toEqual(['a']);
  });

  it('an admitted job keeps its entry while its suspended batch Job may still create pods', () => {
    const suspended = jobOf('a', { size: 4, suspend: true }, { status: { state: 'Suspending' } });
    const run = runOf('a', { grant: 3, isSuspended: true, isResumed: true });
    const world = withRunning({ jobs: [suspended], runs: [run], pods: [] });
    expect(admittedIn(atRest(world))).toEqual(['a']);
    // The watch of pods may be the slower one.
    const ending = { ...world, runs: [{ ...run, isResumed: false, terminating: 1 }] };
    expect(admittedIn(atRest(ending))).toEqual(['a']);
    const noted = { ...world, runs: [{ ...run, isResumed: false }] };
    expect(admittedIn(atRest(noted))).toEqual([]);
  });

  it('an admitted job keeps its entry while the controller of its batch Job may not have noticed the suspension', () => {
    const suspended = jobOf('a', { size: 4, suspend: true }, { status: { state: 'Suspended' } });
    const runs = [runOf('a', { grant: 3, isSuspended: true, isResumed: false })];
    const unnotedMs = new Map([['run-a', 1_000]]);
    const world = atRest(withRunning({ jobs: [suspended], runs, pods: [], unnotedMs }));
    expect(admittedIn(world)).toEqual(['a']);
    expect(decideQueues(world, NOW).requeueAfterMs).toBe(4_000);
    expect(admittedIn(atRest({ ...world, unnotedMs: new Map([['run-a', 5_000]]) }))).toEqual([]);
  });

  it('a batch Job that runs without an entry counts with the requests of all of its pods', () => {
    const world = withRunning({ pods: [] });
    const { epoch = '', nextGrant = 0 } = world.ledger ?? {};
    const data = ledgerData({ epoch, nextGrant, entries: [] });
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'l' }, data };
    const restored = parseLedger(parseConfigMap(configMap));
    const jobs = [...world.jobs, jobOf('b')];
    expect(admittedIn(atRest({ ...world, jobs, ledger: restored }))).toEqual([]);
  });

  it('an admitted job that is edited before its batch Job is created loses its entry', () => {
    const jobs = [jobOf('a', { size: 3 }, { status: waiting })];
    const rest = atRest(withRunning({ jobs, runs: [], pods: [] }));
    expect(rest.ledger?.entries).toMatchObject([{ name: 'a', size: 3 }]);
  });

  it('an admitted job whose pods have all succeeded is over before its batch Job is Complete', () => {
    const runs = [runOf('a', { completions: 2, parallelism: 2 })];
    const done = { hasEnded: true, hasSucceeded: true };
    const [first, second] = [0, 1].map((rank) => podOf('a', { rank, uid: `pod-${rank}`, ...done }));
    const pods = [first, second].filter((pod) => pod !== undefined);
    const world = withRunning({ runs, pods });
    expect(admittedIn(atRest(world))).toEqual(['a']);
    const jobs = [jobOf('a', { size: 4 }, { status: { state: 'Succeeded' } }), jobOf('b')];
    const rest = atRest({ ...world, jobs });
    expect(admittedIn(rest)).toEqual(['b']);
    expect(rest.queues[0]?.status?.usage).toEqual({ pods: '1' });
    // Kubernetes makes a rank again: the batch Job counts as one that runs without an entry.
    const again = { ...rest, pods: [...pods, podOf('a', { rank: 1, uid: 'pod-2' })] };
    expect(atRest(again).queues[0]?.status?.usage).toEqual({ pods: '5' });
  });

  it('an admitted job gives its entry back in the write that admits the next one', () => {
    const end = { type: 'Complete', reason: '', message: '', time: '' } as const;
    const done = jobOf('a', { size: 4 }, { status: { state: 'Succeeded' } });
    const world = withRunning({ runs: [runOf('a', { end })], pods: [], jobs: [done, jobOf('b')] });
    const decision = decideQueues(world, NOW);
    expect(decision.steps.filter((step) => step.do === 'patch')).toHaveLength(1);
    expect(admittedIn(carriedOut(world, decision))).toEqual(['b']);
  });

  it('a quota counts the pods that a deleted batch Job leaves behind', () => {
    const world = withRunning({ runs: [], jobs: [jobOf('b', { size: 4 })] });
    expect(admittedIn(atRest(world))).toEqual(['a']);
  });

  it('a quota counts the requests of pods that exceed the admitted amounts', () => {
    const spec = { containers: [{ resources: { requests: { cpu: '3' } } }] };
    const cpus = queueOf({ cpu: '4' });
    const job = (name: string) => jobOf(name, { resources: { requests: { cpu: '1' } } });
    const first = atRest(worldOf({ queues: [cpus], jobs: [job('a')] }));
    const world = {
      ...first,
      jobs: [
        jobOf('a', { resources: { requests: { cpu: '1' } } }, { status: running }),
        job('b'),
        job('c'),
      ],
      runs: [runOf('a')],
      pods: [podOf('a', { spec })],
    };
    const next = atRest(world);
    expect(admittedIn(next)).toEqual(['a', 'b']);
    expect(next.queues[0]?.status?.usage).toMatchObject({ cpu: '4' });
  });
});
