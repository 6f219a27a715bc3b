// Which workloads does a pool mean, and what might be meant where it finds none?
import { kinds } from '../../api/kinds.ts';
import type { Target } from '../../api/observed.ts';
import { type PoolTargets, targetKindOf, targetsOf } from '../../api/pool-targets.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { Workloads } from '../../runtime/store/workloads.ts';

/** A hint is not worth more time. */
const MOST_LOOKED_AT = 1_000;

/** A pool whose spec is invalid means nothing. */
export const soughtBy = ({ meta: { namespace }, spec }: SwarmPool): PoolTargets => ({
  namespace,
  workers: spec.ok ? spec.value.workers : {},
});

export class Targets {
  readonly #workloads: Workloads;

  constructor(workloads: Workloads) {
    this.#workloads = workloads;
  }

  /** In the order of their names. A Deployment that a selector without a kind finds is reported. */
  meantBy(pool: SwarmPool): readonly Target[] {
    return targetsOf(soughtBy(pool), this.#workloads);
  }

  /** Deployments that the selector finds when the pool names no kind. */
  lookalikesOf(pool: SwarmPool): readonly Target[] {
    const sought = soughtBy(pool);
    const { kind, targetRef } = sought.workers;
    return kind === undefined && targetRef === undefined
      ? targetsOf(sought, this.#workloads, 'Deployment')
      : [];
  }

  /** While nothing is found: a workload whose pods have the labels, and which lacks them itself. */
  labelledOnPods(pool: SwarmPool): Target | undefined {
    const { namespace, workers } = soughtBy(pool);
    const wanted = Object.entries(workers.selector?.matchLabels ?? {});
    if (wanted.length === 0) return undefined;
    return this.#workloads
      .of(targetKindOf(workers), namespace)
      .slice(0, MOST_LOOKED_AT)
      .find((target) => {
        const onPods = new Set(target.selector.split(','));
        return !target.isDeleting && wanted.every(([key, value]) => onPods.has(`${key}=${value}`));
      });
  }

  /** The HorizontalPodAutoscaler that scales the pool itself. */
  autoscalerOfPool({ meta }: SwarmPool): string | undefined {
    return this.#workloads.autoscalerOf(kinds.SwarmPool, meta);
  }
}
