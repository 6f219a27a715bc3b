// Is what can be asked of the operator true, bounded, described, and for nobody else's eyes?
import { type IncomingMessage, request as rawRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { asList, asRecord, dig } from '../../../src/api/objects.ts';
import { readStreamList } from '../../../src/api/stream-list.ts';
import { decidePool } from '../../../src/core/pool/decide.ts';
import type { PoolWorld } from '../../../src/core/pool/world.ts';
import { openapi } from '../../../src/server/introspection/openapi.ts';
import { schemas } from '../../../src/server/introspection/schemas.ts';
import { serveIntrospection } from '../../../src/server/introspection/serve.ts';
import { Snapshots } from '../../../src/server/introspection/snapshots.ts';
import type { Served } from '../../../src/server/listen.ts';
import { carriedOut, confirmed, jobsOf, NOW, scaled, settled, withPod, withSpec, world } from '../../support/pool-worlds.ts';

let snapshots: Snapshots;
let served: Served;
let isLeading: boolean;

beforeEach(async () => {
  snapshots = new Snapshots();
  isLeading = true;
  served = await serveIntrospection(0, { snapshots, isLeading: () => isLeading });
});

afterEach(() => served.close());

const POOL = '/api/v1/pools/swarm/tv';

function see(at: PoolWorld, key = 'swarm/tv'): PoolWorld {
  const decision = decidePool(at, NOW);
  snapshots.decided(key, { world: at, decision, now: NOW });
  return carriedOut(at, decision);
}

type Told = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string; readonly body: unknown };

