// What does the operator know of a pool when it decides? Plain values: a recorded world can be
// replayed.
import type { Assignment, ReadAssignment } from '../api/assignment.ts';
import type { ConfigMap, Pod, Target } from '../api/observed.ts';
import type { ProbeAnswer } from '../api/report.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import type { States } from '../core/state-ages.ts';
import type { LastKeeping } from './assign/keep.ts';
import type { Joined } from './streams/join.ts';
import type { NamedList, StreamsByWorker } from './streams/streams.ts';

export type Predecessor = {
  readonly pool: string;
  /** Pods of this pool's target that the other pool still names. */
  readonly workers: readonly string[];
  /** It waits for this pool in turn, directly or through others. */
  readonly isMutual: boolean;
};

/** What a pool without a target may have meant, and why it does not find it. */
export type TargetSuggestion =
  | { readonly why: 'OtherKind' | 'NearName'; readonly target: Target }
  /** `label`: its own, such as `app=worker`; all others are as the selector wants them. */
  | { readonly why: 'NearLabel'; readonly target: Target; readonly label: string }
  /** In the order of their names, all of one kind. */
  | { readonly why: 'LabelledOnPods'; readonly target: Target; readonly others: readonly Target[] };

/** One line of history. */
export type PublishedChange = {
  readonly version: number;
  readonly moves: number;
  readonly reason: string;
  readonly time: string;
};

/** A worker is restarted once for a version: only this pod may be evicted again for it. */
export type NotedRestart = { readonly version: number; readonly podUid: string };

/** A ConfigMap key that holds the slices of some workers. */
export type Shard = { readonly name: string; readonly key: string };

/** An existing ConfigMap; `read` is the text under the pool's key. */
export type PublishedShard = Shard & {
  readonly configMap: ConfigMap;
  readonly read: ReadAssignment | undefined;
  /** The pool has left this file, and publishes a newer version of all its content elsewhere. */
  readonly isSuperseded?: true;
};

/** The ConfigMaps, read as one assignment. */
export type Published = {
  /** The keys that the spec names, in the order of shards, foreign ones too; then earlier ones. */
  readonly shards: readonly PublishedShard[];
  readonly assignment: Assignment | undefined;
  /** By worker, each stream once, suspended ones too: what an assignment continues from. */
  readonly placed: StreamsByWorker;
  readonly change: PublishedChange | undefined;
  /** The last one and earlier ones that status may lack, newest first. */
  readonly changes: readonly PublishedChange[];
  /** UIDs of pods that only a restart brings up to date. */
  readonly outdatedPods: ReadonlySet<string>;
  /** By worker: its last restart because it did not follow. */
  readonly restarted: Readonly<Record<string, NotedRestart>>;
  readonly neverReady: ReadonlySet<string>;
};

/** A number of workers that the streams needed, and until when. */
export type Need = { readonly replicas: number; readonly untilMs: number };

/** What the leader remembers: a decision returns it, and the next world contains it. */
export type Remembered = {
  readonly ages: States;
  /** How long each worker has been there, or away. */
  readonly presence: States;
  /** With scaling Auto, how many workers the streams needed lately. */
  readonly needs: readonly Need[];
  /** Keys of seats whose workers failed and are not trusted again yet. */
  readonly distrusted: readonly string[];
  /** By pod UID: the version in the worker's first answer. */
  readonly firstVersions: ReadonlyMap<string, number>;
  /** The last decision: what has not changed since then is not worked out again. */
  readonly last?: LastDecision | undefined;
};

/** Without it each decision is the same, and takes longer. */
type LastDecision = {
  /** The last list that could be read. */
  readonly joined: Joined | undefined;
  readonly assignment: LastKeeping;
};

/** A new leader starts with nothing: it waits rather than acts too soon. */
export const nothingRemembered: Remembered = {
  ages: new Map(),
  presence: new Map(),
  needs: [],
  distrusted: [],
  firstVersions: new Map(),
};

