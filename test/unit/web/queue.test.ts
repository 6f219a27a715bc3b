// Does the page say of a queue and its jobs what the operator answered?
import { describe, expect, it } from '@jest/globals';
import type {
  AdmittedJob,
  QueueDetail,
  QueuedJob,
  QueueSummary,
  Ranks,
} from '../../../src/api/introspection/queues.ts';
import { queueCard } from '../../../src/web/model/cards.ts';
import {
  failedRows,
  jobRows,
  partText,
  quotaBars,
  waitingRows,
} from '../../../src/web/model/queue.ts';
import { queueStandingOf, withQueueNews } from '../../../src/web/model/queues.ts';
import { untilText } from '../../../src/web/model/words.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(now + seconds * 1_000).toISOString();

const queue = (rest: Partial<QueueSummary> = {}): QueueSummary => ({
  namespace: 'jobs',
  name: 'batch',
  strategy: 'BestEffort',
  quota: [
    { resource: 'pods', quota: '4', used: '3', free: '1', part: 0.75 },
    { resource: 'cpu', quota: '2', used: '3', free: '0', part: 1.5 },
    { resource: 'memory', used: '1Gi' },
  ],
  admitted: 1,
  waiting: 0,
  neverStart: 0,
  failed: 0,
  ranks: 3,
  readyRanks: 2,
  isReady: true,
  isStalled: false,
  isPaused: false,
  reason: 'Admitting',
  message: 'a sentence',
  ...rest,
});

const noRanks: Ranks = {
  ...{ running: 0, succeeded: 0, starting: 0, failing: 0, ending: 0, missing: 0 },
};

const admitted = (rest: Partial<AdmittedJob> = {}): AdmittedJob => ({
  kind: 'SwarmJob',
  name: 'long',
  size: 3,
  since: at(-60),
  state: 'Running',
  message: '3 of 3 ranks run',
  ranks: { ...noRanks, running: 3 },
  endsBy: at(90),
  ...rest,
});

const waits = (rest: Partial<QueuedJob> = {}): QueuedJob => ({
  position: 1,
  kind: 'SwarmJob',
  name: 'next',
  priority: 0,
  size: 2,
  reason: 'WaitingForQuota',
  message: 'needs 2 pods, 1 is free',
  ...rest,
});

const detail = (jobs: readonly AdmittedJob[], waiting: readonly QueuedJob[] = []): QueueDetail => ({
  ...queue(),
  asOf: '',
  generation: 1,
  admittedJobs: { total: jobs.length, first: jobs },
  waitingJobs: { total: waiting.length, first: waiting },
  failedJobs: { total: 0, first: [] },
  heldJobs: { total: 0, first: [] },
  conditions: [],
  decision: { steps: { total: 0, first: [] } },
});

describe('a queue', () => {
  it.each<[string, string, Partial<QueueSummary>]>([
    ['Ready', '', {}],
    ['Admitting', '1 job waits', { waiting: 1 }],
    ['Admitting', '2,000 jobs wait', { waiting: 2_000 }],
    [
      'Jobs cannot start',
      '1 of 2 waiting jobs never starts as things are: vast: needs 5 pods',
      { waiting: 2, neverStart: 1, firstNeverStart: 'vast: needs 5 pods' },
    ],
    [
      'Jobs cannot start',
      '2 of 2 waiting jobs never start as things are: such as vast: needs 5 pods',
      { waiting: 2, neverStart: 2, firstNeverStart: 'vast: needs 5 pods' },
    ],
    ['Ready', '1 job failed: sim: exit code 3', { failed: 1, lastFailed: 'sim: exit code 3' }],
    [
      'Admitting',
      '1 job waits; 3 jobs failed: last sim: exit code 3',
      { waiting: 1, failed: 3, lastFailed: 'sim: exit code 3' },
    ],
    ['Stalled', 'a sentence', { isReady: false, isStalled: true, reason: 'InvalidSpec' }],
    ['Paused', 'a sentence', { isReady: false, isPaused: true, reason: 'Paused' }],
    ['Refused', 'a sentence', { isReady: false, reason: 'WriteRefused' }],
    ['Not ready', 'a sentence', { isReady: false, reason: '' }],
  ])('the page calls a queue %s: "%s"', (word, why, rest) =>
    expect(queueStandingOf(queue(rest))).toMatchObject({ word, why }),
  );

  it('the card of a queue shows its jobs, and the part of its quota that is in use', () => {
    expect(queueCard(queue())).toMatchObject({
      subtitle: 'BestEffort',
      done: 1,
      facts: { admitted: '1', waiting: '0', failed: '0', ranks: '2 of 3', 'in use': '150%' },
    });
    expect(queueCard(queue({ quota: [] }))).toMatchObject({ done: 0, facts: { 'in use': '0%' } });
  });

  it('each resource with a limit has a bar', () =>
    expect(quotaBars(queue().quota)).toEqual([
      { resource: 'pods', text: '3 of 4 in use, 1 free', part: 0.75, isExceeded: false },
      { resource: 'cpu', text: '3 of 2 in use, 0 free', part: 1, isExceeded: true },
      { resource: 'memory', text: '1Gi in use, no bound', part: undefined, isExceeded: false },
    ]));

  it('the bars of a quota show the limit for one user', () =>
    expect(
      quotaBars([
        { resource: 'pods', quota: '4', perUser: '2', used: '3', free: '1', part: 0.75 },
        { resource: 'cpu', perUser: '8', used: '3' },
      ]).map(({ text }) => text),
    ).toEqual(['3 of 4 in use, 1 free, 2 for a user', '3 in use, no bound, 8 for a user']));

  it('changed queues are added in the order of names', () => {
    const all = withQueueNews(new Map(), { type: 'queues', queues: [queue({ name: 'b' })] });
    const more = withQueueNews(all, { type: 'queue', queue: queue({ name: 'a' }) });
    expect([...more.keys()]).toEqual(['jobs/a', 'jobs/b']);
    const less = withQueueNews(more, { type: 'queue-gone', namespace: 'jobs', name: 'b' });
    expect([...less.keys()]).toEqual(['jobs/a']);
  });
});

