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

/**
 * Connections end with the work. What reaches clusters is loaded here and not before: it takes
 * longer than all the rest.
 */
export async function withCluster<T>(
  values: ClusterValues,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const [{ KubeClient }, { loadKubeConfig }] = await Promise.all([
    import('../../runtime/client/client.ts'),
    import('../../runtime/client/config.ts'),
  ]);
  const config = loadKubeConfig({ file: values.kubeconfig, context: values.context });
  if (config.getContextObject(config.getCurrentContext()) === null)
    throw new CommandError(
      `there is no context ${JSON.stringify(config.getCurrentContext())} in the kubeconfig`,
    );
  const namespace =
    values.namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default';
  try {
    return await work({
      api: new KubeClient(config, { userAgent: 'swarmctl' }),
      config,
      namespace,
    });
  } finally {
    await config.closeConnections();
  }
}
