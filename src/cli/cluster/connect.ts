// How does a command reach a cluster and the pools in it? By the flags that all of them share.
import { type Kind, kinds } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';
import { parseSwarmPool, type SwarmPool } from '../../api/validate.ts';
import type { Values } from '../../flags.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import type { KubeClient } from '../../runtime/client/client.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { CommandError, type clusterFlags } from '../arguments/command.ts';
import { askRunning } from './socket.ts';

export type ClusterValues = Values<typeof clusterFlags>;

export type Cluster = {
  readonly api: KubeClient;
  readonly config: PooledKubeConfig;
  readonly namespace: string;
};

/** Who has no kubeconfig may have started a playground, and not told the shell. */
async function loadConfig({ kubeconfig, context }: ClusterValues): Promise<PooledKubeConfig> {
  const { KubeConfigMissing, loadKubeConfig } = await import('../../runtime/client/load-config.ts');
  try {
    return loadKubeConfig({ file: kubeconfig, context });
  } catch (error) {
    const isUnnamed = kubeconfig === undefined && error instanceof KubeConfigMissing;
    if (!isUnnamed || (await askRunning('env')) === undefined) throw error;
    throw new CommandError(
      `${error.message} (a playground is up: eval "$(swarmctl playground env)")`,
    );
  }
}

/** Closes all connections at the end. The client is imported only here: it takes long to load. */
export async function withCluster<T>(
  values: ClusterValues,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const [{ KubeClient }, config] = await Promise.all([
    import('../../runtime/client/client.ts'),
    loadConfig(values),
  ]);
  const context = config.getContextObject(config.getCurrentContext());
  const namespace = values.namespace ?? context?.namespace ?? 'default';
  const api = new KubeClient(config, { userAgent: 'swarmctl' });
  try {
    return await work({ api, config, namespace });
  } finally {
    await config.closeConnections();
  }
}

export async function readPool(
  { api, namespace }: Pick<Cluster, 'api' | 'namespace'>,
  name: string,
): Promise<SwarmPool> {
  try {
    return parseSwarmPool(await api.get(kinds.SwarmPool, { namespace, name }));
  } catch (error) {
    if (hasCode(error, 'NotFound'))
      throw new CommandError(`there is no SwarmPool ${name} in namespace ${namespace}`);
    throw error;
  }
}

/** The pool of this name; without a name all pools, in the order of namespaces and names. */
export async function readPools(
  { api, namespace }: Cluster,
  name: string | undefined,
  isEverywhere: boolean,
): Promise<readonly SwarmPool[]> {
  if (name !== undefined) return [await readPool({ api, namespace }, name)];
  const items = await listObjects(api, kinds.SwarmPool, isEverywhere ? undefined : namespace);
  const rank = ({ meta }: SwarmPool): string => `${meta.namespace}/${meta.name}`;
  return items.map(parseSwarmPool).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Where the CRD is missing, the API server's own message does not say so. */
export async function listObjects(
  api: Pick<KubeApi, 'list'>,
  kind: Kind,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  try {
    return (await api.list(kind, namespace)).items;
  } catch (error) {
    if (kind.kind === kinds.SwarmPool.kind && hasCode(error, 'NotFound'))
      throw new CommandError(
        'the cluster does not know SwarmPools: their definition (CRD) is not installed',
      );
    throw error;
  }
}
