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
  /** Undefined: the policy asks for none. */
  readonly metric: Metric | undefined;
  /** The size that was decided last, within the bounds of now; undefined: none yet. */
  readonly present: number | undefined;
  /** The size that gives each member what it has; undefined: there is none. */
  readonly sizeThatFits: number | undefined;
};

export type Proposal = Reason<ProposalReason> & {
  readonly replicas: number;
  /** Set by a policy that applies the bounds itself; else they are applied to `replicas`. */
  readonly limit?: Reason<LimitReason> | undefined;
  /** Nothing is known yet: status keeps what it says. */
  readonly isCarried?: boolean;
  /** Of a random size: its seed and its number. */
  readonly drawn?: NonNullable<SwarmGroupStatus['drawn']>;
  /** For the next world. */
  readonly proposals?: Proposals;
  /** When time alone may change it. */
  readonly nextInMs?: number;
};
