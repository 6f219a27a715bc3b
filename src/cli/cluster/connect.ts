// How does a command reach a cluster? By the flags that all of them share.
import type { KubeClient } from '../../runtime/client/client.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { CommandError } from '../arguments/command.ts';

export type ClusterValues = {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
};

export type Cluster = {
  readonly api: KubeClient;
  readonly config: PooledKubeConfig;
  readonly namespace: string;
};

/** Connections end with the work. The client is loaded only here: that takes longest. */
export async function withCluster<T>(
  values: ClusterValues,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const [{ KubeClient }, { loadKubeConfig }] = await Promise.all([
    import('../../runtime/client/client.ts'),
    import('../../runtime/client/config.ts'),
  ]);
  const config = loadKubeConfig({ file: values.kubeconfig, context: values.context });
  const name = config.getCurrentContext();
  const context = config.getContextObject(name);
  if (context === null)
    throw new CommandError(`there is no context ${JSON.stringify(name)} in the kubeconfig`);
  const namespace = values.namespace ?? context.namespace ?? 'default';
  const api = new KubeClient(config, { userAgent: 'swarmctl' });
  try {
    return await work({ api, config, namespace });
  } finally {
    await config.closeConnections();
  }
}
