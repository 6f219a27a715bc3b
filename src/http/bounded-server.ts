// An HTTP server with bounds on connections, requests and time, for the operator and the worker:
// how does it begin and end?
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client needs little time to send a request of a few hundred bytes. */
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** Thousands of pipelined requests of one client would be answered without a pause for others. */
const REQUESTS_PER_CONNECTION = 100;

export type ServerBounds = {
  readonly connections: number;
  /** From the request until the client has read the last byte; left out: no limit. */
  readonly answerMs?: number;
};

/**
 * When it is full, it drops the oldest connection of the address that has the most: idle or slow
 * connections keep no new client out. A kubelet's probe is safe: it is the newest connection of its
 * address, and sends its request at once.
 */
export function createBoundedServer(
  { connections, answerMs }: ServerBounds,
  listener: RequestListener,
): Server {
  const open = new Connections(connections);
  const server = createServer(LIMITS, (request, response) => {
    open.touch(request.socket);
    if (answerMs !== undefined) limitAnswer(response, answerMs);
    listener(request, response);
  });
  server.on('connection', (socket) => open.add(socket));
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  // One more: a new connection is accepted before the oldest is dropped.
  server.maxConnections = connections + 1;
  return server;
}

function limitAnswer(response: ServerResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms).unref();
  response.on('close', () => clearTimeout(timer));
}

class Connections {
  readonly #most: number;
  #count = 0;
  /** By client address; in each, the connection that was used last comes last. */
  readonly #byAddress = new Map<string, Set<Socket>>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket): void {
    const address = addressOf(socket);
    const sockets = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, sockets.add(socket));
    this.#count += 1;
    socket.once('close', () => this.#forget(address, socket));
    if (this.#count > this.#most) this.#dropOldest();
  }

  touch(socket: Socket): void {
    const sockets = this.#byAddress.get(addressOf(socket));
    if (sockets?.delete(socket) === true) sockets.add(socket);
  }

  #dropOldest(): void {
    const most = [...this.#byAddress].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    const [address, [oldest]] = most;
    if (oldest === undefined) return;
    this.#forget(address, oldest);
    oldest.destroy();
  }

  #forget(address: string, socket: Socket): void {
    const sockets = this.#byAddress.get(address);
    if (sockets?.delete(socket) !== true) return;
    this.#count -= 1;
    if (sockets.size === 0) this.#byAddress.delete(address);
  }
}

/** Empty for a connection that has already ended. */
const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;

export type Served = { readonly port: number; readonly close: () => Promise<void> };

/** Without a host: on all addresses. 0 is any free port. */
export async function listen(
  server: Server,
  port: number,
  host: string | undefined,
): Promise<Served> {
  await new Promise<void>((resolve, reject) => {
    // It stays: a later error (no file descriptor left for a connection) must not end the process.
    server.on('error', reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => resolve());
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
