// What does introspection answer? The types of its JSON, for the operator and for the page.
import type { SwarmPoolStatus } from './generated/types.ts';

/** Of a list that may be long: its first items, and how many there are. */
export type First<T> = { readonly total: number; readonly first: readonly T[] };
/** A part of a long list, by name; the next part is asked for with `next` as `after`. */
export type Page<T> = {
  readonly total: number;
  readonly items: readonly T[];
  readonly next?: string;
};

type ShownRefusal = { readonly reason: string; readonly message: string };
export type ShownUnassigned = ShownRefusal & { readonly name: string };
type ShownMove = {
  readonly stream: string;
  readonly from?: string;
  readonly to?: string;
  readonly reason: string;
};

export type Pool = {
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly streams: number;
  readonly unassigned: number;
  /** Published, but no worker reports that it runs them. */
  readonly withoutOwner: number;
  readonly doubled: number;
  readonly desired: number;
  readonly ready: number;
  readonly converged: number;
  readonly required: number;
  readonly stuck: number;
  readonly isConverged: boolean;
  readonly isStalled: boolean;
  readonly isPaused: boolean;
  readonly isExclusive: boolean;
  /** The workload whose pods are the workers. */
  readonly target: string;
  /** Left out: its spec cannot be read. */
  readonly scaling?: 'Follow' | 'Lead';
  /** The reason and message of the condition that matters most. */
  readonly reason: string;
  readonly message: string;
};

export type ShownPools = Page<Pool> & { readonly leading: boolean };

export type LastChange = {
  readonly version: number;
  readonly reason: string;
  readonly moves: First<ShownMove>;
};

type Step = 'create' | 'patch' | 'annotate' | 'delete' | 'scale' | 'evict' | 'status' | 'event';
export type ShownStep = {
  readonly do: Step;
  readonly kind: string;
  readonly name: string;
  readonly about?: string;
};

export type PoolDetail = Pool & {
  /** When this was decided; each change is decided about at once. */
  readonly asOf: string;
  readonly generation: number;
  readonly conditions: NonNullable<SwarmPoolStatus['conditions']>;
  readonly history: NonNullable<SwarmPoolStatus['history']>;
  readonly unassignedStreams: First<ShownUnassigned>;
  readonly decision: {
    readonly steps: First<ShownStep>;
    /** Why something new is published, if it is. */
    readonly change?: LastChange;
    /** While paused: the moves that it would make. */
    readonly plan?: First<ShownMove>;
    /** Why the pool does not go on. */
    readonly obstacle?: ShownRefusal;
    readonly requeueAfterSeconds?: number;
  };
};

export type WorkerState = NonNullable<SwarmPoolStatus['workers']>[number]['state'];

export type Worker = {
  readonly name: string;
  readonly slot?: number;
  readonly state: WorkerState;
  readonly message?: string;
  readonly isReady: boolean;
  readonly streams: number;
  readonly releasing: number;
  readonly load: number;
  readonly capacity: number;
  readonly version?: number;
  readonly reportedVersion?: number;
  /** What it has not confirmed, and for how long. */
  readonly awaited?: { readonly version: number; readonly seconds: number };
};

/** `isRunning`: as its worker reports; left out where it has not reported. */
export type AssignedStream = {
  readonly name: string;
  readonly weight: number;
  readonly isRunning?: boolean;
};
/** `worker`: empty where no worker has it. */
export type ShownStream = AssignedStream & { readonly worker: string };

export type BoardWorker = Worker & {
  /** Left out where the pool has too many streams to name them. */
  readonly assigned?: readonly AssignedStream[];
  /** What was taken away from it, and it has not confirmed. */
  readonly leaving?: readonly string[];
};

export type ShownBoard = {
  readonly asOf: string;
  readonly version: number;
  readonly capacity: number;
  readonly streams: number;
  readonly isNamed: boolean;
  readonly workers: First<BoardWorker>;
  readonly lastChange?: LastChange;
};

export type Share = { readonly streams: number; readonly load: number };
export type WorkerPlan = {
  readonly name: string;
  readonly before: Share | undefined;
  readonly after: Share | undefined;
};
export type MovePlan = {
  readonly stream: string;
  readonly from?: string;
  readonly to?: string;
  readonly why: string;
};

export type Plan = {
  /** The moment that the plan is meant for. */
  readonly asOf: string;
  readonly now: number;
  readonly supposed: number;
  readonly streams: number;
  readonly capacity: number;
  readonly changes: number;
  readonly workers: First<WorkerPlan>;
  readonly moves: First<MovePlan>;
  /** Streams that pass to another worker, get their first one, lose theirs, or keep it. */
  readonly moved: number;
  readonly started: number;
  readonly ended: number;
  readonly stay: number;
  readonly unassigned: First<ShownUnassigned>;
  readonly required: number;
  readonly isOvercommitted: boolean;
  /** False: more changes would follow. */
  readonly isComplete: boolean;
  readonly notes: readonly string[];
};

export type Explanation = {
  readonly stream: string;
  /**
   * Confirmed: its worker reports that it runs it. Assigned: its worker has not confirmed yet.
   * Moving: to another worker. Nowhere: no worker has it. Unlisted: it is in no list of the pool.
   */
  readonly state: 'Confirmed' | 'Assigned' | 'Moving' | 'Nowhere' | 'Unlisted';
  /** Its worker by what is published. */
  readonly worker?: string;
  /** Its worker by the newest decision. */
  readonly next?: string;
  readonly because: readonly string[];
};
