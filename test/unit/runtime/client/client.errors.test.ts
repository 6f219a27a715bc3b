// What does each failure of a call mean, and is a retry worthwhile?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { KubeClient } from '../../../../src/runtime/client/client.ts';
import { KubeError, retryAfterMs } from '../../../../src/runtime/client/errors.ts';
import {
  type Behaviour,
  MisbehavingServer,
  nobodysPort,
  refuse,
} from '../../../support/misbehaving-server.ts';

const SECRET = 'c2VjcmV0LXRva2Vu';
const ref = { namespace: 'n', name: 'a' };

let server: MisbehavingServer;
let client: KubeClient;
beforeAll(async () => {
  server = await MisbehavingServer.start([kinds.ConfigMap]);
  client = new KubeClient(server.config({ token: SECRET }), { requestTimeoutMs: 60_000 });
});
afterAll(() => server.close());

async function failure(ask: Promise<unknown>): Promise<KubeError> {
  try {
    await ask;
  } catch (error) {
    if (error instanceof KubeError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/**
 * Everything that a log could print of an error: its text, its fields, also hidden ones, and those
 * of its causes.
 */
function all(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || seen.has(value) || seen.size > 5_000)
    return String(value);
  seen.add(value);
  return Reflect.ownKeys(value)
    .map((key) => all(Reflect.get(value, key), seen))
    .join(' ');
}

const html: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end('<html>Log in, please</html>');
};

const failedTest = 'the server rejected our request due to an error in our request';
const immutable = 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "u": field is immutable';

const rows: [what: string, behave: Behaviour, error: object][] = [
  ['400', refuse(400, 'BadRequest'), { code: 'Invalid', verdict: 'terminal', status: 400 }],
  ['401', refuse(401, 'Unauthorized'), { code: 'Unauthorized', verdict: 'retry' }],
  ['403', refuse(403, 'Forbidden', 'exceeded quota'), { code: 'Forbidden', verdict: 'terminal' }],
  [
    '403 of a namespace that is being deleted',
    refuse(403, 'Forbidden', 'forbidden', {}, [
      { reason: 'NamespaceTerminating', message: 'namespace n is being terminated' },
    ]),
    { code: 'NamespaceTerminating', verdict: 'terminal', status: 403 },
  ],
  ['404', refuse(404, 'NotFound'), { code: 'NotFound', verdict: 'terminal' }],
  ['409 of a version', refuse(409, 'Conflict'), { code: 'Conflict', verdict: 'retry' }],
  ['409 of a name', refuse(409, 'AlreadyExists'), { code: 'AlreadyExists', verdict: 'retry' }],
  ['410', refuse(410, 'Expired'), { code: 'Gone', verdict: 'retry' }],
  ['422', refuse(422, 'Invalid', 'spec.x: required'), { code: 'Invalid', verdict: 'terminal' }],
  [
    '422 of a failed test of a JSON patch',
    refuse(422, 'Invalid', failedTest),
    { code: 'Stale', verdict: 'retry' },
  ],
  ['422 of another UID', refuse(422, 'Invalid', immutable), { code: 'Stale', verdict: 'retry' }],
  [
    '429',
    refuse(429, '', '', { 'retry-after': '2' }),
    { code: 'TooManyRequests', verdict: 'retry', retryAfterMs: 2000 },
  ],
  ['500', refuse(500, 'InternalError'), { code: 'Unavailable', verdict: 'retry' }],
  [
    '503',
    refuse(503, '', '', { 'retry-after': '1' }),
    { code: 'Unavailable', verdict: 'retry', retryAfterMs: 1000 },
  ],
  ['504', refuse(504, 'Timeout'), { code: 'Timeout', verdict: 'retry', status: 504 }],
  ['200 and a page of HTML', html, { code: 'BadAnswer', verdict: 'retry' }],
  ['200 with an empty body', (response) => response.end(), { code: 'BadAnswer' }],
  ['200 without an object', (response) => response.end('[]'), { code: 'BadAnswer' }],
  [
    'a closed connection',
    (response) => response.destroy(),
    { code: 'Unreachable', verdict: 'retry' },
  ],
];

describe('a call that fails', () => {
  it.each(rows)(
    'a response of %s becomes an error with the right code and verdict',
    async (_, behave, error) => {
      server.next('other', behave);
      const failed = await failure(client.get(kinds.ConfigMap, ref));
      expect(failed).toMatchObject(error);
      expect(failed.message).toMatch(/\/api\/v1\/namespaces\/n\/configmaps\/a/);
      expect(all(failed)).not.toContain(SECRET);
    },
  );

  it('a redirect is refused, and no other server gets the token', async () => {
    const other = await MisbehavingServer.start([kinds.ConfigMap]);
    server.next('other', (response) =>
      response.writeHead(302, { location: `${other.url}/api/v1/namespaces/n/configmaps/a` }).end(),
    );
    expect((await failure(client.get(kinds.ConfigMap, ref))).verdict).toBe('retry');
    expect(other.connections).toBe(0);
    await other.close();
  });

  it('a refusal of many lines becomes one line, and its delay is bounded', async () => {
    const body = JSON.stringify({
      message: `no\n${'x'.repeat(100_000)}`,
      details: { retryAfterSeconds: 1e9 },
    });
    server.next('other', (response) => response.writeHead(429).end(body));
    const failed = await failure(client.get(kinds.ConfigMap, ref));
    expect(failed.message).toMatch(/^[\P{Cc}]{10,1000}$/u);
    expect(failed.retryAfterMs).toBe(120_000);
  });

  it.each([
    ['labels that are not strings', { labels: { a: 1 } }],
    ['owners that are not a list', { ownerReferences: 'a' }],
    ['a version that is a number', { resourceVersion: 7 }],
  ])('an object with %s is invalid', async (_, metadata) => {
    server.next('other', (response) =>
      response.end(
        JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'a', ...metadata },
        }),
      ),
    );
    expect(await failure(client.get(kinds.ConfigMap, ref))).toMatchObject({ code: 'BadAnswer' });
  });

  it('an invalid list is refused as a bad answer', async () => {
    server.next('list', (response) => response.end('{"metadata":{},"items":[]}'));
    expect(await failure(client.list(kinds.ConfigMap, 'n'))).toMatchObject({ code: 'BadAnswer' });
  });
});

