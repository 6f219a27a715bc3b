// What does the API server do with ResourceQuotas? It counts a pod before it makes it, or refuses
// it; what has ended is counted no more a while later.
import { kinds } from '../../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../../src/api/objects.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { Actor, type Surroundings } from '../../cluster/actor.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { hasEnded } from '../../cluster/facts.ts';
import { type Amounts, added, amountsIn } from '../oracle/amounts.ts';
import { judge, takenBy } from './counted.ts';

export function startResourceQuotas(surroundings: Surroundings): void {
  const { server } = surroundings;
  new Actor(surroundings, [kinds.ResourceQuota, kinds.Pod], () => {
    for (const quota of server.all({ kind: kinds.ResourceQuota }))
      write(server, quota, usedOf(server, quota));
  });
}

function write(server: ApiServer, quota: KubeObject, counted: Amounts): void {
  const hard = dig(quota, 'spec', 'hard');
  const used = Object.fromEntries(
    Object.keys(amountsIn(hard)).map((name) => [name, `${counted[name] ?? 0}m`]),
  );
  const { resourceVersion: _, ...metadata } = quota.metadata;
  server.replace(kinds.ResourceQuota, { ...quota, metadata, status: { hard, used } }, 'status');
}

const usedOf = (server: ApiServer, { metadata, spec }: KubeObject): Amounts =>
  added(
    server
      .all({ kind: kinds.Pod, namespace: metadata.namespace })
      .filter((pod) => !hasEnded(pod))
      .map((pod) => takenBy(spec, pod['spec'])),
  );

/** The pod is as it will be stored. Throws if it may not be made. */
export function admitPod(server: ApiServer, pod: KubeObject): void {
  const { namespace, name } = pod.metadata;
  const judged = server.all({ kind: kinds.ResourceQuota, namespace }).map((quota) => {
    const used = usedOf(server, quota);
    return { quota, used, judgement: judge(quota['spec'], used, pod['spec']) };
  });
  for (const { quota, judgement } of judged)
    if (judgement.is === 'lacking')
      throw refused(name, `failed quota: ${quota.metadata.name}: must specify`, judgement.fields);
  for (const { quota, judgement } of judged)
    if (judgement.is === 'exceeding')
      throw refused(name, `exceeded quota: ${quota.metadata.name}, requested`, judgement.takes);
  for (const { quota, used, judgement } of judged)
    if (judgement.is === 'counted') write(server, quota, added([used, judgement.takes]));
}

const refused = (name: string, why: string, what: object): KubeError =>
  new KubeError('Forbidden', `pods "${name}" is forbidden: ${why} ${JSON.stringify(what)}`, {
    status: 403,
  });
