import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import {
  type BoundedAnswer,
  boundedRequest,
  type RequestBounds,
} from '../../../../src/runtime/client/bounded-request.ts';

const bounds = { answerMs: 10_000, mostBytes: 100 };
const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

async function asked(
  listener: RequestListener,
  extra: Partial<RequestBounds> & { readonly method?: 'HEAD' } = {},
): Promise<BoundedAnswer> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return boundedRequest(`http://127.0.0.1:${port}/path?query`, { ...bounds, ...extra });
}

const fails = (why: 'late' | 'too-long' | 'status', reason: string): BoundedAnswer => ({
  ...{ ok: false, why, reason, isRefused: false },
});

describe('a bounded request', () => {
  it('a bounded request returns status and body of any status', async () => {
    const answer = await asked(({ method, url }, response) =>
      response.writeHead(503).end(`${method} ${url}`),
    );
    expect(answer).toEqual({ ok: true, status: 503, body: Buffer.from('GET /path?query') });
  });

  it('a bounded request passes on the headers of its answer', async () => {
    const onHeaders = jest.fn();
    const listener: RequestListener = (_, response) => response.writeHead(200, { x: 'y' }).end();
    await asked(listener, { onHeaders });
    expect(onHeaders).toHaveBeenCalledWith(expect.objectContaining({ x: 'y' }));
  });

  it('a bounded request by HEAD has no body', async () => {
    const answer = await asked((_, response) => response.end('text'), { method: 'HEAD' });
    expect(answer).toEqual({ ok: true, status: 200, body: Buffer.alloc(0) });
  });

  it('a bounded request follows no redirect', async () => {
    const answer = await asked((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(answer).toMatchObject({ ok: true, status: 302 });
  });

  it('a bounded request that wants 200 refuses any other status, and does not read the body', async () => {
    const onRead = jest.fn();
    const listener: RequestListener = (_, response) => response.writeHead(500).end('a page');
    expect(await asked(listener, { wants200: true, onRead })).toEqual(
      fails('status', 'answers 500'),
    );
    expect(onRead).not.toHaveBeenCalled();
  });

  it('a bounded request reads no more than its limit, and names the purpose in the error', async () => {
    const announced: RequestListener = (_, response) => response.end('x'.repeat(101));
    const streamed: RequestListener = (_, response) => {
      response.write('x'.repeat(60));
      response.end('x'.repeat(60));
    };
    expect(await asked(announced)).toEqual(fails('too-long', 'answers more than 100 bytes'));
    expect(await asked(streamed, { mostFor: 'a test' })).toEqual(
      fails('too-long', 'answers more than 100 bytes, the limit for a test'),
    );
  });

  it('a bounded request waits no longer than its limit, from the first byte to the last', async () => {
    const short = { answerMs: 100 };
    expect(await asked(() => undefined, short)).toEqual(fails('late', 'no answer within 0.1 s'));
    expect(await asked((_, response) => void response.write('x'), short)).toEqual(
      fails('late', 'no answer within 0.1 s'),
    );
  });

  it('a bounded request without a response says why, with the code, and whether no server listens', async () => {
    const broken = await asked((_, response) => response.destroy());
    expect(broken).toMatchObject({
      why: 'lost',
      reason: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
      code: expect.stringMatching(/UND_ERR_SOCKET|ECONNRESET/),
    });
    const nobody = await boundedRequest('http://127.0.0.1:1/', bounds);
    expect(nobody).toMatchObject({
      ok: false,
      reason: expect.stringContaining('ECONNREFUSED'),
      code: 'ECONNREFUSED',
      isRefused: true,
    });
  });
});
