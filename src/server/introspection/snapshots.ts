// What did the engine last see and decide, pool by pool? Kept as it was told; nothing is gathered
// for who asks.
import type { LastChange } from '../../api/introspection.ts';
import { keyOf } from '../../api/objects.ts';
import type { PoolDecision, PoolReport } from '../../pool/decision.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { changeDecided } from './pools.ts';

export type Snapshot = {
  readonly world: PoolWorld;
  readonly decision: PoolDecision;
  readonly now: number;
  /** The last that this operator decided to publish: what it moved stands nowhere else. */
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
      this.#tell(key);
    } else this.forgotten(key);
  }

  failed(): void {
    // What was seen and decided stays what it was; the next decision tells what became of it.
  }

  forgotten(key: string): void {
    if (this.#byKey.delete(key)) this.#tell(key);
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

  #tell(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
