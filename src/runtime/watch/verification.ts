// Has a watch missed a change? From time to time the known objects are compared with a list.
import { type Kind, metadataOf } from '../../api/kinds.ts';
import { isNewer, type KubeObject } from '../../api/objects.ts';
import { slimmed } from '../../api/slim.ts';
import type { Selectors } from '../client/api.ts';
import type { Clock } from '../clock.ts';
import { isFoundTwice, type KnownObjects, missedIn } from './known-objects.ts';
import type { WatchedApi } from './paced-lists.ts';

/** etcd and API servers have lost watch events before. */
const RELIST_MS = 10 * 60_000;

export type ListTarget = {
  readonly kind: Kind;
  readonly namespace?: string | undefined;
  readonly selectors?: Selectors;
};

type VerificationOptions = {
  readonly api: Pick<WatchedApi, 'list'>;
  readonly target: ListTarget;
  readonly clock: Clock;
  readonly relistMs?: number | undefined;
  readonly known: KnownObjects;
  /** All changes up to this version are known; and a list that is older than `least` is stale. */
  readonly position: () => { readonly seen: string; readonly least: string };
  /** The objects have to be listed. */
  readonly onMissed: () => void;
  readonly onTrouble: (error: unknown) => void;
};

export class Verification {
  readonly #options: VerificationOptions;
  #completeAt = 0;
  /**
   * Changes that a list showed and the watch had not reported: it may only be late, so that another
   * comparison decides.
   */
  #missed: ReadonlyMap<string, string> = new Map();
  #running: Promise<void> | undefined;

  constructor(options: VerificationOptions) {
    this.#options = options;
  }

  /** Everything that a list shows is known. */
  listed(): void {
    this.#missed = new Map();
    this.#completeAt = this.#options.clock.monotonic();
  }

  /**
   * Runs beside the watch, since large objects take long to list; tried again after the next watch
   * when it fails.
   */
  beginIfDue(signal: AbortSignal): void {
    if (!this.#isDue) return;
    this.#running ??= this.#compare(signal)
      .catch((error: unknown) => {
        if (!signal.aborted) this.#options.onTrouble(error);
      })
      .finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when no comparison is under way. */
  async ended(): Promise<void> {
    await this.#running;
  }

  get #isDue(): boolean {
    const { clock, relistMs = RELIST_MS } = this.#options;
    return this.#missed.size > 0 || clock.monotonic() - this.#completeAt > relistMs;
  }

  async #compare(signal: AbortSignal): Promise<void> {
    const { api, target, known, position, onMissed } = this.#options;
    const { least } = position();
    const identity = (object: KubeObject): KubeObject => slimmed(object, {});
    const listing = await api.list(metadataOf(target.kind), target.namespace, target.selectors, {
      signal,
      slim: identity,
    });
    const missed = missedIn(listing, known.versions, position().seen);
    const isWrong =
      isNewer(least, listing.resourceVersion) ||
      known.isSetBack(listing) ||
      isFoundTwice(this.#missed, missed);
    const isFirst = this.#missed.size === 0;
    if (isFirst && !isWrong && missed.size > 0) this.#missed = missed;
    else this.listed();
    if (isWrong) onMissed();
  }
}
