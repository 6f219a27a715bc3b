// What is known of the objects of a kind, and which listener hears of a change? The last world and
// decision of each: an answer observes nothing anew.
import { refOf } from '../../api/objects.ts';

type Listener = (key: string) => void;

export abstract class Snapshots<Snapshot> {
  abstract readonly kind: string;
  /** Names of its events in the stream. */
  abstract readonly events: { readonly changed: string; readonly gone: string };
  /** As lists and the stream show it. */
  abstract readonly inShort: (snapshot: Snapshot) => object;
  readonly #byKey = new Map<string, Snapshot>();
  readonly #listeners = new Set<Listener>();

  failed(): void {
    // The next decision shows the outcome.
  }

  forgotten(key: string): void {
    if (this.#byKey.delete(key)) this.#notify(key);
  }

  get(key: string): Snapshot | undefined {
    return this.#byKey.get(key);
  }

  eventOf(key: string): {
    readonly event: string;
    readonly data: object;
    readonly isGone: boolean;
  } {
    const snapshot = this.#byKey.get(key);
    const { changed, gone } = this.events;
    return snapshot === undefined
      ? { event: gone, data: refOf(key), isGone: true }
      : { event: changed, data: this.inShort(snapshot), isGone: false };
  }

  /** In the order of namespaces and names. */
  entries(): readonly (readonly [string, Snapshot])[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  protected keep(key: string, snapshot: Snapshot): void {
    this.#byKey.set(key, snapshot);
    this.#notify(key);
  }

  #notify(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
