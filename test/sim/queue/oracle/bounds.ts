// How much do the ResourceQuotas of the namespace leave? By what they allow, the pods that live,
// and those that admitted jobs have not made yet.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { NAMESPACE } from '../../cluster/manifests.ts';
import { type Amounts, added, amountsIn, excess, times } from './amounts.ts';
import { grantedIn } from './demands.ts';
import { entriesIn, type LivePod, ledgerOf, livingPods } from './scene.ts';

/** What each allows of pods and cpu. */
export const boundsIn = (server: ApiServer): readonly Amounts[] =>
  server.all({ kind: kinds.ResourceQuota, namespace: NAMESPACE }).map(boundOf);

/** All that it counts in these stories. */
const boundOf = (quota: KubeObject): Amounts => {
  const { pods, 'requests.cpu': cpu } = amountsIn(dig(quota, 'spec', 'hard'));
  return { ...(pods !== undefined && { pods }), ...(cpu !== undefined && { cpu }) };
};

/** What one of them lacks for this beside what is in use. */
export const lackedOf = (
  bounds: readonly Amounts[],
  needs: Amounts,
  inUse: Amounts,
): readonly string[] =>
  bounds.flatMap((bound) => {
    const all = added([needs, inUse]);
    return Object.keys(bound).filter(
      (name) => (needs[name] ?? 0) > 0 && excess({ [name]: all[name] ?? 0 }, bound).length > 0,
    );
  });

export const requestsOf = (pods: readonly LivePod[]): Amounts =>
  added(pods.map(({ requests }) => requests));

/** With what admitted jobs, and Jobs that a user let start, have not made yet. */
export function takenIn(server: ApiServer): Amounts {
  const pods = livingPods(server);
  const missing = grantedIn(server).map(({ uid, size, requests }) => {
    const living = pods.filter(({ jobUid }) => jobUid === uid).length;
    return times(requests, Math.max(0, size - living) / size);
  });
  return added([requestsOf(pods), ...missing]);
}

/** By pods of no admitted job: no job that ends gives this back. */
export function takenByOthersIn(server: ApiServer): Amounts {
  const admitted = new Set(entriesIn(ledgerOf(server)).map(({ uid }) => uid));
  return requestsOf(livingPods(server).filter(({ jobUid }) => !admitted.has(jobUid)));
}
