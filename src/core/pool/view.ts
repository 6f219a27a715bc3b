// What do decisions, status and conditions look at? What is in force, and what ought to be.
import type { Slice } from '../../api/assignment.ts';
import type { Target } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Refusal } from '../decision.ts';
import type { AssignResult } from './assign/assign.ts';
import type { Blocked } from './obstacles.ts';
import type { Move } from './publish/publish.ts';
import type { Published } from './publish/published.ts';
import type { Failover } from './workers/failover.ts';
import type { Member } from './workers/members.ts';

/** What follows from the world: what is in force, and what ought to be. */
export type View = {
  readonly spec: SwarmPoolSpec;
  readonly targets: readonly Target[];
  readonly streams: number;
  /** Of those, how many stand in what is in force. */
  readonly given: number;
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

export const sizeOf = (targets: readonly Target[]): number => targets.reduce((sum, { replicas }) => sum + replicas, 0);
