// What does a queue that preempts write, and when is the room free for the job that made it?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { plain } from '../../../support/labelled-jobs.ts';
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

const preempting = (quota: object = { pods: '4' }, over: object = {}) =>
  queueOf(quota, { preemption: { withinQueue: 'LowerPriority' }, maxPriority: 100, ...over });
const queues = [preempting()];
const urgent = jobOf('urgent', { size: 4, priority: 9 });
const running = jobOf('a', { size: 4 }, { status: { state: 'Running' } });

/** Job a runs, and an urgent one comes. */
const contended = (over: Partial<QueueWorld> = {}): QueueWorld => ({
  ...withRunning({ queues }),
  jobs: [running, urgent],
  ...over,
});
const next = (world: QueueWorld): QueueWorld => carriedOut(world, decideQueues(world, NOW));
const entriesIn = ({ ledger }: QueueWorld) => ledger?.entries ?? [];
const reasonsIn = ({ queues: [queue] }: QueueWorld): readonly string[] =>
  (queue?.status?.waiting ?? []).map(({ name, reason }) => `${name} ${reason}`);

describe('a queue that preempts', () => {
  it('the ledger marks the preempted job, and the queue names the job that it makes room for', () => {
    const world = next(contended());
    expect(entriesIn(world)).toMatchObject([
      {
        name: 'a',
        preempted: { uid: 'uid-urgent', name: 'urgent', priority: 9, time: secondsLater(0) },
      },
    ]);
    expect(reasonsIn(world)).toEqual(['urgent MakingRoom']);
    expect(decideQueues(world, NOW).isLedgerWritten).toBe(false);
  });

  it('an admitted job loses its claim on quota that other jobs have not freed yet', () => {
    const larger = [preempting({ pods: '8' })];
    const both = next({ ...next(contended()), queues: larger });
    expect(entriesIn(both)).toMatchObject([
      { name: 'a', preempted: { uid: '', name: 'urgent', priority: 9 } },
      { name: 'urgent' },
    ]);
    const higher = jobOf('higher', { size: 8, priority: 50 });
    const entries = entriesIn(both).filter(({ name }) => name === 'a');
    const ledger = both.ledger && { ...both.ledger, entries };
    const ended = next({ ...both, ledger, jobs: [running, urgent, higher] });
    expect(admittedIn(ended)).toEqual(['a']);
    expect(reasonsIn(ended).map((it) => it.split(' ')[0])).toEqual(['higher', 'urgent']);
  });

  it('the urgent job is admitted when the pods of the preempted job have ended', () => {
    const world = next(contended());
    const taken = [runOf('a', { grant: 3, isSuspended: true, active: 0, ready: 0 })];
    const ending = { ...world, runs: taken, pods: [podOf('a', { isTerminating: true })] };
    expect(admittedIn(atRest(ending))).toEqual(['a']);
    const jobs = [jobOf('a', { size: 4 }, { status: { state: 'Waiting' } }), urgent];
    const rest = atRest({ ...ending, pods: [], jobs });
    expect(admittedIn(rest)).toEqual(['urgent']);
    expect(reasonsIn(rest)).toEqual(['a WaitingForQuota']);
  });

  describe('a queue that is edited while a job ends for another', () => {
    const waitsAgain = jobOf('a', { size: 4 }, { status: { state: 'Waiting' } });
    const higher = jobOf('higher', { size: 4, priority: 50 });
    /** Job a has ended, and a job of higher priority has come. */
    const ended = (queue: ReturnType<typeof queueOf>): QueueWorld =>
      atRest({
        ...next(contended()),
        queues: [queue],
        jobs: [waitsAgain, urgent, higher],
        runs: [runOf('a', { grant: 3, isSuspended: true, active: 0, ready: 0 })],
        pods: [],
      });

    it('the room stays reserved for the urgent job when preemption is switched off', () =>
      expect(admittedIn(ended(queueOf({ pods: '4' }, { maxPriority: 100 })))).toEqual(['urgent']));

    it('no room is lost when the quota becomes too small for the urgent job', () => {
      const smaller = preempting({ pods: '3' });
      expect(admittedIn(ended(smaller))).toEqual([]);
      expect([...reasonsIn(ended(smaller))].sort()).toEqual([
        'a TooLargeEver',
        'higher TooLargeEver',
        'urgent TooLargeEver',
      ]);
    });

    it('no room is kept for the urgent job when it may not start any more', () =>
      expect(admittedIn(ended(preempting({ pods: '4' }, { maxPriority: 0 })))).toEqual(['a']));
  });

  it('no job is preempted while a watch is broken', () => {
    const { steps } = decideQueues(contended({ isOutdated: true }), NOW);
    expect(steps).toEqual([]);
  });

  it.each([
    ['a job that is deleted', { ...running, meta: { ...running.meta, isDeleting: true } }],
    [
      'a job that is suspended',
      jobOf('a', { size: 4, suspend: true }, { status: { state: 'Running' } }),
    ],
  ])('%s counts as ending', (_, job) => {
    const world = next(contended({ jobs: [job, urgent] }));
    expect(entriesIn(world)).toMatchObject([{ name: 'a' }]);
    expect(entriesIn(world)[0]).not.toHaveProperty('preempted');
  });

  it('pods that have outlived their grace period do not count as ending', () => {
    const small = jobOf('urgent', { size: 1, priority: 9 });
    const endsAt = (killedAtMs: number) => {
      const pods = [podOf('a', { isTerminating: true, killedAtMs })];
      return entriesIn(next(contended({ jobs: [running, small], pods })))[0];
    };
    expect(endsAt(NOW)).not.toHaveProperty('preempted');
    expect(endsAt(NOW - 60_000)).toHaveProperty('preempted');
  });

  it('a job that moves to another queue has no claim on room there', () => {
    const night = queueOf({ pods: '4' }, { maxPriority: 100 }, 'night');
    const moved = jobOf('urgent', { size: 4, priority: 0, queueName: 'night' });
    const first = jobOf('first', { size: 4, priority: 5, queueName: 'night' });
    const world = next(contended());
    const later = next({ ...world, queues: [...queues, night], jobs: [running, moved, first] });
    expect(admittedIn(later)).toEqual(['a', 'first']);
  });

  it('the current priority of a running job counts', () => {
    const first = jobOf('urgent', { size: 4, priority: 9 });
    const edited = (priority: number) => {
      const job = jobOf('a', { size: 4, priority }, { status: { state: 'Running' } });
      return entriesIn(next(contended({ jobs: [job, first] })))[0];
    };
    expect(edited(8)).toHaveProperty('preempted');
    expect(edited(9)).not.toHaveProperty('preempted');
  });
});

