// An API that the local Kubernetes does not serve itself: its API server passes the requests on to
// the test, as it does to a metrics server.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Kind } from '../../../src/api/kinds.ts';
import { selfSigned } from '../../../src/playground/node/certificate.ts';
import { create, type TestCluster } from './pool.ts';

const services: Kind = {
  group: '',
  version: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
};
const apiServices: Kind = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
};

/** `rest` is what follows the namespace in the path. */
export type AggregatedRequest = {
  readonly namespace: string;
  readonly rest: string;
  readonly query: URLSearchParams;
};

export type AggregatedApi = {
  /** The API server still names it, and says that it does not answer. */
  close(): Promise<void>;
  /** The API server names it no longer. */
  remove(): Promise<void>;
};

/** The API server reaches this process through a Service that names this machine. */
export async function serveAggregatedApi(
  cluster: TestCluster,
  { group, version }: { readonly group: string; readonly version: string },
  answer: (request: AggregatedRequest) => Promise<object>,
): Promise<AggregatedApi> {
  const groupVersion = `${group}/${version}`;
  const discovery = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [] };
  const server = createServer(selfSigned('localhost'), ({ url = '' }, response) => {
    const { pathname, searchParams: query } = new URL(url, 'https://localhost');
    const [, namespace, rest] = /\/namespaces\/([^/]+)\/(.+)$/.exec(pathname) ?? [];
    const found =
      namespace === undefined || rest === undefined
        ? Promise.resolve(discovery)
        : answer({ namespace, rest, query });
    response.setHeader('content-type', 'application/json');
    found.then(
      (body) => response.end(JSON.stringify({ apiVersion: groupVersion, ...body })),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const service = { namespace: 'default', name: group.replaceAll('.', '-'), port };
  const name = `${version}.${group}`;
  await create(cluster.api, services, service.namespace, service.name, {
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await cluster.api.create(apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group,
      version,
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service,
    },
  });
  await cluster.kubectl(
    'wait',
    '--for=condition=Available',
    `apiservice/${name}`,
    '--timeout=120s',
  );
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    close,
    async remove() {
      await cluster.api.delete(apiServices, { name });
      await cluster.api.delete(services, service);
      await close();
    },
  };
}
