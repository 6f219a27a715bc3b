// Does the introspection tell nobody what is not for them?
import { describe, expect, it } from '@jest/globals';
import { openapi } from '../../../src/server/introspection/openapi.ts';
import { scaled, settled, world } from '../../support/pool-worlds.ts';
import { introspected, POOL, questionOf } from './introspected.ts';

const operator = introspected();
const { see, ask } = operator;

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

  it.each([
    [
      'under a name that somebody else has given to this address',
      { host: 'evil.example:8090' },
      421,
    ],
    ['under a name that begins like ours', { host: 'localhost.evil.example' }, 421],
    ['under another address', { host: '127.0.0.1.evil.example:8090' }, 421],
    ['from a page of somewhere else', { origin: 'http://evil.example' }, 403],
    ['from a page that says so', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('anything %s', async (_, headers, status) => {
    see(settled(world()));
    const told = await ask('/api/v1/pools', {
      headers: { host: `localhost:${operator.port()}`, ...headers },
    });
    expect(told).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(told.text).not.toContain('tv');
  });

  it.each(['localhost', 'localhost:1234', '127.0.0.1:8090', '[::1]:8090'])(
    'but who asks for %s',
    async (host) => {
      expect((await ask('/api/v1/pools', { headers: { host } })).status).toBe(200);
    },
  );

  it('by a page of another origin: no answer allows one', async () => {
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
    'by %s: there is nothing to be changed',
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
  ])('%s: it is not there', async (path) => {
    see(settled(world()));
    expect((await ask(path)).status).toBe(404);
  });

  it('from a path that cannot be read', async () =>
    expect((await ask('/api/v1/pools/%zz/tv')).status).toBe(400));
});
