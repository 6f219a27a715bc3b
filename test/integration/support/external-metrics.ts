// Metrics from outside of Kubernetes, whose values a test decides: what an adapter of Prometheus
// serves to autoscalers.
import { type AggregatedApi, serveAggregatedApi } from './aggregated-api.ts';
import type { TestCluster } from './pool.ts';

export type ExternalMetric = { readonly namespace: string; readonly name: string };

export const serveExternalMetrics = (
  cluster: TestCluster,
  read: (metric: ExternalMetric) => number | Promise<number>,
): Promise<AggregatedApi> =>
  serveAggregatedApi(
    cluster,
    { group: 'external.metrics.k8s.io', version: 'v1beta1' },
    async ({ namespace, rest: metricName }) => {
      const value = String(await read({ namespace, name: metricName }));
      const timestamp = new Date().toISOString();
      return {
        kind: 'ExternalMetricValueList',
        metadata: {},
        items: [{ metricName, metricLabels: {}, timestamp, value }],
      };
    },
  );
