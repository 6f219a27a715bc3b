// What is decided about a pool, besides the steps, and from what?
import type { Target } from '../api/observed.ts';
import type { Decision, DecisionReport } from '../core/decision.ts';
import type { WorkerProbe } from '../core/worker-probe.ts';
import type { DesiredState } from './desired-state.ts';
import type { OrphanWorld } from './orphan.ts';
import type { Blocked } from './preconditions.ts';
import type { Remembered } from './remembered.ts';
import type { PoolWorld } from './world.ts';

/** What was decided from: the desired state, or what is in the way of computing one. */
export type Basis =
  | { readonly ok: true; readonly desired: DesiredState }
  | { readonly ok: false; readonly blocked: Blocked };

export type PoolDecision = Decision & {
  readonly probes: readonly WorkerProbe[];
  /** The version that it publishes or sees to. */
  readonly version?: number;
  /** Metrics, introspection and plans read it; a pool that is gone has none. */
  readonly basis?: Basis;
  /** StatefulSets that lack pods: what their controller says of that is to be read. */
  readonly lacking: readonly Target[];
  /** For the next observation. */
  readonly remembered: Remembered;
};

export type DecidedPool = PoolDecision & { readonly basis: Basis };

/** Undefined while something is in the way of computing it. */
export const desiredIn = ({ basis }: PoolDecision): DesiredState | undefined =>
  basis?.ok === true ? basis.desired : undefined;

export type PoolReport = DecisionReport<PoolWorld | OrphanWorld, PoolDecision>;
