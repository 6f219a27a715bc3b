// What does the API server make of a pod before it stores it? LimitRanges give it defaults, a
// webhook may make it larger, and LimitRanges and ResourceQuotas may refuse it.
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { asList, asRecord, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import type { ApiServer } from '../../cluster/api-server.ts';
import { type Amounts, amountsIn, excess } from '../oracle/amounts.ts';
import { admitPod } from './resource-quotas.ts';

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
  const larger = added === 0 ? spec : withContainers(spec, (own) => withMore(own, added));
  for (const most of limitsIn(server, namespace, 'max'))
    for (const container of asList(dig(larger, 'containers'))) {
      const wrong = excess(amountsIn(dig(container, 'resources', 'requests')), most);
      if (wrong.length > 0) throw refused(name, `maximum usage per Container: ${wrong.join(', ')}`);
    }
  const admitted = { ...pod, spec: larger };
  admitPod(server, admitted);
  return admitted;
}

/** What LimitRanges give to containers that request nothing of it. */
export const withDefaults = (
  server: ApiServer,
  namespace: string | undefined,
  podSpec: unknown,
): object =>
  limitsIn(server, namespace, 'defaultRequest').reduce<object>(
    (spec, given) => withContainers(spec, (own) => ({ ...given, ...own })),
    asRecord(podSpec) ?? {},
  );

const limitsIn = (
  server: ApiServer,
  namespace: string | undefined,
  field: 'defaultRequest' | 'max',
): readonly Amounts[] =>
  server
    .all({ kind: kinds.LimitRange, namespace })
    .flatMap((range) => asList(dig(range, 'spec', 'limits')))
    .map((limit) => amountsIn(dig(limit, field)));

const withMore = (own: Amounts, cpu: number): Amounts => ({ ...own, cpu: (own['cpu'] ?? 0) + cpu });

function withContainers(podSpec: object, requests: (own: Amounts) => Amounts): object {
  const containers = asList(dig(podSpec, 'containers')).map((it) => {
    const container = asRecord(it) ?? {};
    const amounts = requests(amountsIn(dig(container, 'resources', 'requests')));
    const written = Object.entries(amounts).map(([name, amount]) => [name, `${amount}m`]);
    return { ...container, resources: { requests: Object.fromEntries(written) } };
  });
  return { ...podSpec, containers };
}
