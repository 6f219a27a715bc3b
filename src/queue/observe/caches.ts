// Which queues, jobs, ResourceQuotas and LimitRanges does each namespace have?
import type { KubeObject } from '../../api/objects.ts';
import { asList, asRecord, asString, dig } from '../../api/objects.ts';
import { slimmed } from '../../api/slim.ts';
import { parseSwarmQueue, type SwarmJob, type SwarmQueue } from '../../api/validate.ts';
import { type Amounts, larger } from '../../core/amounts.ts';
import { knownJob } from '../../core/known-job.ts';
import { memoize } from '../../core/memoize.ts';
import { type ContainerDefaults, noDefaults } from '../../core/pod-requests.ts';
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

  /** The same object as long as no LimitRange changes: what is computed of it is kept. */
  defaultsIn(namespace: string): ContainerDefaults {
    const ranges = this.limitRanges.by('namespace', namespace);
    const [only] = ranges;
    if (only === undefined) return noDefaults;
    return ranges.length === 1 ? only.defaults : together(ranges.map(({ defaults }) => defaults));
  }
}

const oneOf = memoize((first: ContainerDefaults) =>
  memoize(
    (second: ContainerDefaults): ContainerDefaults => ({
      requests: larger([first.requests, second.requests]),
      limits: larger([first.limits, second.limits]),
    }),
  ),
);

/** Which of several the API server applies is not defined: the larger ones are safe. */
const together = (all: readonly ContainerDefaults[]): ContainerDefaults =>
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

export const slimLimitRange = (range: KubeObject): KubeObject =>
  slimmed(range, { spec: { limits: dig(range['spec'], 'limits') } });

function parseLimitRange({
  metadata,
  spec,
}: KubeObject): Named & { readonly defaults: ContainerDefaults } {
  const [ofContainers] = asList(dig(spec, 'limits')).filter(
    (it) => dig(it, 'type') === 'Container',
  );
  return {
    namespace: metadata.namespace ?? '',
    defaults: {
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
