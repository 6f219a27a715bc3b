// Which steps can a decision contain? Every kind decides them, and the executor carries them out.
import type { Kind } from '../api/kinds.ts';
import type { ExactRef, KubeObject } from '../api/objects.ts';
import type { KeysType } from '../api/swarm-job.ts';

/**
 * A decision that waits for a broken watch is repeated after this time: no event reports that the
 * watch works again.
 */
export const OUTDATED_AGAIN_MS = 250;

/** The object that an event is about. */
export type Regarding = ExactRef & { readonly apiVersion: string; readonly kind: string };

/**
 * One write. It is harmless if decided on an old view: a create fails if the object exists, and the
 * other steps require the observed UID and resource version.
 */
export type Step =
  /** `isStrict`: the API server refuses unknown fields instead of dropping them. */
  | {
      readonly do: 'create';
      readonly kind: Kind;
      readonly object: KubeObject;
      readonly isStrict?: true;
    }
  /**
   * A Secret, whose keys are made when it is created: no decision and no record has them. It stays
   * as it is if it exists.
   */
  | { readonly do: 'createKeys'; readonly keys: KeysType; readonly object: KubeObject }
  /** A merge patch: fields that it does not name stay as they are. */
  | {
      readonly do: 'patch';
      readonly kind: Kind;
      readonly ref: VersionedRef;
      readonly body: object;
      /** Adjacent steps with this mark do not depend on each other, and run in parallel. */
      readonly isIndependent?: true;
    }
  /** Operations on the object, of which all or none succeed: each `test` is a precondition. */
  | {
      readonly do: 'operate';
      readonly kind: Kind;
      readonly ref: ExactRef;
      readonly operations: readonly PatchOperation[];
    }
  /**
   * Annotations of a pod, written through pods/status with fewer rights; null removes one. Without
   * a resource version, the annotations are right whatever else has changed of the pod.
   */
  | {
      readonly do: 'annotate';
      readonly pod: ExactRef & { readonly resourceVersion?: string };
      readonly annotations: Readonly<Record<string, string | null>>;
    }
  | { readonly do: 'delete'; readonly kind: Kind; readonly ref: VersionedRef }
  /** Written through the scale subresource. */
  | {
      readonly do: 'scale';
      readonly kind: Kind;
      readonly ref: VersionedRef;
      readonly replicas: number;
    }
  /** Respects PodDisruptionBudgets, as a drain does. */
  | { readonly do: 'evict'; readonly pod: VersionedRef }
  | {
      readonly do: 'status';
      readonly kind: Kind;
      readonly ref: VersionedRef;
      readonly status: object;
    }
  | { readonly do: 'event'; readonly regarding: Regarding; readonly event: EventText };

/** An operation of a JSON patch. */
export type PatchOperation = {
  readonly op: 'test' | 'add' | 'replace' | 'remove';
  readonly path: string;
  readonly value?: unknown;
};

/** An object as it was when the decision was made. */
export type VersionedRef = ExactRef & { readonly resourceVersion: string };

export const versionedRefOf = ({
  name,
  namespace,
  uid,
  resourceVersion,
}: Required<VersionedRef>): VersionedRef => ({ name, namespace, uid, resourceVersion });

export type EventText = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly message: string;
};

/** Each kind adds its own fields. */
export type Decision = {
  /** Carried out in this order. The first step that fails ends the decision. */
  readonly steps: readonly Step[];
  /** The time after which the decision could change by itself. */
  readonly requeueAfterMs?: number;
};

/** `tookMs` is the time of the observation and the decision. */
export type DecisionReport<World, Decided extends Decision = Decision> = {
  readonly world: World;
  readonly decision: Decided;
  readonly now: number;
  readonly tookMs: number;
};

/** Why a write failed: conditions, events, CLI and metrics share this wording. */
export type Refusal = {
  readonly reason: string;
  readonly message: string;
  /** The objects whose scaling the API server refused. */
  readonly scales?: readonly RefusedScale[];
};

export type RefusedScale = {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
};
