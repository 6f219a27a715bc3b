// The downward API: values of a pod's own fields and resources.
import type {
  V1Container,
  V1ObjectFieldSelector,
  V1ResourceFieldSelector,
} from '@kubernetes/client-node';
import { ONE, parseQuantity } from '../../../core/quantity.ts';
import { everyContainer, type NodePod, type Strings } from './pod-spec.ts';

export type PodFacts = {
  readonly pod: NodePod;
  readonly nodeName: string;
  readonly podIP: string;
  readonly hostIP: string;
  readonly allocatable: Strings;
};

type FieldSelector = {
  readonly fieldRef?: V1ObjectFieldSelector;
  readonly resourceFieldRef?: V1ResourceFieldSelector;
};

/** `own`: the container that is meant when none is named. Undefined: there is no such value. */
export function downwardValue(
  { fieldRef, resourceFieldRef }: FieldSelector,
  facts: PodFacts,
  own?: V1Container,
): string | undefined {
  if (fieldRef !== undefined) return fieldOf(facts, fieldRef.fieldPath);
  if (resourceFieldRef === undefined) return undefined;
  const { containerName, resource, divisor } = resourceFieldRef;
  const container =
    containerName === undefined
      ? own
      : everyContainer(facts.pod).find(({ name }) => name === containerName);
  return container && resourceOf(container, resource, divisor, facts.allocatable);
}

/** A label or an annotation that is not set is the empty text. */
function fieldOf({ pod, nodeName, podIP, hostIP }: PodFacts, path: string): string | undefined {
  const [, map, key = ''] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path) ?? [];
  if (map !== undefined) return (map === 'labels' ? pod.labels : pod.annotations)[key] ?? '';
  const fields: Readonly<Record<string, string>> = {
    'metadata.name': pod.ref.name,
    'metadata.namespace': pod.ref.namespace,
    'metadata.uid': pod.ref.uid,
    'metadata.labels': formatted(pod.labels),
    'metadata.annotations': formatted(pod.annotations),
    'spec.nodeName': nodeName,
    'spec.serviceAccountName': serviceAccountOf(pod),
    'status.podIP': podIP,
    'status.podIPs': podIP,
    'status.hostIP': hostIP,
    'status.hostIPs': hostIP,
  };
  return fields[path];
}

export const serviceAccountOf = ({ spec }: NodePod): string => spec.serviceAccountName ?? 'default';

const formatted = (values: Strings): string =>
  Object.keys(values)
    .sort()
    .map((key) => `${key}=${JSON.stringify(values[key])}`)
    .join('\n');

/** In units of the divisor, rounded up. Without a limit the container may use the whole node. */
function resourceOf(
  { resources: { limits = {}, requests = {} } = {} }: V1Container,
  resource: string,
  divisor = '0',
  allocatable: Strings,
): string | undefined {
  const [, kind, name = ''] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  if (kind === undefined) return undefined;
  const given =
    kind === 'limits' ? (limits[name] ?? allocatable[name]) : (requests[name] ?? limits[name]);
  const amount = parseQuantity(given ?? '0');
  const unit = parseQuantity(divisor) || ONE;
  return amount === undefined ? undefined : String((amount + unit - 1n) / unit);
}
