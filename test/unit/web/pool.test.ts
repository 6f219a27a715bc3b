// Does the page say of a pool, its changes and its plans what the operator answered?
import { describe, expect, it } from '@jest/globals';
import type { Plan, Pool, PoolDetail } from '../../../src/api/introspection.ts';
import { allStreamsText, poolCard } from '../../../src/web/model/cards.ts';
import { downWorkerText } from '../../../src/web/model/down.ts';
import {
  commandFor,
  enoughText,
  headlineOf,
  mostWorkers,
  planRows,
} from '../../../src/web/model/plan.ts';
import { standingOf, withNews } from '../../../src/web/model/pools.ts';
import { timelineOf } from '../../../src/web/model/timeline.ts';

const pool = (rest: Partial<Pool> = {}): Pool => ({
  namespace: 'swarm',
  name: 'tv',
  version: 1,
  streams: 4,
  unassigned: 0,
  down: 0,
  withoutOwner: 0,
  doubled: 0,
  desired: 2,
  ready: 2,
  converged: 2,
  required: 1,
  stuck: 0,
  isConverged: true,
  isStalled: false,
  suspended: 0,
  isPaused: false,
  isExclusive: false,
  target: 'StatefulSet/worker',
  scaling: 'Follow',
  reason: '',
  message: '',
  ...rest,
});

describe('the standing of a pool', () => {
  it.each<[string, Partial<Pool>]>([
    ['Converged', {}],
    ['Converging', { isConverged: false, converged: 1 }],
    ['Down', { isConverged: false, down: 3, firstDown: 'w-1: its pod is not Ready' }],
    ['Converging', { isConverged: false, down: 3 }],
    ['Pods not ready', { isConverged: false, reason: 'PodsNotReady' }],
    ['Complete', { isComplete: true, completed: 4 }],
    ['Failing', { isComplete: true, completed: 3, failing: 1 }],
    ['Converged', { isComplete: false, completed: 3 }],
    ['Stuck', { isConverged: false, stuck: 1 }],
    ['Doubled', { doubled: 1 }],
    ['Unassigned', { unassigned: 1 }],
    ['Unassigned', { unassigned: 1, failing: 1 }],
    ['Error in the list', { reason: 'TooHeavy', failing: 1 }],
    ['Unassigned', { reason: 'TooHeavy', unassigned: 1 }],
    ['Failing', { failing: 1 }],
    ['Converged', { failing: 0 }],
    ['Converging', { failing: 1, isConverged: false }],
    ['Paused', { isPaused: true, isConverged: false }],
    ['Stalled', { isStalled: true, isPaused: true, message: 'the spec is wrong' }],
  ])('the page calls a pool %s', (word, rest) => expect(standingOf(pool(rest)).word).toBe(word));

  it.each<[card: string, page: string, Partial<Pool>]>([
    ['27', '27', { streams: 27 }],
    ['27, 3 down', '27, 3 down', { streams: 27, down: 3 }],
    ['27', '27', { streams: 27, failing: 0, completed: 0 }],
    ['27, 3 failing', '27, 3 failing', { streams: 27, failing: 3 }],
    ['9, 2 completed', '9, 1 suspended, 2 completed', { streams: 9, suspended: 1, completed: 2 }],
    ['unknown', 'unknown', { streams: undefined, failing: 1 }],
  ])('the page counts streams as %s on the card, and as %s at length', (card, page, rest) => {
    expect(poolCard({ ...pool({}), ...rest }).facts['streams']).toBe(card);
    expect(allStreamsText({ ...pool({}), ...rest })).toBe(page);
  });

  it.each([
    ['no changes until the pool is resumed', 'quiet', 0],
    ['9 streams without a worker until the pool is resumed', 'bad', 9],
  ])('the page explains the standing of a paused pool: %s', (note, tone, unassigned) =>
    expect(standingOf(pool({ isPaused: true, unassigned }))).toMatchObject({ why: note, tone }),
  );

  it.each([
    [1, '1 stream fails'],
    [7, '7 streams fail'],
  ])('the page shows a pool as bad when %d streams fail: %s', (failing, why) =>
    expect(standingOf(pool({ failing }))).toEqual({ tone: 'bad', word: 'Failing', why }),
  );

  it('the page explains a stalled pool by the message of the operator', () => {
    expect(standingOf(pool({ isStalled: true, message: 'the spec is wrong' })).why).toBe(
      'the spec is wrong',
    );
  });
});

