// What is known of a group when it is decided about? Plain values: a recorded world can be
// replayed.
import type { Kind } from '../api/kinds.ts';
import type { Identity, ObservedSize } from '../api/observed.ts';
import type { SwarmGroup } from '../api/validate.ts';
import type { Because } from '../core/because.ts';
import type { Refusal } from '../core/decision.ts';
import type { MetricReading } from '../core/metric.ts';
import type { States } from '../core/state-ages.ts';
import type { MemberRules } from './members/sizes.ts';
import type { Proposals } from './policy/scale-down.ts';
import type { Timetable } from './policy/schedules.ts';
import type { ConflictReason } from './reasons.ts';
import type { Rest } from './transition/before.ts';
import type { Progress } from './transition/progress.ts';
import type { Run } from './transition/times.ts';

/** In a group kind and name are unique, whatever the apiVersion. */
export type MemberRef = {
  /** That of Deployments, StatefulSets and SwarmPools may be left out. */
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
};

export const memberName = ({ kind, name }: MemberRef): string => `${kind}/${name}`;

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
  /** Where it is scaled. */
  readonly servedAt: Kind;
  /** That its spec asks for. */
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
  /** Another one means other pods. */
  readonly revision: string;
  /** Why pods of it are not ready, in a word such as ImagePullBackOff, where it is known. */
  readonly trouble?: string;
  /** Why it cannot be scaled, although it is there. */
  readonly refusal?: string;
};

export type SeenMember = MemberRef & {
  readonly found: Scalable | undefined;
  /** Nothing is known of it, for this reason; it may be there. */
  readonly unread?: Unread | undefined;
  /** An autoscaler, a pool, an older group or a user scales it. */
  readonly conflict: Because<ConflictReason> | undefined;
};

/** Pending: it is being read for the first time. */
export type Unread = { readonly isPending: boolean; readonly why: string };

export type GroupWorld = {
  readonly kind: 'SwarmGroup';
  readonly group: SwarmGroup;
  /** In the order of the spec, or by kind and name where a selector finds them. */
  readonly members: readonly SeenMember[];
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
  /** Of a policy that asks for one; else it is pending for ever. */
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
  /** When its schedules were due last, and when they are next. */
  readonly timetable: Timetable;
  /** What the metric has asked for lately; undefined: not known. */
  readonly proposals: Proposals | undefined;
  /** By member. */
  readonly members: ReadonlyMap<string, RememberedMember>;
};

export type RememberedMember = {
  /** Another object of this name starts anew. */
  readonly uid: string;
  /** Of its last scale, which may still be on its way. */
  readonly asked?: Asked;
  /** The last sizes that the group set. */
  readonly own: readonly number[];
  /** It had one of them when it was last seen. */
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
  timetable: new Map(),
  proposals: undefined,
  members: new Map(),
};
