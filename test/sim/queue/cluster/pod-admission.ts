// What does the API server make of a pod before it stores it? LimitRanges give it defaults, a
// webhook may make it larger, and LimitRanges and ResourceQuotas may refuse it.
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { asList, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { type Amounts, amountsIn, excess } from '../oracle/amounts.ts';
import { admitPod } from './resource-quotas.ts';
import { eachContainer, type Resources, storedSpec } from './stored-pod.ts';

/** Its object says how much cpu it adds to each container; no client of the operator sees it. */
export const webhooks: Kind = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'MutatingWebhookConfiguration',
  plural: 'mutatingwebhookconfigurations',
  namespaced: true,
};

const refused = (name: string, why: string): KubeError =>
  new KubeError('Forbidden', `pods "${name}" is forbidden: ${why}`, { status: 403 });

/** As it is stored; throws if it may not be made. */
export function admittedPod(server: ApiServer, pod: KubeObject): KubeObject {
  const { namespace, name } = pod.metadata;
  const added = server
    .all({ kind: webhooks, namespace })
    .reduce((sum, it) => sum + (amountsIn(it['adds'])['cpu'] ?? 0), 0);
  const spec = withDefaults(server, namespace, pod['spec']);
  const larger = added === 0 ? spec : eachContainer(spec, (own) => withMore(own, added));
  for (const most of maximaIn(server, namespace))
    for (const container of containersIn(larger)) {
      const wrong = excess(amountsIn(dig(container, 'resources', 'requests')), most);
      if (wrong.length > 0) throw refused(name, `maximum usage per Container: ${wrong.join(', ')}`);
    }
  const admitted = { ...pod, spec: larger };
  admitPod(server, admitted);
  return admitted;
}

/** What LimitRanges and classes add to a pod that leaves it out. */
export const withDefaults = (
  server: ApiServer,
  namespace: string | undefined,
  podSpec: unknown,
): object =>
  storedSpec(podSpec, {
    limitRanges: server.all({ kind: kinds.LimitRange, namespace }).map(({ spec }) => spec),
    runtimeClasses: server.all({ kind: kinds.RuntimeClass }),
    priorityClasses: server.all({ kind: kinds.PriorityClass }),
  });

const containersIn = (spec: object): readonly unknown[] =>
  ['containers', 'initContainers'].flatMap((field) => asList(dig(spec, field)));

const maximaIn = (server: ApiServer, namespace: string | undefined): readonly Amounts[] =>
  server
    .all({ kind: kinds.LimitRange, namespace })
    .flatMap((range) => asList(dig(range, 'spec', 'limits')))
    .map((limit) => amountsIn(dig(limit, 'max')));

const withMore = ({ requests, limits }: Resources, cpu: number): Resources => ({
  limits,
  requests: { ...requests, cpu: `${(amountsIn(requests)['cpu'] ?? 0) + cpu}m` },
});
