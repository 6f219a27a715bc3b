// What suspend, streamPolicy.completion Once and spec.removal do together, as a user would try it.
import { describe, expect, it } from '@jest/globals';
import { placedIn } from '../../../src/api/assignment.ts';
import { MOST_STREAMS } from '../../../src/api/bounds.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import { streamsToRun } from '../../../src/pool/streams/removal.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, settled } from '../../support/pool-decisions.ts';
import {
  conditionOf,
  NOW,
  nothingPublished,
  scaled,
  slicesOf,
  streamNames,
  withSpec,
  withStreams,
  world,
} from '../../support/pool-worlds.ts';

const once = { streamPolicy: { completion: 'Once' } };
const names = streamNames(4);

/** Workers report these streams as completed. */
function completing(at: PoolWorld, ...done: readonly string[]): PoolWorld {
  const answers = [...slicesOf(at)].map(([worker, { version, jobs }]) => {
    const uid = at.pods.find(({ name }) => name === worker)?.uid ?? '';
    const told = jobs.filter((job) => done.includes(job));
    const streams = Object.fromEntries(
      told.map((job) => [job, { state: 'Completed' as const, restarts: 0 }]),
    );
    return [uid, { ok: true as const, report: { version, jobs, podUid: uid, streams } }] as const;
  });
  return { ...at, answers: Object.fromEntries(answers) };
}

const completed = (at: PoolWorld, ...done: readonly string[]): PoolWorld =>
  settled(completing(at, ...done));

function annotated(at: PoolWorld, annotations: Readonly<Record<string, string>>): PoolWorld {
  const { meta } = at.pool;
  const all = { ...meta.annotations, ...annotations };
  return { ...at, pool: { ...at.pool, meta: { ...meta, annotations: all } } };
}

/** `s1 t1`: as `swarmctl restart` and `rerun` write it. */
const restarting = (at: PoolWorld, text: string): PoolWorld =>
  settled(annotated(at, { 'k8slab.info/restart': text }));

const confirming = (at: PoolWorld): PoolWorld =>
  settled(annotated(at, { 'k8slab.info/confirm-removal': digestOf(at) }));

const digestOf = (at: PoolWorld): string => at.pool.status?.removal?.digest ?? '';

const listed = (at: PoolWorld, ...streams: readonly (string | object)[]): PoolWorld =>
  settled(
    withStreams(
      at,
      streams.map((it) => (typeof it === 'string' ? { name: it } : it)),
    ),
  );

const idle = (name: string): object => ({ name, suspend: true });

/** What runs, what is suspended, and what is recorded as completed. */
const stateOf = (at: PoolWorld) => {
  const slices = [...slicesOf(at).values()];
  return {
    runs: slices.flatMap(({ jobs }) => jobs).sort(),
    idle: slices.flatMap(({ suspended = [] }) => suspended).sort(),
    done: [...(at.published.assignment?.completed?.keys() ?? [])].sort(),
  };
};

const pool = settled(world({ streams: 4, spec: once }));
const done = completed(pool, 's1');

describe('a completed stream that is suspended', () => {
  const suspended = listed(done, 's0', idle('s1'), 's2', 's3');
  const asBefore = { runs: ['s0', 's2', 's3'], idle: [], done: ['s1'] };

  it('a completed stream that is suspended stays completed, and has no place at a worker', () => {
    expect(stateOf(suspended)).toEqual(asBefore);
    expect(suspended.pool.status?.streams).toMatchObject({ completed: 1, assigned: 3 });
    expect(suspended.pool.status?.streams?.suspended).toBeUndefined();
  });

  it('a completed stream that is suspended does not run when it is resumed', () =>
    expect(stateOf(listed(suspended, ...names))).toEqual(asBefore));

  it('a new token runs a suspended completed stream only once it is resumed, and Stalled says so', () => {
    const asked = restarting(suspended, 's1 t1');
    expect(stateOf(asked)).toEqual(asBefore);
    expect(conditionOf(asked, 'Stalled')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('"s1" is suspended'),
    });
    expect(stateOf(listed(asked, ...names))).toEqual({ runs: names, idle: [], done: [] });
    expect(stateOf(listed(restarting(asked, ''), ...names))).toEqual(asBefore);
  });
});

