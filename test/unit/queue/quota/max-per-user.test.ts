// What may the jobs of one user have in a queue with maxPerUser?
import { describe, expect, it } from '@jest/globals';
import { admit } from '../../../../src/queue/admit.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { estimateStarts } from '../../../../src/queue/order/estimate.ts';
import { userKey } from '../../../../src/queue/users.ts';
import { whyText } from '../../../../src/queue/why.ts';
import type { NamespaceWorld, QueueWorld } from '../../../../src/queue/world.ts';
import { plain } from '../../../support/labelled-jobs.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';
import * as worlds from '../../../support/queue-worlds.ts';

const bounded = (over = {}) => queueOf({ pods: 9 }, { maxPerUser: amounts({ pods: 2 }), ...over });
const ofUser = (user: string, pods: number) => ({
  ...{ queue: 'batch', user, used: amounts({ pods }) },
});
const job = (name: string, user: string, size = 1) =>
  jobOf(name, size, {}, { user, isPerUser: true });

const passOf = (jobs: NamespaceWorld['waiting'], over = {}, queue = bounded()) =>
  admit(worldOf([queue], jobs, { ofUsers: [ofUser('alice', 1), ofUser('bob', 0)], ...over }));
const admitted = (...of: Parameters<typeof passOf>): string =>
  passOf(...of)
    .admitted.map(({ name }) => name)
    .join(' ');
const why = ({ waiting }: ReturnType<typeof passOf>, name: string): string => {
  const waits = waiting.get(name);
  return waits === undefined ? 'admitted' : `${waits.reason}: ${whyText(waits)}`;
};

