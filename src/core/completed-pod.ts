// Which resources does a pod have that is made from a template? The API server adds to those that
// the template specifies.
import { asList, asRecord, asString, dig } from '../api/objects.ts';
import { type Amounts, larger, sum } from './amounts.ts';
import { parseQuantity } from './quantity.ts';

/** What the API server adds to a template that does not specify it. */
export type PodDefaults = {
  /** To containers, by LimitRanges. */
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** To pods, by the name of their RuntimeClass. */
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
  /** It is started before the containers, and runs beside them. */
  readonly isSidecar: boolean;
};

type CompletedPod = {
  readonly containers: readonly Container[];
  readonly initContainers: readonly Container[];
  /** Of the pod as a whole. Undefined: the template has no `resources`. */
  readonly ofPod: Resources | undefined;
  readonly overhead: Amounts;
};

const nothing: Amounts = new Map();

/**
 * In the order of the API server: the resources of the whole pod are completed from what the
 * template says of containers, and LimitRanges complete the containers after that.
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

/** A container with a limit requests as much of it as long as it does not say. */
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

/** What of its containers counts together: the largest amount at any time. */
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

/** Where the pod as a whole has a limit, it requests what its containers do, or else as much. */
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

/** A pod has it in its spec; a template only names the RuntimeClass. */
function overheadOf(podSpec: unknown, overheads: PodDefaults['overheads']): Amounts {
  const own = dig(podSpec, 'overhead');
  const name = asString(dig(podSpec, 'runtimeClassName')) ?? '';
  return own === undefined ? (overheads.get(name) ?? nothing) : quantitiesIn(own);
}

/** Of each resource the amount in the first that names it. */
export const firstOf = (all: readonly Amounts[]): Amounts =>
  new Map([...all].reverse().flatMap((amounts) => [...amounts]));

const only = (amounts: Amounts, isMeant: (resource: string) => boolean): Amounts =>
  new Map([...amounts].filter(([resource]) => isMeant(resource)));

/**
 * The API server refuses pods with a quantity that is negative or none. A template may have one
 * until then: it takes nothing, and makes no other one smaller.
 */
const quantitiesIn = (value: unknown): Amounts =>
  new Map(
    Object.entries(asRecord(value) ?? {}).map(([resource, text]) => {
      const amount = parseQuantity(String(text)) ?? 0n;
      return [resource, amount < 0n ? 0n : amount];
    }),
  );
