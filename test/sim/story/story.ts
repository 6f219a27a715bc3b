// What happens in one run? A pool, the actions of its users, and faults with their times: plain
// values that determine the run completely.
import type { Telling } from '../cluster/telling.ts';
import type { GroupStory } from '../group/story.ts';
import type { QueueStory } from '../queue/story.ts';

export type Mode =
  | 'AtLeastOnce'
  | 'Exclusive'
  | 'Restart'
  | 'Auto'
  | 'Lead'
  | 'LeadExclusive'
  | 'Deployment'
  | 'Shards'
  | 'Weights';

export type Shape = {
  readonly mode: Mode;
  readonly workers: number;
  readonly streams: number;
  /** Of a StatefulSet: pods start and end one after the other. */
  readonly isOrdered?: boolean;
  /** Processes end by themselves, and are not restarted after success. */
  readonly hasFiniteJobs?: boolean;
  /** Work that ends: what is completed is recorded, and not run again. */
  readonly isOnce?: boolean;
  /** Processes take seconds to end. */
  readonly isSlow?: boolean;
  /** Workers read their file only at their start: a restart alone brings them up to date. */
  readonly readsOnce?: boolean;
  /** Streams that fail for so long at one worker move to another one. */
  readonly moveAfterSeconds?: number;
  /**
   * Pods mount every place that the pool may name, and see their annotation: every field of the
   * pool may change.
   */
  readonly isWide?: boolean;
};

/** Of a StatefulSet or Deployment, such as `StatefulSet/other`. */
export type TargetName = `${'StatefulSet' | 'Deployment'}/${string}`;

export type Action =
  | { readonly do: 'streams'; readonly names: readonly string[] }
  | { readonly do: 'parameter'; readonly stream: string; readonly value: string }
  | { readonly do: 'scale'; readonly to: number }
  | { readonly do: 'template'; readonly revision: string }
  /** Merged into the pool's spec; has no effect if the API server refuses it. */
  | { readonly do: 'spec'; readonly patch: object; readonly says?: string }
  /** The whole first spec. */
  | { readonly do: 'restore' }
  | { readonly do: 'list'; readonly text: string }
  | {
      readonly do:
        | 'pause'
        | 'resume'
        | 'deletePool'
        | 'createPool'
        | 'createTarget'
        | 'deleteTarget';
    }
  | {
      readonly do: 'deletePod' | 'forcePod' | 'endProcess' | 'crashProcess';
      readonly index: number;
    }
  /** The stream's source goes away: wherever it runs, its process ends at once. And comes back. */
  | { readonly do: 'ail' | 'heal'; readonly stream: string }
  /** The same at one worker alone, by its name, which outlives its pods; and it is mended. */
  | { readonly do: 'breakAt'; readonly index: number; readonly streams: readonly string[] }
  | { readonly do: 'mendAll' }
  /** In the list of the spec. */
  | { readonly do: 'suspend'; readonly stream: string; readonly isSuspended: boolean }
  /** A typo, or none any more. */
  | { readonly do: 'mistake'; readonly stream: string; readonly field?: 'weight' | 'ordinal' }
  /** The line of this stream in the annotation that asks for restarts. And all of them go. */
  | { readonly do: 'restart'; readonly stream: string; readonly token: string }
  | { readonly do: 'forgetRestarts' }
  /** Its work ends with success, wherever it runs. */
  | { readonly do: 'finish'; readonly stream: string }
  /** What a worker tells of its streams, until its container starts again. */
  | { readonly do: 'telling'; readonly index: number; readonly how: Telling }
  /** A worker runs another worker's stream, reports it, and stops after a while. */
  | {
      readonly do: 'stray';
      readonly index: number;
      readonly stream: string;
      readonly forMs: number;
    }
  /**
   * Other workers; `start`: the ordinal of the first. Selected: with the labels that the pool's
   * selector wants at first.
   */
  | {
      readonly do: 'addTarget';
      readonly target: TargetName;
      readonly replicas: number;
      readonly isSelected: boolean;
      readonly start?: number;
    }
  /** With its pods, or as `kubectl delete --cascade=orphan`. */
  | { readonly do: 'dropTarget'; readonly target: TargetName; readonly leavesPods?: boolean }
  | { readonly do: 'relabel'; readonly target: TargetName; readonly isSelected: boolean }
  | { readonly do: 'scaleTarget'; readonly target: TargetName; readonly to: number }
  | { readonly do: 'rollTarget'; readonly target: TargetName; readonly revision: string }
  | { readonly do: 'startAt'; readonly target: TargetName; readonly ordinal: number }
  /** Pods without owner. */
  | { readonly do: 'removeOrphans' }
  /** A second pool, created or changed; without a spec, deleted. */
  | { readonly do: 'rival'; readonly spec?: object }
  /** A HorizontalPodAutoscaler on a workload or on the pool; without `of`, deleted. */
  | { readonly do: 'autoscaler'; readonly of?: TargetName | 'pool' }
  /** A PodDisruptionBudget of all workers; without a number, deleted. */
  | { readonly do: 'budget'; readonly minAvailable?: number }
  /** The operator's writes of this kind are refused with 403. */
  | { readonly do: 'quota'; readonly of: 'ConfigMap' | 'eviction'; readonly forMs: number }
  /** For long; its pods stay in the API. */
  | { readonly do: 'nodeDies'; readonly index: number; readonly forMs: number }
  /** Deletes the pods of nodes that are down by force. */
  | { readonly do: 'deleteDeadPods' }
  /** The leader ends by SIGTERM, and restarts. */
  | { readonly do: 'restartOperator' };

export const faultNames = [
  'F1',
  'F2',
  'F3',
  'F4',
  'F5',
  'F6',
  'F7',
  'F8',
  'F9',
  'F10',
  'F11',
  'F12',
  'F13',
  'F14',
  'F15',
  'F16',
  'F17',
  'F18',
  'F19',
  'F20',
  'F21',
] as const;
export type FaultName = (typeof faultNames)[number];

/** `mends`: without this action the story could not end in a healthy pool. */
export type Placed<T> = T & { readonly atMs: number; readonly mends?: true };

/** At a call of an operator, counted from the first user action; or at a time. */
export type PlacedFault = {
  readonly fault: FaultName;
  /**
   * F17: the edit. F9: the kind whose watch goes silent. F21: `bumped` or not. Left out, the seed
   * decides.
   */
  readonly how?: string;
  /** The operator it hits; left out, the first. */
  readonly operator?: number;
} & ({ readonly call: number; readonly side: 'before' | 'after' } | { readonly atMs: number });

export type Story = {
  /** Decides every delay, and what exactly a fault does. */
  readonly seed: number;
  readonly shape: Shape;
  readonly hasStandby: boolean;
  /** The story begins without pool and target. */
  readonly startsEmpty?: boolean;
  /** Random, not one of the states. */
  readonly isWalk?: boolean;
  readonly actions: readonly Placed<Action>[];
  readonly faults: readonly PlacedFault[];
};

/** About a pool, a group, or queues. */
export type AnyStory = Story | GroupStory | QueueStory;
