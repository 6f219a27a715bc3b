// Which pools are there, and what is their status?
import { type Kind, kinds } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';
import { parseSwarmPool, type SwarmPool } from '../../api/validate.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { CommandError } from '../arguments/command.ts';
import type { Cluster } from './connect.ts';

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
