// How does a command reach a cluster? By the flags that all of them share.
import type { Values } from '../../flags.ts';
import type { KubeClient } from '../../runtime/client/client.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import type { clusterFlags } from '../arguments/shared.ts';

export type ClusterValues = Values<typeof clusterFlags>;

export type Cluster = {
  readonly api: KubeClient;
  readonly config: PooledKubeConfig;
  readonly namespace: string;
};

/** Closes all connections at the end. The client is imported only here: it takes long to load. */
export async function withCluster<T>(
  values: ClusterValues,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const [{ KubeClient }, { loadKubeConfig }] = await Promise.all([
    import('../../runtime/client/client.ts'),
    import('../../runtime/client/load-config.ts'),
  ]);
  const config = loadKubeConfig({ file: values.kubeconfig, context: values.context });
  const context = config.getContextObject(config.getCurrentContext());
  const namespace = values.namespace ?? context?.namespace ?? 'default';
  const api = new KubeClient(config, { userAgent: 'swarmctl' });
  try {
    return await work({ api, config, namespace });
  } finally {
    await config.closeConnections();
  }
}
