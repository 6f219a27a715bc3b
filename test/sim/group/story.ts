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

/** What the group says of one member. */
export type MemberRules = {
  readonly ratio?: number | string;
  readonly stage?: number;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  readonly readyFraction?: number | string;
};

export type GroupShape = {
  readonly mode: GroupMode;
  readonly members: number;
  readonly size: number;
  /** Of each member in turn; left out, some that differ. */
  readonly rules?: readonly MemberRules[];
  readonly timeoutSeconds?: number;
  readonly retryAfterSeconds?: number;
};

/** What a HorizontalPodAutoscaler of the group goes by. */
export type GroupMetric = 'Value' | 'AverageValue' | 'Utilization';

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
  /** An annotation of the group; without a value, removed. */
  | { readonly do: 'annotate'; readonly name: string; readonly value?: string }
  /** Of a member: what it says of itself; null: removed. */
  | {
      readonly do: 'annotateMember';
      readonly name: string;
      readonly annotations: Readonly<Record<string, string | null>>;
    }
  | { readonly do: 'deleteMember'; readonly name: string }
  /** Past the group: by hand, by an autoscaler of the member, by what leads it. */
  | { readonly do: 'scaleMember'; readonly name: string; readonly to: number }
  /** Its pods are replaced; those of a revision `missing…` have an image that is not there. */
  | { readonly do: 'template'; readonly name: string; readonly revision: string }
  /** Its pods do not become Ready for so long. */
  | { readonly do: 'break'; readonly name: string; readonly forMs: number }
  /** From now on its pods take so much longer to start. */
  | { readonly do: 'slow'; readonly name: string; readonly byMs: number }
  /** At most so many of its pods find a place; the others wait for one. */
  | { readonly do: 'room'; readonly name: string; readonly pods: number }
  /** Its pods are neither broken nor slow any more. */
  | { readonly do: 'mendPods'; readonly name: string }
  /** So many of its pods are gone; its controller replaces them. */
  | { readonly do: 'lose'; readonly name: string; readonly count: number }
  /** A HorizontalPodAutoscaler on a member; without `of`, deleted. */
  | { readonly do: 'autoscaler'; readonly of?: string }
  /** A HorizontalPodAutoscaler on the group, which computes; without a metric, deleted. */
  | {
      readonly do: 'groupAutoscaler';
      readonly metric?: GroupMetric;
      readonly target?: number;
      readonly maxReplicas?: number;
    }
  /** What the group has to carry: the autoscaler of the group measures it. */
  | { readonly do: 'load'; readonly to: number }
  /** A younger group of these members; without names, deleted. */
  | { readonly do: 'rival'; readonly names?: readonly string[] }
  /** An older group, which is there from the beginning, has these members from now on. */
  | { readonly do: 'elder'; readonly names: readonly string[] }
  /** The older group selects all members, and so many others that it is blocked. */
  | { readonly do: 'crowd' }
  /** A pool that leads the member; without `of`, deleted. */
  | { readonly do: 'leader'; readonly of?: string }
  /** Scales by the operator are refused with 403: of one member, or of all. */
  | { readonly do: 'quota'; readonly forMs: number; readonly name?: string }
  | { readonly do: 'poolScaling'; readonly to: 'Lead' | 'Follow' }
  | { readonly do: 'restartOperator' };

export type GroupStory = {
  /** Decides every delay, and what exactly a fault does. */
  readonly seed: number;
  readonly group: GroupShape;
  readonly hasStandby: boolean;
  /** What a clock on the wall says then, in UTC. */
  readonly startsAt?: string;
  /** The story begins without group and members. */
  readonly startsEmpty?: boolean;
  readonly isWalk?: boolean;
  readonly actions: readonly Placed<GroupAction>[];
  readonly faults: readonly PlacedFault[];
};
