// Would the operator have counted and refused these pods as the API server did?
import { apiVersionOf, type Kind, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { Amounts } from '../../../src/core/amounts.ts';
import type { PodDefaults } from '../../../src/core/completed-pod.ts';
import { QueueCaches } from '../../../src/queue/observe/caches.ts';
import { lackedFor, podCharges } from '../../../src/queue/quota/resource-quotas.ts';
import { amountsIn, quantitiesOf } from '../../../src/queue/quota/text.ts';
import type { NamespaceQuota } from '../../../src/queue/world.ts';
import type { Answer, AnsweredCase, ClusterObjects, QuotaCase } from './case.ts';

export const objectOf = (
  kind: Kind,
  metadata: { readonly name: string; readonly namespace?: string },
  rest: object,
): KubeObject => ({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...rest });

type Known = { readonly quotas: readonly NamespaceQuota[]; readonly defaults: PodDefaults };

/** What the operator knows of the namespace. */
export function knownOf(
  { name: namespace, limitRange, quotas, hasDefaultClass }: Omit<QuotaCase, 'pods'>,
  { runtimeClasses, priorityClasses }: ClusterObjects,
): Known {
  const caches = new QueueCaches();
  const added = (object: KubeObject) => ({ type: 'ADDED' as const, object });
  for (const { name, ...rest } of runtimeClasses)
    caches.takeRuntimeClass(added(objectOf(kinds.RuntimeClass, { name }, rest)));
  for (const { name, ...rest } of priorityClasses)
    if (hasDefaultClass || rest['globalDefault'] !== true)
      caches.takePriorityClass(added(objectOf(kinds.PriorityClass, { name }, rest)));
  if (limitRange !== undefined) {
    const range = objectOf(kinds.LimitRange, { namespace, name: 'limits' }, { spec: limitRange });
    caches.limitRanges.apply(added(range));
  }
  for (const [name, spec] of Object.entries(quotas)) {
    const status = { hard: Object(spec)['hard'], used: {} };
    const quota = objectOf(kinds.ResourceQuota, { namespace, name }, { spec, status });
    caches.resourceQuotas.apply(added(quota));
  }
  return {
    quotas: caches.resourceQuotas.by('namespace', namespace),
    defaults: caches.defaultsIn(namespace),
  };
}

/** Each line names a pod, the API server's answer, and what the operator would have said. */
export function disagreements(answered: AnsweredCase, cluster: ClusterObjects): readonly string[] {
  const known = knownOf(answered, cluster);
  return answered.pods.flatMap(({ spec, answer }, at) => {
    const wrong = wrongIn(spec, answer, known);
    return wrong === undefined
      ? []
      : [`${answered.name} pod ${at}: ${JSON.stringify(answer)}; operator: ${wrong}`];
  });
}

function wrongIn(spec: object, answer: Answer, { quotas, defaults }: Known): string | undefined {
  if (answer.is === 'invalid') return undefined;
  const lacks = new Map(quotas.map((it) => [it.name, lackedFor(spec, it, defaults)]));
  if (answer.is === 'lacking') {
    const { field = '', containers = [] } = lacks.get(answer.quota) ?? {};
    // A quota of `cpu` demands the request of it; the API server names both as the quota does.
    const wanted = answer.fields[bareOf(field)] ?? answer.fields[bareOf(field).slice(9)];
    return `${[...containers].sort()}` === `${wanted}` ? undefined : `lacks ${field} ${containers}`;
  }
  const lack = [...lacks.values()].find((it) => it !== undefined);
  if (lack !== undefined) return `lacks ${lack.field} ${lack.containers}`;
  const charges = new Map(quotas.map((it) => [it.name, podCharges(spec, 1, it, defaults)]));
  if (answer.is === 'exceeding') {
    const taken = charges.get(answer.quota) ?? new Map();
    const named = [...taken].filter(([resource]) => Object.hasOwn(answer.takes, resource));
    return difference(new Map(named), amountsIn(answer.takes));
  }
  const wrong = quotas.map(({ name }) =>
    difference(charges.get(name) ?? new Map(), amountsIn(answer.takes[name] ?? {})),
  );
  return wrong.find((it) => it !== undefined);
}

const bareOf = (field: string): string => field.replace(/^resources\./, '');

export function difference(one: Amounts, other: Amounts): string | undefined {
  const [first, second] = [one, other].map((it) =>
    JSON.stringify(Object.entries(quantitiesOf(it)).sort()),
  );
  return first === second ? undefined : first;
}
