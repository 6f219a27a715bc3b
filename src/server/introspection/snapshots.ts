// What did the engine last observe and decide, pool by pool? A question gathers nothing anew.
import type { LastChange } from '../../api/introspection.ts';
import { keyOf } from '../../api/objects.ts';
import type { PoolDecision, PoolReport } from '../../pool/decision.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { changeDecided } from './pools.ts';

export type Observed = { readonly world: PoolWorld; readonly decision: PoolDecision };

export type Snapshot = Observed & {
  readonly now: number;
  /** The last change that this operator decided on: its moves are written nowhere else. */
  readonly lastChange?: LastChange | undefined;
};

type Listener = (key: string) => void;

export class Snapshots {
  readonly #byKey = new Map<string, Snapshot>();
  readonly #listeners = new Set<Listener>();

  decided(key: string, { world, decision, now }: Omit<PoolReport, 'tookMs'>): void {
    if (world.kind === 'SwarmPool') {
      const lastChange = changeDecided({ world, decision }) ?? this.#byKey.get(key)?.lastChange;
      this.#byKey.set(key, { world, decision, now, lastChange });
      this.#notify(key);
    } else this.forgotten(key);
  }

  failed(): void {
    // The next decision tells what came of it.
  }

  forgotten(key: string): void {
    if (this.#byKey.delete(key)) this.#notify(key);
  }

  get(namespace: string, name: string): Snapshot | undefined {
    return this.#byKey.get(keyOf({ namespace, name }));
  }

  /** In the order of namespaces and names. */
  entries(): readonly (readonly [string, Snapshot])[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
