// Does the introspection keep secrets, and refuse web pages of other sites?
import { describe, expect, it } from '@jest/globals';
import { openapi } from '../../../src/server/introspection/openapi.ts';
import { groupWorld, settled as settledGroup } from '../../support/group-worlds.ts';
import { settled } from '../../support/pool-decisions.ts';
import { scaled, world } from '../../support/pool-worlds.ts';
import { GROUP, introspected, POOL, questionOf } from './introspected.ts';

const operator = introspected();
const { see, seeGroup, ask } = operator;

describe('the introspection', () => {
  const secret = 'rtsp://user:password@camera';

  it('the introspection shows no parameter of a stream, no content of a ConfigMap, and no body of a write', async () => {
    const first = world({
      streams: [
        { name: 'a', weight: 5, parameters: { url: secret } },
        { name: 'b', parameters: { key: secret } },
      ],
      workers: 2,
    });
    for (const at of [
      first,
      settled(first),
      scaled(settled(first), 1),
      { ...first, rival: 'older' },
    ]) {
      see(at);
      for (const path of Object.keys(openapi.paths).filter((it) => it !== '/api/v1/stream')) {
        const { status, text } = await ask(questionOf(path));
        expect([200, 404, 409]).toContain(status);
        expect(text).not.toContain('password');
      }
    }
  });

  it('the introspection shows no body of a write to a group, and none of its annotations', async () => {
    const { group, ...rest } = settledGroup(groupWorld());
    const annotations = { note: secret };
    const at = { ...rest, group: { ...group, meta: { ...group.meta, annotations } } };
    for (const world of [at, { ...at, monotonicMs: at.monotonicMs + 3_000 }]) {
      seeGroup(world);
      for (const path of ['/api/v1/groups', GROUP]) {
        const { status, text } = await ask(path);
        expect(status).toBe(200);
        expect(text).not.toContain('password');
      }
    }
  });

  it.each([
    ['under a foreign name of this address', { host: 'evil.example:8090' }, 421],
    ['under a name that begins like localhost', { host: 'localhost.evil.example' }, 421],
    ['under another address', { host: '127.0.0.1.evil.example:8090' }, 421],
    ['under an address that is none of the loopback', { host: '128.0.0.1:8090' }, 421],
    ['from a page of another site', { origin: 'http://evil.example' }, 403],
    ['marked as cross-site by the browser', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('the introspection refuses a request %s', async (_, headers, status) => {
    see(settled(world()));
    const told = await ask('/api/v1/pools', {
      headers: { host: `localhost:${operator.port()}`, ...headers },
    });
    expect(told).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(told.text).not.toContain('tv');
  });

  it.each(['localhost', 'localhost:1234', '127.0.0.1:8090', '127.133.39.1:8090', '[::1]:8090'])(
    'the introspection answers requests for the host %s',
    async (host) => {
      expect((await ask('/api/v1/pools', { headers: { host } })).status).toBe(200);
    },
  );

  it('the introspection allows no other origin in its headers', async () => {
    const { headers } = await ask('/api/v1/pools', {
      headers: {
        origin: `http://localhost:${operator.port()}`,
        host: `localhost:${operator.port()}`,
      },
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("'none'"),
    });
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'the introspection refuses the method %s',
    async (method) => {
      expect(await ask(POOL, { method })).toMatchObject({ status: 405, headers: { allow: 'GET' } });
    },
  );

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
    `${GROUP}/else`,
    '/api/v1/__proto__/swarm/tv',
    '/api/v1/constructor',
  ])('the introspection answers 404 to %s', async (path) => {
    see(settled(world()));
    expect((await ask(path)).status).toBe(404);
  });

  it('the introspection refuses a path that cannot be decoded', async () =>
    expect((await ask('/api/v1/pools/%zz/tv')).status).toBe(400));
});
