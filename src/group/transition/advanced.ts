// What goes into the next step of a transition, and what comes out of it?
import type { SwarmGroupSpec } from '../../api/validate.ts';
import type { Goal } from '../goal.ts';
import type { FreeMember, Member } from '../members/members.ts';
import type { SizeDecision } from '../size.ts';
import type { GroupWorld, Progress, Rest, Run } from '../world.ts';
import type { HistoryEntry } from './history.ts';
import type { Transition } from './transition.ts';

export type Input = {
  readonly world: GroupWorld;
  readonly spec: SwarmGroupSpec;
  readonly goal: Goal;
  readonly bounds: SizeDecision['bounds'];
  readonly request: SizeDecision['request'];
  readonly attempt: string;
  /** The size that gives each member what it has; undefined: there is none. */
  readonly sizeThatFits: number | undefined;
  readonly members: readonly Member[];
  readonly now: number;
};

export type Advanced = {
  /** As it is to stand in status. */
  readonly transition: Transition | undefined;
  /** The newest first. */
  readonly history: readonly HistoryEntry[];
  /** Members that are to be scaled to their targets now. */
  readonly due: readonly FreeMember[];
  /** Status has what each of them had before: they need not wait for its next write. */
  readonly isNoted: boolean;
  /** The keys of members that are on their way, or about to be: the others wait for these. */
  readonly moving: ReadonlySet<string>;
  readonly run: Run | undefined;
  readonly progress: Progress | undefined;
  /** Of a group at rest. */
  readonly rest: Rest | undefined;
  readonly nextInMs: number | undefined;
};

export const nothing = {
  due: [],
  isNoted: false,
  moving: new Set<string>(),
  run: undefined,
  progress: undefined,
  rest: undefined,
  nextInMs: undefined,
} as const;