export type PoolWorld = {
  readonly kind: 'SwarmPool';
  readonly pool: SwarmPool;
  readonly targets: readonly Target[];
  /** Workloads of the other kind that the selector finds, when the pool names no kind. */
  readonly otherKindTargets: readonly Target[];
  /** Without a target: what was probably meant. */
  readonly suggestion?: TargetSuggestion | undefined;
  /** An older pool with the same target. */
  readonly rival: string | undefined;
  /** A pool that had this target before, and whose workers have not released all streams. */
  readonly predecessor: Predecessor | undefined;
  /** A HorizontalPodAutoscaler that scales the target. */
  readonly autoscaler: string | undefined;
  /** A HorizontalPodAutoscaler that scales the pool itself. */
  readonly ownAutoscaler?: string | undefined;
  /** By name of a missing pod: why its controller could not create it. */
  readonly creationFailures: ReadonlyMap<string, string>;
  /** Of the targets, by owner. */
  readonly pods: readonly Pod[];
  /** The assignment names them and they mount it, but no target owns them: they may run streams. */
  readonly formerPods: readonly Pod[];
  /** Terminating pods of no target and no assignment: they may still run streams. */
  readonly endingPods: readonly Pod[];
  readonly published: Published;
  /**
   * The highest version ever seen published, or reported in a worker's first answer. Every other
   * record of it may be lost, also by restoring etcd from a snapshot.
   */
  readonly highestSeen: number;
  /** How many completed streams that version recorded; undefined: this operator has not seen it. */
  readonly completedSeen?: number | undefined;
  /** The contents of spec.streamsFrom, in its order. */
  readonly lists: readonly NamedList[];
  /** By pod UID. */
  readonly answers: Readonly<Record<string, ProbeAnswer>>;
  readonly ages: {
    /** How long the ConfigMaps have been as they are. */
    readonly publishedMs: number;
    /** By pod UID: how long its slice has been as it is. */
    readonly sliceMs: Readonly<Record<string, number>>;
    /** By pod UID: how long it has not confirmed its slice, since it last became Ready or not. */
    readonly unconfirmedMs: Readonly<Record<string, number>>;
    /** By pod UID: how long its annotation has been as it is. */
    readonly annotatedMs: Readonly<Record<string, number>>;
    /** How long no worker has answered anything new. */
    readonly answersMs: number;
    /** How long status has shown an older version than the published one; 0 if it does not. */
    readonly statusLagMs: number;
    /** How long status has been as it is. */
    readonly statusMs: number;
    /** By pod UID and stream: how long it has failed there, where such streams move elsewhere. */
    readonly failingMs?: Readonly<Record<string, ReadonlyMap<string, number>>>;
    /** By stream that failed at a worker and left it: how long ago. */
    readonly movedMs?: ReadonlyMap<string, number>;
  };
  /** UIDs of pods that have not been probed since what they are to confirm changed. */
  readonly unprobed: ReadonlySet<string>;
  readonly remembered: Remembered;
  /** By the leader's own clock, as in `remembered`. */
  readonly monotonicMs: number;
  /** Why the operator has no memory for this pool: nothing else of it was read. */
  readonly exceededBy?: string;
  /** What the API server refused of the last decision. */
  readonly refused: Refusal | undefined;
};

/** Of a pool that is gone. */
export type OrphanWorld = {
  readonly kind: 'DeletedSwarmPool';
  /** ConfigMaps of the pool marked for removal with it (`assignments.whenDeleted: Delete`). */
  readonly marked: readonly ConfigMap[];
  /** False while the definition is being deleted. */
  readonly isServed: boolean;
  /** How long ago the operator saw that the pool was gone. */
  readonly goneMs: number;
  readonly remembered: Remembered;
};

/** How long the slice of this pod has been as it is. */
export const sliceAgeMs = ({ ages }: Pick<PoolWorld, 'ages'>, pod: Pod | undefined): number =>
  ages.sliceMs[pod?.uid ?? ''] ?? 0;

/** How long this pod has not confirmed its slice; 0 if it has. */
export const unconfirmedMs = ({ ages }: Pick<PoolWorld, 'ages'>, pod: Pod | undefined): number =>
  ages.unconfirmedMs[pod?.uid ?? ''] ?? 0;
