// Which workloads does a pool mean, and which pools mean a workload?
import { kinds } from '../../api/kinds.ts';
import type { Target, TargetKind } from '../../api/observed.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { Workloads } from '../../runtime/store/workloads.ts';

type PoolSpec = Extract<SwarmPool['spec'], { readonly ok: true }>['value'];

/**
 * The kind that it names, or the first of the two: what its selector finds of the other is told.
 */
const kindOf = ({ workers }: PoolSpec): TargetKind =>
  workers.kind ?? workers.targetRef?.kind ?? 'StatefulSet';

export class Targets {
  readonly #workloads: Workloads;

  constructor(workloads: Workloads) {
    this.#workloads = workloads;
  }

  /** In the order of their names. */
  meantBy(pool: SwarmPool): readonly Target[] {
    return pool.spec.ok ? this.#found(pool, kindOf(pool.spec.value)) : [];
  }

  /** What its selector finds of the other kind, when it does not say which it means. */
  lookalikesOf(pool: SwarmPool): readonly Target[] {
    if (!pool.spec.ok) return [];
    const { kind, targetRef } = pool.spec.value.workers;
    return kind === undefined && targetRef === undefined ? this.#found(pool, 'Deployment') : [];
  }

  /** The HorizontalPodAutoscaler that scales the pool itself. */
  autoscalerOfPool({ meta }: SwarmPool): string | undefined {
    return this.#workloads.autoscalerOf(kinds.SwarmPool.kind, meta);
  }

  #found(pool: SwarmPool, kind: TargetKind): readonly Target[] {
    return this.#candidates(pool, kind)
      .filter((target) => !target.isDeleting && isSelected(pool, target))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** All that it can mean, and not many more: a namespace may hold a thousand of each. */
  #candidates({ meta: { namespace }, spec }: SwarmPool, kind: TargetKind): readonly Target[] {
    if (!spec.ok) return [];
    const { targetRef, selector } = spec.value.workers;
    if (targetRef !== undefined) {
      const target = this.#workloads.get(kind, { namespace, name: targetRef.name });
      return target === undefined ? [] : [target];
    }
    const [label] = Object.entries(selector?.matchLabels ?? {});
    return label === undefined ? [] : this.#workloads.labelled(kind, namespace, label);
  }
}

/** Does the selector or targetRef of the pool find it, whatever its kind? */
export function isSelected({ meta, spec }: SwarmPool, target: Target): boolean {
  if (!spec.ok || meta.namespace !== target.namespace) return false;
  const { selector, targetRef } = spec.value.workers;
  if (targetRef !== undefined) return targetRef.name === target.name;
  const labels = Object.entries(selector?.matchLabels ?? {});
  return labels.length > 0 && labels.every(([key, value]) => target.labels[key] === value);
}

const labelKey = (namespace: string, [key, value]: readonly [string, string]): string =>
  `${namespace}/label ${key}=${value}`;

/**
 * Under what a pool is to be looked for, given its target: the name that it refers to, or the first
 * label that it wants.
 */
export function soughtUnder({ meta: { namespace }, spec }: SwarmPool): readonly string[] {
  if (!spec.ok) return [];
  const { targetRef, selector } = spec.value.workers;
  if (targetRef !== undefined) return [`${namespace}/name ${targetRef.name}`];
  const [label] = Object.entries(selector?.matchLabels ?? {});
  return label === undefined ? [] : [labelKey(namespace, label)];
}

/** Where pools stand that may mean it. */
export const placesOf = ({ namespace, name, labels }: Target): readonly string[] => [
  `${namespace}/name ${name}`,
  ...Object.entries(labels).map((label) => labelKey(namespace, label)),
];
