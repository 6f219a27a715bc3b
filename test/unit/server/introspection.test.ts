// Are the answers of the introspection true, and bounded?
import { describe, expect, it } from '@jest/globals';
import { asList, dig } from '../../../src/api/objects.ts';
import { readStreamList } from '../../../src/api/stream-list.ts';
import { confirmed, settled } from '../../support/pool-decisions.ts';
import { jobsOf, scaled, withSpec, world } from '../../support/pool-worlds.ts';
import { introspected, POOL } from './introspected.ts';

const operator = introspected();
const { see, ask, body } = operator;

describe('a pool', () => {
  it('the introspection shows the numbers of a pool, in the list and by itself', async () => {
    see(settled(world({ streams: 5, workers: 2 })));
    const expected = {
      namespace: 'swarm',
      name: 'tv',
      streams: 5,
      desired: 2,
      converged: 2,
      isConverged: true,
      version: 1,
      withoutOwner: 0,
    };
    expect(await body('/api/v1/pools')).toMatchObject({
      leading: true,
      total: 1,
      items: [expected],
    });
    expect(await body(POOL)).toMatchObject({
      ...expected,
      reason: 'AllConfirmed',
      decision: { steps: { total: 0, first: [] } },
    });
  });

  it('the introspection shows what was decided for a pool, and why', async () => {
    see(scaled(settled(world({ streams: 6, workers: 2 })), 3));
    const { decision } = (await body(POOL)) as {
      decision: { steps: unknown; change: { moves: { first: unknown[] } } };
    };
    expect(decision).toMatchObject({
      change: { version: 2, reason: 'WorkersChanged', moves: { total: 2 } },
    });
    expect(decision.change.moves.first[0]).toEqual({
      stream: expect.any(String),
      from: 'worker-0',
      to: 'worker-2',
      reason: 'WorkersChanged',
    });
    expect(decision.steps).toMatchObject({
      first: expect.arrayContaining([{ do: 'patch', kind: 'ConfigMap', name: 'tv-assignments' }]),
    });
  });

  it('the introspection shows which worker has not confirmed which version', async () => {
    const published = see(world({ streams: 4, workers: 2 }));
    const late = confirmed(published, [0]);
    see({ ...late, ages: { ...late.ages, unconfirmedMs: { 'uid-1': 61_000 } } });
    const { items } = (await body(`${POOL}/workers`)) as { items: unknown[] };
    expect(items).toMatchObject([
      { name: 'worker-0', state: 'Converged', streams: 2 },
      { name: 'worker-1', state: 'Stuck', awaited: { version: 1, seconds: 61 } },
    ]);
    expect(items[0]).not.toHaveProperty('awaited');
  });

  it('the introspection shows what blocks a pool, and what a paused pool would do', async () => {
    const at = settled(world({ streams: 4, workers: 2 }));
    see({ ...at, rival: 'older' });
    expect(await body(POOL)).toMatchObject({
      isStalled: true,
      reason: 'TargetConflict',
      decision: { obstacle: { reason: 'TargetConflict' } },
    });
    see(withSpec(scaled(at, 3), { paused: true }));
    expect(await body(POOL)).toMatchObject({ isPaused: true, decision: { plan: { total: 1 } } });
  });

  it('the introspection finds streams by their names, each with its worker and whether it runs', async () => {
    const at = settled(world({ streams: ['news', 'sport', 'weather'], workers: 2 }));
    see({
      ...at,
      answers: { ...at.answers, 'uid-1': { ok: true, report: { version: 1, jobs: [] } } },
    });
    const [[, [last = ''] = []] = []] = Object.entries(jobsOf(at)).slice(1);
    expect(await body(`${POOL}/streams?contains=${last.slice(1)}`)).toEqual({
      total: 1,
      items: [{ name: last, worker: 'worker-1', weight: 0, isRunning: false }],
    });
    expect(await body(`${POOL}/workers/worker-1/streams`)).toMatchObject({
      items: [{ name: last, isRunning: false }],
    });
  });

  it('the introspection shows a board of a pool, each stream at its worker, with the last change', async () => {
    const light = ['b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name }));
    const before = settled(world({ streams: [{ name: 'a', weight: 60 }, ...light], workers: 2 }));
    see(before);
    const after = see(scaled(before, 3));
    see({ ...after, answers: before.answers });
    const board = (await body(`${POOL}/board`)) as {
      workers: { first: { name: string; assigned: { name: string }[] }[] };
    };
    expect(board).toMatchObject({
      version: 2,
      capacity: 100,
      streams: 7,
      isNamed: true,
      workers: { total: 3 },
    });
    expect(board).toMatchObject({
      lastChange: { version: 2, reason: 'WorkersChanged', moves: { total: 2 } },
    });
    const jobs = Object.fromEntries(
      board.workers.first.map(({ name, assigned }) => [name, assigned.map((it) => it.name)]),
    );
    expect(jobs).toEqual(jobsOf(after));
    expect(board.workers.first.flatMap(({ assigned }) => assigned)).toContainEqual({
      name: 'a',
      weight: 60,
      isRunning: true,
    });
  });

  it('the board names the streams that a worker is to release', async () => {
    const base = settled(
      world({ streams: 4, workers: 2, spec: { handoff: { type: 'Exclusive' } } }),
    );
    see(see(scaled(base, 3)));
    const leaving = asList(dig(await body(`${POOL}/board`), 'workers', 'first')).flatMap((worker) =>
      asList(dig(worker, 'leaving')),
    );
    expect(leaving).toHaveLength(1);
  });

  it('the board of a pool with many streams has numbers, not names', async () => {
    see(settled(world({ streams: 1_501, workers: 3 })));
    const board = await body(`${POOL}/board`);
    expect(board).toMatchObject({ isNamed: false, streams: 1_501, workers: { total: 3 } });
    expect(JSON.stringify(board)).not.toContain('assigned');
  });

  it('the introspection plans another number of workers, and changes nothing', async () => {
    const at = settled(world({ streams: 6, workers: 2 }));
    see(at);
    expect(await body(`${POOL}/plan?workers=3`)).toMatchObject({
      now: 2,
      supposed: 3,
      moved: 2,
      stay: 4,
      moves: {
        total: 2,
        first: [{ to: 'worker-2', why: 'worker-2 joins and takes its share' }, {}],
      },
      workers: {
        total: 3,
        first: [
          { after: { streams: 2 } },
          { after: { streams: 2 } },
          { name: 'worker-2', after: { streams: 2 } },
        ],
      },
    });
    expect(await body(`${POOL}/plan?workers=0`)).toMatchObject({
      unassigned: { total: 6, first: expect.any(Array) },
      ended: 6,
    });
    expect(await body(POOL)).toMatchObject({ desired: 2, version: 1 });
  });

  it.each(['', '-1', '1001', '2.5', 'many', '1e2', '٣'])(
    'the introspection refuses to plan with "%s" workers',
    async (workers) => {
      see(settled(world()));
      expect(await ask(`${POOL}/plan?workers=${encodeURIComponent(workers)}`)).toMatchObject({
        status: 400,
        body: { error: `workers is "${workers}"; allowed is a whole number from 0 to 1000` },
      });
    },
  );

  it('the introspection explains why a stream has its worker, or none', async () => {
    see(settled(world({ streams: ['a', 'odd/name ?#%'], workers: 1 })));
    expect(await body(`${POOL}/streams/${encodeURIComponent('odd/name ?#%')}`)).toMatchObject({
      stream: 'odd/name ?#%',
      state: 'Confirmed',
      worker: 'worker-0',
      because: expect.arrayContaining(['worker-0 confirmed version 1']),
    });
    expect(await body(`${POOL}/streams/else`)).toMatchObject({ state: 'Unlisted' });
  });

  it('the introspection answers 409 if a pool cannot be planned or explained', async () => {
    see({ ...settled(world()), rival: 'older' });
    for (const path of ['plan?workers=3', 'streams/s0'])
      expect(await ask(`${POOL}/${path}`)).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('the operator cannot decide: TargetConflict') },
      });
  });

  it('the introspection finds streams without a worker as well', async () => {
    see(
      settled(
        world({
          streams: [
            { name: 'large', weight: 60 },
            { name: 'larger', weight: 70 },
          ],
          workers: 1,
        }),
      ),
    );
    expect(await body(`${POOL}/streams?contains=large`)).toMatchObject({
      total: 2,
      items: expect.arrayContaining([
        expect.objectContaining({ worker: 'worker-0' }),
        expect.objectContaining({ worker: '' }),
      ]),
    });
  });

  it('the introspection answers 404 for a deleted pool', async () => {
    see(settled(world()));
    operator.snapshots.pools.forgotten('swarm/tv');
    expect(await ask(POOL)).toMatchObject({
      status: 404,
      body: { error: 'there is no SwarmPool swarm/tv, or the operator has not reconciled it yet' },
    });
  });
});

