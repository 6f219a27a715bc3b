// Which workloads does a pool mean, and which pools mean a workload?
import { kinds } from '../../api/kinds.ts';
import type { Target, TargetKind } from '../../api/observed.ts';
import type { SwarmPool, SwarmPoolSpec } from '../../api/validate.ts';
import type { Workloads } from '../../runtime/store/workloads.ts';

/** Without a kind, StatefulSet; a Deployment that the selector finds is reported. */
const kindOf = ({ workers }: SwarmPoolSpec): TargetKind =>
  workers.kind ?? workers.targetRef?.kind ?? 'StatefulSet';

/** A hint is not worth more time. */
const MOST_LOOKED_AT = 1_000;

export class Targets {
  readonly #workloads: Workloads;

  constructor(workloads: Workloads) {
    this.#workloads = workloads;
  }

  /** In the order of their names. */
  meantBy(pool: SwarmPool): readonly Target[] {
    return pool.spec.ok ? this.#found(pool, kindOf(pool.spec.value)) : [];
  }

  /** Deployments that the selector finds when the pool names no kind. */
  lookalikesOf(pool: SwarmPool): readonly Target[] {
    if (!pool.spec.ok) return [];
    const { kind, targetRef } = pool.spec.value.workers;
    return kind === undefined && targetRef === undefined ? this.#found(pool, 'Deployment') : [];
  }

  /** While nothing is found: a workload whose pods have the labels, and which lacks them itself. */
  labelledOnPods(pool: SwarmPool): Target | undefined {
    if (!pool.spec.ok) return undefined;
    const { selector } = pool.spec.value.workers;
    const wanted = Object.entries(selector?.matchLabels ?? {});
    if (wanted.length === 0) return undefined;
    return this.#workloads
      .of(kindOf(pool.spec.value), pool.meta.namespace)
      .slice(0, MOST_LOOKED_AT)
      .find((target) => {
        const onPods = new Set(target.selector.split(','));
        return !target.isDeleting && wanted.every(([key, value]) => onPods.has(`${key}=${value}`));
      });
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

  /** By name or one label: a namespace may hold a thousand workloads. */
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

/** By selector or targetRef, whatever the kind. */
export function isSelected({ meta, spec }: SwarmPool, target: Target): boolean {
  if (!spec.ok || meta.namespace !== target.namespace) return false;
  const { selector, targetRef } = spec.value.workers;
  if (targetRef !== undefined) return targetRef.name === target.name;
  const labels = Object.entries(selector?.matchLabels ?? {});
  return labels.length > 0 && labels.every(([key, value]) => target.labels[key] === value);
}

const labelKey = (namespace: string, [key, value]: readonly [string, string]): string =>
  `${namespace}/label ${key}=${value}`;

/** Index keys of a pool: the name of its target, or the first label of its selector. */
export function soughtUnder({ meta: { namespace }, spec }: SwarmPool): readonly string[] {
  if (!spec.ok) return [];
  const { targetRef, selector } = spec.value.workers;
  if (targetRef !== undefined) return [`${namespace}/name ${targetRef.name}`];
  const [label] = Object.entries(selector?.matchLabels ?? {});
  return label === undefined ? [] : [labelKey(namespace, label)];
}

/** Index keys under which pools that mean this target are found. */
export const placesOf = ({ namespace, name, labels }: Target): readonly string[] => [
  `${namespace}/name ${name}`,
  ...Object.entries(labels).map((label) => labelKey(namespace, label)),
];
