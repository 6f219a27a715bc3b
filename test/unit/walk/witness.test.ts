// Does each check of the walk's witness find what breaks its promise, and nothing else?
import { describe, expect, it } from '@jest/globals';
import {
  batchJob,
  type Event,
  ended,
  findingsOf,
  orphaned,
  pod,
  preempted,
  queue,
  stripped,
  swarmJob,
} from '../../support/walk-stories.ts';
import { type Present, unrestIn } from '../../walk/witness/rest.ts';

const waits = (name: string, size = 2) => batchJob(name, { size, isSuspended: true });
const runs = (name: string, size = 2) => batchJob(name, { size });
/** By its user, who is the walk. */
const byHand = (name: string, size = 2) => batchJob(name, { size, by: 'swarm-walk' });
const attempt = (name: string) => [
  batchJob(name, { of: 'j0', isSuspended: true }),
  batchJob(name, { of: 'j0' }),
];
const told = (time: string) => ({
  meta: { deletionTimestamp: time, deletionGracePeriodSeconds: 0 },
});

/** A Job of a user, and its pods. */
const of = (name: string, user: string): readonly Event[] => [
  batchJob(name, { user, isSuspended: true }),
  batchJob(name, { user }),
  pod(name, 0),
  pod(name, 1),
];
const gone = (name: string, rank: number) => ['gone', pod(name, rank)] as const;
const preempts = { preemption: { withinQueue: 'LowerPriority' } };
/** Job j0 runs, and job j1 of priority 5 waits. */
const urgent = (spec: object = {}, rest: object = preempts): readonly Event[] => [
  ...[queue(4, {}, rest), 60, swarmJob('', spec)],
  swarmJob('Waiting', { priority: 5 }, 'j1'),
];

const started = (name: string, size = 2): readonly Event[] => [
  waits(name, size),
  runs(name, size),
  ...Array.from({ length: size }, (_, rank) => pod(name, rank)),
];

describe('the witness of pods', () => {
  it.each<[string, readonly Event[], readonly string[]]>([
    ['a quota that is kept', [queue(4), ...started('a'), ...started('b')], []],
    ['a quota that is exceeded', [queue(3), ...started('a'), ...started('b')], ['quota']],
    [
      'pods that ended before others started',
      [queue(2), ...started('a'), pod('a', 0, ended), ['gone', pod('a', 1)], ...started('b')],
      [],
    ],
    [
      'pods without an owner beside those of another Job',
      [queue(2), ...started('a'), pod('a', 0, orphaned), pod('a', 1, orphaned), ...started('b')],
      ['quota'],
    ],
    [
      'pods of which a user has removed owner and labels',
      [queue(2), ...started('a'), pod('a', 0, stripped), pod('a', 1, stripped), ...started('b')],
      [],
    ],
    ['pods of a Job that nobody has started', [waits('a'), pod('a', 0)], ['origin']],
    ['a quota that is lowered while pods run', [queue(2), ...started('a'), queue(1), 60], []],
    [
      'a start long after the quota was lowered',
      [queue(4), ...started('a'), queue(3), 60, ...started('b')],
      ['quota'],
    ],
    [
      'pods of a Job that its user starts after another one',
      [queue(2), ...started('a'), waits('b'), byHand('b'), pod('b', 0), pod('b', 1)],
      [],
    ],
    [
      'a start long after a user has started another Job',
      [queue(2), byHand('b'), pod('b', 0), pod('b', 1), 60, ...started('a')],
      ['quota'],
    ],
    [
      'two attempts at a time',
      [queue(4), swarmJob(''), ...attempt('a'), pod('a', 0), ...attempt('b'), pod('b', 0)],
      ['attempts'],
    ],
    [
      'a second attempt after the first',
      [swarmJob(''), ...attempt('a'), pod('a', 0), ['gone', pod('a', 0)], ...attempt('b')],
      [],
    ],
    [
      'a rank that runs twice',
      [swarmJob(''), ...attempt('a'), pod('a', 0), pod('a', 0, { meta: { uid: 'twin' } })],
      ['ranks'],
    ],
    [
      'a job that succeeds',
      [
        ...[swarmJob(''), ...attempt('a'), pod('a', 0), pod('a', 1)],
        ...[pod('a', 0, ended), pod('a', 1, ended), swarmJob('Succeeded')],
      ],
      [],
    ],
    [
      'a job that succeeds though a rank was told to end',
      [
        ...[swarmJob(''), ...attempt('a'), pod('a', 0), pod('a', 1, told('2026-01-01T00:00:00Z'))],
        ...[pod('a', 0, ended), pod('a', 1, ended), swarmJob('Succeeded')],
      ],
      ['success'],
    ],
    [
      'a job that succeeds though a rank never ended',
      [swarmJob(''), ...attempt('a'), pod('a', 0), pod('a', 0, ended), swarmJob('Succeeded')],
      ['success'],
    ],
    [
      'pods of one user beyond what the queue allows one user',
      [queue(4, {}, { maxPerUser: { pods: '2' } }), ...of('a', 'alice'), ...of('b', 'alice')],
      ['user'],
    ],
    [
      'pods of two users within what the queue allows one user',
      [queue(4, {}, { maxPerUser: { pods: '2' } }), ...of('a', 'alice'), ...of('b', 'bob')],
      [],
    ],
    [
      'a pod that runs past the deadline of its job',
      [swarmJob('', { activeDeadlineSeconds: 5 }), ...attempt('a'), pod('a', 0), 16, gone('a', 0)],
      ['deadline'],
    ],
    [
      'a pod that takes its grace period after the deadline',
      [swarmJob('', { activeDeadlineSeconds: 5 }), ...attempt('a'), pod('a', 0), 12, gone('a', 0)],
      [],
    ],
    ['a job that ends for one of higher priority', [...urgent(), preempted('j1', 5)], []],
    [
      'a job that ends for one of its own priority',
      [...urgent({ priority: 5 }), preempted('j1', 5, { priority: 5 })],
      ['preemption'],
    ],
    [
      'a job that ends though its queue does not let it',
      [...urgent({}, {}), preempted('j1', 5)],
      ['preemption'],
    ],
    [
      'a job that ends for one with another priority than it says',
      [...urgent(), preempted('j1', 7)],
      ['preemption'],
    ],
    [
      'a job that ends for one that does not start',
      [...urgent(), preempted('j1', 5), 41, queue(4, {}, preempts)],
      ['room'],
    ],
    [
      'a job that ends for one that starts',
      [
        ...[...urgent(), preempted('j1', 5), batchJob('b', { of: 'j1', isSuspended: true })],
        ...[batchJob('b', { of: 'j1' }), 41, queue(4, {}, preempts)],
      ],
      [],
    ],
    [
      'a Job that is started by hand and suspended again',
      [queue(2), 60, waits('a'), byHand('a'), 5, waits('a'), 60, waits('a')],
      [],
    ],
    [
      'a Job that is started by hand and goes on',
      [queue(2), 60, waits('a'), byHand('a'), 60, byHand('a')],
      ['started by hand'],
    ],
  ])('of %s', (_, events, checks) => {
    expect(findingsOf(events)).toEqual(checks);
  });
});

