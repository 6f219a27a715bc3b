// Is this replica alive, is it ready, and which build is it? Answers for a kubelet, and for who looks after it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Build } from '../api/build.ts';

export type HealthView = {
  /** Every kind has been listed once. */
  readonly isSynced: () => boolean;
  readonly isLeading: () => boolean;
  readonly build: Build;
};

export type HealthServer = { readonly port: number; readonly close: () => Promise<void> };

export async function serveHealth(port: number, view: HealthView): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const [status, body] = answerTo(request.url ?? '/', view);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return { port: portOf(server), close: () => closed(server) };
}

function answerTo(url: string, view: HealthView): readonly [number, object] {
  switch (url.split('?')[0]) {
    case '/healthz':
      return [200, { status: 'ok' }];
    case '/readyz':
      return view.isSynced() ? [200, { status: 'ok', leading: view.isLeading() }] : [503, { status: 'syncing' }];
    case '/internal/health':
      return [200, { status: 'ok', synced: view.isSynced(), leading: view.isLeading(), build: view.build }];
    default:
      return [404, { status: 'not found', paths: ['/healthz', '/readyz', '/internal/health'] }];
  }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
