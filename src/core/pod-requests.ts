// How much of each resource does a pod take? It is counted as the scheduler and quotas do.
import { type Amounts, sum } from './amounts.ts';
import {
  aggregated,
  completedPod,
  firstOf,
  noDefaults,
  type PodDefaults,
} from './completed-pod.ts';
import { memoize } from './memoize.ts';

type CompletedPod = ReturnType<typeof completedPod>;

/** Fields that a ResourceQuota may require of every container. */
const demanded = ['requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'] as const;

type Taken = {
  readonly requests: Amounts;
  readonly limits: Amounts;
  /** Names of the containers without the field, by field. */
  readonly lacking: ReadonlyMap<string, readonly string[]>;
  /** The pod neither requests nor limits cpu or memory. */
  readonly isBestEffort: boolean;
};

/** The amounts that a pod takes. Computed once for each template. */
export const takenBy = memoize((defaults: PodDefaults) =>
  memoize((podSpec: object): Taken => {
    const pod = completedPod(podSpec, defaults);
    return {
      requests: requestsOfPod(pod),
      limits: limitsOfPod(pod),
      lacking: lackingIn(pod),
      isBestEffort: isBestEffort(pod),
    };
  }),
);

/**
 * The maximum of the sum over its containers and, for each init container, its own requests plus
 * those of the sidecars started before it; replaced by the requests of the pod as a whole, if it
 * has any; plus the overhead of its RuntimeClass.
 */
export const requestsOf = (podSpec: unknown, defaults: PodDefaults = noDefaults): Amounts =>
  requestsOfPod(completedPod(podSpec, defaults));

const requestsOfPod = (pod: CompletedPod): Amounts =>
  sum([
    firstOf([...(pod.ofPod ? [pod.ofPod.requests] : []), aggregated(pod, 'requests')]),
    pod.overhead,
  ]);

/** Computed from limits in the same way. The overhead adds only to existing limits. */
function limitsOfPod(pod: CompletedPod): Amounts {
  const { ofPod, overhead } = pod;
  const limits = firstOf([...(ofPod ? [ofPod.limits] : []), aggregated(pod, 'limits')]);
  const bounded = new Map([...overhead].filter(([resource]) => (limits.get(resource) ?? 0n) > 0n));
  return sum([limits, bounded]);
}

/** A pod with resources as a whole lacks nothing. */
function lackingIn({
  containers,
  initContainers,
  ofPod,
}: CompletedPod): ReadonlyMap<string, readonly string[]> {
  if (ofPod !== undefined && ofPod.requests.size + ofPod.limits.size > 0) return new Map();
  const all = [...containers, ...initContainers];
  return new Map(
    demanded.map((field) => {
      const [kind, resource] = splitField(field);
      return [field, all.filter((it) => !it[kind].has(resource)).map(({ name }) => name)];
    }),
  );
}

const splitField = (field: string): readonly ['requests' | 'limits', string] => {
  const [kind = '', resource = ''] = field.split('.');
  return [kind === 'limits' ? 'limits' : 'requests', resource];
};

/** Ignores the overhead, and the containers if the pod has resources as a whole. */
const isBestEffort = ({ containers, initContainers, ofPod }: CompletedPod): boolean =>
  (ofPod === undefined ? [...containers, ...initContainers] : [ofPod])
    .flatMap(({ requests, limits }) => [requests, limits])
    .every((amounts) =>
      ['cpu', 'memory'].every((resource) => (amounts.get(resource) ?? 0n) === 0n),
    );
