// What happens in one run? A pool, what its users do, and which faults come when: plain values,
// from which the run follows exactly.

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
  /** Of a StatefulSet: pods come and go one after the other. */
  readonly isOrdered?: boolean;
  /** Processes end by themselves, for good when they end well. */
  readonly hasFiniteJobs?: boolean;
  /** Processes take seconds to end. */
  readonly isSlow?: boolean;
  /**
   * Pods mount whatever place the pool may name, and see their annotation: everything about the
   * pool may change in flight.
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
  /** Merged into the pool's spec; what the API server refuses has no effect. */
  | { readonly do: 'spec'; readonly patch: object; readonly says?: string }
  /** The whole spec as it was at first. */
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
  /** A worker runs what is another's, says so, and stops after a while. */
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
  /** Pods that belong to nobody. */
  | { readonly do: 'removeOrphans' }
  /** A second pool, made or changed; without a spec it goes. */
  | { readonly do: 'rival'; readonly spec?: object }
  /** A HorizontalPodAutoscaler on a workload or on the pool; on nothing, it goes. */
  | { readonly do: 'autoscaler'; readonly of?: TargetName | 'pool' }
  /** A PodDisruptionBudget of all workers; without a number it goes. */
  | { readonly do: 'budget'; readonly minAvailable?: number }
  /** What the operator writes of this kind is refused with 403. */
  | { readonly do: 'quota'; readonly of: 'ConfigMap' | 'eviction'; readonly forMs: number }
  /** For long; its pods stay in the API. */
  | { readonly do: 'nodeDies'; readonly index: number; readonly forMs: number }
  /** The pods of nodes that are down, deleted by force. */
  | { readonly do: 'giveUpDead' }
  /** The one that leads ends, as asked, and comes back. */
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

/** `mends`: without it the end would not be what is asked for. */
export type Placed<T> = T & { readonly atMs: number; readonly mends?: true };

/** At a call of an operator, counted from when the users begin; or at a time. */
export type PlacedFault = {
  readonly fault: FaultName;
  /**
   * F17: what is done by hand. F9: which kind is heard of no more. F21: `bumped` or not. Left out,
   * the seed decides.
   */
  readonly how?: string;
  /** Whom it strikes; left out, the first. */
  readonly operator?: number;
} & ({ readonly call: number; readonly side: 'before' | 'after' } | { readonly atMs: number });

export type Story = {
  /** Decides every delay, and what exactly a fault does. */
  readonly seed: number;
  readonly shape: Shape;
  readonly hasStandby: boolean;
  /** Nothing is there yet: neither pool nor target. */
  readonly startsEmpty?: boolean;
  /** Made up at random, not one of the states. */
  readonly isWalk?: boolean;
  readonly actions: readonly Placed<Action>[];
  readonly faults: readonly PlacedFault[];
};
