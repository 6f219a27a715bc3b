// A metrics server with the value that a test sets: an aggregated API of the local Kubernetes, like
// an adapter of Prometheus.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Kind } from '../../../src/api/kinds.ts';
import { selfSigned } from '../../../src/playground/node/certificate.ts';
import type { Swarm } from './swarm.ts';

const GROUP = 'external.metrics.k8s.io';
const apiVersion = `${GROUP}/v1beta1`;
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

export type ExternalMetrics = { set(value: number): void; close(): Promise<void> };

/**
 * The API server reaches it through a Service with this machine's address. It answers every metric
 * with the same value.
 */
export async function serveExternalMetrics(swarm: Swarm, first: number): Promise<ExternalMetrics> {
  let value = first;
  const server = createServer(selfSigned('localhost'), ({ url = '' }, response) => {
    const metricName = /\/namespaces\/[^/]+\/([^/?]+)/.exec(url)?.[1];
    const body =
      metricName === undefined
        ? { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources: [] }
        : {
            kind: 'ExternalMetricValueList',
            apiVersion,
            metadata: {},
            items: [
              {
                metricName,
                metricLabels: {},
                timestamp: new Date().toISOString(),
                value: String(value),
              },
            ],
          };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  await swarm.create(services, 'default', 'metrics', {
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  await swarm.api.create(apiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1beta1.${GROUP}` },
    spec: {
      group: GROUP,
      version: 'v1beta1',
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      service: { namespace: 'default', name: 'metrics', port },
    },
  });
  await swarm.kubectl(
    'wait',
    '--for=condition=Available',
    `apiservice/v1beta1.${GROUP}`,
    '--timeout=120s',
  );
  return {
    set: (next) => {
      value = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
