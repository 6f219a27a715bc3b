// What can be decided? The steps that every kind decides and the executor carries out.
import type { Kind } from '../api/kinds.ts';
import type { ExactRef, KubeObject } from '../api/objects.ts';

/** A decision that waits for a broken watch comes again so soon: nothing tells when it works. */
export const OUTDATED_AGAIN_MS = 250;

/** The object an event is about. */
export type Regarding = ExactRef & { readonly apiVersion: string; readonly kind: string };

/**
 * One write. Harmless when decided on an old view: a create fails on an existing object, the others
 * name the UID and the resource version that they were decided on.
 */
export type Step =
  /** `isStrict`: the API server refuses fields that it does not know, instead of dropping them. */
  | {
      readonly do: 'create';
      readonly kind: Kind;
      readonly object: KubeObject;
      readonly isStrict?: true;
    }
  /** A merge patch: fields that it does not name stay as they are. */
  | {
      readonly do: 'patch';
      readonly kind: Kind;
      readonly ref: VersionedRef;
      readonly body: object;
      /** Its neighbours do not depend on it: they run side by side. */
      readonly isIndependent?: true;
    }
  /** Operations on the object, all or none: each `test` among them is a precondition. */
  | {
      readonly do: 'operate';
      readonly kind: Kind;
      readonly ref: ExactRef;
      readonly operations: readonly PatchOperation[];
    }
  /** Through pods/status, which needs no right to change pods; null takes one away. */
  | {
      readonly do: 'annotate';
      readonly pod: VersionedRef;
      readonly annotations: Readonly<Record<string, string | null>>;
    }
  | { readonly do: 'delete'; readonly kind: Kind; readonly ref: VersionedRef }
  /** Through the scale subresource. */
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

/** Of a JSON patch. */
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
  /** When time alone could change the decision. */
  readonly requeueAfterMs?: number;
};

/** `tookMs`: to observe and to decide. */
export type DecisionReport<World, Decided extends Decision = Decision> = {
  readonly world: World;
  readonly decision: Decided;
  readonly now: number;
  readonly tookMs: number;
};

/** Why something is not so: conditions, events, CLI and metrics share this wording. */
export type Refusal = {
  readonly reason: string;
  readonly message: string;
  /** The objects whose scale the API server refused. */
  readonly scales?: readonly RefusedScale[];
};

export type RefusedScale = {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
};
