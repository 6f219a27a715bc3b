// Which workloads does a pool mean?
import { kinds } from '../../api/kinds.ts';
import type { Target } from '../../api/observed.ts';
import { type PoolTargets, targetsOf } from '../../api/pool-targets.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { KnownWorkloads } from '../../runtime/store/workloads.ts';

/** A pool whose spec is invalid means nothing. */
export const soughtBy = ({ meta: { namespace }, spec }: SwarmPool): PoolTargets => ({
  namespace,
  workers: spec.ok ? spec.value.workers : {},
});

export class Targets {
  readonly #workloads: KnownWorkloads;

  constructor(workloads: KnownWorkloads) {
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

  /** The HorizontalPodAutoscaler that scales the pool itself. */
  autoscalerOfPool({ meta }: SwarmPool): string | undefined {
    return this.#workloads.autoscalerOf(kinds.SwarmPool, meta);
  }
}
