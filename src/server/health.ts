// Is this replica alive, is it ready, and which build is it? For the kubelet and for users.
import type { Build } from '../api/build.ts';
import { inShort, type KindReport } from '../core/kind-report.ts';
import { createBoundedServer, listen, type Served } from '../http/bounded-server.ts';

/** A server of its own, so that it answers even when the metrics server is overloaded. */
const BOUNDS = { connections: 64, answerMs: 5_000 };

/** What the operator says of itself. */
export type OperatorView = {
  /** Every kind has been read once, or is off. */
  readonly isSynced: () => boolean;
  readonly isLeading: () => boolean;
  readonly kinds: () => readonly KindReport[];
};

type HealthView = OperatorView & {
  readonly build: Build;
  /** Why this replica does not lead, and where the leader is. */
  readonly standbyReason: () => string | undefined;
  /** The operators that this one knows of in the cluster, itself included while it leads. */
  readonly operators: () => readonly object[];
  /** Objects that the operator knows in an earlier state, by a mistake of its own. */
  readonly undelivered: () => readonly string[];
};

const MOST_NAMED = 10;

/** Without a host: on all addresses. */
export function serveHealth(port: number, view: HealthView, host?: string): Promise<Served> {
  const server = createBoundedServer(BOUNDS, (request, response) => {
    const [status, body] = answerTo(request.url ?? '/', view);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return listen(server, port, host);
}

function answerTo(url: string, view: HealthView): readonly [number, object] {
  const synced = view.isSynced();
  const roles = {
    leading: view.isLeading(),
    standby: view.standbyReason(),
    operators: view.operators(),
    kinds: view.kinds().map(inShort),
  };
  switch (url.split('?')[0]) {
    case '/healthz':
      return [200, { status: 'ok' }];
    case '/readyz':
      return synced ? [200, { status: 'ok', ...roles }] : [503, { status: 'syncing' }];
    case '/internal/health': {
      // Never an error: a restart would end the same way, and another namespace may be the cause.
      const names = view.undelivered();
      const outdated = { count: names.length, first: names.slice(0, MOST_NAMED) };
      const status = names.length === 0 ? 'ok' : 'degraded';
      return [200, { status, synced, ...roles, outdated, build: view.build }];
    }
    default:
      return [404, { status: 'not found', paths: ['/healthz', '/readyz', '/internal/health'] }];
  }
}
