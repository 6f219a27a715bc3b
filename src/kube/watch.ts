// What has changed among the objects of one kind? A list, then watches one after another, for as long as the process lives.
import { apiVersionOf, type Kind } from '../api/kinds.ts';
import { isNewer, type KubeObject, keyOf, refOf } from '../api/objects.ts';
import type { KubeApi, Selectors, WatchEvent } from './api.ts';
import { type Clock, sleep } from './clock.ts';
import { hasCode, KubeError } from './errors.ts';

/**
 * Each watch is short, so that a connection that went silent is noticed within 9 s: bookmarks are no heartbeat (none come in
 * quiet times), and TCP does not tell for minutes.
 */
const WATCH_SECONDS = 8;
const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/** etcd and API servers have lost watch events before: once in a while everything is listed again and compared. */
const RELIST_MS = 10 * 60_000;

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';
export type Change = { readonly type: ChangeType; readonly object: KubeObject };

export type WatchTarget = { readonly kind: Kind; readonly namespace?: string | undefined; readonly selectors?: Selectors };

export type WatcherOptions = {
  readonly clock: Clock;
  /** Spreads the retries of many watches; in [0, 1). */
  readonly random?: () => number;
  readonly relistMs?: number;
  readonly watchSeconds?: number;
  readonly onTrouble?: (error: KubeError, retryInMs: number) => void;
};

type Known = { readonly uid: string; readonly resourceVersion: string };

/**
 * Expected flow: list -> ADDED for each; watch -> changes in order; a gap -> list again, and what is gone is reported DELETED.
 * Guarantees: no error ends it; a deletion is never missed; an object is never reported twice at the same version, nor an older one
 * after a newer; an answer to one's own write (`observe`) is reported at once, unless the watch has already passed it.
 */
export class Watcher {
  readonly #api: KubeApi;
  readonly #target: WatchTarget;
  readonly #options: WatcherOptions;
  readonly #onChange: (change: Change) => void;
  readonly #known = new Map<string, Known>();
  readonly #whenSynced = Promise.withResolvers<void>();
  /** Where the next watch begins; undefined: list first. */
  #from: string | undefined;
  /** Everything up to this version has been seen, deletions included. */
  #seen = '0';
  #listedAt = 0;
  #failures = 0;

  constructor(api: KubeApi, target: WatchTarget, options: WatcherOptions, onChange: (change: Change) => void) {
    this.#api = api;
    this.#target = target;
    this.#options = options;
    this.#onChange = onChange;
  }

  /** Resolves when the first list has been reported. */
  get synced(): Promise<void> {
    return this.#whenSynced.promise;
  }

  /** Runs until the signal aborts; never throws. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#from === undefined || this.#isListOld()) await this.#relist(signal);
        await this.#follow(this.#from ?? '0', signal);
        this.#failures = 0;
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
  }

  /** The answer to one's own write, so that the next decision sees it although the watch has not delivered it yet. */
  observe(object: KubeObject): void {
    const version = object.metadata.resourceVersion;
    if (version !== undefined && isNewer(version, this.#seen)) this.#put(object, version);
  }

  async #relist(signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors } = this.#target;
    const listing = await this.#api.list(kind, namespace, selectors, { signal });
    const present = new Set<string>();
    for (const object of listing.items) {
      present.add(keyOf(object.metadata));
      if (object.metadata.resourceVersion !== undefined) this.#put(object, object.metadata.resourceVersion);
    }
    for (const [key, known] of [...this.#known]) {
      // What is newer than the list was written by ourselves meanwhile: the watch that follows will tell of it.
      if (!present.has(key) && !isNewer(known.resourceVersion, listing.resourceVersion)) this.#remove(key);
    }
    this.#from = listing.resourceVersion;
    if (isNewer(listing.resourceVersion, this.#seen)) this.#seen = listing.resourceVersion;
    this.#listedAt = this.#options.clock.monotonic();
    this.#failures = 0;
    this.#whenSynced.resolve();
  }

  async #follow(from: string, signal: AbortSignal): Promise<void> {
    const { kind, namespace, selectors } = this.#target;
    const timeoutSeconds = this.#options.watchSeconds ?? WATCH_SECONDS;
    const started = this.#options.clock.monotonic();
    let isEmpty = true;
    for await (const event of this.#api.watch(kind, namespace, { ...selectors, resourceVersion: from, timeoutSeconds }, { signal })) {
      isEmpty = false;
      this.#take(event);
    }
    // A server that ends each watch at once must not be asked in a tight loop.
    if (isEmpty && this.#options.clock.monotonic() - started < 500) throw new KubeError('Unavailable', 'the watch ended at once');
  }

  #take(event: WatchEvent): void {
    const version = event.object.metadata.resourceVersion;
    if (version === undefined) throw new KubeError('BadAnswer', 'the watch sent an object without a resource version');
    if (event.type === 'DELETED') this.#remove(keyOf(event.object.metadata), event.object);
    else if (event.type !== 'BOOKMARK') this.#put(event.object, version);
    this.#from = version;
    if (isNewer(version, this.#seen)) this.#seen = version;
  }

  #put(object: KubeObject, version: string): void {
    const key = keyOf(object.metadata);
    const known = this.#known.get(key);
    if (known !== undefined && !isNewer(version, known.resourceVersion)) return;
    const uid = object.metadata.uid ?? '';
    if (known !== undefined && known.uid !== uid) this.#remove(key);
    this.#known.set(key, { uid, resourceVersion: version });
    this.#onChange({ type: known === undefined || known.uid !== uid ? 'ADDED' : 'MODIFIED', object });
  }

  #remove(key: string, last?: KubeObject): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    this.#known.delete(key);
    this.#onChange({ type: 'DELETED', object: last ?? this.#tombstone(key, known) });
  }

  /** What is left to say of an object that went in a gap: who it was. */
  #tombstone(key: string, known: Known): KubeObject {
    const { kind } = this.#target;
    return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { ...refOf(key), ...known } };
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const failure = error instanceof KubeError ? error : new KubeError('BadAnswer', String(error), { cause: error });
    if (hasCode(failure, 'Gone')) this.#from = undefined;
    if (hasCode(failure, 'Timeout')) this.#api.renewConnections();
    this.#failures += 1;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), LONGEST_BACKOFF_MS);
    const spread = backoff * (0.5 + (this.#options.random ?? Math.random)() / 2);
    // One silent connection or one expired version is news, not a failing server: go on at once.
    const isFirst = this.#failures === 1 && hasCode(failure, 'Gone', 'Timeout');
    const wait = failure.retryAfterMs ?? (isFirst ? 0 : spread);
    this.#options.onTrouble?.(failure, wait);
    await sleep(this.#options.clock, wait, signal);
  }

  #isListOld(): boolean {
    return this.#options.clock.monotonic() - this.#listedAt > (this.#options.relistMs ?? RELIST_MS);
  }
}
