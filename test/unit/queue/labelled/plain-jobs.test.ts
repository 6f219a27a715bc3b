// When does a batch Job with the label of a queue start, and when does it give its quota back?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { plain, startedWith, starts } from '../../../support/labelled-jobs.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  jobOf,
  NOW,
  podOf,
  queueOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

describe('a batch Job with the label of a queue', () => {
  const quota = queueOf({ pods: '4', cpu: '4' });

  it('a queued batch Job is started once the ledger has an entry for it, and not before', () => {
    const world = worldOf({ queues: [quota], runs: [plain({ parallelism: 2 })] });
    const made = carriedOut(world, decideQueues(world, NOW));
    const admission = decideQueues(made, NOW);
    expect(starts(made)).toEqual([{ data: expect.anything() }]);
    const rest = carriedOut(made, admission);
    expect(rest.ledger?.entries).toMatchObject([
      { uid: 'run-night', size: 2, requests: { pods: '2', cpu: '4' } },
    ]);
    expect(starts(rest)).toEqual([startedWith(2)]);
  });

  it('while a watch is broken, no queued batch Job is started, and an enlarged one is suspended', () => {
    const world = worldOf({ queues: [quota], runs: [plain()] });
    const made = carriedOut(world, decideQueues(world, NOW));
    const admitted = carriedOut(made, decideQueues(made, NOW));
    expect(decideQueues({ ...admitted, isOutdated: true }, NOW)).toMatchObject({
      steps: expect.not.arrayContaining([expect.objectContaining({ do: 'patch' })]),
      requeueAfterMs: 250,
    });
    expect(starts(admitted)).toEqual([startedWith(1)]);
    const larger = plain({ grant: 2, isSuspended: false, parallelism: 2 });
    const next = plain({ name: 'next', uid: 'run-next' });
    const queues = [queueOf({ pods: '9', cpu: '9' })];
    const outdated = { ...admitted, queues, runs: [larger, next], isOutdated: true };
    expect(starts(outdated)).toEqual([
      { metadata: { annotations: { 'k8slab.info/grant': '3' } }, spec: { suspend: true } },
    ]);
  });

  it('a queued batch Job without a deadline does not get the default of its queue, and waits if it needs a deadline', () => {
    const bounded = queueOf(
      { pods: '4' },
      { maxActiveDeadlineSeconds: 90, jobDefaults: { activeDeadlineSeconds: 60 } },
    );
    const rest = atRest(worldOf({ queues: [bounded], runs: [plain()] }));
    expect(rest.queues[0]?.status?.waiting).toMatchObject([
      { name: 'night', reason: 'DeadlineTooLong' },
    ]);
  });

  it('a SwarmJob waits for a queued batch Job that goes first, and its message does not call that a SwarmJob', () => {
    const full = queueOf({ pods: '2' }, { strategy: 'StrictFIFO' });
    const pods = [podOf('other', { jobUid: 'run-other', swarmJobUid: 'uid-other' })];
    const runs = [plain({ parallelism: 2, createdMs: NOW - 1_000, podSpec: {} })];
    const jobs = [jobOf('small')];
    const rest = atRest(worldOf({ queues: [full], runs, jobs, pods }));
    expect(rest.queues[0]?.status?.waiting).toMatchObject([
      { name: 'night', reason: 'WaitingForQuota' },
      { name: 'small', message: 'job night goes first, and with StrictFIFO none passes it' },
    ]);
  });

  it('a queued batch Job that is larger than the quota waits with the reason TooLargeEver', () => {
    const runs = [plain({ parallelism: 3 })];
    const rest = atRest(worldOf({ queues: [quota], runs }));
    expect(admittedIn(rest)).toEqual([]);
    expect(rest.queues[0]?.status?.waiting).toMatchObject([
      { name: 'night', reason: 'TooLargeEver' },
    ]);
  });

  const running = (over: Partial<QueueWorld> = {}): QueueWorld => {
    const world = worldOf({ queues: [quota], runs: [plain()] });
    const made = carriedOut(world, decideQueues(world, NOW));
    const pods = [podOf('night', { swarmJobUid: undefined, jobName: undefined, queue: undefined })];
    const admitted = carriedOut(made, decideQueues(made, NOW));
    return { ...admitted, runs: [plain({ grant: 2, isSuspended: false })], pods, ...over };
  };

  it.each([
    ['has ended', { end: { type: 'Complete', reason: '', message: '', time: '' } }],
    ['was suspended by its user', { isSuspended: true }],
  ] as const)('a batch Job that %s keeps its quota until its last pod has ended', (_, over) => {
    const runs = [plain({ grant: 2, isSuspended: false, ...over })];
    expect(admittedIn(atRest(running({ runs })))).toEqual(['night']);
    const [entry] = decideQueues(running({ runs, pods: [] }), NOW).desired?.ledger.entries ?? [];
    expect(entry?.grant).not.toBe(2);
  });

  it('a batch Job whose label is removed while it runs keeps its quota until it has ended', () => {
    const left = plain({ queue: undefined, admittedQueue: 'batch', grant: 2, isSuspended: false });
    const end = { type: 'Complete', reason: '', message: '', time: '' } as const;
    // Between two of its pods it has none.
    for (const pods of [running().pods, []])
      for (const ledger of [running().ledger, undefined]) {
        const rest = atRest({ ...running({ runs: [left], pods }), epoch: 'leader-2', ledger });
        expect(rest.ledger?.entries).toMatchObject([{ name: 'night', queue: 'batch', grant: 2 }]);
        expect(starts(rest)).toEqual([]);
        expect(admittedIn(atRest({ ...rest, runs: [{ ...left, end }], pods: [] }))).toEqual([]);
      }
  });

  it('nothing is written to a batch Job that waited again when its label was removed', () => {
    const waits = 'WaitingForQuota: x';
    const again = { queue: undefined, admittedQueue: 'batch', grant: 2, isSuspended: true, waits };
    const { steps, desired } = decideQueues(running({ runs: [plain(again)], pods: [] }), NOW);
    expect(desired?.ledger.entries).toEqual([]);
    expect(steps.filter((step) => 'kind' in step && step.kind.kind === 'Job')).toEqual([]);
  });

  it('a batch Job gives its quota back when its label is removed before its start', () => {
    const left = plain({ queue: undefined, isSuspended: true });
    expect(admittedIn(atRest(running({ runs: [left], pods: [] })))).toEqual([]);
  });

  it('a batch Job that another controller suspends after each start is started once in ten seconds', () => {
    const suspended = plain({ grant: 2, isSuspended: true, isResumed: false, suspendedMs: NOW });
    const world = running({ runs: [suspended], pods: [] });
    const rest = carriedOut(world, decideQueues(world, NOW + 1_000));
    const decision = decideQueues(rest, NOW + 1_000);
    expect(decision).toMatchObject({ requeueAfterMs: 9_000 });
    expect(decision.verdicts?.get('run-night')).toMatchObject({
      reason: 'BackingOff',
      message: 'its last attempt has ended; the next follows a pause',
    });
    expect(admittedIn(rest)).toEqual([]);
    expect(admittedIn(carriedOut(rest, decideQueues(rest, NOW + 10_000)))).toEqual(['night']);
  });

  it('a queued batch Job whose pods have succeeded gives its quota back, and is left alone', () => {
    const own = { swarmJobUid: undefined, jobName: undefined, queue: undefined };
    const pods = [podOf('night', { ...own, rank: undefined, hasEnded: true, hasSucceeded: true })];
    const world = running({ pods });
    const rest = atRest(world);
    expect(admittedIn(rest)).toEqual([]);
    expect(rest.queues[0]?.status?.usage).toEqual({ pods: '0', cpu: '0' });
    expect(starts(rest)).toEqual([]);
    const two = [plain({ grant: 2, isSuspended: false, completions: 2 })];
    expect(admittedIn(atRest({ ...world, runs: two }))).toEqual(['night']);
  });

  it('a queued batch Job that is scaled up before its start is admitted again as a whole', () => {
    const world = running({ runs: [plain({ parallelism: 3 })], pods: [] });
    expect(admittedIn(world)).toEqual(['night']);
    const isStarted = { spec: expect.objectContaining({ suspend: false }) };
    expect(starts(world)).not.toContainEqual(expect.objectContaining(isStarted));
    const rest = atRest(world);
    expect(admittedIn(rest)).toEqual([]);
    expect(rest.queues[0]?.status?.waiting).toMatchObject([
      { name: 'night', reason: 'TooLargeEver' },
    ]);
  });

  describe('a queued batch Job that is scaled up while it runs', () => {
    const scaledUp = (over: Partial<BatchJob> = {}): QueueWorld =>
      running({ runs: [plain({ grant: 2, isSuspended: false, parallelism: 2, ...over })] });
    const suspended = {
      metadata: { annotations: { 'k8slab.info/grant': '3' } },
      spec: { suspend: true },
    };

    it('is suspended, and a warning names the number of admitted pods', () => {
      const { steps } = decideQueues(scaledUp(), NOW);
      expect(starts(scaledUp())).toEqual([suspended]);
      expect(steps.flatMap((step) => (step.do === 'event' ? [step] : []))).toMatchObject([
        {
          regarding: { kind: 'Job', name: 'night', uid: 'run-night' },
          event: {
            type: 'Warning',
            reason: 'ScaledUp',
            message:
              'Suspended, and queued again: it was admitted to SwarmQueue batch for 1 pod, and now has a parallelism of 2',
          },
        },
      ]);
    });

    it('a scaled-up Job counts with its new size before its new pods are reported', () => {
      const next = plain({ name: 'next', uid: 'run-next', isSuspended: true });
      const roomy = queueOf({ pods: '2', cpu: '9' });
      const both = (over: Partial<BatchJob>): QueueWorld => {
        const world = scaledUp(over);
        return { ...world, queues: [roomy], runs: [...world.runs, next] };
      };
      const admits = (over: Partial<BatchJob>) => admittedIn(atRest(both(over)));
      expect(admits({ parallelism: 1 })).toEqual(['next', 'night']);
      expect(admits({})).toEqual(['night']);
      expect(admits({ isSuspended: true, isResumed: true, grant: 3 })).toEqual(['night']);
      expect(admits({ isSuspended: true, terminating: 2, grant: 3 })).toEqual(['night']);
    });

    it('is reported after the writes to other Jobs, which a refused event would stop', () => {
      const world = scaledUp();
      const other = plain({ name: 'huge', uid: 'run-huge', parallelism: 9 });
      const { steps } = decideQueues({ ...world, runs: [...world.runs, other] }, NOW);
      const onJobs = steps.filter((step) => step.do === 'patch' || step.do === 'event');
      expect(onJobs.map((step) => step.do)).toEqual(['patch', 'patch', 'event', 'event']);
    });

    it('keeps its quota, and is not started, until its last pod has ended', () => {
      const ending = { isSuspended: true, grant: 3, isResumed: true };
      for (const world of [
        scaledUp(ending),
        { ...scaledUp(ending), pods: [] },
        { ...scaledUp({ ...ending, isResumed: false, terminating: 1 }), pods: [] },
      ]) {
        const rest = atRest(world);
        expect(rest.ledger?.entries).toMatchObject([{ name: 'night', size: 1, grant: 2 }]);
        expect(starts(rest)).toEqual([]);
      }
    });

    it('is admitted again as a whole, and started under another grant', () => {
      const over = { isSuspended: true, isResumed: false, grant: 3, suspendedMs: NOW - 60_000 };
      const noted = new Map([['run-night', 5_000]]);
      const rest = atRest({ ...scaledUp(over), pods: [], unnotedMs: noted });
      expect(rest.ledger?.entries).toMatchObject([
        { name: 'night', size: 2, requests: { pods: '2', cpu: '4' }, grant: 4 },
      ]);
      expect(rest.runs).toMatchObject([{ isSuspended: false, grant: 4 }]);
    });
  });

  it('a queued batch Job that is scaled down before its start is started', () => {
    const twice = worldOf({ queues: [quota], runs: [plain({ parallelism: 2 })] });
    const made = carriedOut(twice, decideQueues(twice, NOW));
    const admitted = carriedOut(made, decideQueues(made, NOW));
    expect(starts({ ...admitted, runs: [plain({ parallelism: 1 })] })).toEqual([startedWith(2)]);
  });

  it('a queued batch Job keeps its quota until its controller has noted that it is suspended', () => {
    const job = plain({ grant: 2, isSuspended: true, isResumed: true });
    const { ledger } = atRest(running({ runs: [job], pods: [] }));
    expect(ledger?.entries).toMatchObject([{ name: 'night', grant: 2 }]);
  });

  it('a batch Job that is suspended right after its start keeps its quota until its controller has noticed', () => {
    const job = plain({ grant: 2, isSuspended: true, isResumed: false });
    const world = running({ runs: [job], pods: [], unnotedMs: new Map([[job.uid, 100]]) });
    expect(decideQueues(world, NOW).requeueAfterMs).toBe(4_900);
    expect(atRest(world).ledger?.entries).toMatchObject([{ name: 'night', grant: 2 }]);
    const noted = { ...world, unnotedMs: new Map([[job.uid, 5_000]]) };
    const [entry] = decideQueues(noted, NOW).desired?.ledger.entries ?? [];
    expect(entry?.grant).not.toBe(2);
  });

  it('a batch Job whose label is changed while it runs counts in its queue, also when the ledger is lost', () => {
    const runs = [plain({ grant: 2, isSuspended: false, queue: 'other', admittedQueue: 'batch' })];
    const queues = [quota, queueOf({ pods: '4' }, {}, 'other')];
    for (const ledger of [running().ledger, undefined]) {
      const rest = atRest({ ...running({ runs, queues }), epoch: 'leader-2', ledger });
      expect(rest.ledger?.entries).toMatchObject([{ name: 'night', queue: 'batch' }]);
      expect(rest.queues.map(({ status }) => status?.usage?.['pods'])).toEqual(['1', '0']);
    }
  });

  it('a batch Job whose label is changed right after its start keeps its quota before its pods are known', () => {
    const runs = [plain({ grant: 2, isSuspended: false, queue: 'other', admittedQueue: 'batch' })];
    const queues = [quota, queueOf({ pods: '4' }, {}, 'other')];
    const rest = atRest(running({ runs, queues, pods: [] }));
    expect(rest.ledger?.entries).toMatchObject([{ name: 'night', queue: 'batch', grant: 2 }]);
  });

  it('a deleted batch Job keeps its quota until its last pod has ended', () => {
    expect(admittedIn(atRest(running({ runs: [] })))).toEqual(['night']);
    expect(admittedIn(atRest(running({ runs: [], pods: [] })))).toEqual([]);
  });

  it('a queued batch Job that is started by hand is suspended again', () => {
    const runs = [plain({ grant: 3, isSuspended: false })];
    const rest = worldOf({ queues: [queueOf({ pods: '0' })], runs });
    const ledgered = carriedOut(rest, decideQueues(rest, NOW));
    expect(starts(ledgered)).toMatchObject([
      { metadata: { annotations: { 'k8slab.info/grant': '5' } }, spec: { suspend: true } },
    ]);
  });

  it('a batch Job with the label of a queue that was never suspended is left alone', () => {
    const runs = [plain({ isSuspended: false })];
    const rest = atRest(worldOf({ queues: [quota], runs, pods: [podOf('night')] }));
    expect(starts(rest)).toEqual([]);
  });
});