const status = { usage: { pods: '0' }, running: 0, pending: 0 };
const atRest: Present = {
  ...{ pods: [], batchJobs: [], others: [], ledger: '{"entries":[]}' },
  swarmJobs: [swarmJob('Succeeded')],
  queues: [queue(2, { status })],
};

describe('the witness of rest', () => {
  it('finds nothing when all has ended', () => {
    expect(unrestIn(atRest)).toEqual([]);
  });

  it.each<[string, Partial<Present>, string]>([
    ['a pod that lives', { pods: [pod('j0', 0)] }, 'pod j0-0 lives'],
    [
      'what is left of a job',
      { pods: [pod('gone', 0, ended)] },
      'Pod gone-0 is left of a job that is gone',
    ],
    [
      'a job that waits though there is room',
      {
        swarmJobs: [swarmJob('Waiting')],
        queues: [queue(2, { status: { ...status, pending: 1 } })],
      },
      'SwarmJob j0 is Waiting',
    ],
    [
      'a Job that waits though there is room',
      { batchJobs: [waits('a')], queues: [queue(2, { status: { ...status, pending: 1 } })] },
      'Job a has not ended',
    ],
    [
      'a queue that counts too much',
      { queues: [queue(2, { status: { ...status, usage: { pods: '1' } } })] },
      'queue red has pods: 1 in use',
    ],
    [
      'a queue that counts a job that is gone',
      { queues: [queue(2, { status: { ...status, running: 1 } })] },
      'queue red has 1 as status.running, not 0',
    ],
    [
      'an entry of the ledger',
      { ledger: '{"entries":[{"name":"j9"}]}' },
      'the ledger has an entry of j9',
    ],
  ])('finds %s', (_, changed, words) => {
    expect(unrestIn({ ...atRest, ...changed }).join('\n')).toContain(words);
  });

  it('lets a job wait that is larger than its quota', () => {
    const queues = [queue(1, { status: { ...status, pending: 1 } })];
    expect(unrestIn({ ...atRest, swarmJobs: [swarmJob('Waiting')], queues })).toEqual([]);
  });
});
