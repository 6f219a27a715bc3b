// How do events of the cluster come in? Through the framework's own methods, with what is unsafe in
// them replaced.

import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import dotI, {
  type OperatorLogger,
  type ResourceEvent,
  ResourceEventType,
  type ResourceMeta,
  ResourceMetaImpl,
} from '@dot-i/k8s-operator';
import { CoreV1Api, type KubeConfig, type KubernetesObject } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { apiVersionOf, type Kind, kinds } from '../../api/kinds.ts';
import { asList, dig, isKubeObject, type KubeObject, keyOf } from '../../api/objects.ts';
import type { KubeApi, Selectors, Slim } from '../client/api.ts';
import type { KubeError } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { type Change, type ChangeType, Watcher } from './watcher.ts';

export type Subscription = Slim & {
  readonly kind: Kind;
  readonly selectors?: Selectors;
  readonly onChange: (change: Change) => void;
};

export type OperatorOptions = {
  readonly kubeConfig: KubeConfig;
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly logger: OperatorLogger;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly subscriptions: readonly Subscription[];
  readonly onTrouble?: (kind: Kind, error: KubeError, retryInMs: number) => void;
  /** etcd was restored from a snapshot; everything is being listed anew. */
  readonly onRestored?: () => void;
  /** Spreads the retries of watches; in [0, 1). */
  readonly random?: () => number;
};

const eventTypes: Readonly<Record<ChangeType, ResourceEventType>> = {
  ADDED: ResourceEventType.Added,
  MODIFIED: ResourceEventType.Modified,
  DELETED: ResourceEventType.Deleted,
};

/**
 * The framework gives lifecycle, event and meta types. Its watch has no list, loses deletions and
 * ends the process on any error; its status calls swallow conflicts; its finalizer calls overwrite
 * others' entries: each of these is overridden here, and this is the only file that imports it.
 */
export class SwarmOperator extends dotI.default {
  readonly #options: OperatorOptions;
  readonly #watchers = new Map<string, Watcher>();
  readonly #stopping = new AbortController();
  readonly #runs: Promise<void>[] = [];