describe('a stream that is suspended while it runs', () => {
  const suspended = listed(pool, 's0', idle('s1'), 's2', 's3');

  it('a running stream that is suspended keeps its place, and runs when it is resumed', () => {
    expect(stateOf(suspended)).toEqual({ runs: ['s0', 's2', 's3'], idle: ['s1'], done: [] });
    expect(stateOf(listed(suspended, ...names)).runs).toEqual(names);
  });

  it('a stream is recorded as completed when its worker reported so just before it was suspended', () => {
    const told = completing(pool, 's1');
    expect(stateOf(listed(told, 's0', idle('s1'), 's2', 's3'))).toEqual({
      ...{ runs: ['s0', 's2', 's3'], idle: [], done: ['s1'] },
    });
  });

  it('a suspended stream keeps the pool open, and Complete says why', () => {
    const rest = completed(suspended, 's0', 's2', 's3');
    expect(conditionOf(rest, 'Complete')).toMatchObject({
      ...{ status: 'False', reason: 'StreamsOpen' },
      message: '3 of 4 streams are completed, 1 is suspended',
    });
    expect(conditionOf(completed(listed(rest, ...names), 's1'), 'Complete')?.status).toBe('True');
  });
});

describe('a list that loses streams while some are completed', () => {
  it.each<[what: string, left: readonly (string | object)[], runs: readonly string[]]>([
    ['all running streams, and keeps a completed one, is followed', ['s1'], []],
    ['a completed stream is followed', ['s0', 's2', 's3'], ['s0', 's2', 's3']],
    ['all but a suspended stream is followed', [idle('s0')], []],
  ])('a list that loses %s', (_, left, runs) => {
    const after = listed(done, ...left);
    expect(after.pool.status?.removal).toBeUndefined();
    expect(stateOf(after).runs).toEqual(runs);
  });

  it('completed streams that stay in the list count in the total of a removal', () => {
    const bounded = withSpec(completed(pool, 's0', 's1'), { removal: { maxPercent: 50 } });
    expect(stateOf(listed(bounded, 's0', 's1', 's3')).runs).toEqual(['s3']);
    const held = listed(bounded, 's1');
    expect(held.pool.status?.removal?.message).toBe('2 of 3 streams would be removed');
  });

  it('a list that loses all streams is followed when all are completed, and their records go', () => {
    const all = completed(pool, ...names);
    expect(stateOf(listed(all))).toEqual({ runs: [], idle: [], done: [] });
    expect(stateOf(listed(listed(all), ...names)).runs).toEqual(names);
  });
});

describe('a list that was emptied', () => {
  const mixed = listed(done, idle('s0'), 's1', 's2', 's3');
  const held = listed(mixed);

  it('an emptied list leaves running, suspended and completed streams as they are', () => {
    expect(stateOf(held)).toEqual(stateOf(mixed));
    expect(held.pool.status?.removal?.message).toBe('3 of 3 streams would be removed');
    expect(stateOf(listed(held, idle('s0'), 's1', 's2', 's3'))).toEqual(stateOf(mixed));
  });

  it('a held removal keeps its digest when one more stream completes meanwhile', () => {
    const later = completed(held, 's2');
    expect(stateOf(later)).toEqual({ runs: ['s3'], idle: ['s0'], done: ['s1', 's2'] });
    expect(digestOf(later)).toBe(digestOf(held));
    const confirmed = settled(annotated(later, { 'k8slab.info/confirm-removal': digestOf(held) }));
    expect(stateOf(confirmed)).toEqual({ runs: [], idle: [], done: [] });
  });

  it('a held removal needs no confirmation any more when all running streams have completed', () =>
    expect(stateOf(completed(listed(done), 's0', 's2', 's3')).done).toEqual([]));

  it('a held removal stays held when a new stream completes meanwhile, also while the list is invalid', () => {
    const renamed = completed(listed(pool, 't0'), 't0');
    expect(stateOf(renamed)).toEqual({ runs: names, idle: [], done: ['t0'] });
    expect(conditionOf(renamed, 'Stalled')?.message).toContain(
      '4 of 5 streams would be removed (s0, s1, s2 and 1 more): the list has lost all published streams but new or completed ones',
    );
    const invalid = settled(scaled(listed(renamed, 't0', 't0'), 3));
    expect(stateOf(listed(invalid, 't0')).runs).toEqual(names);
  });

  it('a list that is too long beside a held removal keeps what runs and what is completed', () => {
    const { pool: own, published } = completed(listed(pool, 't0', 't1'), 't0');
    if (!own.spec.ok) throw new Error('the spec is not valid');
    const list = ['t0', 't1', ...streamNames(MOST_STREAMS - 2, 'u')].map((name) => ({
      ...{ name, weight: 0, priority: 0 },
    }));
    const toRun = streamsToRun({ pool: own, published }, own.spec.value, list);
    expect(toRun.map(({ name }) => name)).toEqual(['t0', 't1', ...names]);
  });

  it('a removal beyond maxPercent stays held when some of its streams complete meanwhile', () => {
    const bounded = withSpec(pool, { removal: { maxPercent: 40 } });
    const later = completed(listed(bounded, 's2', 's3'), 's0');
    expect(stateOf(later)).toEqual({ runs: ['s1', 's2', 's3'], idle: [], done: ['s0'] });
    expect(stateOf(confirming(later)).runs).toEqual(['s2', 's3']);
  });

  it.each([40, 100])(
    'a list that keeps only completed streams is measured by maxPercent %i where it may be empty',
    (maxPercent) => {
      const bounded = withSpec(done, { removal: { maxPercent, allowEmpty: true } });
      const runs = maxPercent === 40 ? ['s0', 's2', 's3', 't0'] : ['t0'];
      expect(stateOf(listed(bounded, 's1', 't0')).runs).toEqual(runs);
      expect(stateOf(listed(bounded)).runs).toEqual([]);
    },
  );

  it('no completed stream runs again while no list gives its parameters', () => {
    expect(stateOf(restarting(held, 's1 t1'))).toEqual(stateOf(held));
    const unreadable = listed(mixed, 's0', 's0');
    expect(stateOf(restarting(unreadable, 's1 t1')).done).toEqual(['s1']);
  });
});

