// Routes from this machine to the pods of a given cluster.
import { kinds } from '../../api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';

const SHOWN = 5;

/**
 * The operator runs on this machine and probes the workers too, so it needs the same routes.
 */
export async function routesToPods(api: KubeApi): Promise<readonly string[]> {
  const { items } = await api.list(kinds.Node, undefined);
  const routes = items.flatMap(routeOf).slice(0, SHOWN);
  const hint =
    'no worker can be reached from this machine, neither by the demo nor by the operator: it needs a route to the pods’ addresses';
  return routes.length === 0
    ? [hint]
    : [
        `${hint}, on a cluster of containers such as kind:`,
        ...routes.map((route) => `  sudo ${route}`),
      ];
}

function routeOf(node: KubeObject): readonly string[] {
  const pods = asString(dig(node, 'spec', 'podCIDR'));
  const addresses = asList(dig(node, 'status', 'addresses'));
  const address = asString(
    dig(
      addresses.find((it) => dig(it, 'type') === 'InternalIP'),
      'address',
    ),
  );
  return pods === undefined || address === undefined ? [] : [`ip route add ${pods} via ${address}`];
}
