// Is this replica alive, is it ready, and which build is it? Answers for a kubelet, and for who
// looks after it.
import type { Build } from '../api/build.ts';
import { createBoundedServer } from '../http/bounded-server.ts';
import { listen, type Served } from './listen.ts';

/** Of one kind: does it work here, and if not, why? */
export type KindState = {
  readonly kind: string;
  readonly state: 'Syncing' | 'On' | 'Off';
  readonly reason?: string;
  readonly message?: string;
};

/** A server of its own, so that it answers even when the metrics server is overloaded. */
const BOUNDS = { connections: 64, answerMs: 5_000 };

export type HealthView = {
  /** Every kind has been read once, or is off. */
  readonly isSynced: () => boolean;
  readonly isLeading: () => boolean;
  readonly kinds: () => readonly KindState[];
  readonly build: Build;
};

/** Without a host: on all addresses. */
export function serveHealth(port: number, view: HealthView, host?: string): Promise<Served> {
  const server = createBoundedServer(BOUNDS, (request, response) => {
    const [status, body] = answerTo(request.url ?? '/', view);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return listen(server, port, host);
}

function answerTo(url: string, view: HealthView): readonly [number, object] {
  switch (url.split('?')[0]) {
    case '/healthz':
      return [200, { status: 'ok' }];
    case '/readyz':
      return view.isSynced()
        ? [200, { status: 'ok', leading: view.isLeading(), kinds: view.kinds() }]
        : [503, { status: 'syncing' }];
    case '/internal/health':
      return [
        200,
        {
          status: 'ok',
          synced: view.isSynced(),
          leading: view.isLeading(),
          kinds: view.kinds(),
          build: view.build,
        },
      ];
    default:
      return [404, { status: 'not found', paths: ['/healthz', '/readyz', '/internal/health'] }];
  }
}