describe('a removal that was confirmed', () => {
  const held = listed(pool);
  const gone = confirming(held);
  const back = listed(gone, ...names);

  it('a removal is confirmed once: the annotation that stays confirms no later removal', () => {
    expect(stateOf(gone).runs).toEqual([]);
    const again = listed(back);
    expect(stateOf(again).runs).toEqual(names);
    expect(conditionOf(again, 'Stalled')).toMatchObject({
      reason: 'LargeRemoval',
      message: expect.stringContaining(
        `The annotation is ${digestOf(held)}, which confirms another removal`,
      ),
    });
    expect(decidePool(again, NOW).steps).toEqual([]);
    expect(stateOf(confirming(again)).runs).toEqual([]);
    expect(stateOf(listed(listed(confirming(again), ...names))).runs).toEqual(names);
  });

  it('a held removal keeps its digest whatever is published meanwhile', () => {
    const again = listed(back);
    const more = listed(again, 'new');
    expect(stateOf(more).runs).toEqual(['new', ...names]);
    expect(digestOf(more)).toBe(digestOf(again));
  });

  it('a confirmation that is given during a pause counts once', () => {
    const paused = settled(withSpec(held, { paused: true }));
    const waiting = confirming(paused);
    expect(stateOf(waiting).runs).toEqual(names);
    const after = settled(withSpec(waiting, { paused: false }));
    expect(stateOf(after).runs).toEqual([]);
    expect(stateOf(listed(listed(after, ...names))).runs).toEqual(names);
  });

  it.each([1, 3])(
    'a used confirmation is known in %i ConfigMaps, also after they are moved',
    (shards) => {
      const mounts = ['a', 'b'].flatMap((name) => [
        name,
        ...[0, 1, 2].map((index) => `${name}-${index}`),
      ]);
      const placed = (configMapName: string) => ({ assignments: { configMapName, shards } });
      const start = settled(world({ streams: 4, mounts, spec: placed('a') }));
      const used = listed(confirming(listed(start)), ...names);
      const moved = settled(withSpec(used, placed('b')));
      expect(stateOf(listed(moved)).runs).toEqual(names);
    },
  );
});

describe('a completed stream whose record is lost', () => {
  it('a completed stream whose record was lost is recorded with the token of the annotation', () => {
    const restarted = restarting(pool, 's1 t1');
    const told = completing(restarted, 's1');
    const lost = { ...told, published: nothingPublished, highestSeen: 2 };
    const ages = { ...lost.ages, publishedMs: 10_000 };
    const after = carriedOut({ ...lost, ages }, decidePool({ ...lost, ages }, NOW));
    expect(after.published.assignment?.completed).toEqual(new Map([['s1', 't1']]));
    expect([...slicesOf(after).values()].flatMap(placedIn)).not.toContain('s1');
  });
});
