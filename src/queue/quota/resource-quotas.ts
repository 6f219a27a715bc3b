// How much of the namespace's own ResourceQuotas does a job take? It is counted as the API server
// does.
import { asNumber, asString, dig } from '../../api/objects.ts';
import { crossingTerm } from '../../api/pod-affinity.ts';
import { type Amounts, times } from '../../core/amounts.ts';
import type { PodDefaults } from '../../core/completed-pod.ts';
import { takenBy } from '../../core/pod-requests.ts';
import { ONE } from '../../core/quantity.ts';
import type { NamespaceQuota, QuotaScope } from '../world.ts';

/** The watch of ResourceQuotas may lag behind the watch of pods by this much. */
export const COUNTED_WITHIN_MS = 3_000;

/** The amounts that the pods of a job take of the resources that the ResourceQuota names. */
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

/**
 * The amounts that the other objects of a job take: a batch Job and, for a gang, a Service and a
 * ConfigMap.
 */
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

/** A field that a ResourceQuota requires of every container, and the containers without it. */
type Lack = { readonly field: string; readonly containers: readonly string[] };

/** The first missing field for which the API server refuses the pod; undefined: none is missing. */
export function lackedFor(
  podSpec: unknown,
  { hard, scopes }: NamespaceQuota,
  defaults: PodDefaults,
): Lack | undefined {
  if (!scopes.every((scope) => isInScope(scope, podSpec, defaults))) return undefined;
  const { lacking } = takenBy(defaults)(Object(podSpec));
  for (const resource of hard.keys()) {
    const field = fieldOf(resource);
    const containers = (field === undefined ? undefined : lacking.get(field)) ?? [];
    if (containers.length > 0) return { field: `resources.${field}`, containers };
  }
  return undefined;
}

/** A ResourceQuota counts these resources under their own name and under `requests.`. */
const isPlain = (resource: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(resource) || resource.startsWith('hugepages-');
/** The resources whose limits a ResourceQuota can count. */
const LIMITED: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/**
 * The field of a pod that the quota counts under this name: `requests.cpu`, even if it names `cpu`.
 */
function fieldOf(resource: string): string | undefined {
  if (resource.startsWith('limits.'))
    return LIMITED.has(resource.slice('limits.'.length)) ? resource : undefined;
  if (resource.startsWith('requests.')) return resource;
  return isPlain(resource) ? `requests.${resource}` : undefined;
}

function ofPod(resource: string, requests: Amounts, limits: Amounts): bigint | undefined {
  if (resource === 'pods' || resource === 'count/pods') return ONE;
  const field = fieldOf(resource) ?? '';
  const [kind = '', ...name] = field.split('.');
  return (kind === 'limits' ? limits : requests).get(name.join('.'));
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
      return asNumber(dig(podSpec, 'activeDeadlineSeconds')) !== undefined;
    case 'NotTerminating':
      return asNumber(dig(podSpec, 'activeDeadlineSeconds')) === undefined;
    case 'BestEffort':
      return takenBy(defaults)(Object(podSpec)).isBestEffort;
    case 'NotBestEffort':
      return !takenBy(defaults)(Object(podSpec)).isBestEffort;
    case 'PriorityClass':
      return matches(scope, priorityClassOf(podSpec, defaults));
    case 'CrossNamespacePodAffinity':
      return crossingTerm(dig(podSpec, 'affinity')) !== undefined;
    case 'VolumeAttributesClass':
      // The scope applies to volume claims, not to pods.
      return false;
    default:
      // A scope that this version does not know may contain any pod.
      return true;
  }
}

/** Pods of a template without a PriorityClass get the global default. */
const priorityClassOf = (podSpec: unknown, { priorityClass }: PodDefaults): string | undefined =>
  asString(dig(podSpec, 'priorityClassName')) || priorityClass;

function matches({ operator, values }: QuotaScope, value: string | undefined): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (operator === 'NotIn') return value === undefined || !values.includes(value);
  return value !== undefined && values.includes(value);
}