it('the introspection of pools reports a replica that does not lead', async () => {
  operator.isLeading = false;
  expect(await body('/api/v1/pools')).toEqual({ leading: false, total: 0, items: [] });
  expect(await body(POOL)).toEqual({
    error: expect.stringContaining('this replica is not the leader'),
  });
});

describe('long lists', () => {
  const streams = Array.from(
    { length: 100_000 },
    (_, index) => `stream-${index}-${'x'.repeat(100)}`,
  );

  it('a hundred thousand streams are listed in parts, and no answer is long', async () => {
    const at = world({ streams: 3, workers: 8, spec: { assignments: { shards: 40 } } });
    // Too long for a spec: it comes by streamsFrom.
    const list = {
      source: 'lists/streams',
      read: readStreamList(streams.join('\n'), 'lists/streams'),
    };
    see({ ...at, lists: [list] });
    expect(await body(POOL)).toMatchObject({ streams: 100_003 });
    for (const path of [
      '/api/v1/pools',
      POOL,
      `${POOL}/board`,
      `${POOL}/streams/stream-7`,
      `${POOL}/workers`,
      `${POOL}/streams?limit=1000`,
      `${POOL}/streams?contains=9&limit=1000`,
    ]) {
      const { status, text } = await ask(path);
      expect({ path, status, isShort: text.length < 256 * 1024 }).toEqual({
        path,
        status: 200,
        isShort: true,
      });
    }
  });

  it('the operator does not plan very many streams, and names the command that does', async () => {
    const list = {
      source: 'lists/streams',
      read: readStreamList(streams.join('\n'), 'lists/streams'),
    };
    see({
      ...world({ streams: 3, workers: 8, spec: { assignments: { shards: 40 } } }),
      lists: [list],
    });
    expect(await ask(`${POOL}/plan?workers=9`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('swarmctl -n swarm plan tv --workers 9') },
    });
  });

  it('the parts of a list hold each entry once', async () => {
    see(settled(world({ streams: 250, workers: 1 })));
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await body(
        `${POOL}/workers/worker-0/streams?limit=60&after=${encodeURIComponent(after)}`,
      );
      seen.push(...asList(dig(page, 'items')).map((item) => String(dig(item, 'name'))));
      const next = dig(page, 'next');
      if (typeof next !== 'string') break;
      after = next;
    }
    expect(seen).toHaveLength(250);
    expect(new Set(seen).size).toBe(250);
  });

  it.each(['0', '1001', '-1', 'many', ''])('a list refuses a limit of "%s"', async (limit) => {
    expect(await ask(`/api/v1/pools?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { error: `limit is "${limit}"; allowed is a whole number from 1 to 1000` },
    });
  });
});