describe('the reason beside the standing of a pool', () => {
  it.each<[string, Partial<Pool>]>([
    [
      '3 streams are down; w-1: its pod is not Ready (ImagePullBackOff: x)',
      {
        ...{ isConverged: false, down: 3 },
        firstDown: 'w-1: its pod is not Ready (ImagePullBackOff: x)',
      },
    ],
    ['2 of 2 workers confirmed; 1 stream waits for its worker', { isConverged: false, down: 1 }],
    ['2 streams fail: cnbc, sky', { failing: 2, failingNames: ['cnbc', 'sky'] }],
    ['9 streams fail: a, b, c, 6 more', { failing: 9, failingNames: ['a', 'b', 'c'] }],
    ['all work is done: 4 streams completed', { isComplete: true, completed: 4 }],
  ])('the page says "%s"', (why, rest) => expect(standingOf(pool(rest)).why).toBe(why));
});

describe('a worker that is down', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const worker = { name: 'w-1', streams: 3, why: 'it has no pod', hasCause: false };
  const takeover = 'other workers take over its streams after 300 s';

  it.each<[string, string | undefined]>([
    ['3 streams · it has no pod · other workers take over in 100 s', '2026-01-01T00:01:40Z'],
    [`3 streams · it has no pod · ${takeover}`, '2025-12-31T23:59:59Z'],
    [`3 streams · it has no pod · ${takeover}`, undefined],
  ])('the page says "%s"', (text, time) => {
    const down = { ...worker, takeover, ...(time !== undefined && { takeoverTime: time }) };
    expect(downWorkerText(down, now)).toBe(text);
  });
});

describe('news of pools', () => {
  const known = withNews(new Map(), {
    type: 'all',
    pools: [pool(), pool({ namespace: 'a', name: 'w-10' }), pool({ namespace: 'a', name: 'w-2' })],
  });

  it('the page sorts pools by name', () => {
    const more = withNews(known, { type: 'pool', pool: pool({ namespace: 'b' }) });
    expect([...more.keys()]).toEqual(['a/w-2', 'a/w-10', 'b/tv', 'swarm/tv']);
  });

  it('news of a pool replace what was known before', () => {
    expect(
      withNews(known, { type: 'pool', pool: pool({ version: 7 }) }).get('swarm/tv')?.version,
    ).toBe(7);
    expect(withNews(known, { type: 'gone', namespace: 'swarm', name: 'tv' }).has('swarm/tv')).toBe(
      false,
    );
    expect([...withNews(known, { type: 'all', pools: [] })]).toEqual([]);
  });
});

describe('a timeline', () => {
  const now = Date.parse('2026-01-01T00:01:00Z');
  const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;

  it('the timeline shows how long each change took, which one is still in progress, and which one was overtaken', () => {
    const rows = timelineOf(
      [
        { version: 4, moves: 1, reason: 'StreamsChanged', publishTime: at(50) },
        { version: 3, moves: 0, reason: 'WorkersChanged', publishTime: at(48) },
        {
          version: 2,
          moves: 3,
          reason: 'WorkersChanged',
          publishTime: at(20),
          convergenceTime: at(40),
        },
        {
          version: 1,
          moves: 0,
          reason: 'FirstPublication',
          publishTime: at(10),
          convergenceTime: at(10),
        },
      ],
      now,
    );
    expect(rows.map(({ version, state, took, moves }) => [version, state, took, moves])).toEqual([
      [4, 'waiting', '10 s so far', '1 move'],
      [3, 'overtaken', 'superseded', '0 moves'],
      [2, 'confirmed', '20 s', '3 moves'],
      [1, 'confirmed', '< 1 s', '0 moves'],
    ]);
    expect(rows.map(({ share }) => share)).toEqual([0.5, 0.1, 1, 0.02]);
  });

  it('the timeline is empty without changes', () => expect(timelineOf([], now)).toEqual([]));
});

