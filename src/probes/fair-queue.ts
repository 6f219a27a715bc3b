// Which worker is probed next? Namespaces take turns, in each its pools, so that no pool waits for
// the many workers of another.
import Queue from 'yocto-queue';
import { refOf } from '../api/objects.ts';

export type Waiting<T> = { readonly it: T; readonly key: string; readonly at: number };

/** Which namespaces and pools have not used up their share; the others are passed over. */
export type Open = {
  readonly isNamespace: (namespace: string) => boolean;
  readonly isPool: (key: string) => boolean;
};

/**
 * A pool waits for at most one worker of each other namespace, and one of each other pool of its
 * own, however long their queues are.
 */
export class FairQueue<T> {
  /** Namespaces and their pools, the next first: one that was served goes to the end. */
  readonly #namespaces = new Map<string, Map<string, Queue<Waiting<T>>>>();

  add(it: T, key: string, at: number): void {
    const namespace = namespaceOf(key);
    const pools = this.#namespaces.get(namespace) ?? new Map<string, Queue<Waiting<T>>>();
    this.#namespaces.set(namespace, pools);
    const queue = pools.get(key) ?? new Queue<Waiting<T>>();
    pools.set(key, queue);
    queue.enqueue({ it, key, at });
  }

  first(open: Open): Waiting<T> | undefined {
    for (const [namespace, pools] of this.#namespaces) {
      if (!open.isNamespace(namespace)) continue;
      for (const [key, queue] of pools) if (open.isPool(key)) return queue.peek();
    }
    return undefined;
  }

  /** Takes the first of this pool. */
  take(key: string): void {
    const namespace = namespaceOf(key);
    const pools = this.#namespaces.get(namespace);
    const queue = pools?.get(key);
    if (pools === undefined || queue === undefined) return;
    queue.dequeue();
    pools.delete(key);
    if (queue.size > 0) pools.set(key, queue);
    this.#namespaces.delete(namespace);
    if (pools.size > 0) this.#namespaces.set(namespace, pools);
  }
}

export const namespaceOf = (key: string): string => refOf(key).namespace ?? '';
