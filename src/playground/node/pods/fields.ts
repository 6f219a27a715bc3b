// The downward API: values of a pod's own fields and resources.
import type {
  V1Container,
  V1ObjectFieldSelector,
  V1ResourceFieldSelector,
} from '@kubernetes/client-node';
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
  const amount = quantity(given ?? '0');
  const unit = quantity(divisor) || 1;
  return amount === undefined ? undefined : String(Math.ceil(amount / unit - 1e-9));
}

const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** `250m` is 0.25, `1Gi` is 1073741824; undefined: the text is not a quantity. */
export function quantity(text: string): number | undefined {
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(text);
  const [, number, suffix = ''] = match ?? [];
  const value = Number(number);
  if (Number.isNaN(value)) return undefined;
  if (decimal.includes(suffix)) return value * 1000 ** (decimal.indexOf(suffix) - 3);
  return binary.includes(suffix) ? value * 1024 ** binary.indexOf(suffix) : undefined;
}
