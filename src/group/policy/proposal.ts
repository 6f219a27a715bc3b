// What does a policy propose, and from which facts?
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import type { Reason } from '../../core/reason.ts';
import type { LimitReason, ProposalReason } from '../reasons.ts';
import type { GroupWorld, Proposals, Timetable } from '../world.ts';
import type { Bounds } from './bounds.ts';
import type { Metric } from './metric.ts';

export type PolicyFacts = {
  readonly world: GroupWorld;
  readonly spec: SwarmGroupSpec;
  readonly bounds: Bounds;
  readonly timetable: Timetable;
  /** Undefined: the policy reads no metric. */
  readonly metric: Metric | undefined;
  /** The last decided size, within the current bounds; undefined: there is none yet. */
  readonly present: number | undefined;
  /** The size that gives each member its current replicas; undefined: there is none. */
  readonly sizeThatFits: number | undefined;
};

export type Proposal = Reason<ProposalReason> & {
  readonly replicas: number;
  /** Set by a policy that applies the bounds itself; otherwise they are applied to `replicas`. */
  readonly limit?: Reason<LimitReason> | undefined;
  /** The policy knows nothing yet: the status keeps its proposal. */
  readonly isCarried?: boolean;
  /** The seed and the number of a random size. */
  readonly drawn?: NonNullable<SwarmGroupStatus['drawn']>;
  /** Passed to the next world. */
  readonly proposals?: Proposals;
  /** The time after which the proposal may change by itself. */
  readonly nextInMs?: number;
};
