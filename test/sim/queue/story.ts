// What happens in one run about queues and jobs? The actions of users, and faults with their times:
// plain values that determine the run completely.
import type { Placed, PlacedFault } from '../story/story.ts';
import type { PlainSpec } from './manifests.ts';

export const ledgerEdits = ['delete', 'drop', 'lower', 'scramble', 'restore'] as const;
export const batchJobEdits = ['suspend', 'unsuspend', 'delete', 'regrant'] as const;
export const podEdits = ['delete', 'evict'] as const;
export const plainEdits = ['suspend', 'resume', 'delete', 'unlabel', 'relabel', 'scaleUp'] as const;

export type QueueAction =
  | { readonly do: 'createQueue'; readonly name: string; readonly spec: object }
  /** Merged into the spec. */
  | { readonly do: 'queue'; readonly name: string; readonly patch: object }
  | { readonly do: 'deleteQueue'; readonly name: string }
  | {
      readonly do: 'createJob';
      readonly name: string;
      readonly spec: object;
      /** As its annotation says. */
      readonly user?: string;
    }
  /** Merged into the spec; has no effect if the API server refuses it. */
  | { readonly do: 'job'; readonly name: string; readonly patch: object }
  | { readonly do: 'deleteJob'; readonly name: string }
  /** The annotation of a SwarmJob or a batch Job; without a user, removed. */
  | { readonly do: 'user'; readonly name: string; readonly user?: string }
  /** A batch Job of a user that is queued by its label. */
  | { readonly do: 'createPlain'; readonly name: string; readonly spec: PlainSpec }
  | {
      readonly do: 'plain';
      readonly name: string;
      readonly how: (typeof plainEdits)[number];
      readonly queue: string;
    }
  /** Of the annotation that pauses a queue; without a text, removed. */
  | { readonly do: 'annotateQueue'; readonly name: string; readonly paused?: string }
  /** What containers request that say nothing, and the most that they may; neither: deleted. */
  | { readonly do: 'limitRange'; readonly defaultCpu?: string; readonly maxCpu?: string }
  /** A webhook adds this to each container of new pods; without it, deleted. */
  | { readonly do: 'webhook'; readonly adds?: string }
  /**
   * Of the ledger: deleted, an entry less, its next number lowered, unreadable, or as it was some
   * time ago.
   */
  | { readonly do: 'ledger'; readonly how: (typeof ledgerEdits)[number] }
  | {
      readonly do: 'batchJob';
      readonly name: string;
      readonly how: (typeof batchJobEdits)[number];
    }
  | {
      readonly do: 'pod';
      readonly name: string;
      readonly rank: number;
      readonly how: (typeof podEdits)[number];
    }
  /** Of a job; without a status, wiped. */
  | { readonly do: 'status'; readonly name: string; readonly status?: object }
  /** Its Service or its hosts are deleted. */
  | { readonly do: 'deleteChild'; readonly name: string; readonly kind: 'Service' | 'ConfigMap' }
  | { readonly do: 'resourceQuota'; readonly hard?: object }
  | { readonly do: 'loseNode'; readonly index: number; readonly forMs: number }
  | { readonly do: 'restartOperator' };

export type QueueStory = {
  /** Decides every delay, and what exactly a fault does. */
  readonly seed: number;
  /** Its queues when it begins, by name. */
  readonly queues: Readonly<Record<string, object>>;
  readonly hasStandby: boolean;
  /** The number of pods that the nodes hold at a time; left out: no bound. */
  readonly podsOnNodes?: number;
  readonly startsAt?: string;
  readonly startsEmpty?: boolean;
  readonly isWalk?: boolean;
  readonly actions: readonly Placed<QueueAction>[];
  readonly faults: readonly PlacedFault[];
};