describe('a call without a response', () => {
  it.each<[string, Behaviour]>([
    ['a response', () => undefined],
    ['the end of its body', (response) => response.write('{')],
  ])('a call without %s times out', async (_, behave) => {
    const silent = await MisbehavingServer.silent(behave);
    const asked = new KubeClient(silent.config()).get(kinds.ConfigMap, ref, { timeoutMs: 30 });
    expect(await failure(asked)).toMatchObject({ code: 'Timeout', verdict: 'retry' });
    await silent.close();
  });

  it('a call without a response ends at once when it is aborted', async () => {
    const stopping = new AbortController();
    server.next('other', () => stopping.abort());
    expect(
      await failure(client.get(kinds.ConfigMap, ref, { signal: stopping.signal })),
    ).toMatchObject({ code: 'Unreachable' });
    expect(
      await failure(client.get(kinds.ConfigMap, ref, { signal: stopping.signal })),
    ).toMatchObject({ code: 'Unreachable' });
  });

  it('an error says ECONNREFUSED when no server listens', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const nowhere = new KubeClient(
        server.config(
          { token: SECRET },
          { server: `http://${host}:${nobodysPort}`, skipTLSVerify: true },
        ),
      );
      const failed = await failure(nowhere.get(kinds.ConfigMap, ref));
      expect(failed).toMatchObject({ code: 'Unreachable', verdict: 'retry' });
      expect(failed.message).toMatch(/ECONNREFUSED/);
      expect(all(failed)).not.toContain(SECRET);
    }
  });
});

describe('the bearer token', () => {
  it.each([['a line break'], ['a character no header may have']])(
    'a bearer token with %s in it does not appear in the error',
    async (what) => {
      const token = what === 'a line break' ? `${SECRET}\n${SECRET}` : `${SECRET}\u{1f41d}`;
      const failed = await failure(
        new KubeClient(server.config({ token })).get(kinds.ConfigMap, ref),
      );
      expect(failed).toMatchObject({ code: 'Unauthorized', verdict: 'retry' });
      expect(all(failed)).not.toContain(SECRET);
      expect(JSON.stringify(failed)).not.toContain(SECRET);
    },
  );
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1);
  const headers: [header: string | null, ms: number | undefined][] = [
    ['5', 5_000],
    ['0.5', 500],
    ['100000', 120_000],
    ['0', undefined],
    ['-1', undefined],
    ['', undefined],
    [null, undefined],
    ['soon', undefined],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['Thu, 01 Jan 2025 00:00:00 GMT', undefined],
  ];
  it.each(headers)('Retry-After %s gives a bounded delay, or none', (header, ms) =>
    expect(retryAfterMs(header, now)).toBe(ms),
  );
});
