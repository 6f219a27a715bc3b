// On which node should a pod run? Pure, and so simple that it is no scheduler: what fits, then
// where the fewest pods are.
import { asList, asString, dig, type KubeObject } from '../../api/objects.ts';
import { quantity } from './pods/fields.ts';
import {
  type NodePod,
  type Requirement,
  readStrings,
  type Strings,
  type Toleration,
} from './pods/pod-spec.ts';

export type Taint = { readonly key: string; readonly value: string; readonly effect: string };

export type Candidate = {
  readonly name: string;
  readonly labels: Strings;
  readonly isReady: boolean;
  readonly isUnschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  readonly pods: number;
};

export type NodePlacement =
  | { readonly fits: true; readonly node: string }
  | { readonly fits: false; readonly message: string };

export function readCandidate(node: KubeObject, pods: number): Candidate {
  const ready = asList(dig(node, 'status', 'conditions')).find(
    (condition) => dig(condition, 'type') === 'Ready',
  );
  return {
    name: node.metadata.name,
    labels: node.metadata.labels ?? {},
    isReady: dig(ready, 'status') === 'True',
    isUnschedulable: dig(node, 'spec', 'unschedulable') === true,
    taints: asList(dig(node, 'spec', 'taints')).map((taint) => ({
      key: asString(dig(taint, 'key')) ?? '',
      value: asString(dig(taint, 'value')) ?? '',
      effect: asString(dig(taint, 'effect')) ?? '',
    })),
    maxPods: quantity(readStrings(dig(node, 'status', 'allocatable'))['pods'] ?? '0') ?? 0,
    pods,
  };
}

/** Equal nodes are taken by name, so that every node that looks comes to the same answer. */
export function place(pod: NodePod, candidates: readonly Candidate[]): NodePlacement {
  const judged = candidates.map((candidate) => ({ candidate, reason: unfit(pod, candidate) }));
  const [best] = judged
    .filter(({ reason }) => reason === undefined)
    .map(({ candidate }) => candidate)
    .sort((a, b) => a.pods - b.pods || (a.name < b.name ? -1 : 1));
  if (best !== undefined) return { fits: true, node: best.name };
  const counts = new Map<string, number>();
  for (const { reason } of judged)
    if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return {
    fits: false,
    message: `0/${candidates.length} nodes are available${reasons.length > 0 ? `: ${reasons.join(', ')}` : ''}.`,
  };
}

/** In the scheduler's words. */
function unfit(pod: NodePod, node: Candidate): string | undefined {
  if (
    node.isUnschedulable &&
    !isTolerated(pod, { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' })
  ) {
    return 'node(s) were unschedulable';
  }
  const taint = node.taints.find(
    (each) => each.effect !== 'PreferNoSchedule' && !isTolerated(pod, each),
  );
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value}}`;
  if (!matches(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (node.pods >= node.maxPods) return 'Too many pods';
  // The scheduler goes by the taint that follows some seconds later; nobody here would answer.
  return node.isReady ? undefined : 'node(s) were not ready';
}

const isTolerated = (pod: NodePod, taint: Taint): boolean =>
  pod.tolerations.some((toleration) => tolerates(toleration, taint));

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (key === undefined || key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === taint.value);
}

function matches(pod: NodePod, node: Candidate): boolean {
  if (!Object.entries(pod.nodeSelector).every(([key, value]) => node.labels[key] === value))
    return false;
  if (pod.affinity === undefined) return true;
  const fields = { 'metadata.name': node.name };
  return pod.affinity.some(
    (term) =>
      term.labels.length + term.fields.length > 0 &&
      term.labels.every((requirement) => meets(requirement, node.labels)) &&
      term.fields.every((requirement) => meets(requirement, fields)),
  );
}

function meets({ key, operator, values }: Requirement, labels: Strings): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number(values[0]);
    case 'Lt':
      return Number(value) < Number(values[0]);
    default:
      return false;
  }
}
