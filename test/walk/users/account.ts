// Who are the users of the walk? Accounts with the role `admin` in their namespaces, and the
// administrator of the cluster.
import { kinds } from '../../../src/api/kinds.ts';
import { KubeClient } from '../../../src/runtime/client/client.ts';
import { loadKubeConfig } from '../../../src/runtime/client/load-config.ts';
import type { Swarm } from '../../integration/support/swarm.ts';
import { USER_AGENT } from '../witness/batch-jobs.ts';

const userRoles = new URL('../../../deploy/user-roles.yaml', import.meta.url).pathname;
const NAMES = ['walker', 'runner'] as const;
const REQUEST_MS = 60_000;

const clientOf = (file: string): KubeClient =>
  new KubeClient(loadKubeConfig({ file }), {
    userAgent: USER_AGENT,
    requestTimeoutMs: REQUEST_MS,
  });

/** Its writes are signed by USER_AGENT. */
export const adminOf = ({ playground }: Swarm): KubeClient => clientOf(playground.plane.kubeconfig);

export type Account = { readonly api: KubeClient; readonly name: string };

/** The namespaces must not exist yet; the accounts belong to the first. */
export async function openAccounts(
  swarm: Swarm,
  namespaces: readonly [string, ...string[]],
): Promise<readonly Account[]> {
  const [home] = namespaces;
  for (const name of namespaces)
    await swarm.api.create(kinds.Namespace, {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
  await swarm.kubectl('apply', '-f', userRoles);
  return Promise.all(NAMES.map((name) => openAccount(swarm, namespaces, name, home)));
}

async function openAccount(
  swarm: Swarm,
  namespaces: readonly string[],
  name: string,
  home: string,
): Promise<Account> {
  await swarm.kubectl('-n', home, 'create', 'serviceaccount', name);
  const account = `--serviceaccount=${home}:${name}`;
  for (const namespace of namespaces)
    await swarm.kubectl(
      ...['-n', namespace, 'create', 'rolebinding', name, '--clusterrole=admin', account],
    );
  const file = await swarm.kubeconfigOf(home, name);
  return { api: clientOf(file), name: `system:serviceaccount:${home}:${name}` };
}
