// What has changed among the objects of one kind? A list, then watches one after another, for as
// long as the process lives.
import { type Kind, metadataOf } from '../../api/kinds.ts';
import { isNewer, type KubeObject } from '../../api/objects.ts';
import { slimmed } from '../../api/slim.ts';
import type { Change, Selectors, Slim, WatchEvent } from '../client/api.ts';
import { hasCode, KubeError } from '../client/errors.ts';
import { type Clock, sleep } from '../clock.ts';
import { isFoundTwice, KnownObjects, missedIn } from './known-objects.ts';
import type { WatchedApi } from './paced-lists.ts';
import { Recovery } from './recovery.ts';

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
/**
 * etcd and API servers have lost watch events before, so the known objects are compared with a list
 * this often.
 */
const RELIST_MS = 10 * 60_000;

export type WatchTarget = {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly selectors?: Selectors;
  /** Cuts the objects of a list, which is held as a whole. */
} & Slim;

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
  /**
   * All changes up to this version are known, deletions included: the next watch begins here.
   */
  #seen = '0';
  /**
   * The version of the newest own write: a later list that is older is outdated. It grows, until a
   * list shows that etcd was restored.
   */
  #written = '0';
  #mustList = true;
  /**
   * A watch broke, and etcd may have been restored meanwhile: a watch from a version ahead of etcd
   * would stay silent.
   */
  #mustCompare = false;
  /** Calls of `restored()`, and how many of them a list has followed. */
  #restorations = { told: 0, followed: 0 };
  /** Calls of `refresh()` that wait for a list requested after them. */
  #awaiting: (() => void)[] = [];
  #interrupt = new AbortController();
  #listedAt = 0;
  /** Changes that a list showed and the watch had not reported. */
  #missed: ReadonlyMap<string, string> = new Map();
  #verifying: Promise<void> | undefined;
  #oldLists = 0;
  readonly #recovery: Recovery;

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
    const { random = Math.random, onDenied = () => undefined } = options;
    this.#recovery = new Recovery({ random, onDenied });
  }

  /** Resolves when the first list has been reported. */
  get synced(): Promise<void> {
    return this.#whenSynced.promise;
  }

  /** Its reports may be outdated: it failed, or etcd was restored, and no list followed. */
  get isBroken(): boolean {
    return this.#recovery.isBroken || this.#restorations.told > this.#restorations.followed;
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#mustCompare) await this.#compare(signal);
        if (this.#mustList) await this.#relist(signal);
        if (this.#isListOld()) this.#verify(signal);
        await this.#follow(signal);
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
    await this.#verifying;
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
    this.#mustList = true;
    this.#interrupt.abort();
    return new Promise((resolve) => this.#awaiting.push(resolve));
  }

  /** Begins the next watch now: a watch goes on although its permission was removed meanwhile. */
  renew(): void {
    this.#interrupt.abort();
  }

  get #least(): string {
    return isNewer(this.#written, this.#seen) ? this.#written : this.#seen;
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors } = this.#target;
    const least = this.#least;
    if (
      !this.#mustList &&
      isNewer(least, await this.#api.version(kind, namespace, selectors, { signal }))
    )
      this.#mustList = true;
    this.#mustCompare = false;
    if (!this.#mustList) this.#recovery.listed();
  }

  /**
   * Another watcher, or the Lease, has shown that etcd was restored: the next list is accepted,
   * however old.
   */
  restored(): void {
    this.#restorations.told += 1;
    this.#mustList = true;
    this.#interrupt.abort();
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors, slim } = this.#target;
    const awaiting = this.#awaiting.length;
    const least = this.#least;
    const { told } = this.#restorations;
    const isTold = told > this.#restorations.followed;
    const listing = await this.#api.list(kind, namespace, selectors, { signal, slim });
    const isOlder = isNewer(least, listing.resourceVersion);
    this.#oldLists = isOlder ? this.#oldLists + 1 : 0;
    // From a lagging API server: it would bring back deleted objects.
    if (isOlder && !isTold && this.#oldLists < OLD_LISTS)
      throw new KubeError(
        'BadAnswer',
        `the list has resource version ${listing.resourceVersion}, older than ${least}, which was already seen`,
        { retryAfterMs: OLD_LIST_AGAIN_MS },
      );
    const isRestored = isTold || isOlder || this.#known.isSetBack(listing);
    this.#restorations.followed = told;
    if (isRestored) {
      if (!isTold) this.#options.onRestored?.();
      this.#oldLists = 0;
      this.#written = '0';
    }
    this.#known.takeList(listing, isRestored);
    this.#options.onListed?.();
    this.#seen = listing.resourceVersion;
    this.#listedAt = this.#options.clock.monotonic();
    this.#whenSynced.resolve();
    this.#recovery.listed();
    for (const resolve of this.#awaiting.splice(0, awaiting)) resolve();
    this.#mustList = this.#awaiting.length > 0 || this.#restorations.told > told;
  }

  /**
   * Runs beside the watch, since large objects take long to list; tried again after the next watch
   * when it fails.
   */
  #verify(signal: AbortSignal): void {
    this.#verifying ??= this.#compareWithList(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.onTrouble?.(asKubeError(error), 0);
      })
      .finally(() => {
        this.#verifying = undefined;
      });
  }

  async #compareWithList(signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors } = this.#target;
    const least = this.#least;
    const identity = (object: KubeObject): KubeObject => slimmed(object, {});
    const listing = await this.#api.list(metadataOf(kind), namespace, selectors, {
      signal,
      slim: identity,
    });
    const missed = missedIn(listing, this.#known.versions, this.#seen);
    const isWrong =
      isNewer(least, listing.resourceVersion) ||
      this.#known.isSetBack(listing) ||
      isFoundTwice(this.#missed, missed);
    const isFirst = this.#missed.size === 0;
    this.#missed = isFirst && !isWrong ? missed : new Map();
    if (this.#missed.size === 0) this.#listedAt = this.#options.clock.monotonic();
    if (!isWrong) return;
    this.#mustList = true;
    this.#interrupt.abort();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#mustList || signal.aborted) return;
    const { kind, namespace, selectors } = this.#target;
    const { clock } = this.#options;
    const longest = this.#recovery.isProven ? Number.POSITIVE_INFINITY : TRIAL_SECONDS;
    const watchSeconds =
      this.#options.watchSeconds ?? Math.min(await this.#api.watchSeconds(), longest);
    if (this.#mustList || signal.aborted) return;
    const started = clock.monotonic();
    const options = { ...selectors, resourceVersion: this.#seen, timeoutSeconds: watchSeconds };
    const interrupt = new AbortController();
    const stop = (): void => interrupt.abort();
    this.#interrupt = interrupt;
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
    // A server that shuts down ends its watches early.
    if (lastedMs < watchSeconds * 1000 - SHORTEST_WATCH_MS) this.#mustCompare = true;
    this.#recovery.succeeded();
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

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const failure = asKubeError(error);
    const phase = this.#mustList || this.#mustCompare ? 'list' : 'watch';
    // Our own time-out, not a 504: the connection is dead.
    if (hasCode(failure, 'Timeout') && failure.status === undefined) this.#api.renewConnections();
    const { waitMs, mustList } = this.#recovery.failed(failure, phase);
    if (mustList || hasCode(failure, 'Gone')) this.#mustList = true;
    this.#mustCompare = true;
    this.#options.onTrouble?.(failure, waitMs);
    await sleep(this.#options.clock, waitMs, signal);
  }

  #isListOld(): boolean {
    return this.#options.clock.monotonic() - this.#listedAt > (this.#options.relistMs ?? RELIST_MS);
  }
}

const asKubeError = (error: unknown): KubeError =>
  error instanceof KubeError ? error : new KubeError('BadAnswer', String(error), { cause: error });
