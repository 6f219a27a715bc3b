// Does a server answer a new client beside very many idle, unfinished or slow connections? With
// real sockets.
import { get, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createBoundedServer,
  listen,
  type ServerBounds,
} from '../../../src/http/bounded-server.ts';
import { serveHealth } from '../../../src/server/health.ts';
import { noSnapshots } from '../../../src/server/introspection/kinds.ts';
import { serveIntrospection } from '../../../src/server/introspection/serve.ts';
import { createWorkerServer } from '../../../src/worker/report/server.ts';
import { eventually } from '../../support/processes.ts';

const MOST = 16;
const UNFINISHED = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n';

const sockets: Socket[] = [];
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const close of closing.splice(0)) await close();
});

const closed = (server: Server): (() => Promise<unknown>) => {
  return () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
};

/** Connections that the server has taken. */
let taken = 0;

async function start(
  bounds: Partial<ServerBounds>,
  listener: RequestListener = (_, response) => response.end('ok'),
): Promise<number> {
  const server = createBoundedServer({ connections: MOST, ...bounds }, listener);
  closing.push(closed(server));
  taken = 0;
  server.on('connection', () => {
    taken += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Connects from one of the machine's own loopback addresses. */
function connection(port: number, from = '127.0.0.1'): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  sockets.push(socket.resume().on('error', () => undefined));
  return socket;
}

function ask(port: number, path = '/'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(
      { port, path, host: '127.0.0.1', agent: false, headers: { host: 'localhost' } },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      },
    ).on('error', reject);
  });
}

/** The connections that are still open when the server has closed all others. */
async function openOf(crowd: readonly Socket[], most: number): Promise<number> {
  const open = (): number => crowd.filter((socket) => !socket.connecting && !socket.closed).length;
  await eventually('all have come', () => crowd.every((socket) => !socket.connecting));
  await eventually(`at most ${most} are left`, () => open() <= most);
  return open();
}

const crowdAt = (port: number, count: number, says = ''): readonly Socket[] =>
  Array.from({ length: count }, () => {
    const socket = connection(port);
    if (says !== '') socket.write(says);
    return socket;
  });

describe('a bounded server answers', () => {
  it.each([
    ['say nothing', ''],
    ['never finish their request', UNFINISHED],
  ])(
    'a bounded server answers beside 200 connections that %s, and keeps no more than its bound',
    async (_, says) => {
      const port = await start({});
      const crowd = crowdAt(port, 200, says);
      expect(await openOf(crowd, MOST)).toBeGreaterThan(0);
      expect(await ask(port)).toBe(200);
    },
  );

  it('a bounded server answers beside clients that never read their answer', async () => {
    const port = await start({}, (_, response) => response.end(Buffer.alloc(16 * 1024 * 1024)));
    const crowd = crowdAt(port, 3 * MOST, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    for (const socket of crowd) socket.pause();
    await eventually('all have come', () => crowd.every((socket) => !socket.connecting));
    expect(await ask(port)).toBe(200);
  });

  it('a bounded server closes the connection of an answer that is not read in time', async () => {
    let isOver = false;
    const port = await start({ answerMs: 100 }, (_, response) => {
      response.on('close', () => {
        isOver = true;
      });
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    connection(port).pause().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await eventually('it is let go', () => isOver);
  });

  it('a bounded server drops no connection of an address that has few', async () => {
    // Its answer takes longer than the crowd: the server closes a connection that says nothing.
    const asked = Promise.withResolvers<() => void>();
    const port = await start({}, (_, response) => asked.resolve(() => response.end('ok')));
    const other = connection(port, '127.0.0.2');
    let answer = '';
    other.on('data', (data) => {
      answer += String(data);
    });
    other.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const end = await asked.promise;
    const crowd = crowdAt(port, 300);
    await openOf(crowd, MOST - 1);
    end();
    await eventually('the other is answered', () => answer.includes('200 OK'));
  });

  it('a bounded server drops idle connections before one that is used again and again', async () => {
    const port = await start({});
    const asking = connection(port);
    await eventually('it has come', () => taken === 1);
    let answers = 0;
    asking.on('data', () => {
      answers += 1;
    });
    for (let round = 0; round < 5; round += 1) {
      asking.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await eventually('it is answered', () => answers > round);
      crowdAt(port, MOST - 1);
      await eventually('all have come', () => taken === 1 + (round + 1) * (MOST - 1));
    }
    expect(asking.closed).toBe(false);
  });
});

describe('each server:', () => {
  const build = { version: '1', commit: 'c', date: 'd' };
  const answers = {
    version: () => ({ version: 1 }),
    health: () => ({ isServing: true, details: {} }),
    metrics: () => '',
  };
  const rows: [name: string, path: string, start: () => Promise<number>][] = [
    [
      'health',
      '/healthz',
      async () => {
        const served = await serveHealth(
          0,
          {
            isSynced: () => true,
            isLeading: () => true,
            standbyReason: () => undefined,
            operators: () => [],
            kinds: () => [],
            undelivered: () => [],
            build,
          },
          '127.0.0.1',
        );
        closing.push(served.close);
        return served.port;
      },
    ],
    [
      'introspection',
      '/api/v1/pools',
      async () => {
        const served = await serveIntrospection(0, {
          snapshots: noSnapshots(),
          isLeading: () => true,
        });
        closing.push(served.close);
        return served.port;
      },
    ],
    [
      'a worker',
      '/internal/health',
      async () => {
        const server = createWorkerServer(answers);
        closing.push(closed(server));
        return (await listen(server, 0, '127.0.0.1')).port;
      },
    ],
  ];
  it.each(rows)(
    'the server of %s answers beside 200 unfinished requests',
    async (_, path, begin) => {
      const port = await begin();
      await openOf(crowdAt(port, 200, UNFINISHED), 128);
      expect(await ask(port, path)).toBe(200);
    },
  );
});
