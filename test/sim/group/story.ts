// What happens in one run about a group? Its members, the actions of its users, and faults with
// their times: plain values that determine the run completely.
import type { Placed, PlacedFault } from '../story/story.ts';

export const groupModes = [
  'Together',
  'Staged',
  'Rollback',
  'StagedRollback',
  'Selector',
  'Autoscaler',
  'Pool',
] as const;
export type GroupMode = (typeof groupModes)[number];

export type GroupShape = {
  readonly mode: GroupMode;
  readonly members: number;
  readonly size: number;
};

export type GroupAction =
  | { readonly do: 'size'; readonly to: number }
  /** Merged into the spec; has no effect if the API server refuses it. */
  | { readonly do: 'spec'; readonly patch: object; readonly says?: string }
  /** The list of members is this. */
  | { readonly do: 'members'; readonly names: readonly string[] }
  /** Merged into one member of the list. */
  | { readonly do: 'member'; readonly name: string; readonly patch: object }
  /** With a selector: the member has its label, or has it no more. */
  | { readonly do: 'relabel'; readonly name: string; readonly isSelected: boolean }
  /** The whole first spec, with a size that was never tried. */
  | { readonly do: 'restore' }
  | {
      readonly do: 'pause' | 'resume' | 'createGroup' | 'deleteGroup' | 'createMembers';
    }
  | { readonly do: 'deleteMember'; readonly name: string }
  /** By hand, past the group. */
  | { readonly do: 'scaleMember'; readonly name: string; readonly to: number }
  /** Its pods are replaced. */
  | { readonly do: 'template'; readonly name: string; readonly revision: string }
  /** Its pods do not become Ready for so long. */
  | { readonly do: 'break'; readonly name: string; readonly forMs: number }
  /** A HorizontalPodAutoscaler on a member or on the group; without `of`, deleted. */
  | { readonly do: 'autoscaler'; readonly of?: string }
  /** A younger group of these members; without names, deleted. */
  | { readonly do: 'rival'; readonly names?: readonly string[] }
  /** Scales by the operator are refused with 403. */
  | { readonly do: 'quota'; readonly forMs: number }
  | { readonly do: 'poolScaling'; readonly to: 'Lead' | 'Follow' }
  | { readonly do: 'restartOperator' };

export type GroupStory = {
  /** Decides every delay, and what exactly a fault does. */
  readonly seed: number;
  readonly group: GroupShape;
  readonly hasStandby: boolean;
  /** The story begins without group and members. */
  readonly startsEmpty?: boolean;
  readonly isWalk?: boolean;
  readonly actions: readonly Placed<GroupAction>[];
  readonly faults: readonly PlacedFault[];
};
