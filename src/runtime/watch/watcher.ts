// What has changed among the objects of one kind? A list, then watches one after another, for as
// long as the process lives.
import { isNewer, type KubeObject } from '../../api/objects.ts';
import type { Change, Slim, WatchEvent } from '../client/api.ts';
import { hasCode, KubeError } from '../client/errors.ts';
import { type Clock, sleep } from '../clock.ts';
import { KnownObjects } from './known-objects.ts';
import type { WatchedApi } from './paced-lists.ts';
import { Recovery } from './recovery.ts';
import { type ListTarget, Verification } from './verification.ts';
import {
  begun,
  compared,
  ended,
  failed,
  isToldOfRestore,
  listed,
  type NeededList,
  needed,
  needing,
  refused,
  type WatcherState,
  waited,
} from './watcher-state.ts';

/** The first watch after a failure: once it has lasted that long, it works. */
const TRIAL_SECONDS = 8;
/** A watch that ends sooner counts as failed. */
const SHORTEST_WATCH_MS = 500;
/**
 * After so many lists in a row that are older than the known objects, etcd was restored from a
 * snapshot; a lagging API server catches up sooner.
 */
const OLD_LISTS = 8;
const OLD_LIST_AGAIN_MS = 1_000;

/** `slim` cuts the objects of a list, which is held as a whole. */
export type WatchTarget = ListTarget & Slim;

export type WatcherOptions = {
  readonly clock: Clock;
  /** Spreads the retries of many watches; in [0, 1). */
  readonly random?: () => number;
  readonly relistMs?: number;
  readonly watchSeconds?: number;
  readonly onTrouble?: (error: KubeError, retryInMs: number) => void;
  /** The kind is not served, or may not be read; undefined: it can be read again. */
  readonly onDenied?: (denial: KubeError | undefined) => void;
  /** A list has been reported as a whole. */
  readonly onListed?: () => void;
  /** A list shows that etcd was restored from a snapshot. */
  readonly onRestored?: () => void;
};

/**
 * list -> ADDED for each object; watch -> changes in order; after a gap a list, which reports gone
 * objects as DELETED. Guarantees: no error ends it; no deletion is missed; no object is reported
 * twice at the same version, nor an older state after a newer one or after its deletion; the answer
 * to an own write (`observe`) is reported at once, unless the watch is already past it. After etcd
 * was restored from a snapshot, every object is reported again and marked `isRestored`.
 */
export class Watcher {
  readonly #api: WatchedApi;
  readonly #target: WatchTarget;
  readonly #options: WatcherOptions;
  readonly #known: KnownObjects;
  readonly #whenSynced = Promise.withResolvers<void>();
  readonly #recovery: Recovery;
  readonly #verification: Verification;
  #state: WatcherState = begun;
  /**
   * All changes up to this version are known, deletions included: the next watch begins here.
   */
  #seen = '0';
  /**
   * The version of the newest own write: a later list that is older is stale. It grows, until a
   * list shows that etcd was restored.
   */
  #written = '0';

  constructor(
    api: WatchedApi,
    target: WatchTarget,
    options: WatcherOptions,
    onChange: (change: Change) => void,
  ) {
    this.#api = api;
    this.#target = target;
    this.#options = options;
    this.#known = new KnownObjects({ kind: target.kind, onChange });
    const { clock, relistMs, random = Math.random, onDenied = () => undefined } = options;
    this.#recovery = new Recovery({ random, onDenied });
    this.#verification = new Verification({
      ...{ api, target, clock, relistMs, known: this.#known },
      position: () => ({ seen: this.#seen, least: this.#least }),
      onMissed: () => {
        // A list under way shows what was missed.
        if (this.#state.is !== 'listing') this.#need('missed');
      },
      onTrouble: (error) => options.onTrouble?.(asKubeError(error), 0),
    });
  }

  /** Resolves when the first list has been reported. */
  get synced(): Promise<void> {
    return this.#whenSynced.promise;
  }

  /** Its reports may be stale: it failed, or etcd was restored, and no list followed. */
  get isBroken(): boolean {
    return this.#recovery.isBroken || isToldOfRestore(this.#state);
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#step(this.#state, signal);
      } catch (error) {
        if (!signal.aborted) this.#recover(asKubeError(error));
      }
    }
    await this.#verification.ended();
  }

  async #step(state: WatcherState, signal: AbortSignal): Promise<void> {
    switch (state.is) {
      case 'listing':
        return await this.#list(state.list, signal);
      case 'comparing':
        return await this.#compare(signal);
      case 'watching':
        return await this.#watch(state.interrupt, signal);
      case 'waiting':
        await sleep(this.#options.clock, state.ms, signal);
        this.#state = waited(this.#state);
    }
  }

