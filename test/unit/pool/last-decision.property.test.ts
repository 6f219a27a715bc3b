// Is a decision that continues from the last one the same as a decision from nothing?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readStreamList } from '../../../src/api/stream-list.ts';
import { decidePool, desiredIn } from '../../../src/pool/decide.ts';
import { ANNOTATION_RESTART } from '../../../src/pool/streams/restarts.ts';
import type { NamedList, PoolWorld } from '../../../src/pool/world.ts';
import { confirmed, readBack } from '../../support/pool-decisions.ts';
import {
  NOW,
  nothingPublished,
  scaled,
  slicesOf,
  withPod,
  withSpec,
  workersOf,
  world,
} from '../../support/pool-worlds.ts';

const NAMES = Array.from({ length: 12 }, (_, index) => `s${index}`);
const small = (max: number) => fc.integer({ min: 0, max });

const stream = fc.record({
  name: fc.constantFrom(...NAMES),
  weight: fc.option(fc.constantFrom(0, 1, 30, 60, 100, 150), { nil: undefined }),
  priority: fc.option(fc.constantFrom(0, 5), { nil: undefined }),
  spreadGroup: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  ordinal: fc.option(small(5), { nil: undefined }),
  suspend: fc.option(fc.boolean(), { nil: undefined }),
  parameters: fc.option(fc.record({ url: fc.constantFrom('x', 'y') }), { nil: undefined }),
});
const plain = fc.record({ name: fc.constantFrom(...NAMES) });
/** Sometimes the same name twice. */
const streams = fc
  .array(fc.oneof({ weight: 3, arbitrary: plain }, stream), { maxLength: 12 })
  .chain((all) =>
    fc.constantFrom(
      all,
      [...new Map(all.map((it) => [it.name, it])).values()],
      [...new Map(all.map((it) => [it.name, it])).values()],
    ),
  )
  .map((all) => all.map((it) => JSON.parse(JSON.stringify(it)) as { readonly name: string }));

const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('list' as const), list: small(1), streams }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      list: small(1),
      at: small(11),
      stream: fc.option(stream, { nil: undefined }),
    }),
  },
  fc.record({ do: fc.constant('spec streams' as const), streams }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('scale' as const), to: small(5), ready: fc.boolean() }),
  },
  fc.record({ do: fc.constant('cordon' as const), ordinals: fc.subarray([0, 1, 2]) }),
  fc.record({ do: fc.constant('capacity' as const), capacity: fc.constantFrom(50, 100) }),
  fc.record({
    do: fc.constant('overcommit' as const),
    overcommit: fc.constantFrom('Allow', 'Deny'),
  }),
  fc.record({ do: fc.constant('shards' as const), shards: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    do: fc.constant('policy' as const),
    streamPolicy: fc.constantFrom(
      {},
      { completion: 'Once' },
      { maxRestarts: 3 },
      { moveAfterSeconds: 60 },
    ),
  }),
  fc.record({
    do: fc.constant('rebalance' as const),
    rebalance: fc.constantFrom({}, { policy: 'WhenRequired' }, { maxMoves: 1 }),
  }),
  fc.record({
    do: fc.constant('removal' as const),
    removal: fc.constantFrom({}, { allowEmpty: true }, { maxPercent: 40 }),
  }),
  fc.record({
    do: fc.constant('restart' as const),
    stream: fc.constantFrom(...NAMES),
    token: small(2),
  }),
  fc.record({ do: fc.constant('ready' as const), ordinal: small(4), is: fc.boolean() }),
  fc.record({ do: fc.constant('complete' as const), ordinal: small(4), at: small(3) }),
  fc.record({ do: fc.constant('fail' as const), ordinal: small(4), at: small(3) }),
  fc.record({
    do: fc.constant('claim' as const),
    ordinal: small(4),
    stream: fc.constantFrom(...NAMES),
  }),
  fc.record({ do: fc.constant('lose' as const) }),
  fc.record({ do: fc.constant('forget' as const) }),
  fc.record({ do: fc.constant('pause' as const), is: fc.boolean() }),
  fc.record({ do: fc.constant('unread list' as const), list: small(1) }),
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const SOURCES = ['one/all', 'two/all'];

const read = (index: number, all: readonly object[]): NamedList => {
  const source = SOURCES[index] ?? '';
  return {
    source,
    read: readStreamList(`[${all.map((it) => JSON.stringify(it)).join()}]`, source),
  };
};

/** An edited list has the same objects as before, where it is the same. */
function edited({ lists }: PoolWorld, { list, at, stream: it }: Extract<Action, { do: 'edit' }>) {
  return lists.map((named, index) => {
    if (index !== list || named.read?.ok !== true) return named;
    const { streams: present, lines } = named.read;
    const place = Math.min(at, present.length);
    const fresh = it === undefined ? [] : [JSON.parse(JSON.stringify(it))];
    const now = [...present.slice(0, place), ...fresh, ...present.slice(place + 1)];
    return {
      ...named,
      read: { ...named.read, streams: now, lines: new Int32Array(now.length).fill(lines[0] ?? 0) },
    };
  });
}

