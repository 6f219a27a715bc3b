// Who takes a change? Every listener of a kind; one that throws gets it again, a few times.
import type { Kind } from '../../api/kinds.ts';
import { type KubeObject, keyOf } from '../../api/objects.ts';
import type { Change } from '../client/api.ts';
import type { Clock } from '../clock.ts';

/** After each failure in a row. Then the change is undelivered, until the object changes again. */
const PAUSES_MS = [1_000, 5_000, 25_000, 125_000];
/** Of so many objects the change is kept, to be given again: a change may be large. */
const MOST_WAITING = 100;
const MOST_UNDELIVERED = 1_000;

type Listener = (change: Change) => void;

type DeliveriesOptions = {
  readonly kind: Kind;
  readonly clock: Clock;
  /** In this order. */
  readonly listeners: readonly Listener[];
  /** What is kept of an object. */
  readonly slim?: ((object: KubeObject) => KubeObject) | undefined;
  readonly onError: (message: string) => void;
};

/** A change that these listeners have not taken. */
type Failed = {
  readonly change: Change;
  readonly listeners: readonly Listener[];
  /** In a row. */
  readonly failures: number;
};

/**
 * Guarantees: a listener that throws delays no other, and no other object; it gets an object's last
 * change again, and never an earlier one after a later one.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  /** By object: cancels the next try. */
  readonly #waiting = new Map<string, () => void>();
  readonly #undelivered = new Set<string>();
  #isStopped = false;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  deliver(change: Change): void {
    const key = keyOf(change.object.metadata);
    this.#waiting.get(key)?.();
    this.#waiting.delete(key);
    this.#undelivered.delete(key);
    this.#give(key, { change, listeners: this.#options.listeners, failures: 0 });
  }

  /** Objects whose last change some listener has not taken, and does not get any more. */
  get undelivered(): readonly string[] {
    return [...this.#undelivered].map((key) => `${this.#options.kind.kind} ${key}`);
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #give(key: string, { change, listeners, failures }: Failed): void {
    let problem: unknown;
    let cut: Change | undefined;
    const failed = listeners.filter((listener) => {
      try {
        cut ??= this.#cut(change);
        listener(cut);
        return false;
      } catch (error) {
        problem = error;
        return true;
      }
    });
    if (failed.length > 0)
      this.#later(
        key,
        { change: cut ?? change, listeners: failed, failures: failures + 1 },
        problem,
      );
  }

  #cut(change: Change): Change {
    const { slim } = this.#options;
    return slim === undefined || change.type === 'DELETED'
      ? change
      : { ...change, object: slim(change.object) };
  }

  #later(key: string, failed: Failed, problem: unknown): void {
    if (this.#isStopped) return;
    const { kind, clock, onError } = this.#options;
    const { failures } = failed;
    const pauseMs = PAUSES_MS[failures - 1];
    const what = `${kind.kind} ${key}: cannot process the change`;
    if (pauseMs === undefined || this.#waiting.size >= MOST_WAITING) {
      if (this.#undelivered.size < MOST_UNDELIVERED) this.#undelivered.add(key);
      onError(
        `${what}, giving up; the cached object is outdated until it changes again: ${String(problem)}`,
      );
      return;
    }
    if (failures === 1) onError(`${what}: ${String(problem)}`);
    const again = (): void => {
      this.#waiting.delete(key);
      this.#give(key, failed);
    };
    this.#waiting.set(key, clock.after(pauseMs, again));
  }
}
