// Which workloads does the spec of a SwarmPool select, and which pools select a workload? For
// pools, and for groups that scale the same workloads.
import type { SwarmPoolSpec } from './generated/types.ts';
import type { Ref } from './objects.ts';
import type { Target, TargetKind } from './observed.ts';

/** The part of a pool that selects workloads. */
export type PoolTargets = {
  readonly namespace: string;
  readonly workers: Pick<SwarmPoolSpec['workers'], 'kind' | 'selector' | 'targetRef'>;
};

/** Finds workloads by name or by one label, since a namespace may contain a thousand. */
type WorkloadIndex = {
  get(kind: TargetKind, ref: Ref): Target | undefined;
  labelled(
    kind: TargetKind,
    namespace: string,
    label: readonly [string, string],
  ): readonly Target[];
};

/** The default kind is StatefulSet. */
export const targetKindOf = ({ kind, targetRef }: PoolTargets['workers']): TargetKind =>
  kind ?? targetRef?.kind ?? 'StatefulSet';

/** The existing targets, in the order of their names. */
export function targetsOf(
  pool: PoolTargets,
  workloads: WorkloadIndex,
  kind = targetKindOf(pool.workers),
): readonly Target[] {
  return candidates(pool, workloads, kind)
    .filter((target) => !target.isDeleting && isSelected(pool, target))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function candidates(
  { namespace, workers: { targetRef, selector } }: PoolTargets,
  workloads: WorkloadIndex,
  kind: TargetKind,
): readonly Target[] {
  if (targetRef !== undefined) {
    const target = workloads.get(kind, { namespace, name: targetRef.name });
    return target === undefined ? [] : [target];
  }
  const [label] = Object.entries(selector?.matchLabels ?? {});
  return label === undefined ? [] : workloads.labelled(kind, namespace, label);
}

/** Is the workload a target of the pool? */
export const isMeant = (pool: PoolTargets, target: Target): boolean =>
  !target.isDeleting && target.kind === targetKindOf(pool.workers) && isSelected(pool, target);

/** Do selector or targetRef match, whatever the kind? */
export function isSelected({ namespace, workers }: PoolTargets, target: Target): boolean {
  if (namespace !== target.namespace) return false;
  const { selector, targetRef } = workers;
  if (targetRef !== undefined) return targetRef.name === target.name;
  const labels = Object.entries(selector?.matchLabels ?? {});
  return labels.length > 0 && labels.every(([key, value]) => target.labels[key] === value);
}

const labelKey = (namespace: string, [key, value]: readonly [string, string]): string =>
  `${namespace}/label ${key}=${value}`;

/** Index keys of a pool: the name of its target, or the first label of its selector. */
export function soughtUnder({ namespace, workers }: PoolTargets): readonly string[] {
  const { targetRef, selector } = workers;
  if (targetRef !== undefined) return [`${namespace}/name ${targetRef.name}`];
  const [label] = Object.entries(selector?.matchLabels ?? {});
  return label === undefined ? [] : [labelKey(namespace, label)];
}

/** Index keys under which pools with this target are found. */
export const searchKeysOf = ({ namespace, name, labels }: Target): readonly string[] => [
  `${namespace}/name ${name}`,
  ...Object.entries(labels).map((label) => labelKey(namespace, label)),
];
