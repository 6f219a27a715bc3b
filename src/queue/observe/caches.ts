// Which queues, jobs, ResourceQuotas and LimitRanges does each namespace have?
import type { KubeObject } from '../../api/objects.ts';
import { asList, asRecord, asString, dig } from '../../api/objects.ts';
import { slimmed } from '../../api/slim.ts';
import { parseSwarmQueue, type SwarmJob, type SwarmQueue } from '../../api/validate.ts';
import { type Amounts, larger } from '../../core/amounts.ts';
import { knownJob } from '../../core/known-job.ts';
import { memoize } from '../../core/memoize.ts';
import { noDefaults, type PodDefaults } from '../../core/pod-requests.ts';
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
  /** The overhead of each RuntimeClass. A new map with each change: results are memoised by it. */
  #overheads: ReadonlyMap<string, Amounts> = new Map();

  takeRuntimeClass({ type, object }: Change): void {
    const overheads = new Map(this.#overheads);
    if (type === 'DELETED') overheads.delete(object.metadata.name);
    else overheads.set(object.metadata.name, quantities(dig(object['overhead'], 'podFixed')));
    this.#overheads = overheads;
  }

  /** The same object until a LimitRange changes: results are memoised by it. */
  defaultsIn(namespace: string): PodDefaults {
    const ranges = this.limitRanges.by('namespace', namespace);
    const [only = noDefaults] = ranges.map(({ defaults }) => defaults);
    const ofAll = ranges.length > 1 ? together(ranges.map(({ defaults }) => defaults)) : only;
    return this.#overheads.size === 0 ? ofAll : withOverheads(this.#overheads)(ofAll);
  }
}

const withOverheads = memoize((overheads: PodDefaults['overheads']) =>
  memoize((defaults: PodDefaults): PodDefaults => ({ ...defaults, overheads })),
);

const oneOf = memoize((first: PodDefaults) =>
  memoize(
    (second: PodDefaults): PodDefaults => ({
      requests: larger([first.requests, second.requests]),
      limits: larger([first.limits, second.limits]),
      overheads: first.overheads,
    }),
  ),
);

/** The API server does not define which of several LimitRanges applies: the larger one is safe. */
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
