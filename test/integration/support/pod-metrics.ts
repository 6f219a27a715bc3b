// What each pod uses of the processor, as a test decides: what metrics-server serves to autoscalers
// and to `kubectl top`.
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import { type AggregatedApi, serveAggregatedApi } from './aggregated-api.ts';
import type { TestCluster } from './pool.ts';

/** Of a pod with one container `main`, in thousandths of a core; it is one of those running. */
export type CpuOf = (pod: KubeObject, running: readonly KubeObject[]) => number;

export const servePodMetrics = (
  cluster: TestCluster,
  cpuIn: (namespace: string) => CpuOf,
): Promise<AggregatedApi> =>
  serveAggregatedApi(
    cluster,
    { group: 'metrics.k8s.io', version: 'v1beta1' },
    async ({ namespace, query }) => {
      const labelSelector = query.get('labelSelector') ?? '';
      const { items } = await cluster.api.list(kinds.Pod, namespace, { labelSelector });
      const cpuOf = cpuIn(namespace);
      const running = items.filter((pod) => dig(pod, 'status', 'phase') === 'Running');
      return {
        kind: 'PodMetricsList',
        metadata: {},
        items: running.map((pod) => ({
          metadata: { namespace, name: pod.metadata.name },
          timestamp: new Date().toISOString(),
          window: '1s',
          containers: [{ name: 'main', usage: { cpu: `${cpuOf(pod, running)}m` } }],
        })),
      };
    },
  );
