// Do many watches share a few probed connections, and does a dead one end without the others?
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { deadlineIn } from '../../../../src/runtime/client/deadline.ts';
import { ProbedConnections } from '../../../../src/runtime/client/probed-connections.ts';
import { asKubeError } from '../../../../src/runtime/client/requests.ts';
import { eventually } from '../../../support/processes.ts';
import { selfSigned } from '../../../support/self-signed.ts';
import { startSilentProxy } from '../../../support/silent-proxy.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'probed-'));
const certificate = selfSigned(folder, 'api');
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const listening = async (server: Server | Http2SecureServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
};

/** An API server that sends one line on each watch, and then what the test sends. */
async function startServer(maxConcurrentStreams = 100) {
  const server = createSecureServer({ ...certificate, settings: { maxConcurrentStreams } });
  const sessions: Http2Session[] = [];
  const streams: ServerHttp2Stream[] = [];
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    streams.push(stream);
    stream.on('error', () => undefined);
    const status = String(headers[':path']).includes('forbidden') ? 403 : 200;
    stream.respond({ ':status': status, 'content-type': 'application/json' });
    stream.write(`${headers[':path']} ${headers['authorization']}\n`);
  });
  const port = await listening(server);
  closing.push(() => {
    for (const session of sessions) session.destroy();
  });
  return { port, sessions, streams };
}

function connectionsTo(port: number): ProbedConnections {
  const connections = new ProbedConnections(`https://127.0.0.1:${port}`, { ca: certificate.cert });
  closing.push(() => connections.end());
  return connections;
}

type Watch = {
  readonly lines: string[];
  readonly end: Promise<unknown>;
  readonly stop: () => void;
};

/** Reads a watch; `end` has the error that ended it, if any. */
async function watch(connections: ProbedConnections, name: string): Promise<Watch> {
  const stopping = new AbortController();
  const url = new URL(`https://127.0.0.1/${name}?watch=true`);
  const headers = new Headers({ authorization: 'Bearer token' });
  const { body } = await connections.get(url, { headers, signal: stopping.signal });
  const lines: string[] = [];
  const read = async (): Promise<unknown> => {
    try {
      for await (const bytes of body ?? []) lines.push(Buffer.from(bytes).toString().trim());
      return undefined;
    } catch (error) {
      return error;
    }
  };
  return { lines, end: read(), stop: () => stopping.abort() };
}

const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `watch-${index}`);

describe('probed connections', () => {
  it('fifty watches share one connection, and each has its own answer', async () => {
    const server = await startServer();
    const connections = connectionsTo(server.port);
    expect(await connections.isSpoken()).toBe(true);
    const watches = await Promise.all(names(50).map((name) => watch(connections, name)));
    await eventually('each has a line', () => watches.every(({ lines }) => lines.length === 1));
    expect(watches.map(({ lines }) => lines[0])).toEqual(
      names(50).map((name) => `/${name}?watch=true Bearer token`),
    );
    expect(server.sessions).toHaveLength(1);
    server.streams[3]?.end('more\n');
    expect(await watches[3]?.end).toBeUndefined();
    expect(watches[3]?.lines).toContain('more');
  });

  it('no connection has more watches than the server allows', async () => {
    const server = await startServer(10);
    const connections = connectionsTo(server.port);
    await Promise.all(names(35).map((name) => watch(connections, name)));
    expect(server.sessions).toHaveLength(4);
  });

  it('an aborted watch ends alone, and its place is free again', async () => {
    const server = await startServer(2);
    const connections = connectionsTo(server.port);
    const [first, second] = await Promise.all(names(2).map((name) => watch(connections, name)));
    first?.stop();
    expect(await first?.end).toMatchObject({ name: 'AbortError' });
    await eventually('the stream is closed', () => server.streams[0]?.closed === true);
    await watch(connections, 'third');
    expect(server.sessions).toHaveLength(1);
    server.streams[1]?.end();
    expect(await second?.end).toBeUndefined();
  });

  it('a refusal has its status and its text', async () => {
    const server = await startServer();
    const { signal } = new AbortController();
    const url = new URL('https://127.0.0.1/forbidden');
    const answer = await connectionsTo(server.port).get(url, { headers: [], signal });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'application/json']);
    server.streams[0]?.end('no');
    expect(await answer.text()).toMatch(/no$/);
  });

  it('a connection that goes silent ends with an error that says so, and the next works', async () => {
    const server = await startServer();
    const proxy = await startSilentProxy(server.port);
    closing.push(() => proxy.stop());
    const connections = connectionsTo(proxy.port);
    const { end } = await watch(connections, 'a');
    let error: unknown;
    void end.then((ended) => {
      error = ended;
    });
    proxy.goSilent();
    await eventually('the watch ends', () => error !== undefined, 60);
    const deadline = deadlineIn(60_000);
    expect(asKubeError(error, deadline, 'the watch').code).toBe('Timeout');
    deadline.end();
    const { lines } = await watch(connections, 'b');
    await eventually('it has its line', () => lines.length === 1);
  });

  it('watches of a server that ends go on until they end, on a connection that takes no new one', async () => {
    const server = await startServer();
    const connections = connectionsTo(server.port);
    const before = await watch(connections, 'before');
    server.sessions[0]?.goaway();
    await eventually('a new connection is used', async () => {
      // Refused until the client has read that the server ends.
      await watch(connections, 'after').catch(() => undefined);
      return server.sessions.length > 1;
    });
    server.streams[0]?.end('last\n');
    expect(await before.end).toBeUndefined();
    expect(before.lines).toContain('last');
  });

  it('a server that only speaks HTTP/1.1 is found out', async () => {
    const server = createTlsServer({ ...certificate }, (_, to) => to.end());
    let sockets = 0;
    server.on('connection', () => {
      sockets += 1;
    });
    const connections = connectionsTo(await listening(server));
    expect([await connections.isSpoken(), await connections.isSpoken()]).toEqual([false, false]);
    expect(sockets).toBe(1);
    expect(await new ProbedConnections('http://127.0.0.1:1', {}).isSpoken()).toBe(false);
  });

  it('connections whose credentials were replaced take no new watch, and the old ones go on', async () => {
    const server = await startServer();
    const connections = connectionsTo(server.port);
    const before = await watch(connections, 'before');
    connections.retire();
    await expect(watch(connections, 'after')).rejects.toThrow('were replaced');
    server.streams[0]?.end();
    expect(await before.end).toBeUndefined();
  });

  it('a server that cannot be reached is an error', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(connectionsTo(port).isSpoken()).rejects.toThrow('ECONNREFUSED');
  });
});
