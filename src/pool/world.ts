// What is known of a pool when it is decided about? Plain values: a recorded world replays.
import type { Pod, Target } from '../api/observed.ts';
import type { ProbeAnswer } from '../api/report.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { type Published, publishedNow } from './publish/published.ts';
import type { Remembered } from './remembered.ts';
import type { NamedList } from './streams.ts';

export type Predecessor = {
  readonly pool: string;
  /** Pods of this pool's target that the other one still names. */
  readonly workers: readonly string[];
  /** It waits for this pool in turn, directly or over others. */
  readonly isMutual: boolean;
};

export type PoolWorld = {
  readonly kind: 'SwarmPool';
  readonly pool: SwarmPool;
  /** What the pool's selector or targetRef finds. */
  readonly targets: readonly Target[];
  /**
   * What its selector finds of the other kind, when the pool does not say which of the two it
   * means.
   */
  readonly lookalikes: readonly Target[];
  /** An older pool with the same target. */
  readonly rival: string | undefined;
  /**
   * A pool that had this target before, and whose workers have not given back all of their streams.
   */
  readonly predecessor: Predecessor | undefined;
  /** A HorizontalPodAutoscaler that scales the target. */
  readonly autoscaler: string | undefined;
  /** A HorizontalPodAutoscaler that is to scale the pool itself. */
  readonly ownAutoscaler?: string | undefined;
  /** By name of a pod that is not there: why the controller could not make it, where it said so. */
  readonly creationFailures: ReadonlyMap<string, string>;
  /** The pods of the targets, by owner. */
  readonly pods: readonly Pod[];
  /**
   * Pods that the assignment names and no target owns, and that mount it: they may run what they
   * were given.
   */
  readonly formerPods: readonly Pod[];
  /**
   * Terminating pods that no target owns and no assignment names any more: they may still run
   * streams.
   */
  readonly endingPods: readonly Pod[];
  readonly published: Published;
  /**
   * The highest version that was ever seen published, or that a worker knew when it was first
   * heard: what stood there may be lost before anything else has told of it, and all that has told
   * of it as well, when etcd is restored from a snapshot.
   */
  readonly highestSeen: number;
  /** What the keys of ConfigMaps say that spec.streamsFrom names, in its order. */
  readonly lists: readonly NamedList[];
  /** By pod UID. */
  readonly answers: Readonly<Record<string, ProbeAnswer>>;
  readonly ages: {
    /** How long the ConfigMap has been as it is. */
    readonly publishedMs: number;
    /** By pod UID: how long its slice has been as it is. */
    readonly sliceMs: Readonly<Record<string, number>>;
    /** By pod UID: how long its annotation has been as it is. */
    readonly annotatedMs: Readonly<Record<string, number>>;
    /** How long no worker has said anything new. */
    readonly answersMs: number;
    /** How long status has told of an older version than the published one; 0 when it does not. */
    readonly statusLagMs: number;
    /** How long status has been as it is. */
    readonly statusMs: number;
  };
  /**
   * UIDs of pods that have not said anything since what they are to confirm has changed: they were
   * not asked yet.
   */
  readonly unprobed: ReadonlySet<string>;
  readonly remembered: Remembered;
  /** The leader's own clock: `remembered` counts by it. */
  readonly monotonicMs: number;
  /**
   * There is no room in memory for all of it, and why: nothing else of this world has been read.
   */
  readonly excess?: string;
  /** What the API server refused of the last decision. */
  readonly refused: Refusal | undefined;
};

/** Of a pool that there is no room for: itself, and why. */
export const worldWithoutRoom = (
  facts: Pick<PoolWorld, 'pool' | 'targets' | 'refused' | 'remembered' | 'monotonicMs'> & {
    readonly excess: string;
  },
): PoolWorld => ({
  kind: 'SwarmPool',
  lookalikes: [],
  rival: undefined,
  predecessor: undefined,
  autoscaler: undefined,
  creationFailures: new Map(),
  pods: [],
  formerPods: [],
  endingPods: [],
  published: publishedNow([]),
  highestSeen: 0,
  lists: [],
  answers: {},
  ages: { publishedMs: 0, sliceMs: {}, annotatedMs: {}, answersMs: 0, statusLagMs: 0, statusMs: 0 },
  unprobed: new Set(),
  ...facts,
});