function ask(path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}): Promise<Told> {
  return new Promise((resolve, reject) => {
    const sent = rawRequest({ host: '127.0.0.1', port: served.port, path, method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: JSON.parse(text || 'null') }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** A question that can be answered, for a path of the description. */
const asked = (path: string): string =>
  path
    .replace('{namespace}/{name}', 'swarm/tv')
    .replace('{worker}', 'worker-0')
    .replace('{stream}', 'a')
    .replace(/\/plan$/, '/plan?workers=3');

const body = async (path: string): Promise<unknown> => (await ask(path)).body;

describe('a pool', () => {
  it('is shown with its numbers, in the list and by itself', async () => {
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
    expect(await body('/api/v1/pools')).toMatchObject({ leading: true, total: 1, items: [expected] });
    expect(await body(POOL)).toMatchObject({ ...expected, reason: 'AllConfirmed', decision: { steps: { total: 0, first: [] } } });
  });

  it('says what was decided and why', async () => {
    see(scaled(settled(world({ streams: 6, workers: 2 })), 3));
    const { decision } = (await body(POOL)) as { decision: { steps: unknown; change: { moves: { first: unknown[] } } } };
    expect(decision).toMatchObject({ change: { version: 2, reason: 'WorkersChanged', moves: { total: 2 } } });
    expect(decision.change.moves.first[0]).toEqual({
      stream: expect.any(String),
      from: 'worker-0',
      to: 'worker-2',
      reason: 'WorkersChanged',
    });
    expect(decision.steps).toMatchObject({ first: expect.arrayContaining([{ do: 'patch', kind: 'ConfigMap', name: 'tv-assignments' }]) });
  });

  it('says what is awaited of whom', async () => {
    const published = see(world({ streams: 4, workers: 2 }));
    const late = confirmed(published, [0]);
    see({ ...late, ages: { ...late.ages, sliceMs: { 'uid-1': 61_000 } } });
    const { items } = (await body(`${POOL}/workers`)) as { items: unknown[] };
    expect(items).toMatchObject([
      { name: 'worker-0', state: 'Converged', streams: 2 },
      { name: 'worker-1', state: 'Stuck', awaited: { version: 1, seconds: 61 } },
    ]);
    expect(items[0]).not.toHaveProperty('awaited');
  });

  it('says what stands in its way, and what would be done if it were not paused', async () => {
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

  it('has streams that can be searched, each with its worker and whether it runs', async () => {
    const at = settled(world({ streams: ['news', 'sport', 'weather'], workers: 2 }));
    see({ ...at, answers: { ...at.answers, 'uid-1': { ok: true, report: { version: 1, jobs: [] } } } });
    const [[, [last = ''] = []] = []] = Object.entries(jobsOf(at)).slice(1);
    expect(await body(`${POOL}/streams?contains=${last.slice(1)}`)).toEqual({
      total: 1,
      items: [{ name: last, worker: 'worker-1', weight: 0, isRunning: false }],
    });
    expect(await body(`${POOL}/workers/worker-1/streams`)).toMatchObject({ items: [{ name: last, isRunning: false }] });
  });

  it('is shown whole, each stream at its worker, and what the last change moved', async () => {
    const light = ['b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name }));
    const before = settled(world({ streams: [{ name: 'a', weight: 60 }, ...light], workers: 2 }));
    see(before);
    const after = see(scaled(before, 3));
    see({ ...after, answers: before.answers });
    const board = (await body(`${POOL}/board`)) as { workers: { first: { name: string; assigned: { name: string }[] }[] } };
    expect(board).toMatchObject({ version: 2, capacity: 100, streams: 7, isNamed: true, workers: { total: 3 } });
    expect(board).toMatchObject({ lastChange: { version: 2, reason: 'WorkersChanged', moves: { total: 2 } } });
    const jobs = Object.fromEntries(board.workers.first.map(({ name, assigned }) => [name, assigned.map((it) => it.name)]));
    expect(jobs).toEqual(jobsOf(after));
    expect(board.workers.first.flatMap(({ assigned }) => assigned)).toContainEqual({ name: 'a', weight: 60, isRunning: true });
  });

  it('names what a worker is still to let go', async () => {
    const base = settled(world({ streams: 4, workers: 2, spec: { handoff: { type: 'Exclusive' } } }));
    see(see(scaled(base, 3)));
    const leaving = asList(dig(await body(`${POOL}/board`), 'workers', 'first')).flatMap((worker) => asList(dig(worker, 'leaving')));
    expect(leaving).toHaveLength(1);
  });

  it('with many streams is shown by numbers, with few workers or many', async () => {
    see(settled(world({ streams: 1_501, workers: 3 })));
    const board = await body(`${POOL}/board`);
    expect(board).toMatchObject({ isNamed: false, streams: 1_501, workers: { total: 3 } });
    expect(JSON.stringify(board)).not.toContain('assigned');
  });

  it('tells what another number of workers would bring, and does nothing of it', async () => {
    const at = settled(world({ streams: 6, workers: 2 }));
    see(at);
    expect(await body(`${POOL}/plan?workers=3`)).toMatchObject({
      now: 2,
      supposed: 3,
      moved: 2,
      stay: 4,
      moves: { total: 2, first: [{ to: 'worker-2', why: 'worker-2 joins and takes its part' }, {}] },
      workers: { total: 3, first: [{ after: { streams: 2 } }, { after: { streams: 2 } }, { name: 'worker-2', after: { streams: 2 } }] },
    });
    expect(await body(`${POOL}/plan?workers=0`)).toMatchObject({ unassigned: { total: 6, first: expect.any(Array) }, ended: 6 });
    expect(await body(POOL)).toMatchObject({ desired: 2, version: 1 });
  });

  it.each(['', '-1', '1001', '2.5', 'many', '1e2', '٣'])('is not planned with "%s" workers', async (workers) => {
    see(settled(world()));
    expect(await ask(`${POOL}/plan?workers=${encodeURIComponent(workers)}`)).toMatchObject({
      status: 400,
      body: { error: `workers is "${workers}"; allowed is a whole number from 0 to 1000` },
    });
  });

  it('says of a stream why it is there, or nowhere', async () => {
    see(settled(world({ streams: ['a', 'odd/name ?#%'], workers: 1 })));
    expect(await body(`${POOL}/streams/${encodeURIComponent('odd/name ?#%')}`)).toMatchObject({
      stream: 'odd/name ?#%',
      state: 'Confirmed',
      worker: 'worker-0',
      because: expect.arrayContaining(['worker-0 confirmed version 1']),
    });
    expect(await body(`${POOL}/streams/else`)).toMatchObject({ state: 'Unlisted' });
  });

  it('says when it cannot be planned or explained', async () => {
    see({ ...settled(world()), rival: 'older' });
    for (const path of ['plan?workers=3', 'streams/s0'])
      expect(await ask(`${POOL}/${path}`)).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining('nothing can be decided: TargetConflict') },
      });
  });

  it('has streams that nobody has, to be found as well', async () => {
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
      items: expect.arrayContaining([expect.objectContaining({ worker: 'worker-0' }), expect.objectContaining({ worker: '' })]),
    });
  });

  it('that has gone is not there any more', async () => {
    see(settled(world()));
    snapshots.forgotten('swarm/tv');
    expect(await ask(POOL)).toMatchObject({ status: 404, body: { error: 'there is no SwarmPool swarm/tv, or it was not looked at yet' } });
  });
});

it('a replica that does not lead says so', async () => {
  isLeading = false;
  expect(await body('/api/v1/pools')).toEqual({ leading: false, total: 0, items: [] });
  expect(await body(POOL)).toEqual({ error: expect.stringContaining('this replica does not lead') });
});

describe('long lists', () => {
  const streams = Array.from({ length: 100_000 }, (_, index) => `stream-${index}-${'x'.repeat(100)}`);

  it('of a hundred thousand streams are given in parts, and no answer is long', async () => {
    const at = world({ streams: 3, workers: 8, spec: { assignments: { shards: 40 } } });
    // Longer than a spec may be: it comes by streamsFrom.
    const list = { source: 'lists/streams', read: readStreamList(streams.join('\n'), 'lists/streams') };
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
      expect({ path, status, isShort: text.length < 256 * 1024 }).toEqual({ path, status: 200, isShort: true });
    }
  });

  it('are not planned with in the operator itself, which says where instead', async () => {
    const list = { source: 'lists/streams', read: readStreamList(streams.join('\n'), 'lists/streams') };
    see({ ...world({ streams: 3, workers: 8, spec: { assignments: { shards: 40 } } }), lists: [list] });
    expect(await ask(`${POOL}/plan?workers=9`)).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('swarmctl -n swarm plan tv --workers 9') },
    });
  });

  it('are passed through from part to part, each entry once', async () => {
    see(settled(world({ streams: 250, workers: 1 })));
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const page = await body(`${POOL}/workers/worker-0/streams?limit=60&after=${encodeURIComponent(after)}`);
      seen.push(...asList(dig(page, 'items')).map((item) => String(dig(item, 'name'))));
      const next = dig(page, 'next');
      if (typeof next !== 'string') break;
      after = next;
    }
    expect(seen).toHaveLength(250);
    expect(new Set(seen).size).toBe(250);
  });

  it.each(['0', '1001', '-1', 'many', ''])('are not given by a limit of "%s"', async (limit) => {
    expect(await ask(`/api/v1/pools?limit=${limit}`)).toMatchObject({
      status: 400,
      body: { error: `limit is "${limit}"; allowed is a whole number from 1 to 1000` },
    });
  });
});

