// How much of a server may those take who connect to it? Bounded in number and in time, and whoever comes when all is full gets in.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Nobody needs long for a question of a few hundred bytes. */
const LIMITS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** Many questions in one piece would be answered in one piece of work. */
const REQUESTS_PER_CONNECTION = 100;

export type ServerBounds = {
  readonly connections: number;
  /** From a question to the last byte of its answer, as it is taken; left out: as long as it likes. */
  readonly answerMs?: number;
};

/**
 * Full, it lets the oldest connection go of the address that has the most: many idle or slow ones keep nobody out, least of all who comes
 * from elsewhere. A kubelet's probe is the newest of its address, and asks at once.
 */
export function createBoundedServer({ connections, answerMs }: ServerBounds, listener: RequestListener): Server {
  const guests = new Guests(connections);
  const server = createServer(LIMITS, (request, response) => {
    guests.asks(request.socket);
    if (answerMs !== undefined) limitAnswer(response, answerMs);
    listener(request, response);
  });
  server.on('connection', (socket) => guests.come(socket));
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  // One more: it has come before another goes.
  server.maxConnections = connections + 1;
  return server;
}

function limitAnswer(response: ServerResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms).unref();
  response.on('close', () => clearTimeout(timer));
}

class Guests {
  readonly #most: number;
  #count = 0;
  /** By address, in the order in which they came or last asked. */
  readonly #byAddress = new Map<string, Set<Socket>>();

  constructor(most: number) {
    this.#most = most;
  }

  come(socket: Socket): void {
    const address = addressOf(socket);
    const sockets = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, sockets.add(socket));
    this.#count += 1;
    socket.once('close', () => this.#forget(address, socket));
    if (this.#count > this.#most) this.#letGo();
  }

  asks(socket: Socket): void {
    const sockets = this.#byAddress.get(addressOf(socket));
    if (sockets?.delete(socket) === true) sockets.add(socket);
  }

  #letGo(): void {
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

/** Of a connection that has already ended it is not known. */
const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;