  /**
   * Takes the answer to an own write, so that the next decision sees it before the watch does.
   */
  observe(object: KubeObject): void {
    const version = object.metadata.resourceVersion;
    if (version === undefined || !isNewer(version, this.#seen)) return;
    // Answers come in any order.
    if (isNewer(version, this.#written)) this.#written = version;
    this.#known.put(object, version);
  }

  /**
   * Lists again; resolves when everything that was true at the call has been reported. The watches
   * of several kinds may lag differently, and a new leader must not decide on that.
   */
  refresh(): Promise<void> {
    return new Promise((resolve) => this.#need('refresh', [resolve]));
  }

  /**
   * Another watcher, or the Lease, has shown that etcd was restored: the next list is accepted,
   * however old.
   */
  restored(): void {
    this.#need('restored');
  }

  /** Begins the next watch now: a watch goes on although its permission was removed meanwhile. */
  renew(): void {
    if (this.#state.is === 'watching') this.#state.interrupt.abort();
  }

  #need(...list: Parameters<typeof needed>): void {
    this.#state = needing(this.#state, needed(...list));
    this.renew();
  }

  get #least(): string {
    return isNewer(this.#written, this.#seen) ? this.#written : this.#seen;
  }

  async #list(list: NeededList, signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors, slim } = this.#target;
    const least = this.#least;
    const isTold = list.because === 'restored';
    const listing = await this.#api.list(kind, namespace, selectors, { signal, slim });
    const isOlder = isNewer(least, listing.resourceVersion);
    // From a lagging API server: it would bring back deleted objects.
    if (isOlder && !isTold && list.refused + 1 < OLD_LISTS) {
      this.#state = refused(this.#state);
      throw new KubeError(
        'BadAnswer',
        `the list has resource version ${listing.resourceVersion}, older than ${least}, which was already seen`,
        { retryAfterMs: OLD_LIST_AGAIN_MS },
      );
    }
    const isRestored = isTold || isOlder || this.#known.isSetBack(listing);
    if (isRestored && !isTold) this.#options.onRestored?.();
    if (isRestored) this.#written = '0';
    this.#known.takeList(listing, isRestored);
    this.#options.onListed?.();
    this.#seen = listing.resourceVersion;
    this.#state = listed(this.#state);
    this.#verification.listed();
    this.#recovery.listed();
    this.#whenSynced.resolve();
    for (const resolve of list.waiting) resolve();
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors } = this.#target;
    const least = this.#least;
    const version = await this.#api.version(kind, namespace, selectors, { signal });
    this.#state = compared(this.#state, isNewer(least, version));
    if (this.#state.is === 'watching') this.#recovery.listed();
  }

  async #watch(interrupt: AbortController, signal: AbortSignal): Promise<void> {
    this.#verification.beginIfDue(signal);
    const { kind, namespace, selectors } = this.#target;
    const { clock } = this.#options;
    const longest = this.#recovery.isProven ? Number.POSITIVE_INFINITY : TRIAL_SECONDS;
    const watchSeconds =
      this.#options.watchSeconds ?? Math.min(await this.#api.watchSeconds(), longest);
    if (interrupt.signal.aborted || signal.aborted) {
      this.#state = ended(this.#state, false);
      return;
    }
    const started = clock.monotonic();
    const options = { ...selectors, resourceVersion: this.#seen, timeoutSeconds: watchSeconds };
    const stop = (): void => interrupt.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const event of this.#api.watch(kind, namespace, options, {
        signal: interrupt.signal,
      }))
        this.#take(event);
    } catch (error) {
      if (!interrupt.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    // A server that ends each watch at once must not be called in a tight loop.
    const lastedMs = clock.monotonic() - started;
    if (!interrupt.signal.aborted && lastedMs < Math.min(SHORTEST_WATCH_MS, watchSeconds * 500)) {
      throw new KubeError('Unavailable', 'the watch ended at once');
    }
    this.#recovery.succeeded();
    // A server that shuts down ends its watches early.
    this.#state = ended(this.#state, lastedMs < watchSeconds * 1000 - SHORTEST_WATCH_MS);
  }

  #take(event: WatchEvent): void {
    const version = event.object.metadata.resourceVersion;
    if (version === undefined)
      throw new KubeError('BadAnswer', 'the watch sent an object without a resource version');
    // Events come in order: one that is not newer is a replay, perhaps of a deleted object.
    if (!isNewer(version, this.#seen)) return;
    if (event.type === 'DELETED') this.#known.delete(event.object, version);
    else if (event.type !== 'BOOKMARK') this.#known.put(event.object, version);
    this.#seen = version;
    this.#recovery.succeeded();
  }

  #recover(failure: KubeError): void {
    // Our own time-out, not a 504: the connection is dead.
    if (hasCode(failure, 'Timeout') && failure.status === undefined) this.#api.renewConnections();
    const phase = this.#state.is === 'watching' ? 'watch' : 'list';
    const { waitMs, mustList } = this.#recovery.failed(failure, phase);
    const because = hasCode(failure, 'Gone') ? 'expired' : mustList ? 'away' : undefined;
    this.#state = failed(this.#state, waitMs, because);
    this.#options.onTrouble?.(failure, waitMs);
  }
}

const asKubeError = (error: unknown): KubeError =>
  error instanceof KubeError ? error : new KubeError('BadAnswer', String(error), { cause: error });
