// Which watches run, and can their objects be read? One watch for each kind and namespace.
import { setMaxListeners } from 'node:events';
import type { Kind } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';
import type { Change, KubeApi, Slim } from '../client/api.ts';
import type { KubeError } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { pacedLists, type WatchedApi } from './paced-lists.ts';
import { type Readable, readableFrom, type WatchState } from './readable.ts';
import { nameOfKind, type Subscription } from './subscriptions.ts';
import { Watcher } from './watcher.ts';

export type WatchesOptions = {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly onTrouble?: (kind: Kind, error: KubeError, retryInMs: number) => void;
  /** `readable` returns something new for some kind. */
  readonly onReadable?: () => void;
  /** etcd was restored from a snapshot; everything is being listed again. */
  readonly onRestored?: () => void;
  /** Spreads the retries of watches; in [0, 1). */
  readonly random?: () => number;
};

type Target = Slim & {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly onListed?: () => void;
  /** Throws nothing. */
  readonly onChange: (change: Change) => void;
};

/** A quota or a policy may forbid requests again and again: the watches of a namespace go on. */
const DOUBT_MS = 60_000;

export class Watches {
  readonly #options: WatchesOptions;
  readonly #stopping: AbortSignal;
  /** By kind. */
  readonly #watches = new Map<string, Watching[]>();
  readonly #namespaces: ReadonlySet<string>;
  readonly #doubtedAt = new Map<string, number>();
  readonly #api: WatchedApi;
  readonly #runs: Promise<void>[] = [];

  constructor(options: WatchesOptions, stopping: AbortSignal) {
    this.#options = options;
    this.#stopping = stopping;
    const { api, clock, namespaces } = options;
    this.#namespaces = new Set(namespaces);
    this.#api = namespaces.length === 0 ? api : pacedLists(api, stopping, clock);
    // Each watch listens to it.
    setMaxListeners(0, stopping);
  }

  /** Those that are watched; empty: all. */
  get namespaces(): readonly string[] {
    return this.#options.namespaces;
  }

  /** Begins a watch. Resolves when its objects have been listed once, or cannot be read. */
  async begin({ kind, namespace, slim, onListed, onChange }: Target): Promise<void> {
    const { clock, onTrouble, onReadable, random } = this.#options;
    const settled = Promise.withResolvers<void>();
    const watching: Watching = {
      kind,
      namespace,
      isSynced: false,
      denial: undefined,
      watcher: new Watcher(
        this.#api,
        { kind, namespace, slim },
        {
          clock,
          onTrouble: (error, retryInMs) => onTrouble?.(kind, error, retryInMs),
          onDenied: (denial) => {
            watching.denial = denial;
            settled.resolve();
            onReadable?.();
          },
          onRestored: () => this.restored(watching.watcher),
          ...(onListed !== undefined && { onListed }),
          ...(random !== undefined && { random }),
        },
        onChange,
      ),
    };
    void watching.watcher.synced.then(() => {
      watching.isSynced = true;
      settled.resolve();
      onReadable?.();
    });
    this.#watches.set(nameOfKind(kind), [...this.#watchesOf(kind), watching]);
    this.#runs.push(watching.watcher.run(this.#stopping));
    await Promise.race([settled.promise, aborted(this.#stopping)]);
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

  /** What is known of these kinds in a namespace may be stale: a watch of them has failed. */
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
    await Promise.race([Promise.all(lists), aborted(this.#stopping)]);
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
    for (const watch of this.#all) if (watch.namespace === namespace) watch.watcher.renew();
  }

  /** etcd was restored: lists every kind, also those whose own lists would not show it. */
  restored(except?: Watcher): void {
    for (const { watcher } of this.#all) if (watcher !== except) watcher.restored();
    this.#options.onRestored?.();
  }

  /** Resolves when no watch runs any more, after the signal that it was made with. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs);
  }

  get #all(): readonly Watching[] {
    return [...this.#watches.values()].flat();
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
}

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