describe('a queue that bounds what a user may have', () => {
  const jobs = [job('a', 'alice'), job('b', 'alice'), job('c', 'bob')];

  it.each(['BestEffort', 'StrictFIFO'] as const)(
    'a job beyond the limit of its user waits, and holds up no other user: %s',
    (strategy) => expect(admitted(jobs, {}, bounded({ strategy }))).toBe('a c'),
  );

  it('the reason names the user and the free amount', () =>
    expect(why(passOf(jobs), 'b')).toBe(
      'MaxPerUser: SwarmQueue batch, user alice: needs 1 pod, 0 are free',
    ));

  it('a job that exceeds maxPerUser can never start', () =>
    expect(why(passOf([job('a', 'bob', 3)]), 'a')).toBe(
      'TooLargeEver: needs 3 pods, SwarmQueue batch allows a user 2 pods',
    ));

  it('jobs without a user count as jobs of one user', () => {
    const unknown = [job('a', ''), job('b', ''), job('c', '')];
    const pass = passOf(unknown, { ofUsers: [ofUser('', 0)] });
    expect(pass.admitted.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(why(pass, 'c')).toMatch(/^MaxPerUser: SwarmQueue batch, user \(unknown\): /);
  });

  it('the name of a user is shortened in the reason, and compared in full', () => {
    const [one, other] = [`${'x'.repeat(4_000)}1`, `${'x'.repeat(4_000)}2`].map(userKey);
    const named = [job('a', one ?? '', 2), job('b', one ?? ''), job('c', other ?? '')];
    const ofUsers = [ofUser(one ?? '', 0), ofUser(other ?? '', 0)];
    const pass = passOf(named, { ofUsers });
    expect(pass.admitted.map(({ name }) => name)).toEqual(['a', 'c']);
    const start = `MaxPerUser: SwarmQueue batch, user ${'x'.repeat(79)}…: `;
    expect(why(pass, 'b')).toBe(`${start}needs 1 pod, 0 are free`);
  });

  it.each([
    ['(unknown)', ''],
    ['alice', 'alice/pods'],
    ['alice', 'alice, user bob'],
  ])('the jobs of "%s" and of "%s" count apart', (one, other) => {
    const named = [job('a', one, 2), job('b', other, 2)];
    const ofUsers = [ofUser(one, 0), ofUser(other, 0)];
    expect(admitted(named, { ofUsers })).toBe('a b');
  });

  it('a job that backs off holds up others with StrictFIFO only if its user is below the limit', () => {
    const jobs = (user: string) => [
      jobOf('a', 2, {}, { user, isPerUser: true, backsOffForMs: 5_000 }),
      job('b', 'bob'),
    ];
    const strict = bounded({ strategy: 'StrictFIFO' });
    expect(admitted(jobs('alice'), {}, strict)).toBe('b');
    const within = { ofUsers: [ofUser('alice', 0), ofUser('bob', 0)] };
    expect(admitted(jobs('alice'), within, strict)).toBe('');
  });

  it('a job behind one whose user is at the limit has no estimate', () => {
    const world = worldOf([bounded()], jobs, { ofUsers: [ofUser('alice', 1), ofUser('bob', 0)] });
    expect([...estimateStarts('batch', world, admit(world), []).values()]).toEqual([
      { unknown: 'the jobs of its user need more together than maxPerUser allows' },
    ]);
  });
});

describe('the annotation k8slab.info/user', () => {
  const queues = [worlds.queueOf({ pods: '9' }, { maxPerUser: { pods: '1' } })];
  const annotations = { 'k8slab.info/user': 'alice' };
  const ofAlice = (name: string, second: number) => {
    const made = worlds.jobOf(name, {}, { creationTimestamp: worlds.secondsLater(second) });
    return { ...made, meta: { ...made.meta, annotations } };
  };

  it('the jobs of a user count together, SwarmJobs and labelled Jobs', () => {
    const runs = [plain({ user: 'alice', createdMs: worlds.NOW + 5_000 })];
    const jobs = [ofAlice('a', 0), ofAlice('b', 1), worlds.jobOf('c')];
    const world = worlds.atRest(worlds.worldOf({ queues, jobs, runs }));
    expect(worlds.admittedIn(world)).toEqual(['a', 'c']);
    const { desired } = decideQueues(world, worlds.NOW);
    const why = 'SwarmQueue batch, user alice: needs 1 pod, 0 are free';
    expect([...(desired?.pass.waiting.values() ?? [])].map(whyText)).toEqual([why, why]);
  });

  it('the pods of a labelled Job that runs without its queue count for its user', () => {
    const run = plain({ user: 'alice', isSuspended: false, active: 1 });
    const pods = [worlds.podOf('night', { swarmJobUid: undefined })];
    const jobs = [ofAlice('b', 1), worlds.jobOf('c')];
    const world = worlds.worldOf({ queues, jobs, runs: [run], pods });
    expect(worlds.admittedIn(worlds.atRest(world))).toEqual(['c']);
    const ofBob = worlds.worldOf({ queues, jobs, runs: [{ ...run, user: 'bob' }], pods });
    expect(worlds.admittedIn(worlds.atRest(ofBob))).toEqual(['b', 'c']);
  });

  const running = () =>
    worlds.withRunning({
      queues: [worlds.queueOf({ pods: '9' }, { maxPerUser: { pods: '4' } })],
      jobs: [
        { ...ofAlice('a', 0), spec: worlds.jobOf('a', { size: 4 }).spec },
        ofAlice('b', 1),
        worlds.jobOf('c'),
      ],
    });
  const withoutJob = (world: QueueWorld): QueueWorld => ({
    ...world,
    ...{ jobs: world.jobs.filter(({ meta }) => meta.name !== 'a'), runs: [] },
    pods: [worlds.podOf('a', { isTerminating: true })],
  });

  it('the pods of a job that is deleted count for its user until they have ended', () => {
    const unbounded = { ...running(), queues: [worlds.queueOf({ pods: '4' })] };
    const { queues } = running();
    const deleted = worlds.atRest({ ...withoutJob(worlds.atRest(unbounded)), queues });
    expect(worlds.admittedIn(deleted)).toEqual(['a', 'c']);
    expect(worlds.admittedIn(worlds.atRest({ ...deleted, pods: [] }))).toEqual(['b', 'c']);
  });

  it('the ledger names the user of a job, and follows a change of the annotation', () => {
    const world = worlds.atRest(running());
    const usersIn = ({ ledger }: QueueWorld) => ledger?.entries.map(({ user }) => user);
    expect(usersIn(world)).toEqual(['alice', undefined]);
    const changed = worlds.atRest({
      ...world,
      jobs: world.jobs.map((it) =>
        it.meta.name === 'a'
          ? { ...it, meta: { ...it.meta, annotations: { 'k8slab.info/user': 'bob' } } }
          : it,
      ),
    });
    expect(worlds.admittedIn(changed)).toEqual(['a', 'b', 'c']);
    expect(usersIn(changed)).toEqual(['bob', undefined, 'alice']);
  });
});
