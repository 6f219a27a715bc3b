// How does a client cope with a misbehaving API server? A real HTTP server over a store; it answers
// each request correctly, unless the test says otherwise.
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { apiVersionOf, type Kind, pathOf } from '../../src/api/kinds.ts';
import { isKubeObject, type Ref } from '../../src/api/objects.ts';
import type { PooledKubeConfig } from '../../src/runtime/client/config.ts';
import { KubeError } from '../../src/runtime/client/errors.ts';
import { configOf } from './local-servers.ts';
import { eventually } from './processes.ts';
import { type ListScope, Store } from './store.ts';

export type Asked = {
  /** `version` is a list of at most one object, which asks for the resource version only. */
  readonly verb: 'list' | 'version' | 'watch' | 'other';
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
};

/**
 * A reserved system port on which no process listens; a port that was free a moment ago may be
 * taken.
 */
export const nobodysPort = 4;

/** Answers the request in its own way; `well` sends the correct answer. */
export type Behaviour = (response: ServerResponse, asked: Asked, well: () => void) => void;

export type ServerOptions = {
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly pageSize?: number;
};

type Watching = { readonly response: ServerResponse; isSilent: boolean; readonly end: () => void };

export class MisbehavingServer {
  readonly store = new Store();
  readonly asked: Asked[] = [];
  /** Accepted so far. */
  connections = 0;
  readonly #kinds: readonly Kind[];
  readonly #sockets = new Set<Socket>();
  readonly #watching = new Set<Watching>();
  readonly #pending: { readonly verb: Asked['verb']; readonly behave: Behaviour }[] = [];
  readonly #always = new Map<Asked['verb'], Behaviour>();
  readonly #pageSize: number | undefined;
  readonly #server: Server;
  readonly #scheme: string;

