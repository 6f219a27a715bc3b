// What does the API server do with ResourceQuotas? It counts a pod before it makes it, or refuses
// it; what has ended is counted no more a while later.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { Actor, type Surroundings } from '../../cluster/actor.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { hasEnded } from '../../cluster/facts.ts';
import { type Amounts, added, amountsIn, excess, requestsOfPod } from '../oracle/amounts.ts';

export function startResourceQuotas(surroundings: Surroundings): void {
  const { server } = surroundings;
  new Actor(surroundings, [kinds.ResourceQuota, kinds.Pod], () => {
    for (const quota of server.all({ kind: kinds.ResourceQuota }))
      count(server, quota, usedIn(server, quota.metadata.namespace));
  });
}

function count(server: ApiServer, quota: KubeObject, counted: Amounts): void {
  const hard = dig(quota, 'spec', 'hard');
  const used = Object.fromEntries(
    Object.keys(amountsIn(hard)).map((name) => [name, `${counted[name] ?? 0}m`]),
  );
  const { resourceVersion: _, ...metadata } = quota.metadata;
  server.replace(kinds.ResourceQuota, { ...quota, metadata, status: { hard, used } }, 'status');
}

const usedIn = (server: ApiServer, namespace: string | undefined): Amounts =>
  added(
    server
      .all({ kind: kinds.Pod, namespace })
      .filter((pod) => !hasEnded(pod))
      .map(chargesOf),
  );

function chargesOf(pod: KubeObject): Amounts {
  const { pods = 0, cpu = 0 } = requestsOfPod(pod['spec']);
  return { pods, 'requests.cpu': cpu };
}

/** Throws if the pod may not be made. */
export function admitPod(server: ApiServer, pod: KubeObject): void {
  const { namespace, name } = pod.metadata;
  const total = added([usedIn(server, namespace), chargesOf(pod)]);
  const quotas = server.all({ kind: kinds.ResourceQuota, namespace });
  for (const quota of quotas) {
    const wrong = excess(total, amountsIn(dig(quota, 'spec', 'hard')));
    if ('requests.cpu' in amountsIn(dig(quota, 'spec', 'hard')) && isUnsaid(pod))
      throw new KubeError('Forbidden', `failed quota: ${quota.metadata.name}: must specify cpu`, {
        status: 403,
      });
    if (wrong.length > 0)
      throw new KubeError(
        'Forbidden',
        `pods "${name}" is forbidden: exceeded quota: ${quota.metadata.name}: ${wrong.join(', ')}`,
        { status: 403 },
      );
  }
  for (const quota of quotas) count(server, quota, total);
}

const isUnsaid = (pod: KubeObject): boolean => !('cpu' in requestsOfPod(pod['spec']));
