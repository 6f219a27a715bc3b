// What is decided about a pool, besides the steps, and from what?
import type { Target } from '../api/observed.ts';
import type { WorkerProbe } from '../api/report.ts';
import type { Decision, DecisionReport } from '../core/decision.ts';
import type { DesiredState } from './desired-state.ts';
import type { Blocked } from './preconditions.ts';
import type { ShardWrite } from './publish/publication.ts';
import type { OrphanWorld, PoolWorld, Remembered } from './world.ts';

export type Basis =
  | { readonly ok: true; readonly desired: DesiredState }
  | { readonly ok: false; readonly blocked: Blocked };

export type PoolDecision = Decision & {
  readonly probes: readonly WorkerProbe[];
  /** The version that it publishes or refreshes workers to. */
  readonly version?: number;
  /** The texts that it publishes: they need not be parsed when they are read back. */
  readonly writes?: readonly ShardWrite[];
  /** For metrics, introspection and plans; undefined for a deleted pool. */
  readonly basis?: Basis;
  /** StatefulSets that lack pods: the events of their controller are to be read. */
  readonly lacking: readonly Target[];
  readonly remembered: Remembered;
};

export type DecidedPool = PoolDecision & { readonly basis: Basis };

/** Undefined while a precondition fails. */
export const desiredIn = ({ basis }: PoolDecision): DesiredState | undefined =>
  basis?.ok === true ? basis.desired : undefined;

export type PoolReport = DecisionReport<PoolWorld | OrphanWorld, PoolDecision>;
