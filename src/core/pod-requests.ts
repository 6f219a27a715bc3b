// How much of each resource does a pod take? As the scheduler and quotas count it.
import { asList, asRecord, asString, dig } from '../api/objects.ts';
import { type Amounts, larger, sum } from './amounts.ts';
import { memoize } from './memoize.ts';
import { parseQuantity } from './quantity.ts';

/** What the API server adds to a template that does not say it itself. */
export type PodDefaults = {
  /** To containers, by LimitRanges. */
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** To pods, by the name of their RuntimeClass. */
  readonly overheads: ReadonlyMap<string, Amounts>;
};

export const noDefaults: PodDefaults = {
  requests: new Map(),
  limits: new Map(),
  overheads: new Map(),
};

const nothing: Amounts = new Map();

/** What a pod requests, and its limits. Computed once, however often it is asked for. */
export const takenBy = memoize((defaults: PodDefaults) =>
  memoize((podSpec: object) => ({
    requests: requestsOf(podSpec, defaults),
    limits: limitsOf(podSpec, defaults),
  })),
);

/**
 * The largest of what its containers take together and of what each init container takes beside the
 * sidecars that were started before it; with the overhead of its RuntimeClass.
 */
export function requestsOf(podSpec: unknown, defaults: PodDefaults = noDefaults): Amounts {
  return total(podSpec, defaults, (container) => {
    const own = quantitiesIn(dig(container, 'resources', 'requests'));
    const limits = quantitiesIn(dig(container, 'resources', 'limits'));
    return firstOf([own, limits, defaults.requests]);
  });
}

/** Of the limits, in the same way. */
export function limitsOf(podSpec: unknown, defaults: PodDefaults = noDefaults): Amounts {
  return total(podSpec, defaults, (container) =>
    firstOf([quantitiesIn(dig(container, 'resources', 'limits')), defaults.limits]),
  );
}

function total(
  podSpec: unknown,
  { overheads }: PodDefaults,
  takes: (container: unknown) => Amounts,
): Amounts {
  let sidecars = nothing;
  const initial: Amounts[] = [];
  for (const container of asList(dig(podSpec, 'initContainers'))) {
    const amounts = takes(container);
    if (dig(container, 'restartPolicy') === 'Always') {
      sidecars = sum([sidecars, amounts]);
      initial.push(sidecars);
    } else initial.push(sum([sidecars, amounts]));
  }
  const running = sum([...asList(dig(podSpec, 'containers')).map(takes), sidecars]);
  const ofPod = quantitiesIn(dig(podSpec, 'resources', 'requests'));
  return sum([firstOf([ofPod, larger([running, ...initial])]), overheadOf(podSpec, overheads)]);
}

/** A pod has it in its spec; a template only names the RuntimeClass. */
function overheadOf(podSpec: unknown, overheads: PodDefaults['overheads']): Amounts {
  const own = dig(podSpec, 'overhead');
  const name = asString(dig(podSpec, 'runtimeClassName')) ?? '';
  return own === undefined ? (overheads.get(name) ?? nothing) : quantitiesIn(own);
}

/** Of each resource the amount in the first that names it. */
const firstOf = (all: readonly Amounts[]): Amounts =>
  new Map([...all].reverse().flatMap((amounts) => [...amounts]));

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
