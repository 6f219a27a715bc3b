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
import { pacedLists, type WatchedApi } from './paced-lists.ts';
import { type Readable, readableFrom, type WatchState } from './readable.ts';
import { nameOfKind, type Subscription, type Watched, watchedFor } from './subscriptions.ts';
import { Watcher } from './watcher.ts';

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

/** A quota or a policy may forbid requests again and again: the watches of a namespace go on. */
const DOUBT_MS = 60_000;

/**
 * Takes the lifecycle and the registration of CRDs from the framework. The framework's watch has no
 * list, loses deletions and ends the process on any error; its status calls swallow conflicts; its
 * finalizer calls overwrite others' entries. None of these is called, and no other file imports
 * the framework.
 */
export class SwarmOperator extends dotI.default {
  readonly #options: OperatorOptions;
  readonly #watched: readonly Delivered[];
  /** By kind. */
  readonly #watches = new Map<string, Watching[]>();
  readonly #namespaces: ReadonlySet<string>;
  readonly #doubtedAt = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #watchedApi: WatchedApi;
  readonly #runs: Promise<void>[] = [];

  constructor(options: OperatorOptions) {
    // The parent loads a configuration from the environment; replace it.
    super(options.logger);
    this.kubeConfig = options.kubeConfig;
    this.k8sApi = options.kubeConfig.makeApiClient(CoreV1Api);
    this.#options = options;
    const { api, clock, logger, namespaces } = options;
    this.#namespaces = new Set(namespaces);
    const { signal } = this.#stopping;
    this.#watchedApi = namespaces.length === 0 ? api : pacedLists(api, signal, clock);
    const onError = (message: string): void => logger.error(message);
    this.#watched = watchedFor(options.subscriptions).map((watched) => ({
      ...watched,
      deliveries: new Deliveries({ ...watched, clock, onError }),
    }));
    // Each watch listens to it.
    setMaxListeners(0, this.#stopping.signal);
  }

  /** Those that are watched; empty: all. */
  get namespaces(): readonly string[] {
    return this.#options.namespaces;
  }

  /** Resolves when every kind has been listed once, or cannot be read. */
  protected override async init(): Promise<void> {
    const { namespaces } = this;
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
    const { clock, onTrouble, onReadable, random } = this.#options;
    const settled = Promise.withResolvers<void>();
    const watching: Watching = {
      kind,
      namespace,
      isSynced: false,
      denial: undefined,
      watcher: new Watcher(
        this.#watchedApi,
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
    this.#watches.set(nameOfKind(kind), [...this.#watchesOf(kind), watching]);
    this.#runs.push(watching.watcher.run(this.#stopping.signal));
    await Promise.race([settled.promise, aborted(this.#stopping.signal)]);
  }

  /** Objects of which some listener does not know the last change. */
  get outdated(): readonly string[] {
    return this.#watched.flatMap(({ deliveries }) => deliveries.outdated);
  }

  /** The answer to an own write is delivered like any event. */
  observe(kind: Kind, object: KubeObject): void {
    const isIts = ({ namespace }: Watching): boolean =>
      namespace === undefined || namespace === object.metadata.namespace;
    this.#watchesOf(kind).find(isIts)?.watcher.observe(object);
  }

  /** Can these be read, and in which namespaces not? */
  readable(needed: readonly Needed[]): Readable {
    return readableFrom(this.#neededWatches(needed));
  }

  /** What is known of these kinds in a namespace may be outdated: a watch of them has failed. */
  isBroken(kinds: readonly Kind[], namespace: string): boolean {
    return kinds
      .flatMap((kind) => this.#watchesOf(kind))
      .filter((it) => it.namespace === undefined || it.namespace === namespace)
      .some(({ watcher }) => watcher.isBroken);
  }

  /**
   * Resolves when these have been listed again: the caches are then as new as this call. With a
   * namespace: what is needed of it alone; without: what is needed for all.
   */
  async refreshed(needed: readonly Needed[], namespace?: string): Promise<void> {
    const { shared, own } = this.#neededWatches(needed);
    const those = namespace === undefined ? shared : own.filter((it) => it.namespace === namespace);
    const lists = those.map(({ watcher }) => watcher.refresh());
    await Promise.race([Promise.all(lists), aborted(this.#stopping.signal)]);
  }

  /**
   * A request for an object of this namespace was forbidden. Perhaps it cannot be read any more:
   * its watches, which last for minutes, would not show that before they end.
   */
  doubt(namespace: string): void {
    const now = this.#options.clock.monotonic();
    if (now - (this.#doubtedAt.get(namespace) ?? Number.NEGATIVE_INFINITY) < DOUBT_MS) return;
    if (!this.#namespaces.has(namespace)) return;
    this.#doubtedAt.set(namespace, now);
    for (const watch of [...this.#watches.values()].flat())
      if (watch.namespace === namespace) watch.watcher.renew();
  }

  #watchesOf(kind: Kind): readonly Watching[] {
    return this.#watches.get(nameOfKind(kind)) ?? [];
  }

  /** Each watch once: a namespace that one needs for all others is shared. */
  #neededWatches(needed: readonly Needed[]): Record<'shared' | 'own', readonly Watching[]> {
    const shared = new Set<Watching>();
    const own = new Set<Watching>();
    for (const { kind, alsoIn } of needed)
      for (const watch of this.#watchesOf(kind)) {
        const { namespace } = watch;
        if (namespace === undefined || namespace === alsoIn) shared.add(watch);
        else if (this.#namespaces.has(namespace)) own.add(watch);
      }
    for (const watch of shared) own.delete(watch);
    return { shared: [...shared], own: [...own] };
  }

  /** etcd was restored: lists every kind, also those whose own lists would not show it. */
  restored(except?: Watcher): void {
    for (const { watcher } of [...this.#watches.values()].flat())
      if (watcher !== except) watcher.restored();
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
  -readonly [Field in keyof WatchState]: WatchState[Field];
} & { readonly watcher: Watcher };

/** What a kind subscribes to. */
type Needed = Pick<Subscription, 'kind' | 'alsoIn'>;

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
