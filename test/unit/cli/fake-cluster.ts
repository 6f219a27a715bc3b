// A cluster for commands: an API server that knows how to list and get, by the end of the path, and
// notes what is written.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { dig } from '../../../src/api/objects.ts';
import { ExecServer } from './exec-server.ts';
import { Files } from './ran.ts';

/** By resource, such as swarmpools. */
type Listed = Readonly<Record<string, readonly object[]>>;
/** By pod. */
type Logs = Readonly<Record<string, (query: URLSearchParams) => string>>;

export class FakeCluster {
  /** True: it accepts requests, and answers none. */
  isSilent = false;
  /** True: writes are noted, and have no answer. */
  isSilentToWrites = false;
  /** Resources that it does not know. */
  unserved: readonly string[] = [];
  /** Resources that the user may not read. */
  forbidden: readonly string[] = [];
  /** Objects that a policy keeps from being deleted: swarmjobs/lammps. */
  kept: readonly string[] = [];
  /** The user that this API server takes the client for; undefined: it does not tell. */
  user: string | undefined;
  kubeconfig = '';
  /** Method, end of the path, and body. */
  readonly writes: (readonly [string, string, unknown])[] = [];
  /** Of each request for a log. */
  readonly logQueries: URLSearchParams[] = [];
  /** What it does for `pods/exec`. */
  readonly exec: ExecServer;
  readonly #files = new Files();
  readonly #server;

  /** All is in the namespace swarm, which is that of the kubeconfig. */
  constructor(listed: Listed, logs: Logs = {}) {
    this.#server = createServer(async (request, response) => {
      if (this.isSilent) return;
      const { method = '', url = '' } = request;
      const { pathname, searchParams } = new URL(url, 'http://x');
      const parts = pathname.split('/');
      const isOther = parts.includes('namespaces') && parts.at(-2) === 'other';
      const [resource = '', name = ''] = parts.slice(-2);
      const log = name === 'log' ? logs[resource] : undefined;
      if (log !== undefined) {
        this.logQueries.push(searchParams);
        return void response.end(log(searchParams));
      }
      if (parts.some((part) => this.unserved.includes(part))) {
        response.statusCode = 404;
        return void response.end('404 page not found\n');
      }
      if (parts.some((part) => this.forbidden.includes(part))) {
        response.statusCode = 403;
        return void response.end(JSON.stringify({ kind: 'Status', reason: 'Forbidden' }));
      }
      if (parts.includes('selfsubjectreviews')) {
        response.statusCode = this.user === undefined ? 403 : 201;
        const userInfo = { username: this.user };
        return void response.end(JSON.stringify({ status: { userInfo } }));
      }
      const found = listed[resource]?.find((item) => dig(item, 'metadata', 'name') === name);
      response.setHeader('Content-Type', 'application/json');
      // A watch that has nothing to report.
      if (searchParams.has('watch')) return void response.flushHeaders();
      if (method !== 'GET') {
        const body = await text(request);
        this.writes.push([method, `${resource}/${name}`, JSON.parse(body)]);
        if (this.isSilentToWrites) return;
        if (method === 'DELETE' && this.kept.includes(`${resource}/${name}`)) {
          response.statusCode = 422;
          const status = { kind: 'Status', reason: 'Invalid', message: 'a policy keeps it' };
          return void response.end(JSON.stringify(status));
        }
        if (method === 'POST') return void response.end(body);
      }
      if (listed[resource] !== undefined && found === undefined) response.statusCode = 404;
      const items = isOther ? [] : (listed[name] ?? []);
      const list = { metadata: { resourceVersion: '1' }, items, resources: [] };
      response.end(JSON.stringify(listed[resource] === undefined ? list : (found ?? {})));
    });
    this.exec = new ExecServer(this.#server);
  }

  async start(): Promise<void> {
    // No connection ends while a request is on its way, on a slow machine too.
    this.#server.keepAliveTimeout = 600_000;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const cluster = { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'swarm' } }],
      'current-context': 'x',
    };
    this.kubeconfig = this.#files.write('kubeconfig', JSON.stringify(config));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
    this.#files.remove();
  }
}

export const metadata = (name: string, rest: object = {}): object => ({
  name,
  namespace: 'swarm',
  uid: name,
  resourceVersion: '1',
  generation: 1,
  ...rest,
});