describe('nobody learns', () => {
  const secret = 'rtsp://user:password@camera';

  it('what streams were given as parameters, what a ConfigMap holds, or what is written there', async () => {
    const first = world({
      streams: [
        { name: 'a', weight: 5, parameters: { url: secret } },
        { name: 'b', parameters: { key: secret } },
      ],
      workers: 2,
    });
    for (const at of [first, settled(first), scaled(settled(first), 1), { ...first, rival: 'older' }]) {
      see(at);
      for (const path of Object.keys(openapi.paths).filter((it) => it !== '/api/v1/stream')) {
        const { status, text } = await ask(asked(path));
        expect([200, 404, 409]).toContain(status);
        expect(text).not.toContain('password');
      }
    }
  });

  it.each([
    ['under a name that somebody else has given to this address', { host: 'evil.example:8090' }, 421],
    ['under a name that begins like ours', { host: 'localhost.evil.example' }, 421],
    ['under another address', { host: '127.0.0.1.evil.example:8090' }, 421],
    ['from a page of somewhere else', { origin: 'http://evil.example' }, 403],
    ['from a page that says so', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('anything %s', async (_, headers, status) => {
    see(settled(world()));
    const told = await ask('/api/v1/pools', { headers: { host: `localhost:${served.port}`, ...headers } });
    expect(told).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(told.text).not.toContain('tv');
  });

  it.each(['localhost', 'localhost:1234', '127.0.0.1:8090', '[::1]:8090'])('but who asks for %s', async (host) => {
    expect((await ask('/api/v1/pools', { headers: { host } })).status).toBe(200);
  });

  it('by a page of another origin: no answer allows one', async () => {
    const { headers } = await ask('/api/v1/pools', {
      headers: { origin: `http://localhost:${served.port}`, host: `localhost:${served.port}` },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("'none'"),
    });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('by %s: there is nothing to be changed', async (method) => {
    expect(await ask(POOL, { method })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
  });

  it.each([
    '/index.html',
    '/assets/x.js',
    '/../package.json',
    '/api/v2/pools',
    `${POOL}/board/else`,
    `${POOL}/streams/a/else`,
    '/api/v1/secrets',
    `${POOL}/workers/worker-0/secrets`,
    `${POOL}/else`,
  ])('%s: it is not there', async (path) => {
    see(settled(world()));
    expect((await ask(path)).status).toBe(404);
  });

  it('from a path that cannot be read', async () => expect((await ask('/api/v1/pools/%zz/tv')).status).toBe(400));
});

describe('the description', () => {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'api', components: { schemas } });
  const problemsOf = (schema: string, value: unknown): unknown => {
    const validate = ajv.getSchema(`api#/components/schemas/${schema}`);
    return validate === undefined ? `no schema ${schema}` : validate(value) ? [] : validate.errors;
  };
  const schemaOf = (path: string, status: number): string => {
    const found = dig(openapi.paths, path, 'get', 'responses', String(status), 'content', 'application/json', 'schema', '$ref');
    return String(found).replace('#/components/schemas/', '');
  };
  const paths = Object.keys(openapi.paths).filter(
    (path) => dig(openapi.paths, path, 'get', 'responses', '200', 'content', 'application/json', 'schema') !== undefined,
  );

  const base = settled(world({ streams: [{ name: 'a', weight: 60 }, { name: 'b', weight: 60 }, { name: 'c' }], workers: 2 }));
  const crowded = withSpec(base, { streams: ['a', 'b', 'c', 'd'].map((name) => ({ name, weight: 70 })) });
  const states: Readonly<Record<string, PoolWorld>> = {
    'is new': world({ streams: 3 }),
    'is at rest': base,
    'is being scaled': scaled(base, 3, { isReady: false }),
    'has too little room': carriedOut(crowded, decidePool(crowded, NOW)),
    'is paused': withSpec(scaled(base, 3), { paused: true }),
    'is blocked': { ...base, rival: 'older' },
    'was refused': { ...crowded, refused: { reason: 'Forbidden', message: 'no' } },
    'is Exclusive': withSpec(scaled(base, 3), { handoff: { type: 'Exclusive' } }),
    'has a silent worker': { ...withPod(base, 1, { isReady: false }), answers: {} },
    'has no valid spec': withSpec(base, { streams: [{ name: '' }] }),
  };

  it.each(Object.entries(states))('holds for every answer when a pool %s', async (_, at) => {
    see(at);
    for (const path of paths) {
      const { status, body: answer } = await ask(asked(path));
      expect({ path, problems: problemsOf(schemaOf(path, status), answer) }).toEqual({ path, problems: [] });
    }
  });

  it('holds for refusals', async () => {
    for (const path of paths.slice(1)) {
      const { status, body: answer } = await ask(path);
      expect({ path, status, problems: problemsOf(schemaOf(path, status), answer) }).toEqual({ path, status: 404, problems: [] });
    }
  });

  it('would find a field that it does not know, and one that is missing', () => {
    expect(problemsOf('Gone', { namespace: 'a', name: 'b', secret: 'c' })).not.toEqual([]);
    expect(problemsOf('Gone', { namespace: 'a' })).not.toEqual([]);
  });

  it('is served as it is, refers to nothing that it lacks, and describes every field', async () => {
    expect(await body('/api/v1/openapi.json')).toEqual(JSON.parse(JSON.stringify(openapi)));
    const refs = [...JSON.stringify(openapi).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name);
    expect(refs.filter((name) => !(name in schemas))).toEqual([]);
    const isTold = (value: unknown): boolean => dig(value, 'enum') !== undefined || dig(value, 'description') !== undefined;
    const silent = (value: unknown): boolean =>
      Object.values(asRecord(dig(value, 'properties')) ?? {}).some((field) => silent(field) || !isTold(field));
    expect(Object.entries(schemas).filter(([, schema]) => silent(schema))).toEqual([]);
  });
});
