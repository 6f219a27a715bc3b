// Which resources does a pod have that is created from a template? The API server adds defaults to
// the resources in the template.
import { asList, asRecord, asString, dig } from '../api/objects.ts';
import { type Amounts, larger, sum } from './amounts.ts';
import { parseQuantity } from './quantity.ts';

/** Values that the API server adds if a template omits them. */
export type PodDefaults = {
  /** Added to containers by LimitRanges. */
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** Added to pods, by the name of their RuntimeClass. */
  readonly overheads: ReadonlyMap<string, Amounts>;
  /** The PriorityClass that is the global default. Undefined: there is none, or it is not known. */
  readonly priorityClass: string | undefined;
};

export const noDefaults: PodDefaults = {
  requests: new Map(),
  limits: new Map(),
  overheads: new Map(),
  priorityClass: undefined,
};

type Resources = { readonly requests: Amounts; readonly limits: Amounts };

type Container = Resources & {
  readonly name: string;
  /** The container is started before the main containers, and runs beside them. */
  readonly isSidecar: boolean;
};

type CompletedPod = {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  /** Resources of the pod as a whole. Undefined: the template has no `resources`. */
  readonly ofPod: Resources | undefined;
  readonly overhead: Amounts;
};

const nothing: Amounts = new Map();

/**
 * In the order of the API server: first the resources of the whole pod are completed from those of
 * its containers in the template, then LimitRanges complete the containers.
 */
export function completedPod(podSpec: unknown, defaults: PodDefaults): CompletedPod {
  const containers = asList(dig(podSpec, 'containers')).map(containerOf);
  const initContainers = asList(dig(podSpec, 'initContainers')).map(containerOf);
  const limited = (all: readonly Container[]): readonly Container[] =>
    all.map((it) => withLimitRanges(it, defaults));
  return {
    containers: limited(containers),
    initContainers: limited(initContainers),
    ofPod: resourcesOfPod(podSpec, { containers, initContainers }),
    overhead: overheadOf(podSpec, defaults.overheads),
  };
}

/** A container with a limit and no request requests its limit. */
function containerOf(container: unknown): Container {
  const limits = quantitiesIn(dig(container, 'resources', 'limits'));
  const requests = quantitiesIn(dig(container, 'resources', 'requests'));
  return {
    name: asString(dig(container, 'name')) ?? '',
    isSidecar: dig(container, 'restartPolicy') === 'Always',
    requests: firstOf([requests, limits]),
    limits,
  };
}

const withLimitRanges = (container: Container, defaults: PodDefaults): Container => ({
  ...container,
  requests: firstOf([container.requests, defaults.requests]),
  limits: firstOf([container.limits, defaults.limits]),
});

type Containers = Pick<CompletedPod, 'containers' | 'initContainers'>;

/** The sum over the containers that run together: the largest sum at any time. */
export function aggregated(
  { containers, initContainers }: Containers,
  field: 'requests' | 'limits',
): Amounts {
  let sidecars = nothing;
  const initial: Amounts[] = [];
  for (const container of initContainers) {
    const amounts = sum([sidecars, container[field]]);
    initial.push(amounts);
    if (container.isSidecar) sidecars = amounts;
  }
  const running = sum([...containers.map((it) => it[field]), sidecars]);
  return larger([running, ...initial]);
}

const isHugePages = (resource: string): boolean => resource.startsWith('hugepages-');
const isOfPods = (resource: string): boolean =>
  resource === 'cpu' || resource === 'memory' || isHugePages(resource);

/**
 * If the pod as a whole has a limit without a request, it requests the sum of its containers, or
 * else its limit.
 */
function resourcesOfPod(podSpec: unknown, containers: Containers): Resources | undefined {
  const resources = asRecord(dig(podSpec, 'resources'));
  if (resources === undefined) return undefined;
  const own = only(quantitiesIn(resources['requests']), isOfPods);
  const ownLimits = only(quantitiesIn(resources['limits']), isOfPods);
  if (own.size + ownLimits.size === 0) return { requests: own, limits: ownLimits };
  const pages = only(
    aggregated(containers, 'limits'),
    (resource) => isHugePages(resource) && !own.has(resource),
  );
  const limits = firstOf([ownLimits, pages]);
  if (limits.size === 0) return { requests: own, limits };
  const requested = only(
    aggregated(containers, 'requests'),
    (resource) => isOfPods(resource) && !isHugePages(resource),
  );
  return { requests: firstOf([own, requested, limits]), limits };
}

/** A pod has the overhead in its spec; a template only names the RuntimeClass. */
function overheadOf(podSpec: unknown, overheads: PodDefaults['overheads']): Amounts {
  const own = dig(podSpec, 'overhead');
  const name = asString(dig(podSpec, 'runtimeClassName')) ?? '';
  return own === undefined ? (overheads.get(name) ?? nothing) : quantitiesIn(own);
}

/** For each resource, the amount in the first map that names it. */
export const firstOf = (all: readonly Amounts[]): Amounts =>
  new Map([...all].reverse().flatMap((amounts) => [...amounts]));

const only = (amounts: Amounts, isMeant: (resource: string) => boolean): Amounts =>
  new Map([...amounts].filter(([resource]) => isMeant(resource)));

/**
 * The API server refuses pods with an invalid or a negative quantity. A template may still contain
 * one: it counts as nothing, and reduces no other quantity.
 */
const quantitiesIn = (value: unknown): Amounts =>
  new Map(
    Object.entries(asRecord(value) ?? {}).map(([resource, text]) => {
      const amount = parseQuantity(String(text)) ?? 0n;
      return [resource, amount < 0n ? 0n : amount];
    }),
  );
