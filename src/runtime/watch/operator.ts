// How do changes of the cluster come in? One watch for each kind and namespace, with many
// listeners.
import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import dotI, { type OperatorLogger } from '@dot-i/k8s-operator';
import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import { load } from 'js-yaml';
import { type Kind, kinds } from '../../api/kinds.ts';
import { asList, dig, isKubeObject, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../client/api.ts';
import type { KubeError } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { Deliveries } from './deliveries.ts';
import { nameOfKind, type Subscription, type Watched, watchedFor } from './subscriptions.ts';
import { Watcher } from './watcher.ts';

/** Can the objects of a kind be read? `denial` says why not, as long as that is so. */
export type Readable =
  | { readonly state: 'syncing' }
  | { readonly state: 'synced' }
  | { readonly state: 'denied'; readonly kind: Kind; readonly denial: KubeError };

type OperatorOptions = {
  readonly kubeConfig: KubeConfig;
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly logger: OperatorLogger;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly subscriptions: readonly Subscription[];
  readonly onTrouble?: (kind: Kind, error: KubeError, retryInMs: number) => void;
  /** `readable` returns something new for some kind. */
  readonly onReadable?: () => void;
  /** etcd was restored from a snapshot; everything is being listed again. */
  readonly onRestored?: () => void;
  /** Spreads the retries of watches; in [0, 1). */
  readonly random?: () => number;
};

/**
 * Takes the lifecycle and the registration of CRDs from the framework. The framework's watch has no
 * list, loses deletions and ends the process on any error; its status calls swallow conflicts; its
 * finalizer calls overwrite others' entries. None of these is called, and no other file imports
 * the framework.
 */
export class SwarmOperator extends dotI.default {
  readonly #options: OperatorOptions;
  readonly #watched: readonly Delivered[];
  readonly #watchers: Watching[] = [];
  readonly #stopping = new AbortController();
  readonly #runs: Promise<void>[] = [];

  constructor(options: OperatorOptions) {
    // The parent loads a configuration from the environment; replace it.
    super(options.logger);
    this.kubeConfig = options.kubeConfig;
    this.k8sApi = options.kubeConfig.makeApiClient(CoreV1Api);
    this.#options = options;
    const { clock, logger } = options;
    const onError = (message: string): void => logger.error(message);
    this.#watched = watchedFor(options.subscriptions).map((watched) => ({
      ...watched,
      deliveries: new Deliveries({ ...watched, clock, onError }),
    }));
    // Each watch listens to it.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Resolves when every kind has been listed once, or cannot be read. */
  protected override async init(): Promise<void> {
    const { namespaces } = this.#options;
    const placesOf = ({ kind, alsoIn }: Watched) =>
      namespaces.length === 0 || !kind.namespaced
        ? [undefined]
        : new Set([...namespaces, ...alsoIn]);
    await Promise.all(
      this.#watched.flatMap((watched) =>
        [...placesOf(watched)].map((namespace) => this.#watch(watched, namespace)),
      ),
    );
  }

  async #watch(
    { kind, slim, deliveries, onListed }: Delivered,
    namespace: string | undefined,
  ): Promise<void> {
    const { api, clock, onTrouble, onReadable, random } = this.#options;
    const settled = Promise.withResolvers<void>();
    const watching: Watching = {
      kind,
      namespace,
      isSynced: false,
      denial: undefined,
      watcher: new Watcher(
        api,
        { kind, namespace, slim },
        {
          clock,
          onTrouble: (error, retryInMs) => onTrouble?.(kind, error, retryInMs),
          onDenied: (denial) => {
            watching.denial = denial;
            settled.resolve();
            onReadable?.();
          },
          onListed,
          onRestored: () => this.restored(watching.watcher),
          ...(random !== undefined && { random }),
        },
        (change) => deliveries.deliver(change),
      ),
    };
    void watching.watcher.synced.then(() => {
      watching.isSynced = true;
      settled.resolve();
      onReadable?.();
    });
    this.#watchers.push(watching);
    this.#runs.push(watching.watcher.run(this.#stopping.signal));
    await Promise.race([settled.promise, aborted(this.#stopping.signal)]);
  }

  /** Objects of which some listener does not know the last change. */
  get outdated(): readonly string[] {
    return this.#watched.flatMap(({ deliveries }) => deliveries.outdated);
  }

  /** The answer to an own write is delivered like any event. */
  observe(kind: Kind, object: KubeObject): void {
    const name = nameOfKind(kind);
    const watching = this.#watchers.find(
      (it) =>
        nameOfKind(it.kind) === name &&
        (it.namespace === undefined || it.namespace === object.metadata.namespace),
    );
    watching?.watcher.observe(object);
  }

  /** The worst state of these kinds: denied, then syncing. */
  readable(kinds: readonly Kind[]): Readable {
    const those = this.#watchersOf(kinds);
    for (const { kind, denial } of those)
      if (denial !== undefined) return { state: 'denied', kind, denial };
    const isSynced = those.length > 0 && those.every((it) => it.isSynced);
    return { state: isSynced ? 'synced' : 'syncing' };
  }

  /** What is known of these kinds may be outdated: a watch of them has failed. */
  isBroken(kinds: readonly Kind[]): boolean {
    return this.#watchersOf(kinds).some(({ watcher }) => watcher.isBroken);
  }

  /**
   * Resolves when these kinds have been listed again: the caches are then as new as this call.
   */
  async refreshed(kinds: readonly Kind[]): Promise<void> {
    const lists = this.#watchersOf(kinds).map(({ watcher }) => watcher.refresh());
    await Promise.race([Promise.all(lists), aborted(this.#stopping.signal)]);
  }

  #watchersOf(kinds: readonly Kind[]): readonly Watching[] {
    const names = new Set(kinds.map(nameOfKind));
    return this.#watchers.filter(({ kind }) => names.has(nameOfKind(kind)));
  }

  /** etcd was restored: lists every kind, also those whose own lists would not show it. */
  restored(except?: Watcher): void {
    for (const { watcher } of this.#watchers) if (watcher !== except) watcher.restored();
    this.#options.onRestored?.();
  }

  override stop(): void {
    this.#stopping.abort();
    for (const { deliveries } of this.#watched) deliveries.stop();
  }

  /** Resolves when no watch runs any more, after `stop`. */
  async stopped(): Promise<void> {
    await Promise.all(this.#runs);
  }

  /**
   * For development; in a cluster, manifests bring the CRDs. Applies it, so that an existing CRD is
   * updated.
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
}

type Delivered = Watched & { readonly deliveries: Deliveries };

type Watching = {
  readonly kind: Kind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly watcher: Watcher;
  isSynced: boolean;
  denial: KubeError | undefined;
};

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
