// What may happen to a pool, in any order? Its lists, its spec, its workers, its ConfigMaps and its
// operator change.
import fc from 'fast-check';
import { type Slice, writeAssignment } from '../../src/api/assignment.ts';
import { readStreamList } from '../../src/api/stream-list.ts';
import { decidePool } from '../../src/pool/decide.ts';
import { ANNOTATION_RESTART } from '../../src/pool/streams/restarts.ts';
import type { NamedList } from '../../src/pool/streams/streams.ts';
import type { PoolWorld } from '../../src/pool/world.ts';
import { readBack } from './pool-decisions.ts';
import {
  NOW,
  nothingPublished,
  scaled,
  slicesOf,
  withPod,
  withShards,
  withSpec,
  workersOf,
} from './pool-worlds.ts';

export const NAMES = Array.from({ length: 12 }, (_, index) => `s${index}`);
const small = (max: number) => fc.integer({ min: 0, max });

const stream = fc.record({
  name: fc.constantFrom(...NAMES),
  weight: fc.option(fc.constantFrom(0, 1, 30, 60, 100, 150), { nil: undefined }),
  priority: fc.option(fc.constantFrom(0, 5), { nil: undefined }),
  spreadGroup: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  ordinal: fc.option(small(5), { nil: undefined }),
  suspend: fc.option(fc.boolean(), { nil: undefined }),
  parameters: fc.option(
    fc.constantFrom({ url: 'x' }, { url: 'y' }, { url: 'x', a: '1' }, { a: '1', url: 'x' }),
    { nil: undefined },
  ),
});
const plain = fc.record({ name: fc.constantFrom(...NAMES) });
/** Sometimes the same name twice. */
const streams = fc
  .array(fc.oneof(plain, stream), { maxLength: 12 })
  .chain((all) =>
    fc.constantFrom(
      all,
      [...new Map(all.map((it) => [it.name, it])).values()],
      [...new Map(all.map((it) => [it.name, it])).values()],
    ),
  )
  .map((all) => all.map((it) => JSON.parse(JSON.stringify(it)) as { readonly name: string }));

/** One thing that users, workers, other writers or the cluster may do. */
export const action = fc.oneof(
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
  fc.record({ do: fc.constant('capacity' as const), capacity: fc.constantFrom(50, 100, 200) }),
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
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('by hand' as const),
      from: small(4),
      to: small(4),
      at: small(3),
      isMoved: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  fc.record({ do: fc.constant('lose' as const) }),
  fc.record({ do: fc.constant('forget' as const) }),
  fc.record({ do: fc.constant('pause' as const), is: fc.boolean() }),
  fc.record({ do: fc.constant('unread list' as const), list: small(1) }),
);

export type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

const SOURCES = ['one/all', 'two/all'];

/** A list of the pool, read as a whole. */
export const listOf = (index: number, all: readonly object[]): NamedList => {
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

/** Another writer gives a stream of one worker to another one, and may leave it at the first. */
function givenByHand(
  at: PoolWorld,
  { from, to, at: place, isMoved }: Extract<Action, { do: 'by hand' }>,
): PoolWorld {
  const stream = slicesOf(at).get(`worker-${from}`)?.jobs[place];
  if (stream === undefined || from === to) return at;
  const edit = (worker: string, slice: Slice): Slice => {
    if (worker === `worker-${to}`) return { ...slice, jobs: [...slice.jobs, stream] };
    if (worker !== `worker-${from}` || !isMoved) return slice;
    return { ...slice, jobs: slice.jobs.filter((name) => name !== stream) };
  };
  const shards = at.published.shards.map((shard) => {
    if (shard.read?.ok !== true) return shard;
    const { workloads, ...rest } = shard.read.assignment;
    const slices = [...workloads].map(([worker, it]) => [worker, edit(worker, it)] as const);
    if (slices.every(([worker, it]) => workloads.get(worker) === it)) return shard;
    const assignment = { ...rest, workloads: new Map(slices) };
    const { resourceVersion, data } = shard.configMap;
    const configMap = {
      ...shard.configMap,
      resourceVersion: `${resourceVersion}0`,
      data: { ...data, [shard.key]: writeAssignment(assignment) },
    };
    return { ...shard, configMap, read: { ok: true as const, assignment } };
  });
  return withShards(at, shards);
}

/** The operator ends after its first write, and another one decides. */
function afterCrash(at: PoolWorld): PoolWorld {
  const decision = decidePool(at, NOW);
  const writes = decision.steps.filter(({ do: what }) => what === 'patch' || what === 'create');
  return readBack(at, { ...decision, steps: writes.slice(0, 1) });
}

export function after(at: PoolWorld, it: Action): PoolWorld {
  const jobsAt = (ordinal: number): readonly string[] =>
    slicesOf(at).get(`worker-${ordinal}`)?.jobs ?? [];
  switch (it.do) {
    case 'list':
      return {
        ...at,
        lists: at.lists.map((list, index) =>
          index === it.list ? listOf(index, it.streams) : list,
        ),
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
    case 'by hand':
      return givenByHand(at, it);
    case 'crash':
      return afterCrash(at);
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
export const fromNothing = (at: PoolWorld): PoolWorld => {
  const { last: _, ...remembered } = at.remembered;
  const copy = structuredClone({ ...at, remembered });
  return withShards(copy, copy.published.shards);
};