describe('labelled batch Jobs', () => {
  const cpu = [preempting({ cpu: '2' })];
  const started = (over: Partial<BatchJob> = {}): QueueWorld => {
    const world = atRest(worldOf({ queues: cpu, runs: [plain()] }));
    const [run] = world.runs;
    if (run === undefined) throw new Error('there is no batch Job');
    return { ...world, runs: [{ ...run, active: 1, ready: 1, ...over }], pods: [] };
  };
  const first = jobOf('urgent', { priority: 9, resources: { requests: { cpu: '2' } } });

  it('a preempted labelled Job is suspended, with an event, and waits again', () => {
    const world = next({ ...started(), jobs: [first] });
    expect(entriesIn(world)).toMatchObject([{ name: 'night', preempted: { name: 'urgent' } }]);
    const { steps } = decideQueues(world, NOW);
    expect(steps).toMatchObject([
      {
        do: 'patch',
        body: { metadata: { annotations: { 'k8slab.info/grant': '3' } }, spec: { suspend: true } },
      },
      {
        do: 'event',
        event: {
          reason: 'Preempted',
          message:
            'Suspended, and waits again: job urgent of priority 9 takes its place in SwarmQueue batch',
        },
      },
    ]);
    const rest = atRest(world);
    expect(admittedIn(rest)).toEqual(['urgent']);
    expect(rest.runs).toMatchObject([{ isSuspended: true, grant: 3 }]);
    expect(reasonsIn(rest)).toEqual(['night WaitingForQuota']);
  });

  it('a preempted labelled Job that was not started yet is not started under its old entry', () => {
    const world = worldOf({ queues: cpu, runs: [plain()] });
    const admitted = next(next(world));
    expect(admittedIn(admitted)).toEqual(['night']);
    const marked = next({ ...admitted, runs: [plain()], jobs: [first] });
    expect(entriesIn(marked)[0]).toHaveProperty('preempted');
    expect(JSON.stringify(decideQueues(marked, NOW).steps)).not.toContain('"suspend":false');
    expect(admittedIn(atRest(marked))).toEqual(['urgent']);
  });

  it('a labelled Job that loses its label before it is suspended holds up no urgent job', () => {
    const two = [preempting({ cpu: '4' })];
    const runs = ['night', 'other'].map((name) => plain({ name, uid: `run-${name}` }));
    const world = atRest(worldOf({ queues: two, runs }));
    const started = world.runs.map((run) => ({ ...run, active: 1, ready: 1 }));
    const marked = next({ ...world, runs: started, jobs: [first] });
    const [lost] = entriesIn(marked).filter(({ preempted }) => preempted !== undefined);
    const without = marked.runs.map((run) =>
      run.uid === lost?.uid ? { ...run, queue: undefined, admittedQueue: 'batch' } : run,
    );
    const again = next({ ...marked, runs: without });
    expect(entriesIn(again).filter(({ preempted }) => preempted !== undefined)).toHaveLength(2);
  });

  it('a labelled Job with a higher priority takes the place of a SwarmJob', () => {
    const runs = [runOf('a'), plain({ priority: '9', parallelism: 4, podSpec: {} })];
    const world = next({ ...withRunning({ queues }), runs });
    expect(entriesIn(world)).toMatchObject([{ name: 'a', preempted: { name: 'night' } }]);
  });
});
