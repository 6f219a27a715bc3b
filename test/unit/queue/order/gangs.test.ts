// When does a gang start whose last start timed out?
import { describe, expect, it } from '@jest/globals';
import { admit } from '../../../../src/queue/admit.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { lastingText, whyText } from '../../../../src/queue/why.ts';
import type { Gang } from '../../../../src/queue/world.ts';
import { jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';
import * as worlds from '../../../support/queue-worlds.ts';

const gang = (name: string, of: Gang, size = 2) => jobOf(name, size, {}, { gang: of });
const passOf = (
  jobs: Parameters<typeof worldOf>[1],
  starting?: string,
  quota: Readonly<Record<string, number>> = { pods: 9 },
) => admit(worldOf([queueOf(quota)], jobs, { starting }));
const admitted = (...of: Parameters<typeof passOf>): string =>
  passOf(...of)
    .admitted.map(({ name }) => name)
    .join(' ');

describe('a gang whose last start timed out', () => {
  it('a gang whose last start timed out waits while another gang starts', () => {
    expect(admitted([gang('a', 'TimedOut')], 'other')).toBe('');
    expect(admitted([gang('a', 'TimedOut')])).toBe('a');
  });

  it('only one of several such gangs starts at a time', () =>
    expect(admitted([gang('a', 'TimedOut'), gang('b', 'TimedOut')])).toBe('a'));

  it('a gang whose last start timed out waits for a gang that this pass admits', () =>
    expect(admitted([gang('a', 'New'), gang('b', 'TimedOut')])).toBe('a'));

  it('a waiting gang holds up no gang whose start did not time out, and no job of one pod', () => {
    const others = [gang('b', 'New'), jobOf('c', 1)];
    expect(admitted([gang('a', 'TimedOut'), ...others])).toBe('a b c');
    expect(admitted([gang('a', 'TimedOut'), ...others], 'other')).toBe('b c');
  });

  it('room is kept for a waiting gang', () =>
    expect(admitted([gang('a', 'TimedOut'), gang('b', 'New')], 'other', { pods: 3 })).toBe(''));

  it('the reason of a waiting gang names the gang that starts', () => {
    const waits = passOf([gang('a', 'TimedOut')], 'other').waiting.get('a');
    expect(waits && whyText(waits)).toBe(
      'its last start timed out: it starts when job other runs, or has given up',
    );
    expect(waits && lastingText(waits)).toBe('its last start timed out, and another job starts');
  });
});

describe('two gangs that fit the quota, and not the nodes', () => {
  const timedOut = (...more: readonly object[]) => ({
    state: 'Waiting',
    history: [...more, { state: 'Waiting', reason: 'StartTimedOut', time: worlds.secondsLater(0) }],
  });
  const jobs = (a: object, b: object = timedOut()) => [
    worlds.jobOf('a', { size: 2 }, { status: a }),
    worlds.jobOf('b', { size: 2 }, { status: b }),
  ];
  const queues = [worlds.queueOf({ pods: '4' })];
  const world = worlds.atRest(worlds.worldOf({ queues, jobs: jobs(timedOut()) }));
  const admittedWith = (a: object): readonly string[] => {
    const next = { ...world, jobs: jobs(a), runs: [worlds.runOf('a', { parallelism: 2 })] };
    return decideQueues(next, worlds.NOW).desired?.pass.admitted.map(({ name }) => name) ?? [];
  };

  it('one of the gangs starts, and the other one when the first runs or its start has timed out', () => {
    expect(worlds.admittedIn(world)).toEqual(['a']);
    expect(admittedWith({ state: 'Starting' })).toEqual([]);
    expect(admittedWith({ state: 'Running' })).toEqual(['b']);
    expect(admittedWith({ state: 'Suspending' })).toEqual(['b']);
  });

  it('a gang that has run since then does not wait for others', () => {
    const ran = { state: 'Running', reason: 'AllRanksRunning', time: worlds.secondsLater(0) };
    const both = jobs(timedOut(), timedOut(ran));
    const next = worlds.atRest(worlds.worldOf({ queues, jobs: both }));
    expect(worlds.admittedIn(next)).toEqual(['a', 'b']);
  });
});
