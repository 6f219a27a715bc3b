// What does introspection answer? The form of it, for the operator that answers and the page that
// asks.
import type { SwarmPoolStatus } from './generated/types.ts';

/** Of what could be long: the first, and how many there are. */
export type First<T> = { readonly total: number; readonly first: readonly T[] };
/**
 * A part of a long list, in the order of names; `next` is given as `after` to get the part behind
 * it.
 */
export type Page<T> = {
  readonly total: number;
  readonly items: readonly T[];
  readonly next?: string;
};

export type ShownRefusal = { readonly reason: string; readonly message: string };
export type ShownUnassigned = ShownRefusal & { readonly name: string };
export type ShownMove = {
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
  /** Published, and nobody says that it runs them. */
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
  /** Whose pods the workers are. */
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
  /** When this was decided; whatever changes is decided about at once. */
  readonly asOf: string;
  readonly generation: number;
  readonly conditions: NonNullable<SwarmPoolStatus['conditions']>;
  readonly history: NonNullable<SwarmPoolStatus['history']>;
  readonly unassignedStreams: First<ShownUnassigned>;
  readonly decision: {
    readonly steps: First<ShownStep>;
    /** Why something new is published, if so. */
    readonly change?: LastChange;
    /** While paused: what would be. */
    readonly plan?: First<ShownMove>;
    /** What stands in the way. */
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
  /** What it has not confirmed, and for how long that has been so. */
  readonly awaited?: { readonly version: number; readonly seconds: number };
};

/** `isRunning`: by its worker's own word; left out, it has not said. */
export type AssignedStream = {
  readonly name: string;
  readonly weight: number;
  readonly isRunning?: boolean;
};
/** `worker`: empty, if nobody has it. */
export type ShownStream = AssignedStream & { readonly worker: string };

export type BoardWorker = Worker & {
  /** Left out: there are too many in the pool to be named. */
  readonly assigned?: readonly AssignedStream[];
  /** What it is to let go, and has not confirmed yet. */
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
  /** The moment that it is meant for. */
  readonly asOf: string;
  readonly now: number;
  readonly supposed: number;
  readonly streams: number;
  readonly capacity: number;
  readonly changes: number;
  readonly workers: First<WorkerPlan>;
  readonly moves: First<MovePlan>;
  /**
   * Streams that pass from one worker to another; come to their first; are left with none; keep
   * theirs.
   */
  readonly moved: number;
  readonly started: number;
  readonly ended: number;
  readonly stay: number;
  readonly unassigned: First<ShownUnassigned>;
  readonly required: number;
  readonly isOvercommitted: boolean;
  /** False: more would follow. */
  readonly isComplete: boolean;
  readonly notes: readonly string[];
};

export type Explanation = {
  readonly stream: string;
  /**
   * Confirmed: its worker says that it runs it. Assigned: its worker has not confirmed yet. Moving:
   * it is on its way to another worker. Nowhere: nobody has it. Unlisted: nobody knows of it.
   */
  readonly state: 'Confirmed' | 'Assigned' | 'Moving' | 'Nowhere' | 'Unlisted';
  /** Who has it by what is published. */
  readonly worker?: string;
  /** Who is to have it. */
  readonly next?: string;
  readonly because: readonly string[];
};