const withReport = (at: PoolWorld, ordinal: number, change: object): PoolWorld => {
  const uid = at.pods.find(({ name }) => name === `worker-${ordinal}`)?.uid ?? '';
  const answer = at.answers[uid];
  if (answer?.ok !== true) return at;
  return {
    ...at,
    answers: { ...at.answers, [uid]: { ok: true, report: { ...answer.report, ...change } } },
  };
};

function after(at: PoolWorld, it: Action): PoolWorld {
  const jobsAt = (ordinal: number): readonly string[] =>
    slicesOf(at).get(`worker-${ordinal}`)?.jobs ?? [];
  switch (it.do) {
    case 'list':
      return {
        ...at,
        lists: at.lists.map((list, index) => (index === it.list ? read(index, it.streams) : list)),
      };
    case 'edit':
      return { ...at, lists: edited(at, it) };
    case 'spec streams':
      return withSpec(at, { streams: it.streams });
    case 'scale':
      return scaled(at, it.to, { isReady: it.ready });
    case 'cordon':
      return withSpec(at, { workers: { ...workersOf(at), cordoned: it.ordinals } });
    case 'capacity':
      return withSpec(at, { workers: { ...workersOf(at), capacity: it.capacity } });
    case 'overcommit':
      return withSpec(at, { overcommit: it.overcommit });
    case 'shards':
      return withSpec(at, { assignments: { shards: it.shards } });
    case 'policy':
      return withSpec(at, { streamPolicy: it.streamPolicy });
    case 'rebalance':
      return withSpec(at, { rebalance: it.rebalance });
    case 'removal':
      return withSpec(at, { removal: it.removal });
    case 'restart': {
      const { meta } = at.pool;
      const annotations = {
        ...meta.annotations,
        [ANNOTATION_RESTART]: `${it.stream} t${it.token}`,
      };
      return { ...at, pool: { ...at.pool, meta: { ...meta, annotations } } };
    }
    case 'ready':
      return withPod(at, it.ordinal, { isReady: it.is });
    case 'complete':
    case 'fail': {
      const name = jobsAt(it.ordinal)[it.at];
      const state = it.do === 'fail' ? 'Failed' : 'Completed';
      const streams = name === undefined ? {} : { [name]: { state, restarts: 0 } };
      const uid = at.pods.find((pod) => pod.name === `worker-${it.ordinal}`)?.uid ?? '';
      const failingMs =
        name === undefined || it.do === 'complete' ? {} : { [uid]: new Map([[name, 100_000]]) };
      return { ...withReport(at, it.ordinal, { streams }), ages: { ...at.ages, failingMs } };
    }
    case 'claim':
      return withReport(at, it.ordinal, { jobs: [...jobsAt(it.ordinal), it.stream] });
    case 'lose':
      return { ...at, published: nothingPublished };
    case 'forget':
      return { ...fromNothing(at), remembered: at.remembered };
    case 'pause':
      return withSpec(at, { paused: it.is });
    case 'unread list':
      return {
        ...at,
        lists: at.lists.map((list, index) =>
          index === it.list ? { ...list, read: readStreamList('- [', list.source) } : list,
        ),
      };
    default:
      return it satisfies never;
  }
}

/** No object of it is known, and no decision came before. */
const fromNothing = (at: PoolWorld): PoolWorld => {
  const { last: _, ...remembered } = at.remembered;
  return structuredClone({ ...at, remembered });
};

/** All that is done, said and remembered. */
function outcomeOf(at: PoolWorld): object {
  const decision = decidePool(at, NOW);
  const { basis, remembered, ...rest } = decision;
  const { last: _, ...others } = remembered;
  const desired = desiredIn(decision);
  return {
    ...{ rest, remembered: others, blocked: basis.ok ? undefined : basis.blocked },
    assigned: desired?.assigned,
    streams: desired?.streams,
    moves: desired?.publication.moves,
  };
}

describe('a decision that continues from the last one', () => {
  it.each(['AtLeastOnce', 'Exclusive'])(
    'is the same as a decision from nothing, over any history (%s)',
    (type) => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(action, fc.boolean()), { minLength: 2, maxLength: 14 }),
          (actions) => {
            const start = world({
              streams: ['own'],
              workers: 3,
              spec: {
                handoff: { type },
                workers: { selector: { matchLabels: { app: 'worker' } }, capacity: 100 },
              },
            });
            let at: PoolWorld = {
              ...start,
              lists: [
                read(
                  0,
                  NAMES.slice(0, 5).map((name) => ({ name })),
                ),
                read(
                  1,
                  NAMES.slice(5, 8).map((name) => ({ name })),
                ),
              ],
            };
            for (const [it, isSettling] of actions) {
              at = after(at, it);
              for (let turn = 0; turn < (isSettling ? 3 : 1); turn += 1) {
                expect(outcomeOf(at)).toEqual(outcomeOf(fromNothing(at)));
                at = confirmed(readBack(at, decidePool(at, NOW)));
              }
            }
          },
        ),
        { numRuns: 150 },
      );
    },
  );
});
