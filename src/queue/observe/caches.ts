// Which queues, jobs, ResourceQuotas and LimitRanges does each namespace have?
import type { KubeObject } from '../../api/objects.ts';
import { asList, asNumber, asRecord, asString, dig } from '../../api/objects.ts';
import { slimmed } from '../../api/slim.ts';
import { parseSwarmQueue, type SwarmJob, type SwarmQueue } from '../../api/validate.ts';
import { type Amounts, larger } from '../../core/amounts.ts';
import { noDefaults, type PodDefaults } from '../../core/completed-pod.ts';
import { knownJob } from '../../core/known-job.ts';
import { memoize } from '../../core/memoize.ts';
import type { Change } from '../../runtime/client/api.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { amountsIn } from '../quota/text.ts';
import type { NamespaceQuota } from '../world.ts';

type Named = { readonly namespace: string };

const byNamespace = { namespace: ({ namespace }: Named) => [namespace] };
const ofOwn = { namespace: ({ meta }: { readonly meta: Named }) => [meta.namespace] };

export class QueueCaches {
  readonly queues = new Cache<SwarmQueue, 'namespace'>(parseSwarmQueue, ofOwn);
  readonly jobs = new Cache<SwarmJob, 'namespace'>(knownJob, ofOwn);
  readonly resourceQuotas = new Cache(parseResourceQuota, byNamespace);
  readonly limitRanges = new Cache(parseLimitRange, byNamespace);
  /** The overhead of the pods of each RuntimeClass. */
  readonly #overheads = new Map<string, Amounts>();
  /** The value of each PriorityClass that is a global default. */
  readonly #defaultPriorities = new Map<string, number>();
  /** Replaced at each change, since results are memoised by it. */
  #ofCluster: ClusterDefaults = { overheads: new Map(), priorityClass: undefined };

  takeRuntimeClass({ type, object }: Change): void {
    const { name } = object.metadata;
    if (type === 'DELETED') this.#overheads.delete(name);
    else this.#overheads.set(name, quantities(dig(object['overhead'], 'podFixed')));
    this.#ofCluster = { ...this.#ofCluster, overheads: new Map(this.#overheads) };
  }

  /** Returns whether pods without a PriorityClass now get a different one. */
  takePriorityClass({ type, object }: Change): boolean {
    const { name } = object.metadata;
    if (type === 'DELETED' || object['globalDefault'] !== true)
      this.#defaultPriorities.delete(name);
    else this.#defaultPriorities.set(name, asNumber(object['value']) ?? 0);
    // The API server refuses a second global default, but may accept two that are created at once.
    const [lowest] = [...this.#defaultPriorities].sort(([, one], [, other]) => one - other);
    const priorityClass = lowest?.[0];
    if (priorityClass === this.#ofCluster.priorityClass) return false;
    this.#ofCluster = { ...this.#ofCluster, priorityClass };
    return true;
  }

  /** Returns the same object until one of its sources changes, since results are memoised by it. */
  defaultsIn(namespace: string): PodDefaults {
    const ranges = this.limitRanges.by('namespace', namespace);
    const [only = noDefaults] = ranges.map(({ defaults }) => defaults);
    const ofAll = ranges.length > 1 ? together(ranges.map(({ defaults }) => defaults)) : only;
    return withCluster(this.#ofCluster)(ofAll);
  }
}

type ClusterDefaults = Pick<PodDefaults, 'overheads' | 'priorityClass'>;

const withCluster = memoize((ofCluster: ClusterDefaults) =>
  memoize((defaults: PodDefaults): PodDefaults => ({ ...defaults, ...ofCluster })),
);

const oneOf = memoize((first: PodDefaults) =>
  memoize(
    (second: PodDefaults): PodDefaults => ({
      ...first,
      requests: larger([first.requests, second.requests]),
      limits: larger([first.limits, second.limits]),
    }),
  ),
);

/**
 * The API server does not define which of several LimitRanges applies: the larger value is safe.
 */
const together = (all: readonly PodDefaults[]): PodDefaults =>
  all.reduce((first, second) => oneOf(first)(second));

export function slimResourceQuota(quota: KubeObject): KubeObject {
  const { spec, status } = quota;
  return slimmed(quota, {
    spec: { scopes: dig(spec, 'scopes'), scopeSelector: dig(spec, 'scopeSelector') },
    status: { hard: dig(status, 'hard'), used: dig(status, 'used') },
  });
}

function parseResourceQuota({ metadata, spec, status }: KubeObject): NamespaceQuota & Named {
  const named = asList(dig(spec, 'scopes')).flatMap((it) => asString(it) ?? []);
  const selected = asList(dig(spec, 'scopeSelector', 'matchExpressions')).map((it) => ({
    name: asString(dig(it, 'scopeName')) ?? '',
    operator: asString(dig(it, 'operator')) ?? '',
    values: asList(dig(it, 'values')).flatMap((value) => asString(value) ?? []),
  }));
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    hard: quantities(dig(status, 'hard')),
    used: quantities(dig(status, 'used')),
    scopes: [...named.map((name) => ({ name, operator: 'Exists', values: [] })), ...selected],
  };
}

export const slimRuntimeClass = (runtimeClass: KubeObject): KubeObject =>
  slimmed(runtimeClass, { overhead: runtimeClass['overhead'] });

export const slimPriorityClass = (priorityClass: KubeObject): KubeObject =>
  slimmed(priorityClass, {
    globalDefault: priorityClass['globalDefault'],
    value: priorityClass['value'],
  });

export const slimLimitRange = (range: KubeObject): KubeObject =>
  slimmed(range, { spec: { limits: dig(range['spec'], 'limits') } });

function parseLimitRange({
  metadata,
  spec,
}: KubeObject): Named & { readonly defaults: PodDefaults } {
  const [ofContainers] = asList(dig(spec, 'limits')).filter(
    (it) => dig(it, 'type') === 'Container',
  );
  return {
    namespace: metadata.namespace ?? '',
    defaults: {
      ...noDefaults,
      requests: quantities(dig(ofContainers, 'defaultRequest')),
      limits: quantities(dig(ofContainers, 'default')),
    },
  };
}

const quantities = (value: unknown): Amounts =>
  amountsIn(
    Object.fromEntries(
      Object.entries(asRecord(value) ?? {}).flatMap(([name, text]) =>
        typeof text === 'string' || typeof text === 'number' ? [[name, text]] : [],
      ),
    ),
  );
