// What do decisions, status and conditions look at? What is in force, and what ought to be.
import type { Slice } from '../api/assignment.ts';
import type { Pod, Target } from '../api/observed.ts';
import type { SwarmPoolSpec } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import type { AssignResult } from './assign/assign.ts';
import type { Blocked } from './preconditions.ts';
import type { Move } from './publish/moves.ts';
import type { Published } from './publish/published.ts';
import type { Failover } from './workers/failover.ts';
import type { Member } from './workers/members.ts';

/** What follows from the world: what is in force, and what ought to be. */
export type PoolView = {
  readonly spec: SwarmPoolSpec;
  readonly targets: readonly Target[];
  readonly streams: number;
  /** Of those, the ones that stand in what is in force. */
  readonly given: number;
  readonly unassigned: AssignResult['unassigned'];
  /** What is in force is not what ought to be. */
  readonly isPending: boolean;
  /**
   * Pods that are ending and that no slot is bound to any more: they may still run what they had.
   */
  readonly ending: readonly Pod[];
  readonly complaint: Blocked | undefined;
  readonly conflict: Blocked | undefined;
  readonly published: Published;
  readonly members: readonly Member[];
  readonly slices: ReadonlyMap<string, Slice>;
  readonly version: number;
  readonly assigned: AssignResult;
  readonly refused: Refusal | undefined;
  /** Exclusive: workers that have not said what they run since the publication was lost. */
  readonly unknown: readonly string[];
  readonly failover: Failover;
  /** While paused: what would be done. */
  readonly plan: readonly Move[] | undefined;
};

export const nameOf = (target: Target): string => `${target.kind}/${target.name}`;

/** The largest number that a scale subresource can hold. */
const MOST_REPLICAS = 2_147_483_647;

export const sizeOf = (targets: readonly Target[]): number =>
  Math.min(
    MOST_REPLICAS,
    targets.reduce((sum, { replicas }) => sum + replicas, 0),
  );
