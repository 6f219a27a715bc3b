// What does the operator write about the queues of a namespace?
import { describe, expect, it } from '@jest/globals';
import { grantAt } from '../../../src/api/grants.ts';
import {
  type LedgerContents,
  type LedgerEntry,
  ledgerData,
  parseLedger,
  type QueueLedger,
} from '../../../src/api/ledger.ts';
import { parseConfigMap } from '../../../src/api/observed.ts';
import { decideQueues } from '../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../src/queue/world.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  jobOf,
  NOW,
  queueOf,
  runOf,
  withRunning,
  worldOf,
} from '../../support/queue-worlds.ts';

const queue = queueOf({ pods: '4' });
const waiting = { state: 'Waiting' };
const running = { state: 'Running' };

const entryOf = ({ ledger }: QueueWorld): LedgerEntry => {
  const [entry] = ledger?.entries ?? [];
  if (entry === undefined) throw new Error('the ledger has no entry');
  return entry;
};

const parsed = ({ ledger }: QueueWorld, contents: LedgerContents): QueueLedger => {
  const metadata = { name: 'swarm-ledger-hpc', namespace: 'swarm', ...ledger?.at };
  const data = ledgerData(contents);
  return parseLedger(parseConfigMap({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
};

const ledgerOf = (world: QueueWorld, entry: LedgerEntry): QueueLedger =>
  parsed(world, { epoch: world.epoch, nextGrant: entry.grant + 2, entries: [entry] });

describe('the ledger of a namespace', () => {
  it('no job is admitted while a watch is broken, and the status is still written', () => {
    const running = withRunning();
    const jobs = [...running.jobs, jobOf('huge', { size: 9 })];
    const world = { ...running, jobs, isOutdated: true };
    const rest = atRest(world);
    expect(rest.queues[0]?.status).toMatchObject({ pending: 1, running: 1 });
    const free = { ...rest, jobs: [jobOf('b')], runs: [], pods: [] };
    expect(decideQueues(free, NOW)).toMatchObject({ steps: [], requeueAfterMs: 250 });
    expect(admittedIn(atRest({ ...free, isOutdated: false }))).toEqual(['b']);
  });

  it('a ledger is not created before there is a job', () => {
    const world = atRest(worldOf({ queues: [queue] }));
    expect(world.ledger).toBeUndefined();
    expect(world.queues[0]?.status).toMatchObject({ pending: 0, running: 0, usage: { pods: '0' } });
  });

  it('the decision that creates a ledger admits no job, and the next decision does', () => {
    const first = decideQueues(worldOf({ queues: [queue], jobs: [jobOf('a')] }), NOW);
    expect(first.steps).toMatchObject([
      { do: 'create', object: { metadata: { namespace: 'swarm' } } },
    ]);
    const made = carriedOut(worldOf({ queues: [queue], jobs: [jobOf('a')] }), first);
    expect(admittedIn(made)).toEqual([]);
    expect(admittedIn(atRest(made))).toEqual(['a']);
  });

  it('a ledger is written once for all jobs that a decision admits, each with its own grant', () => {
    const jobs = ['a', 'b', 'c'].map((name) => jobOf(name));
    const made = atRest(worldOf({ queues: [queue], jobs: [] }));
    const world = carriedOut({ ...made, jobs }, decideQueues({ ...made, jobs }, NOW));
    const decision = decideQueues(world, NOW);
    expect(decision.steps.map((step) => step.do)).toEqual(['patch', 'status']);
    const { ledger } = carriedOut(world, decision);
    expect(ledger?.entries.map(({ name, grant }) => [name, grant])).toEqual([
      ['a', 2],
      ['b', 4],
      ['c', 6],
    ]);
    expect(ledger?.nextGrant).toBe(8);
  });

  it('a new leader writes its epoch into the ledger before it admits a job', () => {
    const before = withRunning({ queues: [queueOf({ pods: '9' })] });
    const jobs = [...before.jobs, jobOf('b')];
    const next = { ...before, jobs, epoch: 'leader-2' };
    const decision = decideQueues(next, NOW);
    expect(decision.steps).toMatchObject([{ do: 'patch', ref: { uid: 'uid-ledger' } }]);
    const taken = carriedOut(next, decision);
    expect(taken.ledger?.epoch).toBe('leader-2');
    expect(admittedIn(taken)).toEqual(['a']);
    expect(admittedIn(atRest(taken))).toEqual(['a', 'b']);
  });

  it('a new leader does not count grants from a number that a user wrote on a batch Job', () => {
    const forged = runOf('b', { swarmJobUid: undefined, grant: 999_999_999_999_998 });
    const world = withRunning({ runs: [runOf('a'), forged], epoch: 'leader-2' });
    expect(carriedOut(world, decideQueues(world, NOW)).ledger?.nextGrant).toBe(4);
  });

  it('a deleted ledger is created again with an entry for each running job', () => {
    const world = withRunning({ ledger: undefined });
    const made = carriedOut(world, decideQueues(world, NOW));
    expect(made.ledger?.entries).toMatchObject([{ name: 'a', grant: 2, requests: { pods: '4' } }]);
    expect(made.ledger?.nextGrant).toBeGreaterThan(2);
  });

  it('an edited ledger is written again with an entry for each running job', () => {
    const world = withRunning();
    const { epoch = '', nextGrant = 0, at } = world.ledger ?? {};
    const data = {
      ...ledgerData({ epoch, nextGrant, entries: world.ledger?.entries ?? [] }),
      'ledger.json': JSON.stringify({ epoch, nextGrant, entries: [] }),
    };
    const metadata = { name: 'swarm-ledger-hpc', namespace: 'swarm', ...at };
    const configMap = parseConfigMap({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    const edited = { ...world, ledger: parseLedger(configMap) };
    expect(edited.ledger.isEdited).toBe(true);
    expect(admittedIn(atRest(edited))).toEqual(['a']);
  });

  it.each(['leader-1', 'leader-2'])(
    'a ledger restored from an earlier text is written again with an entry for each running job, by %s',
    (epoch) => {
      const jobs = [
        jobOf('a', { size: 4 }, { status: running }),
        jobOf('earlier', { size: 4 }, { status: waiting }),
      ];
      const world = withRunning({ jobs });
      const earlier = { ...entryOf(world), uid: 'uid-earlier', name: 'earlier' };
      const contents = { epoch: 'leader-1', nextGrant: 4, entries: [earlier] };
      const runs = [runOf('a', { grant: 4 })];
      const under4 = { ...world, runs, ledger: ledgerOf(world, { ...entryOf(world), grant: 4 }) };
      const { remembered } = decideQueues(under4, NOW);
      const restored = { ...under4, epoch, remembered, ledger: parsed(world, contents) };
      const [step] = decideQueues(restored, NOW).steps;
      expect(step).toMatchObject({ do: 'patch', ref: { uid: 'uid-ledger' } });
      const made = carriedOut(restored, decideQueues(restored, NOW));
      expect(made.ledger?.entries).toMatchObject([{ name: 'a', grant: 4 }]);
      expect(made.ledger?.nextGrant).toBeGreaterThan(4);
      expect(admittedIn(atRest(made))).toEqual(['a']);
    },
  );

  it('a number that a user wrote on a batch Job admits nothing', () => {
    const jobs = [
      jobOf('a', { size: 4 }, { status: running }),
      jobOf('b', { size: 4 }, { status: waiting }),
    ];
    const world = atRest(withRunning({ jobs }));
    const forged = runOf('b', { grant: 100, isSuspended: true });
    const rest = atRest({ ...world, runs: [...world.runs, forged] });
    expect(admittedIn(rest)).toEqual(['a']);
    expect(rest.ledger?.nextGrant).toBe(grantAt(NOW));
  });

  it('a number that a user wrote on a batch Job takes no entry from jobs that are being started', () => {
    const labelled = runOf('night', {
      ...{ swarmJobUid: undefined, grant: undefined, isSuspended: true },
    });
    const world = atRest(worldOf({ queues: [queueOf({ pods: '2' })], jobs: [jobOf('a')] }));
    const admitted = carriedOut(
      { ...world, runs: [labelled] },
      decideQueues({ ...world, runs: [labelled] }, NOW),
    );
    expect(admittedIn(admitted)).toEqual(['a', 'night']);
    const forged = runOf('b', { swarmJobUid: undefined, queue: undefined, grant: 100 });
    const tampered = { ...admitted, runs: [labelled, forged] };
    const rebuilt = carriedOut(tampered, decideQueues(tampered, NOW));
    expect(rebuilt.ledger?.nextGrant).toBe(grantAt(NOW));
    expect(rebuilt.ledger?.entries).toEqual(admitted.ledger?.entries);
  });

  it.each([98, 999_999_999_998, grantAt(NOW), 999_999_999_999_998])(
    'the number %i that a user wrote on a Job that waits by its label is no grant',
    (grant) => {
      const forged = runOf('b', { swarmJobUid: undefined, grant, isSuspended: true });
      const queues = [queueOf({ pods: '4' })];
      const world = withRunning({ queues });
      const runs = [...world.runs, forged];
      expect(decideQueues({ ...world, runs }, NOW).desired).toBeDefined();
      const lost = { ...world, runs, epoch: 'leader-2', ledger: undefined };
      const next = carriedOut(lost, decideQueues(lost, NOW));
      expect(admittedIn(next)).toEqual(['a']);
      expect(next.ledger?.nextGrant).toBe(grantAt(NOW));
      expect(admittedIn(atRest(next))).toEqual(['a']);
    },
  );

  it('a lost ledger starts again with grants above all earlier ones', () => {
    const world = withRunning({ ledger: undefined, epoch: 'leader-2' });
    const jobs = [...world.jobs, jobOf('b')];
    const next = atRest({ ...world, queues: [queueOf({ pods: '5' })], jobs });
    expect(admittedIn(next)).toEqual(['a', 'b']);
    const runs = [...next.runs, runOf('b', { grant: next.ledger?.entries[1]?.grant })];
    const { desired } = decideQueues({ ...next, runs }, NOW);
    expect(desired?.ledger.entries.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('an edited ledger does not start with a number that no ledger can have given', () => {
    const world = withRunning({ epoch: 'leader-2' });
    const contents = { epoch: 'leader-1', nextGrant: 999_999_999_999_998, entries: [] };
    const at = { ...parsed(world, contents), isEdited: true };
    const next = carriedOut({ ...world, ledger: at }, decideQueues({ ...world, ledger: at }, NOW));
    expect(next.ledger?.nextGrant).toBe(grantAt(NOW));
  });

  it('a ledger does not count as restored because of a number that no ledger can have given', () => {
    const runs = [runOf('a', { grant: 999_999_999_999_998 })];
    const world = withRunning({ runs });
    expect(decideQueues(world, NOW).desired).toBeDefined();
    const made = carriedOut(
      { ...world, epoch: 'leader-2' },
      decideQueues({ ...world, epoch: 'leader-2' }, NOW),
    );
    expect(made.ledger?.nextGrant).toBe(4);
  });

  it('a ledger without any job or queue is deleted', () => {
    const world = withRunning({ queues: [], jobs: [], runs: [], pods: [] });
    expect(atRest(world).ledger).toBeUndefined();
  });

  it('a large ledger is written less often', () => {
    const jobs = Array.from({ length: 400 }, (_, at) => jobOf(`job-${at}`));
    const big = queueOf({ pods: '400' });
    const world = atRest(worldOf({ queues: [big], jobs }));
    const remembered = { ...world.remembered, ledgerWrittenMs: world.monotonicMs };
    const queues = [queueOf({ pods: '401' })];
    const more = { ...world, jobs: [...jobs, jobOf('z')], queues, remembered };
    const decision = decideQueues(more, NOW);
    expect(decision.steps.filter((step) => step.do === 'patch')).toEqual([]);
    const bytes = world.ledger?.bytes ?? 0;
    expect(decision.requeueAfterMs).toBe(Math.ceil(bytes / 1000));
    expect(admittedIn(atRest(more))).toHaveLength(401);
  });
});
