// When is a watch that failed tried again, and is it denied altogether?
import { hasCode, type KubeError, type KubeErrorCode } from '../client/errors.ts';

const FIRST_BACKOFF_MS = 200;
const LONGEST_BACKOFF_MS = 10_000;
/**
 * Where nobody listens, nobody is burdened by a request; and a server that comes back must not be
 * waited for much longer than it was away.
 */
const LONGEST_UNREACHABLE_MS = 3_000;
/**
 * So many refusals in a row, over some three seconds, are no accident: an API server that starts
 * refuses what it has not read the rules of yet.
 */
const DENIED_TIMES = 5;

export type WatchPhase = 'list' | 'watch';

export type RecoveryOptions = {
  /** Spreads the retries of many watches; in [0, 1). */
  readonly random: () => number;
  /** Not served, or without the right to read it; undefined: it can be read again. */
  readonly onDenied: (denial: KubeError | undefined) => void;
};

export class Recovery {
  readonly #options: RecoveryOptions;
  /** Since the watch last got on. */
  #failures = 0;
  #lastFailure: KubeErrorCode | undefined;
  #wasAway = false;
  /** Refusals in a row. */
  #denials = 0;
  #denial: { readonly message: string; readonly phase: WatchPhase } | undefined;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** `mustList`: what is known may be of another time. */
  after(
    failure: KubeError,
    phase: WatchPhase,
  ): { readonly waitMs: number; readonly mustList: boolean } {
    this.#failures += 1;
    if (hasCode(failure, 'Unreachable', 'Unavailable')) this.#wasAway = true;
    this.#countDenials(failure, phase);
    const longest = hasCode(failure, 'Unreachable') ? LONGEST_UNREACHABLE_MS : LONGEST_BACKOFF_MS;
    const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), longest);
    // One silent connection or one expired version is news, not a failing server: go on at once. A
    // version expires also while a server is away.
    const isNews = hasCode(failure, 'Gone')
      ? this.#lastFailure !== 'Gone'
      : this.#failures === 1 && hasCode(failure, 'Timeout');
    this.#lastFailure = failure.code;
    return {
      waitMs: failure.retryAfterMs ?? (isNews ? 0 : backoff * (0.5 + this.#options.random() / 2)),
      // The server was away for a while: etcd may have been restored, and may already have passed
      // the versions that were seen.
      mustList: this.#failures > 1 && this.#wasAway,
    };
  }

  /** A list has come; the watch that follows may fail all the same. */
  listed(): void {
    if (this.#denial?.phase === 'list') this.#allow();
  }

  /** The watch works. */
  gotOn(): void {
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
