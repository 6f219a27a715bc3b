// Which facts decide about a group? Plain values: a recorded world can be replayed.
import type { Due } from '../api/cron.ts';
import type { Kind } from '../api/kinds.ts';
import type { Identity, ObservedSize } from '../api/observed.ts';
import type { SwarmGroup } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import type { MetricReading } from '../core/metric.ts';
import type { Reason } from '../core/reason.ts';
import type { States } from '../core/state-ages.ts';
import type { ConflictReason } from './reasons.ts';

/** In a group, kind and name are unique, whatever the apiVersion. */
export type MemberRef = {
  /** May be omitted for Deployments, StatefulSets and SwarmPools. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
};

export const memberName = ({ kind, name }: MemberRef): string => `${kind}/${name}`;

/** The rules from the spec, its defaults, or the member's annotations. */
export type MemberRules = {
  readonly stage: number;
  readonly ratio: number | string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly readyFraction: number | string;
};

/** Times of the leader's monotonic clock. */
export type MemberTimes = {
  /** The time from which its spec has had its current replicas. */
  readonly replicasMs: number;
  /** The time at which a change of it last arrived. */
  readonly changedMs: number;
};

/** An object that a group scales. */
export type Scalable = Identity & {
  readonly kind: string;
  /** The kind whose scale is written. */
  readonly servedAt: Kind;
  /** The replicas in its spec. */
  readonly replicas: number;
  readonly size: ObservedSize;
  /** For a SwarmPool: its workers have confirmed their streams. True for all other kinds. */
  readonly isConverged: boolean;
  readonly isDeleting: boolean;
  readonly times: MemberTimes;
  /** The selector of its pods as text. */
  readonly selector: string;
  /** The rules in its annotations, if a selector finds it. */
  readonly rules?: Partial<MemberRules>;
  /** Changes with the template of its pods. */
  readonly revision: string;
  /** Why some of its pods are not ready, as a word such as ImagePullBackOff, if known. */
  readonly trouble?: string;
  /** Why it cannot be scaled, although it exists. */
  readonly refusal?: string;
};

export type SeenMember = MemberRef & {
  readonly found: Scalable | undefined;
  /** Why the operator has not read it; it may exist. */
  readonly unread?: Unread | undefined;
  /** An autoscaler, a pool, an older group or a user scales it. */
  readonly conflict: Reason<ConflictReason> | undefined;
};

/** Pending: it is being read for the first time. */
export type Unread = { readonly isPending: boolean; readonly why: string };

export type GroupWorld = {
  readonly kind: 'SwarmGroup';
  readonly group: SwarmGroup;
  /** In the order of the spec, or by kind and name if a selector finds them. */
  readonly members: readonly SeenMember[];
  /** The label of a workload that is probably meant by a selector without matches. */
  readonly nearLabel?: string | undefined;
  readonly ages: {
    /** How long the leader has seen this spec.replicas with its bounds, not paused. */
    readonly sizeMs: number;
    /** How long the leader has seen the number of the last random size. */
    readonly drawnMs: number;
    /** How long the status has been unchanged. */
    readonly statusMs: number;
    /** By size: the time since it last failed, as far as this leader has seen. */
    readonly failedMs: ReadonlyMap<number, number>;
  };
  /** Always pending if the policy uses no metric. */
  readonly metric: MetricReading;
  readonly remembered: RememberedGroup;
  /** The leader's monotonic clock. */
  readonly monotonicMs: number;
  /** The write of the last decision that the API server refused. */
  readonly refused: Refusal | undefined;
};

/** The facts that a decision leaves to the next world. */
export type RememberedGroup = {
  readonly ages: States;
  /** The transition that this leader began and measures. */
  readonly run: Run | undefined;
  /** The progress of the current transition. */
  readonly progress: Progress | undefined;
  /**
   * The replicas when the group was last at rest; undefined: this leader has not seen it at rest.
   */
  readonly rest: Rest | undefined;
  /** The reported time at which a failed size is tried again. */
  readonly retry: Retry | undefined;
  /** When its schedules were last due, and when they are due next. */
  readonly timetable: Timetable;
  /** The sizes that the metric proposed lately; undefined: not known. */
  readonly proposals: Proposals | undefined;
  /** By member. */
  readonly members: ReadonlyMap<string, RememberedMember>;
};

/** The time at which a failed size is tried again; `of` identifies the failure. */
export type Retry = { readonly of: string; readonly atMs: number };

/** The transition that this leader began. */
export type Run = {
  readonly requestTime: string;
  readonly to: number;
  /** When the leader saw the request, by its monotonic clock. */
  readonly startMs: number;
  /** The members whose size changes, by name. */
  readonly members: ReadonlyMap<string, RunMember>;
};

type RunMember = {
  readonly kind: string;
  readonly name: string;
  /** By the leader's monotonic clock; undefined: not yet. */
  readonly patchedMs: number | undefined;
  readonly readyMs: number | undefined;
};

/** The progress of the members that the group waits for. */
export type Progress = {
  /** The state and attempt of the transition; another one starts anew. */
  readonly of: string;
  /** By key. */
  readonly members: ReadonlyMap<string, MemberProgress>;
};

export type MemberProgress = {
  readonly sinceMs: number;
  /** The most pods that were ready since then, and the fewest that existed. */
  readonly ready: number;
  readonly present: number;
};

/** The replicas of each member, by key, when this leader last saw the group at rest. */
export type Rest = ReadonlyMap<string, number>;

/**
 * By time zone and cron line. Kept between decisions: a line is computed again only after it was
 * due.
 */
export type Timetable = ReadonlyMap<string, Due>;

/** The sizes that a metric proposed lately. */
export type Proposals = {
  /** The generation of the group's spec. */
  readonly generation: number;
  /** The time since when proposals have had no gap. */
  readonly sinceMs: number;
  /**
   * The newest last. Each was proposed until the time beside it, by the leader's monotonic clock.
   */
  readonly list: readonly { readonly size: number; readonly untilMs: number }[];
};

export type RememberedMember = {
  /** Another object of the same name starts anew. */
  readonly uid: string;
  /** Its last scale, which may still be on its way. */
  readonly asked?: Asked;
  /** The last sizes that the group set. */
  readonly own: readonly number[];
  /** It had one of these sizes when it was last seen. */
  readonly isInForce: boolean;
  /** When another client changed them, in the last ten minutes. */
  readonly changedMs: readonly number[];
};

type Asked = {
  readonly replicas: number;
  readonly resourceVersion: string;
  readonly atMs: number;
  /** The API server's message, if it refused. */
  readonly refused?: string;
};

/** A new leader remembers nothing: it waits rather than acts too early. */
export const nothingRemembered: RememberedGroup = {
  ages: new Map(),
  run: undefined,
  progress: undefined,
  rest: undefined,
  retry: undefined,
  timetable: new Map(),
  proposals: undefined,
  members: new Map(),
};
