// Which API server is large enough for a hundred thousand pods, and small enough for this machine?
// One with canned responses.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { RestingWorld } from './resting-world.ts';

const VERSION = '5';
const WATCH_MS = 8_000;

/** Lists in pages, watches without events, objects by name. A write is counted, and refused. */
export class CannedApi {
  writes = 0;
  readonly #world: RestingWorld;
  readonly #server: Server;

  private constructor(world: RestingWorld) {
    this.#world = world;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(world: RestingWorld): Promise<CannedApi> {
    const api = new CannedApi(world);
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get kubeconfig(): object {
    const address = this.#server.address();
    if (address === null || typeof address === 'string')
      throw new Error('the server does not listen');
    return {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'canned',
          cluster: { server: `http://127.0.0.1:${address.port}`, 'insecure-skip-tls-verify': true },
        },
      ],
      users: [{ name: 'operator', user: {} }],
      contexts: [{ name: 'canned', context: { cluster: 'canned', user: 'operator' } }],
      'current-context': 'canned',
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    if (request.method !== 'GET') {
      // A pool at rest needs no writes: if there are some, a worker was too slow to answer.
      this.writes += 1;
      response
        .writeHead(503)
        .end(
          '{"kind":"Status","code":503,"reason":"ServiceUnavailable","message":"nothing is kept here"}',
        );
      return;
    }
    const parts = pathname.split('/').slice(1);
    const [plural = '', name] = parts.slice(parts.indexOf('namespaces') < 0 ? -1 : -2);
    if (searchParams.get('watch') === 'true') this.#watch(response);
    else if (name === undefined)
      response.end(
        this.#list(
          plural,
          Number(searchParams.get('continue') ?? 0),
          Number(searchParams.get('limit') ?? 500),
        ),
      );
    else response.end(this.#world.at(plural, Number(/\d+/.exec(name)?.[0] ?? 0)));
  }

  #watch(response: ServerResponse): void {
    response.flushHeaders();
    const timer = setTimeout(() => response.end(), WATCH_MS);
    response.once('close', () => clearTimeout(timer));
  }

  #list(plural: string, from: number, size: number): string {
    const count = this.#world.count(plural);
    const end = Math.min(count, from + size);
    const items = Array.from({ length: Math.max(0, end - from) }, (_, index) =>
      this.#world.at(plural, from + index),
    );
    const next = end < count ? `,"continue":"${end}"` : '';
    return `{"metadata":{"resourceVersion":"${VERSION}"${next}},"items":[${items.join()}]}`;
  }
}
