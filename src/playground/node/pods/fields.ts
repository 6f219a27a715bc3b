// What does the downward API say of a pod?
import type { Container, NodePod, Strings } from './pod-spec.ts';

export type PodFacts = {
  readonly pod: NodePod;
  readonly nodeName: string;
  readonly podIP: string;
  readonly hostIP: string;
};

/**
 * The value of a fieldPath; undefined: there is no such field. An absent label or annotation is the
 * empty text.
 */
export function fieldOf(
  { pod, nodeName, podIP, hostIP }: PodFacts,
  path: string,
): string | undefined {
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (keyed !== null)
    return (keyed[1] === 'labels' ? pod.labels : pod.annotations)[keyed[2] ?? ''] ?? '';
  switch (path) {
    case 'metadata.name':
      return pod.ref.name;
    case 'metadata.namespace':
      return pod.ref.namespace;
    case 'metadata.uid':
      return pod.ref.uid;
    case 'metadata.labels':
      return formatted(pod.labels);
    case 'metadata.annotations':
      return formatted(pod.annotations);
    case 'spec.nodeName':
      return nodeName;
    case 'spec.serviceAccountName':
      return pod.serviceAccount;
    case 'status.podIP':
    case 'status.podIPs':
      return podIP;
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIP;
    default:
      return undefined;
  }
}

const formatted = (values: Strings): string =>
  Object.keys(values)
    .sort()
    .map((key) => `${key}=${JSON.stringify(values[key])}`)
    .join('\n');

/**
 * `limits.cpu` in units of the divisor, rounded up. What has no limit may use all that the node
 * has.
 */
export function resourceOf(
  container: Container,
  resource: string,
  divisor: string,
  allocatable: Strings,
): string | undefined {
  const match = /^(limits|requests)\.(.+)$/.exec(resource);
  if (match === null) return undefined;
  const [, kind = '', name = ''] = match;
  const given =
    kind === 'limits'
      ? (container.limits[name] ?? allocatable[name])
      : (container.requests[name] ?? container.limits[name]);
  const amount = quantity(given ?? '0');
  const unit = quantity(divisor) || 1;
  return amount === undefined ? undefined : String(Math.ceil(amount / unit - 1e-9));
}

const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** `250m` is 0.25, `1Gi` is 1073741824. */
export function quantity(text: string): number | undefined {
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(text);
  const factor = suffixes[match?.[2] ?? 'none'];
  const value = Number(match?.[1]);
  return factor === undefined || Number.isNaN(value) ? undefined : value * factor;
}