it('a failed job shows the time and the reason of its failure', () => {
  const failedJobs = {
    total: 2,
    first: [
      {
        ...({ kind: 'SwarmJob', name: 'sim', reason: 'CommandFailed' } as const),
        ...{ message: 'rank 2 ended with exit code 3', time: at(-120) },
      },
      { kind: 'Job', name: 'nightly', reason: 'BackoffLimitExceeded', message: '' } as const,
    ],
  };
  expect(failedRows({ ...detail([]), failedJobs }, now)).toEqual([
    {
      ...{ key: 'SwarmJob/sim', name: 'sim', about: 'failed 2 min ago' },
      ...{ reason: 'command failed', message: 'rank 2 ended with exit code 3' },
    },
    {
      ...{ key: 'Job/nightly', name: 'nightly', about: 'batch Job' },
      ...{ reason: 'backoff limit exceeded', message: '' },
    },
  ]);
});

describe('an admitted job', () => {
  const only = (job: Partial<AdmittedJob>) => jobRows(detail([admitted(job)]), now)[0];

  it('a job shows its ranks, its times, and no message if all is well', () =>
    expect(only({})).toMatchObject({
      tone: 'good',
      state: 'Running',
      count: '3 of 3 run',
      about: 'admitted 1 min ago · ends in 90 s at the latest',
      message: '',
      segments: Array(3).fill({ state: 'ready', part: 1 / 3 }),
    }));

  it('a job with a rank that fails is in trouble, and shows why', () => {
    const message = '1 of 3 ranks run; rank 1: ImagePullBackOff';
    const ranks = { ...noRanks, running: 1, failing: 1, missing: 1 };
    const row = only({ state: 'Starting', message, ranks, endsBy: undefined });
    expect(row).toMatchObject({ tone: 'bad', count: '1 of 3 run', message });
    expect(row?.about).toBe('admitted 1 min ago · no deadline');
    expect(row?.segments.map(({ state }) => state)).toEqual(['ready', 'waiting', 'stuck']);
  });

  it('ranks that have succeeded and ranks that are ending look different', () => {
    const row = only({ ranks: { ...noRanks, succeeded: 2, ending: 1 }, kind: 'Job' });
    expect(row?.count).toBe('2 of 3 run, 2 done');
    expect(row?.about).toMatch(/^batch Job · /);
    expect(row?.segments.map(({ state }) => state)).toEqual(['done', 'done', 'leaving']);
  });

  it('a batch Job with many pods has one block for each state', () => {
    const ranks = { ...noRanks, running: 50, starting: 50 };
    expect(only({ kind: 'Job', size: 100, ranks })?.segments).toEqual([
      { state: 'ready', part: 0.5 },
      { state: 'waiting', part: 0.5 },
    ]);
  });

  it('a job is drawn as its ranks, and a batch Job as a bar on the scale of such Jobs', () => {
    const tile = { state: 'Running', rank: 0, count: 50 } as const;
    const rankTiles = { ranksEach: 50, hasLeader: false, tiles: [tile, { ...tile, rank: 50 }] };
    const large = admitted({ size: 100, rankTiles });
    const batch = admitted({
      kind: 'Job',
      name: 'cron',
      size: 1,
      ranks: { ...noRanks, running: 1 },
    });
    expect(jobRows(detail([large, batch]), now)).toMatchObject([
      {
        about: 'admitted 1 min ago · ends in 90 s at the latest · a tile is 50 ranks',
        tiles: [{ label: 'ranks 0 to 49: all run' }, { label: 'ranks 50 to 99: all run' }],
        segments: [],
      },
      { tiles: [], segments: [{ state: 'ready', part: 1 }] },
    ]);
  });
});

describe('a waiting job', () => {
  const only = (job: Partial<QueuedJob>) => waitingRows(detail([], [waits(job)]), now)[0];

  it('a waiting job shows its place, its reason, and when it starts at the latest', () =>
    expect(only({ startsBy: at(130), priority: 7 })).toEqual({
      key: 'SwarmJob/next',
      position: '1',
      name: 'next',
      about: '2 pods · priority 7',
      reason: 'waiting for quota',
      message: 'needs 2 pods, 1 is free',
      start: 'starts in 3 min at the latest',
      isKnown: true,
      isStuck: false,
    }));

  it('a waiting job shows why its start is not known', () => {
    expect(only({ noEstimate: 'job long has no deadline' })).toMatchObject({
      start: 'no estimate: job long has no deadline',
      isKnown: false,
    });
    const { position: _, ...huge } = waits({ reason: 'TooLargeEver' });
    expect(waitingRows(detail([], [huge]), now)).toMatchObject([
      { position: '–', start: '', isStuck: true },
    ]);
  });

  it('a list of which a part is shown names the total', () => {
    expect(partText(2_000, 100)).toBe('the first 100 of 2,000');
    expect(partText(3, 3)).toBe('');
  });
});

it.each([
  [-5, '0 s'],
  [0.2, '1 s'],
  [119, '119 s'],
  [121, '3 min'],
  [7_200, '2 h'],
  [47 * 3_600 + 1, '2 d'],
])('a time in %d s is shown as at the latest in %s', (seconds, text) =>
  expect(untilText(at(seconds), now)).toBe(text),
);
