// When is a failed watch tried again, and when does it count as denied?
import { hasCode, type KubeError, type KubeErrorCode } from '../client/errors.ts';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/**
 * A refused connection costs the server nothing, and after a short outage the watch must be back
 * soon.
 */
const LONGEST_UNREACHABLE_MS = 3_000;
/**
 * So many refusals in a row, over some three seconds: a starting API server also refuses, until it
 * has read its rules.
 */
const DENIED_TIMES = 5;

type WatchPhase = 'list' | 'watch';

type RecoveryOptions = {
  /** Spreads the retries of many watches; in [0, 1). */
  readonly random: () => number;
  /** The kind is not served, or may not be read; undefined: it can be read again. */
  readonly onDenied: (denial: KubeError | undefined) => void;
};

export class Recovery {
  readonly #options: RecoveryOptions;
  /** Since the watch last worked. */
  #failures = 0;
  #lastFailure: KubeErrorCode | undefined;
  #wasAway = false;
  #isBroken = false;
  /** Refusals in a row. */
  #denials = 0;
  #denial: { readonly message: string; readonly phase: WatchPhase } | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** It has failed, and nothing has shown since that what is known is current. */
  get isBroken(): boolean {
    return this.#isBroken && this.#denial === undefined;
  }

  /** It has not failed since it last worked. */
  get isProven(): boolean {
    return this.#failures === 0 && this.#denial === undefined;
  }

  /** `mustList`: etcd may have been restored, so that the known versions mean nothing. */
  failed(
    failure: KubeError,
    phase: WatchPhase,
  ): { readonly waitMs: number; readonly mustList: boolean } {
    this.#failures += 1;
    this.#isBroken = true;
    if (hasCode(failure, 'Unreachable', 'Unavailable')) this.#wasAway = true;
    this.#countDenials(failure, phase);
    const longest = hasCode(failure, 'Unreachable') ? LONGEST_UNREACHABLE_MS : LONGEST_BACKOFF_MS;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), longest);
    // One silent connection or one expired version does not mean a failing server: retry at once.
    const isNews = hasCode(failure, 'Gone')
      ? this.#lastFailure !== 'Gone'
      : this.#failures === 1 && hasCode(failure, 'Timeout');
    this.#lastFailure = failure.code;
    return {
      waitMs: failure.retryAfterMs ?? (isNews ? 0 : backoff * (0.5 + this.#options.random() / 2)),
      // While the server was away, etcd may have been restored and passed the known versions.
      mustList: this.#failures > 1 && this.#wasAway,
    };
  }

  /** A list succeeded, or a comparison with one; the watch after it may still fail. */
  listed(): void {
    this.#isBroken = false;
    if (this.#denial?.phase === 'list') this.#allow();
  }

  /** The watch works. */
  succeeded(): void {
    this.#isBroken = false;
    this.#failures = 0;
    this.#wasAway = false;
    this.#lastFailure = undefined;
    this.#denials = 0;
    if (this.#denial !== undefined) this.#allow();
  }

  #countDenials(failure: KubeError, phase: WatchPhase): void {
    this.#denials = hasCode(failure, 'NotFound', 'Forbidden') ? this.#denials + 1 : 0;
    if (this.#denials < DENIED_TIMES || this.#denial?.message === failure.message) return;
    this.#denial = { message: failure.message, phase };
    this.#options.onDenied(failure);
  }

  #allow(): void {
    this.#denial = undefined;
    this.#denials = 0;
    this.#options.onDenied(undefined);
  }
}
