// What is decided about a pool, besides the steps?
import type { Decision, DecisionReport } from '../core/decision.ts';
import type { WorkerProbe } from '../core/worker-probe.ts';
import type { OrphanWorld } from './orphan.ts';
import type { PoolWorld } from './world.ts';

export type PoolDecision = Decision & {
  readonly probes: readonly WorkerProbe[];
  /** The version that it publishes or sees to. */
  readonly version?: number;
};

export type PoolReport = DecisionReport<PoolWorld | OrphanWorld, PoolDecision>;