describe('a plan', () => {
  const plan = (rest: Partial<Plan> = {}): Plan => ({
    asOf: '',
    now: 2,
    supposed: 3,
    streams: 6,
    capacity: 100,
    changes: 1,
    workers: { total: 0, first: [] },
    moves: { total: 0, first: [] },
    moved: 2,
    started: 0,
    ended: 0,
    stay: 4,
    unassigned: { total: 0, first: [] },
    required: 1,
    isOvercommitted: false,
    isComplete: true,
    notes: [],
    ...rest,
  });

  it.each<[string, Partial<Plan>]>([
    ['2 streams would move, 4 streams would stay.', {}],
    ['Nothing would change.', { changes: 0 }],
    ['2 streams would move, 4 streams would stay; more would follow.', { isComplete: false }],
    [
      '0 streams would move, 1 stream would lose its worker, 5 streams would stay, 1 stream would have no worker.',
      { moved: 0, ended: 1, stay: 5, unassigned: { total: 1, first: [] } },
    ],
  ])('the page summarizes a plan: %s', (text, rest) => expect(headlineOf(plan(rest))).toBe(text));

  it('the page shows each worker of a plan before and after', () => {
    const first = [
      { name: 'a', before: { streams: 4, load: 60 }, after: { streams: 2, load: 30 } },
      { name: 'b', before: undefined, after: { streams: 2, load: 30 } },
      { name: 'c', before: { streams: 1, load: 0 }, after: undefined },
    ];
    expect(planRows(plan({ workers: { total: 3, first } }))).toEqual([
      {
        name: 'a',
        fate: 'stays',
        before: 4,
        after: 2,
        beforeShare: 0.6,
        afterShare: 0.3,
        load: '30 of 100',
      },
      {
        name: 'b',
        fate: 'joins',
        before: 0,
        after: 2,
        beforeShare: 0,
        afterShare: 0.3,
        load: '30 of 100',
      },
      { name: 'c', fate: 'goes', before: 1, after: 0, beforeShare: 0, afterShare: 0, load: '' },
    ]);
  });

  it('the page shows numbers of streams if no stream has a weight, and a full worker as full', () => {
    const shares = (share: object): readonly number[] => {
      const first = [
        { name: 'a', before: { streams: 4, load: 0, ...share }, after: { streams: 2, load: 0 } },
      ];
      const [row] = planRows(plan({ workers: { total: 1, first } }));
      return [row?.beforeShare ?? 0, row?.afterShare ?? 0];
    };
    expect(shares({})).toEqual([1, 0.5]);
    expect(shares({ streams: 1, load: 100 })).toEqual([1, 0]);
  });

  const detail = (rest: Partial<Pool>): PoolDetail => ({
    ...pool(rest),
    asOf: '',
    generation: 1,
    conditions: [],
    history: [],
    unassignedStreams: { total: 0, first: [] },
    downWorkers: { total: 0, first: [] },
    failingStreams: { total: 0, first: [] },
    decision: { steps: { total: 0, first: [] } },
  });

  it.each<[string, Partial<Pool>]>([
    ['kubectl -n swarm scale statefulset/worker --replicas=3', {}],
    ['kubectl -n swarm scale deployment/web --replicas=3', { target: 'Deployment/web' }],
    ['kubectl -n swarm scale swarmpool/tv --replicas=3', { scaling: 'Lead' }],
    ['', { target: 'StatefulSet/a, StatefulSet/b' }],
    ['', { target: '' }],
  ])('a plan names the command "%s"', (command, rest) =>
    expect(commandFor(detail(rest), 3)).toBe(command),
  );

  it.each<[string, number, readonly string[]]>([
    ['5 workers would be enough for all streams. ', 5, ['InsufficientCapacity']],
    ['5 workers would be enough for the other streams. ', 5, ['TooHeavy', 'InsufficientCapacity']],
    ['', 5, ['TooHeavy', 'PinnedWorkerCordoned']],
    ['', 3, ['PinnedWorkerFull']],
  ])('a plan says "%s" of 3 workers where %d are required, of %j', (said, required, reasons) => {
    const first = reasons.map((reason, at) => ({ name: `s${at}`, reason, message: '' }));
    const unassignedStreams = { total: first.length, first };
    expect(enoughText({ desired: 3, required, unassignedStreams })).toBe(said);
  });

  it.each([
    [10, 0, 0],
    [10, 3, 3],
    [42, 3, 40],
    [400, 200, 3],
    [1_000, 900, 3],
  ])(
    'a plan offers up to %d workers if %d are desired and %d would be enough',
    (most, desired, required) => {
      expect(mostWorkers({ desired, required })).toBe(most);
    },
  );
});
