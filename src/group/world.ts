// What is known of a group when it is decided about? Plain values: a recorded world can be
// replayed.
import type { Due } from '../api/cron.ts';
import type { Kind } from '../api/kinds.ts';
import type { Identity, ObservedSize } from '../api/observed.ts';
import type { SwarmGroup } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import type { MetricReading } from '../core/metric.ts';
import type { Reason } from '../core/reason.ts';
import type { States } from '../core/state-ages.ts';
import type { ConflictReason } from './reasons.ts';

/** In a group kind and name are unique, whatever the apiVersion. */
export type MemberRef = {
  /** That of Deployments, StatefulSets and SwarmPools may be left out. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
};

export const memberName = ({ kind, name }: MemberRef): string => `${kind}/${name}`;

/** From what the spec, its defaults or the member's annotations say. */
export type MemberRules = {
  readonly stage: number;
  readonly ratio: number | string;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly readyFraction: number | string;
};

/** By the leader's own clock. */
export type MemberTimes = {
  /** Since when its spec asks for its replicas. */
  readonly replicasMs: number;
  /** When a change of it last arrived. */
  readonly changedMs: number;
};

/** An object that a group scales. */
export type Scalable = Identity & {
  readonly kind: string;
  /** The kind whose scale is written. */
  readonly servedAt: Kind;
  /** The number that its spec asks for. */
  readonly replicas: number;
  readonly size: ObservedSize;
  /** Of a SwarmPool: its workers confirmed that they run what they are assigned. */
  readonly isConverged: boolean;
  readonly isDeleting: boolean;
  readonly times: MemberTimes;
  /** The selector of its pods as text. */
  readonly selector: string;
  /** What its annotations say of it, where a selector finds it. */
  readonly rules?: Partial<MemberRules>;
  /** Changes with the template of its pods. */
  readonly revision: string;
  /** Why pods of it are not ready, in a word such as ImagePullBackOff, where it is known. */
  readonly trouble?: string;
  /** Why it cannot be scaled, although it is there. */
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
  /** In the order of the spec, or by kind and name where a selector finds them. */
  readonly members: readonly SeenMember[];
  /** Of a workload that a selector without any probably means. */
  readonly nearLabel?: string | undefined;
  readonly ages: {
    /** How long the leader has seen this spec.replicas with its bounds, not paused. */
    readonly sizeMs: number;
    /** How long it has seen the number of the size that was drawn last. */
    readonly drawnMs: number;
    /** How long status has been as it is. */
    readonly statusMs: number;
    /** By size: how long ago it last failed, as far as this leader has seen. */
    readonly failedMs: ReadonlyMap<number, number>;
  };
  /** Pending for ever where the policy uses no metric. */
  readonly metric: MetricReading;
  readonly remembered: RememberedGroup;
  /** By the leader's own clock. */
  readonly monotonicMs: number;
  /** What the API server refused of the last decision. */
  readonly refused: Refusal | undefined;
};

/** What the leader remembers: a decision returns it, and the next world contains it. */
export type RememberedGroup = {
  readonly ages: States;
  /** The transition that this leader began and measures. */
  readonly run: Run | undefined;
  /** Of the transition under way. */
  readonly progress: Progress | undefined;
  /** Of the group when it was last at rest; undefined: this leader has not seen it so. */
  readonly rest: Rest | undefined;
  /** When a failed size is tried again, as it was told. */
  readonly retry: Retry | undefined;
  /** When its schedules were due last, and when they are next. */
  readonly timetable: Timetable;
  /** What the metric has asked for lately; undefined: not known. */
  readonly proposals: Proposals | undefined;
  /** By member. */
  readonly members: ReadonlyMap<string, RememberedMember>;
};

/** When a failed size is tried again; `of`: the failure that this follows. */
export type Retry = { readonly of: string; readonly atMs: number };

/** The transition that this leader began. */
export type Run = {
  readonly requestTime: string;
  readonly to: number;
  /** When the leader saw the request, by its own clock. */
  readonly startMs: number;
  /** The members that change their size, by name. */
  readonly members: ReadonlyMap<string, RunMember>;
};

type RunMember = {
  readonly kind: string;
  readonly name: string;
  /** By the leader's own clock; undefined: not yet. */
  readonly patchedMs: number | undefined;
  readonly readyMs: number | undefined;
};

/** Of the members that are waited for. */
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
 * By zone and line. Remembered from decision to decision: a line is computed again only when it
 * was due meanwhile.
 */
export type Timetable = ReadonlyMap<string, Due>;

/** The sizes that a metric has asked for lately. */
export type Proposals = {
  /** Of the group's spec. */
  readonly generation: number;
  /** Since when there has been one without a gap. */
  readonly sinceMs: number;
  /** The newest last. Each held until the time beside it, by the leader's own clock. */
  readonly list: readonly { readonly size: number; readonly untilMs: number }[];
};

export type RememberedMember = {
  /** Another object of this name starts anew. */
  readonly uid: string;
  /** Of its last scale, which may still be on its way. */
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
  /** The API server's words, if it refused. */
  readonly refused?: string;
};

/** A new leader starts with nothing: it waits rather than acts too soon. */
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
