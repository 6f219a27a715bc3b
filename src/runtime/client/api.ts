// What does the engine ask of an API server? One interface: the real client and a simulated server
// both fulfil it.
import type { Kind } from '../../api/kinds.ts';
import type { ExactRef, KubeObject, Ref } from '../../api/objects.ts';

export type Selectors = { readonly labelSelector?: string; readonly fieldSelector?: string };

export type Listing = { readonly items: readonly KubeObject[]; readonly resourceVersion: string };

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
export type WatchEvent = { readonly type: WatchEventType; readonly object: KubeObject };

export type WatchOptions = Selectors & {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
};

/**
 * Merge: a partial object, `metadata.uid` and `metadata.resourceVersion` in it are preconditions.
 * Apply: the fields that we own.
 */
export type Patch =
  | { readonly type: 'merge'; readonly body: object }
  | {
      readonly type: 'apply';
      readonly body: object;
      readonly fieldManager: string;
      readonly force: boolean;
    };

/** Operations on the object, all or none: `test` among them is a precondition. */
export type JsonPatch = { readonly type: 'json'; readonly body: readonly object[] };

export type Preconditions = { readonly uid?: string; readonly resourceVersion?: string };

/**
 * What of each object is to be kept; left out: all of it. What was slimmed before comes out as it
 * is.
 */
export type Slim = { readonly slim?: ((object: KubeObject) => KubeObject) | undefined };

export type CallOptions = { readonly signal?: AbortSignal; readonly timeoutMs?: number };

/** `isStrict`: fields that no schema has are refused, and not dropped. */
export type CreateOptions = CallOptions & { readonly isStrict?: boolean };

/** What the API server serves in one group and version: `cells`, or `cells/scale`. */
export type ServedResource = {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
};

export interface KubeApi {
  get(kind: Kind, ref: Ref, options?: CallOptions): Promise<KubeObject>;
  /** The scale subresource of an object. */
  getScale(kind: Kind, ref: Ref, options?: CallOptions): Promise<KubeObject>;
  /**
   * All of it, in pages, as of one resource version that is not older than any write answered
   * before the call. `slim` is applied page by page, by an implementation that has something to
   * gain from it.
   */
  list(
    kind: Kind,
    namespace: string | undefined,
    selectors?: Selectors,
    options?: CallOptions & Slim,
  ): Promise<Listing>;
  /** The resource version of such a list, without the list. */
  version(
    kind: Kind,
    namespace: string | undefined,
    selectors?: Selectors,
    options?: CallOptions,
  ): Promise<string>;
  /** How long a watch may last, so that a dead connection is noticed within ten seconds. */
  watchSeconds(): Promise<number>;
  /** Ends without error when the server's time is up; throws KubeError on anything else. */
  watch(
    kind: Kind,
    namespace: string | undefined,
    watch: WatchOptions,
    options?: CallOptions,
  ): AsyncIterable<WatchEvent>;
  create(kind: Kind, object: KubeObject, options?: CreateOptions): Promise<KubeObject>;
  /** PUT: `metadata.uid` and `metadata.resourceVersion` of the object are preconditions. */
  replace(
    kind: Kind,
    object: KubeObject,
    subresource?: string,
    options?: CallOptions,
  ): Promise<KubeObject>;
  patch(
    kind: Kind,
    ref: Ref,
    patch: Patch | JsonPatch,
    subresource?: string,
    options?: CallOptions,
  ): Promise<KubeObject>;
  delete(
    kind: Kind,
    ref: Ref,
    preconditions?: Preconditions,
    options?: CallOptions & { gracePeriodSeconds?: number },
  ): Promise<void>;
  /** As a drain does: budgets are asked; refused with a Conflict when the pod has changed since. */
  evict(
    pod: ExactRef & { readonly resourceVersion?: string },
    options?: CallOptions,
  ): Promise<void>;
  /** Fails with NotFound where the server does not serve this version. */
  resources(
    of: Pick<Kind, 'group' | 'version'>,
    options?: CallOptions,
  ): Promise<readonly ServedResource[]>;
  /**
   * Can there be objects of this kind? False while its definition is being deleted, and after that.
   */
  serves(kind: Kind, options?: CallOptions): Promise<boolean>;
  /** After a connection went silent: do not trust the others of its pool either. */
  renewConnections(): void;
}

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type Change = {
  readonly type: ChangeType;
  readonly object: KubeObject;
  /** After etcd was restored from a snapshot: an equal version may have had other contents. */
  readonly isRestored?: true;
};
