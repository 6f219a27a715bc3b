// How does a command reach a cluster and the objects of ours in it? By the flags that all of them
// share.
import { type Kind, kinds, metadataOf, ownKindNames } from '../../api/kinds.ts';
import { hint } from '../../api/nearest.ts';
import type { KubeObject } from '../../api/objects.ts';
import {
  parseSwarmGroup,
  parseSwarmJob,
  parseSwarmPool,
  parseSwarmQueue,
  type SwarmGroup,
  type SwarmJob,
  type SwarmPool,
  type SwarmQueue,
} from '../../api/validate.ts';
import type { Values } from '../../flags.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import type { KubeClient } from '../../runtime/client/client.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import { CommandError, type clusterFlags } from '../arguments/command.ts';
import { ownCommand } from './own-command.ts';
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
      `${error.message} (a playground is running; to use it: eval "$(${ownCommand()} playground env)")`,
    );
  }
}

/** Closes all connections at the end. The client is imported only here: it takes long to load. */
export async function withCluster<T>(
  values: ClusterValues,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const [{ KubeClient }, config, { serverText }] = await Promise.all([
    import('../../runtime/client/client.ts'),
    loadConfig(values),
    import('../../runtime/client/load-config.ts'),
  ]);
  const context = config.getContextObject(config.getCurrentContext());
  const namespace = values.namespace ?? context?.namespace ?? 'default';
  const api = new KubeClient(config, { userAgent: 'swarmctl' });
  try {
    return await work({ api, config, namespace });
  } catch (error) {
    if (!(error instanceof KubeError && error.code === 'Unreachable')) throw error;
    const server = serverText(config, { file: values.kubeconfig });
    throw new CommandError(`cannot reach the API server ${server}: ${error.message}`);
  } finally {
    await config.closeConnections();
  }
}

type Scope = Pick<Cluster, 'api' | 'namespace'>;

export async function readObject(
  { api, namespace }: Scope,
  kind: Kind,
  name: string,
): Promise<KubeObject> {
  try {
    return await api.get(kind, { namespace, name });
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    throw notFound(kind, name, namespace, await namesOf({ api, namespace }, kind));
  }
}

export const notFound = (
  kind: Kind,
  name: string,
  namespace: string,
  present: readonly string[],
): CommandError =>
  new CommandError(
    `there is no ${kind.kind} ${name} in namespace ${namespace}${hint(name, present)}`,
  );

/** Who may get an object need not be allowed to list them: then there is no hint. */
async function namesOf({ api, namespace }: Scope, kind: Kind): Promise<readonly string[]> {
  try {
    const objects = await listObjects(api, metadataOf(kind), namespace);
    return objects.map(({ metadata }) => metadata.name).sort();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return [];
  }
}

/** The object of this name; without a name all, in the order of namespaces and names. */
async function readObjects(
  scope: Scope,
  kind: Kind,
  name: string | undefined,
  isEverywhere: boolean,
): Promise<readonly KubeObject[]> {
  if (name !== undefined) return [await readObject(scope, kind, name)];
  const items = await listObjects(scope.api, kind, isEverywhere ? undefined : scope.namespace);
  const rank = ({ metadata: { namespace, name: its } }: KubeObject): string =>
    `${namespace}/${its}`;
  return [...items].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

export const readPool = async (scope: Scope, name: string): Promise<SwarmPool> =>
  parseSwarmPool(await readObject(scope, kinds.SwarmPool, name));

export const readPools = async (
  scope: Scope,
  name: string | undefined,
  isEverywhere: boolean,
): Promise<readonly SwarmPool[]> =>
  (await readObjects(scope, kinds.SwarmPool, name, isEverywhere)).map(parseSwarmPool);

export const readGroup = async (scope: Scope, name: string): Promise<SwarmGroup> =>
  parseSwarmGroup(await readObject(scope, kinds.SwarmGroup, name));

export const readGroups = async (
  scope: Scope,
  name: string | undefined,
  isEverywhere: boolean,
): Promise<readonly SwarmGroup[]> =>
  (await readObjects(scope, kinds.SwarmGroup, name, isEverywhere)).map(parseSwarmGroup);

export const readJob = async (scope: Scope, name: string): Promise<SwarmJob> =>
  parseSwarmJob(await readObject(scope, kinds.SwarmJob, name));

export const readJobs = async (scope: Scope, isEverywhere: boolean): Promise<readonly SwarmJob[]> =>
  (await readObjects(scope, kinds.SwarmJob, undefined, isEverywhere)).map(parseSwarmJob);

export const readQueue = async (scope: Scope, name: string): Promise<SwarmQueue> =>
  parseSwarmQueue(await readObject(scope, kinds.SwarmQueue, name));

export const readQueues = async (
  scope: Scope,
  isEverywhere: boolean,
): Promise<readonly SwarmQueue[]> =>
  (await readObjects(scope, kinds.SwarmQueue, undefined, isEverywhere)).map(parseSwarmQueue);

/** Where the CRD is missing, the API server's own message does not say so. */
export async function listObjects(
  api: Pick<KubeApi, 'list'>,
  kind: Kind,
  namespace: string | undefined,
): Promise<readonly KubeObject[]> {
  try {
    return (await api.list(kind, namespace)).items;
  } catch (error) {
    const isOwn = ownKindNames.some((name) => name === kind.kind);
    if (isOwn && hasCode(error, 'NotFound'))
      throw new CommandError(`the cluster has no ${kind.kind}s: their CRD is not installed`);
    throw error;
  }
}