  private constructor(kinds: readonly Kind[], { tls, pageSize }: ServerOptions) {
    this.#kinds = kinds;
    this.#pageSize = pageSize;
    this.#scheme = tls === undefined ? 'http' : 'https';
    const take = (request: IncomingMessage, response: ServerResponse): void =>
      void this.#receive(request, response);
    this.#server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
    // Connections end only when a test says so, however slow its machine is.
    this.#server.keepAliveTimeout = 600_000;
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    });
  }

  static async start(
    kinds: readonly Kind[],
    options: ServerOptions = {},
  ): Promise<MisbehavingServer> {
    const server = new MisbehavingServer(kinds, options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /**
   * Accepts every request, and answers only with `behave`. A separate server: an abandoned request
   * may still be on its way.
   */
  static async silent(behave: Behaviour = () => undefined): Promise<MisbehavingServer> {
    const server = await MisbehavingServer.start([]);
    for (const verb of ['list', 'version', 'watch', 'other'] as const) server.always(verb, behave);
    return server;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${addressOf(this.#server).port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  get watches(): number {
    return this.#watching.size;
  }

  config(
    user: object = { token: 'secret-token' },
    cluster: object = { skipTLSVerify: true },
  ): PooledKubeConfig {
    return configOf(this.url, user, cluster);
  }

  /** Answers the next request of this type with it; calls queue up. */
  next(verb: Asked['verb'], ...behaviours: readonly Behaviour[]): void {
    for (const behave of behaviours) this.#pending.push({ verb, behave });
  }

  /** Answers every request of this type with it, until changed. */
  always(verb: Asked['verb'], behave: Behaviour | undefined): void {
    if (behave === undefined) this.#always.delete(verb);
    else this.#always.set(verb, behave);
  }

  countOf(verb: Asked['verb']): number {
    return this.asked.filter((asked) => asked.verb === verb).length;
  }

  /**
   * Open connections stay open, without any data: as when a router on the way has forgotten the
   * connection.
   */
  goSilent(): void {
    for (const watching of this.#watching) watching.isSilent = true;
  }

  /** Resets every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Writes to every open watch, unchanged. */
  say(text: string | Uint8Array): void {
    for (const { response } of this.#watching) response.write(text);
  }

  bookmark(kind: Kind): void {
    this.store.version += 1;
    const metadata = { resourceVersion: String(this.store.version) };
    this.say(
      `${JSON.stringify({ type: 'BOOKMARK', object: { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } })}\n`,
    );
  }

  endWatches(): void {
    for (const { end } of this.#watching) end();
  }

  async untilWatched(count = 1): Promise<void> {
    await eventually(`${count} watches are open`, () => this.watches >= count);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await eventually('all sockets are closed', () => this.openSockets === 0);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const parts: Buffer[] = [];
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part);
    const body = Buffer.concat(parts).toString('utf8');
    const target = this.#targetOf(pathname);
    const isList = request.method === 'GET' && target?.ref === undefined;
    const verb = isList ? verbOf(searchParams) : 'other';
    const { method = '', headers } = request;
    const asked: Asked = {
      verb,
      method,
      path: pathname,
      query: searchParams,
      headers,
      body,
      at: performance.now(),
    };
    this.asked.push(asked);
    const well = (): void => {
      if (target === undefined)
        json(response, 404, {
          kind: 'Status',
          message: 'the server could not find the requested resource',
        });
      else this.#well(response, asked, target);
    };
    const at = this.#pending.findIndex((pending) => pending.verb === verb);
    const behave = at < 0 ? this.#always.get(verb) : this.#pending.splice(at, 1)[0]?.behave;
    if (behave === undefined) well();
    else behave(response, asked, well);
  }

  #well(
    response: ServerResponse,
    asked: Asked,
    target: ListScope & { ref?: Ref; subresource?: string },
  ): void {
    try {
      if (asked.verb === 'watch') this.#watch(response, asked, target);
      else if (asked.verb === 'list' || asked.verb === 'version')
        json(response, 200, this.#list(asked, target));
      else json(response, 200, this.#one(asked, target));
    } catch (error) {
      const {
        code,
        message,
        status = 500,
      } = error instanceof KubeError ? error : new KubeError('Unavailable', String(error));
      json(response, status, {
        kind: 'Status',
        code: status,
        reason: code === 'AlreadyExists' ? code : '',
        message,
      });
    }
  }

  #one(
    { method, body }: Asked,
    { kind, ref, subresource }: ListScope & { ref?: Ref; subresource?: string },
  ): unknown {
    const given: unknown = body === '' ? undefined : JSON.parse(body);
    if (method === 'POST' && isKubeObject(given)) return this.store.create(kind, given);
    if (ref === undefined) throw new KubeError('Invalid', 'of no use', { status: 400 });
    if (method === 'PUT' && isKubeObject(given))
      return this.store.replace(kind, given, subresource);
    if (method === 'PATCH' && this.store.find(kind, ref) === undefined)
      return this.store.put(kind, ref);
    if (method === 'PATCH' && typeof given === 'object' && given !== null)
      return this.store.merge(kind, ref, given);
    if (method === 'DELETE') this.store.remove(kind, ref);
    return method === 'DELETE' ? { kind: 'Status', status: 'Success' } : this.store.get(kind, ref);
  }

  /**
   * A page token is the version it belongs to and the next position; pages of a store that has
   * changed meanwhile are Gone here.
   */
  #list({ query }: Asked, scope: ListScope): unknown {
    const items = this.store.all(scope).map(({ apiVersion: _, kind: __, ...item }) => item);
    const limit = query.has('limit')
      ? Math.min(Number(query.get('limit')), this.#pageSize ?? Number.POSITIVE_INFINITY)
      : items.length;
    const [version = '', from = '0'] = (query.get('continue') ?? `${this.store.version}:0`).split(
      ':',
    );
    if (version !== String(this.store.version))
      throw new KubeError('Gone', 'the page token is too old', { status: 410 });
    const end = Number(from) + limit;
    const token = end < items.length ? `${version}:${end}` : '';
    return {
      kind: 'List',
      metadata: { resourceVersion: version, continue: token },
      items: items.slice(Number(from), end),
    };
  }

  #watch(response: ServerResponse, { query }: Asked, scope: ListScope): void {
    let from = Number(query.get('resourceVersion'));
    this.store.since(scope, from);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const flush = (): void => {
      if (watching.isSilent) return;
      for (const { version, event } of this.store.since(scope, from)) {
        from = version;
        response.write(`${JSON.stringify(event)}\n`);
      }
    };
    const cancel = this.store.onChange(scope.kind, () => flush());
    const timer = setTimeout(
      () => watching.isSilent || response.end(),
      Number(query.get('timeoutSeconds')) * 1000,
    );
    const watching: Watching = { response, isSilent: false, end: () => response.end() };
    this.#watching.add(watching);
    response.on('close', () => {
      cancel();
      clearTimeout(timer);
      this.#watching.delete(watching);
    });
    flush();
  }

  #targetOf(path: string): (ListScope & { ref?: Ref; subresource?: string }) | undefined {
    for (const kind of this.#kinds) {
      const [root = '', plural = ''] = splitLast(pathOf(kind));
      const match = new RegExp(
        `^${root}(?:/namespaces/([^/]+))?/${plural}(?:/([^/]+))?(?:/([^/]+))?$`,
      ).exec(path);
      if (match === null) continue;
      const [, namespace, name, subresource] = match;
      const scope = namespace === undefined ? {} : { namespace };
      return {
        kind,
        ...scope,
        ...(name !== undefined && { ref: { ...scope, name } }),
        ...(subresource !== undefined && { subresource }),
      };
    }
    return undefined;
  }
}

const splitLast = (path: string): readonly string[] => [
  path.slice(0, path.lastIndexOf('/')),
  path.slice(path.lastIndexOf('/') + 1),
];

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen');
  return address;
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A refusal in the format of the API. */
export const refuse =
  (
    code: number,
    reason = '',
    message = 'no',
    headers: Readonly<Record<string, string>> = {},
    causes: readonly object[] = [],
  ): Behaviour =>
  (response) =>
    json(
      response,
      code,
      { kind: 'Status', status: 'Failure', code, reason, message, details: { causes } },
      headers,
    );

/** A watch that consists of just these lines, and then ends. */
export const stream =
  (...lines: readonly (object | string)[]): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      lines.map((line) => (typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)).join(''),
    );
  };

function verbOf(query: URLSearchParams): Asked['verb'] {
  if (query.get('watch') === 'true') return 'watch';
  return query.get('limit') === '1' ? 'version' : 'list';
}
