// On which node should a pod run? Of the nodes that fit, the one with the fewest pods.
import type { V1NodeSelectorRequirement, V1Taint, V1Toleration } from '@kubernetes/client-node';
import { asList, asString, dig, type KubeObject } from '../../api/objects.ts';
import { parseQuantity, toNumber } from '../../core/quantity.ts';
import type { NodePod, Strings } from './pods/pod-spec.ts';

type Taint = Pick<V1Taint, 'key' | 'value' | 'effect'>;

export type Candidate = {
  readonly name: string;
  readonly labels: Strings;
  readonly isReady: boolean;
  readonly isUnschedulable: boolean;
  readonly taints: readonly Taint[];
  readonly maxPods: number;
  readonly pods: number;
};

type NodePlacement =
  | { readonly fits: true; readonly node: string }
  | { readonly fits: false; readonly message: string };

export function readCandidate(node: KubeObject, pods: number): Candidate {
  return {
    name: node.metadata.name,
    labels: node.metadata.labels ?? {},
    isReady: isReady(node),
    isUnschedulable: dig(node, 'spec', 'unschedulable') === true,
    taints: asList(dig(node, 'spec', 'taints')).map((taint) => ({
      key: asString(dig(taint, 'key')) ?? '',
      value: asString(dig(taint, 'value')) ?? '',
      effect: asString(dig(taint, 'effect')) ?? '',
    })),
    maxPods: toNumber(
      parseQuantity(asString(dig(node, 'status', 'allocatable', 'pods')) ?? '0') ?? 0n,
    ),
    pods,
  };
}

export function isReady(node: KubeObject): boolean {
  const conditions = asList(dig(node, 'status', 'conditions'));
  const ready = conditions.find((condition) => dig(condition, 'type') === 'Ready');
  return dig(ready, 'status') === 'True';
}

/** Ties fall to the name, so that every node decides the same. */
export function place(pod: NodePod, candidates: readonly Candidate[]): NodePlacement {
  const judged = candidates.map((candidate) => ({ candidate, reason: unfit(pod, candidate) }));
  const [best] = judged
    .filter(({ reason }) => reason === undefined)
    .map(({ candidate }) => candidate)
    .sort((a, b) => a.pods - b.pods || (a.name < b.name ? -1 : 1));
  if (best !== undefined) return { fits: true, node: best.name };
  const reasons = [...Map.groupBy(judged, ({ reason }) => reason)]
    .map(([reason, nodes]) => `${nodes.length} ${reason}`)
    .sort();
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
  // kube-scheduler relies on the taint, which follows some seconds later.
  return node.isReady ? undefined : 'node(s) were not ready';
}

const isTolerated = ({ spec }: NodePod, taint: Taint): boolean =>
  (spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint));

function tolerates({ key, operator, value = '', effect }: V1Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (!key) return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === taint.value);
}

function matches({ spec: { nodeSelector = {}, affinity } }: NodePod, node: Candidate): boolean {
  if (!Object.entries(nodeSelector).every(([key, value]) => node.labels[key] === value))
    return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return true;
  const fields = { 'metadata.name': node.name };
  return required.nodeSelectorTerms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((requirement) => meets(requirement, node.labels)) &&
      matchFields.every((requirement) => meets(requirement, fields)),
  );
}

function meets(
  { key, operator, values = [] }: V1NodeSelectorRequirement,
  labels: Strings,
): boolean {
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
