// Which pod does the API server store? The one that a client creates, with the defaults of fields
// that were left out.
import { asList, asRecord, asString, dig } from '../../../../src/api/objects.ts';
import { amountOf } from '../oracle/amounts.ts';

/** Specs of LimitRanges, and the objects of the whole cluster. */
export type Completions = {
  readonly limitRanges: readonly unknown[];
  readonly runtimeClasses: readonly unknown[];
  readonly priorityClasses: readonly unknown[];
};

type Quantities = Readonly<Record<string, unknown>>;

const quantities = (value: unknown): Quantities => asRecord(value) ?? {};

/** First its defaults, then one admission plugin after the other. */
export function storedSpec(spec: unknown, to: Completions): object {
  const decoded = withDefaultsOfPod(eachContainer(spec, requestsFromLimits));
  const limited = to.limitRanges
    .flatMap((range) => asList(dig(range, 'limits')))
    .filter((limit) => dig(limit, 'type') === 'Container')
    .reduce<object>((pod, limit) => eachContainer(pod, (it) => limitedBy(limit, it)), decoded);
  return { ...limited, ...priorityOf(limited, to), ...overheadOf(limited, to) };
}

export type Resources = { readonly requests: Quantities; readonly limits: Quantities };

export const resourcesOf = (holder: unknown): Resources => ({
  requests: quantities(dig(holder, 'resources', 'requests')),
  limits: quantities(dig(holder, 'resources', 'limits')),
});

export function eachContainer(spec: unknown, change: (own: Resources) => Resources): object {
  const changed = (container: unknown): object => {
    const { requests, limits } = change(resourcesOf(container));
    return {
      ...asRecord(container),
      resources: {
        ...(Object.keys(requests).length > 0 && { requests }),
        ...(Object.keys(limits).length > 0 && { limits }),
      },
    };
  };
  const initContainers = asList(dig(spec, 'initContainers'));
  return {
    ...asRecord(spec),
    containers: asList(dig(spec, 'containers')).map(changed),
    ...(initContainers.length > 0 && { initContainers: initContainers.map(changed) }),
  };
}

const requestsFromLimits = ({ requests, limits }: Resources): Resources => ({
  limits,
  requests: { ...limits, ...requests },
});

const limitedBy = (limit: unknown, { requests, limits }: Resources): Resources => ({
  requests: { ...quantities(dig(limit, 'defaultRequest')), ...requests },
  limits: { ...quantities(dig(limit, 'default')), ...limits },
});

/** Of the pod as a whole, where it says a part of it. */
function withDefaultsOfPod(spec: object): object {
  const { requests, limits } = resourcesOf(spec);
  const isSaid = Object.keys({ ...requests, ...limits }).length > 0;
  if (!isSaid) return spec;
  const pages = Object.entries(mostOf(spec, 'limits')).filter(
    ([name]) => name.startsWith('hugepages-') && !(name in requests),
  );
  const allLimits = { ...Object.fromEntries(pages), ...limits };
  if (Object.keys(allLimits).length === 0) return spec;
  const inContainers = Object.entries(mostOf(spec, 'requests')).filter(
    ([name]) => name === 'cpu' || name === 'memory',
  );
  const allRequests = { ...allLimits, ...Object.fromEntries(inContainers), ...requests };
  return { ...spec, resources: { requests: allRequests, limits: allLimits } };
}

/** At the moment at which its containers take the most of it; as quantities in thousandths. */
export function mostOf(spec: unknown, field: keyof Resources): Readonly<Record<string, string>> {
  const most = new Map<string, number>();
  const beside = new Map<string, number>();
  const note = (holder: unknown, stays: boolean): void => {
    for (const [name, text] of Object.entries(resourcesOf(holder)[field])) {
      const now = (beside.get(name) ?? 0) + amountOf(text);
      most.set(name, Math.max(most.get(name) ?? 0, now));
      if (stays) beside.set(name, now);
    }
  };
  for (const container of asList(dig(spec, 'initContainers')))
    note(container, dig(container, 'restartPolicy') === 'Always');
  for (const container of asList(dig(spec, 'containers'))) note(container, true);
  return Object.fromEntries([...most].map(([name, amount]) => [name, `${amount}m`]));
}

function priorityOf(spec: object, { priorityClasses }: Completions): object {
  const own = asString(dig(spec, 'priorityClassName')) ?? '';
  const given = priorityClasses.find((it) => dig(it, 'globalDefault') === true);
  const name = own === '' ? nameOf(given) : own;
  return name === undefined ? {} : { priorityClassName: name };
}

function overheadOf(spec: object, { runtimeClasses }: Completions): object {
  const name = asString(dig(spec, 'runtimeClassName'));
  const given = runtimeClasses.find((it) => name !== undefined && nameOf(it) === name);
  const overhead = dig(given, 'overhead', 'podFixed');
  return overhead === undefined ? {} : { overhead };
}

const nameOf = (object: unknown): string | undefined => asString(dig(object, 'metadata', 'name'));
