// What does a job take of the namespace's own ResourceQuotas? As the API server counts it.
import { asList, asRecord, asString, dig } from '../../api/objects.ts';
import { type Amounts, times } from '../../core/amounts.ts';
import { type PodDefaults, takenBy } from '../../core/pod-requests.ts';
import { ONE } from '../../core/quantity.ts';
import type { NamespaceQuota, QuotaScope } from '../world.ts';

/** The watch of ResourceQuotas may be this much later than that of the pods that they count. */
export const COUNTED_WITHIN_MS = 3_000;

/** What the pods of a job take of the resources that the ResourceQuota names. */
export function podCharges(
  podSpec: unknown,
  count: number,
  quota: NamespaceQuota,
  defaults: PodDefaults,
): Amounts {
  if (!quota.scopes.every((scope) => isInScope(scope, podSpec, defaults))) return new Map();
  const { requests, limits } = takenBy(defaults)(Object(podSpec));
  return times(
    chosen(quota.hard, (resource) => ofPod(resource, requests, limits)),
    count,
  );
}

/** What the other objects of a job take: a batch Job and, for a gang, a Service and a ConfigMap. */
export function objectCharges(size: number, quota: NamespaceQuota): Amounts {
  if (quota.scopes.length > 0) return new Map();
  const gang = size > 1 ? ONE : 0n;
  const made: Readonly<Record<string, bigint>> = {
    'count/jobs.batch': ONE,
    services: gang,
    'count/services': gang,
    configmaps: gang,
    'count/configmaps': gang,
  };
  return chosen(quota.hard, (resource) => (Object.hasOwn(made, resource) ? made[resource] : 0n));
}

/**
 * The first field that the pod lacks: a ResourceQuota refuses pods that do not say how much they
 * take of what it limits.
 */
export function missingFor(
  podSpec: unknown,
  { hard, scopes }: NamespaceQuota,
  defaults: PodDefaults,
): string | undefined {
  if (!scopes.every((scope) => isInScope(scope, podSpec, defaults))) return undefined;
  const said = takenBy(defaults)(Object(podSpec));
  for (const resource of hard.keys()) {
    const [kind, name] = kindOf(resource);
    if (!['cpu', 'memory'].includes(name)) continue;
    if (!said[kind].has(name)) return `resources.${kind}.${name}`;
  }
  return undefined;
}

const kindOf = (resource: string): readonly ['requests' | 'limits', string] => {
  if (resource.startsWith('limits.')) return ['limits', resource.slice('limits.'.length)];
  return ['requests', resource.replace(/^requests\./, '')];
};

function ofPod(resource: string, requests: Amounts, limits: Amounts): bigint | undefined {
  if (resource === 'pods' || resource === 'count/pods') return ONE;
  const [kind, name] = kindOf(resource);
  return (kind === 'limits' ? limits : requests).get(name);
}

const chosen = (hard: Amounts, amount: (resource: string) => bigint | undefined): Amounts =>
  new Map(
    [...hard.keys()].flatMap((resource) => {
      const taken = amount(resource) ?? 0n;
      return taken === 0n ? [] : [[resource, taken]];
    }),
  );

function isInScope(scope: QuotaScope, podSpec: unknown, defaults: PodDefaults): boolean {
  switch (scope.name) {
    case 'Terminating':
      return dig(podSpec, 'activeDeadlineSeconds') !== undefined;
    case 'NotTerminating':
      return dig(podSpec, 'activeDeadlineSeconds') === undefined;
    case 'BestEffort':
      return isBestEffort(podSpec, defaults);
    case 'NotBestEffort':
      return !isBestEffort(podSpec, defaults);
    case 'PriorityClass':
      return matches(scope, asString(dig(podSpec, 'priorityClassName')));
    case 'CrossNamespacePodAffinity':
      return namesOtherNamespaces(dig(podSpec, 'affinity'));
    default:
      // Any pod may be in a scope that this version does not know.
      return true;
  }
}

const isBestEffort = (podSpec: unknown, defaults: PodDefaults): boolean =>
  Object.values(takenBy(defaults)(Object(podSpec))).every((amounts) =>
    ['cpu', 'memory'].every((resource) => (amounts.get(resource) ?? 0n) === 0n),
  );

function matches({ operator, values }: QuotaScope, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  return value !== undefined && values.includes(value);
}

function namesOtherNamespaces(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(namesOtherNamespaces);
  const record = asRecord(value);
  if (record === undefined) return false;
  if (asList(record['namespaces']).length > 0 || record['namespaceSelector'] !== undefined)
    return true;
  return Object.values(record).some(namesOtherNamespaces);
}