  constructor(options: OperatorOptions) {
    // The parent loads a configuration of its own from the environment; it is replaced at once.
    super(options.logger);
    this.kubeConfig = options.kubeConfig;
    this.k8sApi = options.kubeConfig.makeApiClient(CoreV1Api);
    this.#options = options;
    // Each watch listens to it.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Resolves when every kind has been listed once: before that, nothing may be decided. */
  protected override async init(): Promise<void> {
    const { namespaces, subscriptions } = this.#options;
    const placesOf = (kind: Kind) =>
      namespaces.length === 0 || !kind.namespaced ? [undefined] : namespaces;
    await Promise.all(
      subscriptions.flatMap(({ kind, onChange }) =>
        placesOf(kind).map((namespace) =>
          this.watchResource(
            kind.group,
            kind.version,
            kind.plural,
            async (event) => onChange(event.change),
            namespace,
          ),
        ),
      ),
    );
  }

  protected override async watchResource(
    group: string,
    version: string,
    plural: string,
    onEvent: (event: SwarmEvent) => Promise<void>,
    namespace?: string,
  ): Promise<void> {
    const { api, clock, subscriptions, onTrouble, random } = this.#options;
    const subscription = subscriptions.find(
      ({ kind }) => kind.group === group && kind.plural === plural,
    );
    const kind = subscription?.kind ?? { group, version, plural, kind: plural, namespaced: true };
    const watcher: Watcher = new Watcher(
      api,
      {
        kind,
        namespace,
        slim: subscription?.slim,
        ...(subscription?.selectors !== undefined && { selectors: subscription.selectors }),
      },
      {
        clock,
        onTrouble: (error, retryInMs) => onTrouble?.(kind, error, retryInMs),
        onRestored: () => this.restored(watcher),
        ...(random !== undefined && { random }),
      },
      (change) => void this.#deliver(kind, change, onEvent),
    );
    this.#watchers.set(watcherKey(kind, namespace), watcher);
    this.#runs.push(watcher.run(this.#stopping.signal));
    await Promise.race([watcher.synced, aborted(this.#stopping.signal)]);
  }

  /**
   * At once, so that whoever decides next has it; a change that cannot be taken is one change lost,
   * not the watch.
   */
  async #deliver(
    kind: Kind,
    change: Change,
    onEvent: (event: SwarmEvent) => Promise<void>,
  ): Promise<void> {
    try {
      await onEvent(new SwarmEvent(kind, change));
    } catch (error) {
      this.logger.error(
        `${kind.kind} ${keyOf(change.object.metadata)}: the change could not be taken: ${String(error)}`,
      );
    }
  }

  /** The answer to one's own write goes the same way as any event. */
  observe(kind: Kind, object: KubeObject): void {
    const watcher =
      this.#watchers.get(watcherKey(kind, object.metadata.namespace)) ??
      this.#watchers.get(watcherKey(kind, undefined));
    watcher?.observe(object);
  }

  /**
   * Resolves when every kind has been listed once more: what is known then is not older than this
   * call.
   */
  async refreshed(): Promise<void> {
    const lists = [...this.#watchers.values()].map((watcher) => watcher.refresh());
    await Promise.race([Promise.all(lists), aborted(this.#stopping.signal)]);
  }

  /** etcd was restored: every kind is listed anew, also those whose lists would not show it. */
  restored(except?: Watcher): void {
    for (const watcher of this.#watchers.values()) if (watcher !== except) watcher.restored();
    this.#options.onRestored?.();
  }

  override stop(): void {
    this.#stopping.abort();
  }

  /** After `stop`: when no watch runs any more. */
  async stopped(): Promise<void> {
    await Promise.all(this.#runs);
  }

  /**
   * For development: in a cluster, CRDs come by manifest. Applied, so that an existing one is
   * brought up to date.
   */
  protected override async registerCustomResourceDefinition(
    crdFile: string,
  ): ReturnType<dotI.default['registerCustomResourceDefinition']> {
    const crd: unknown = load(readFileSync(crdFile, 'utf8'));
    if (!isKubeObject(crd) || crd.kind !== 'CustomResourceDefinition')
      throw new Error(`${crdFile} is not a CustomResourceDefinition`);
    const patch = {
      type: 'apply',
      body: crd,
      fieldManager: 'swarm-operator',
      force: true,
    } as const;
    await this.#options.api.patch(
      kinds.CustomResourceDefinition,
      { name: crd.metadata.name },
      patch,
    );
    this.logger.info(`registered ${crd.metadata.name}`);
    const versions = asList(dig(crd, 'spec', 'versions')).map((it) => ({
      name: String(dig(it, 'name')),
      served: dig(it, 'served') === true,
      storage: dig(it, 'storage') === true,
    }));
    return {
      group: String(dig(crd, 'spec', 'group')),
      plural: String(dig(crd, 'spec', 'names', 'plural')),
      versions,
    };
  }

  /** Registers what the given files define. */
  async register(crdFiles: readonly string[]): Promise<void> {
    for (const file of crdFiles) await this.registerCustomResourceDefinition(file);
  }

  /**
   * Conflicts are thrown, not swallowed: the decision was made on an old view and is made again.
   */
  protected override async setResourceStatus(
    meta: ResourceMeta,
    status: unknown,
  ): Promise<ResourceMeta | null> {
    const kind = this.#kindOf(meta);
    const { name, namespace, resourceVersion } = meta;
    const metadata = { name, resourceVersion, ...(namespace !== undefined && { namespace }) };
    const answer = await this.#options.api.replace(
      kind,
      { apiVersion: meta.apiVersion, kind: meta.kind, metadata, status },
      'status',
    );
    return metaOf(kind, answer);
  }

  protected override async patchResourceStatus(
    meta: ResourceMeta,
    status: unknown,
  ): Promise<ResourceMeta | null> {
    const kind = this.#kindOf(meta);
    const { name, namespace, resourceVersion } = meta;
    const body = { metadata: { resourceVersion }, status };
    const ref = { name, ...(namespace !== undefined && { namespace }) };
    return metaOf(
      kind,
      await this.#options.api.patch(kind, ref, { type: 'merge', body }, 'status'),
    );
  }

  protected override handleResourceFinalizer(): Promise<boolean> {
    return Promise.reject(new Error('no finalizers: nothing of ours may block a deletion'));
  }

  protected override setResourceFinalizers(): Promise<void> {
    return Promise.reject(new Error('no finalizers: nothing of ours may block a deletion'));
  }

  #kindOf(meta: ResourceMeta): Kind {
    const found = this.#options.subscriptions.find(
      ({ kind }) => kind.kind === meta.kind && apiVersionOf(kind) === meta.apiVersion,
    );
    if (found === undefined)
      throw new Error(`${meta.kind} (${meta.apiVersion}) is not watched by this operator`);
    return found.kind;
  }
}

const watcherKey = (kind: Kind, namespace: string | undefined): string =>
  `${kind.plural}.${kind.group} ${namespace ?? ''}`;

/**
 * The framework's event. Its object type promises Dates where the wire has text: they are made for
 * who asks, and nobody here does.
 */
export class SwarmEvent implements ResourceEvent {
  readonly meta: ResourceMeta;
  readonly type: ResourceEventType;
  readonly change: Change;

  constructor(kind: Kind, change: Change) {
    this.type = eventTypes[change.type];
    this.change = change;
    this.meta = metaOf(kind, change.object);
  }

  get object(): KubernetesObject {
    const { metadata, ...rest } = this.change.object;
    const { creationTimestamp, deletionTimestamp, ownerReferences, finalizers, ...identity } =
      metadata;
    return {
      ...rest,
      metadata: {
        ...identity,
        ...(creationTimestamp !== undefined && { creationTimestamp: new Date(creationTimestamp) }),
        ...(deletionTimestamp !== undefined && { deletionTimestamp: new Date(deletionTimestamp) }),
        ...(ownerReferences !== undefined && { ownerReferences: [...ownerReferences] }),
        ...(finalizers !== undefined && { finalizers: [...finalizers] }),
      },
    };
  }
}

function metaOf(kind: Kind, { metadata }: KubeObject): ResourceMeta {
  const { name, namespace, resourceVersion } = metadata;
  const place = {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return ResourceMetaImpl.createWithPlural(kind.plural, {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: place,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
