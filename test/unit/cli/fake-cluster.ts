// A cluster for commands: an API server that knows how to list, by the last part of the path.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Files } from './ran.ts';

/** By resource, such as swarmpools. */
type Listed = Readonly<Record<string, readonly object[]>>;

export class FakeCluster {
  /** True: it accepts requests, and answers none. */
  isSilent = false;
  kubeconfig = '';
  readonly #files = new Files();
  readonly #server;

  /** All is in the namespace swarm, which is that of the kubeconfig. */
  constructor(listed: Listed) {
    this.#server = createServer(({ url = '' }, response) => {
      if (this.isSilent) return;
      const parts = new URL(url, 'http://x').pathname.split('/');
      const isOther = parts.includes('namespaces') && parts.at(-2) === 'other';
      const items = isOther ? [] : (listed[parts.at(-1) ?? ''] ?? []);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items, resources: [] }));
    });
  }

  async start(): Promise<void> {
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
