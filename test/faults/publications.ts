// What was ever published for a pool? Every state of its ConfigMap, from a watch that no fault
// hits.
import { readAssignment, type Slice } from '../../src/api/assignment.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../src/api/objects.ts';
import type { KubeApi } from '../../src/runtime/client/api.ts';
import { sleep, systemClock } from '../../src/runtime/clock.ts';

/** The snapshot brought this publication back: no operator has written it now. */
export type Publication = {
  readonly version: number;
  readonly slices: ReadonlyMap<string, Slice>;
  readonly isRestored: boolean;
};

const WATCH_SECONDS = 60;
const AGAIN_MS = 100;

export class Publications {
  readonly all: Publication[] = [];
  /** Publications that cannot be read. */
  readonly unreadable: string[] = [];
  /** Texts that a user wrote: no publications of an operator. */
  readonly byHand = new Set<string>();
  readonly #stopping = new AbortController();
  #restoration: Promise<void> | undefined;
  #watching = new AbortController();
  readonly #running: Promise<void>;

  constructor(api: KubeApi, namespace: string, name = 'tv-assignments') {
    this.#running = this.#run(api, namespace, name);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /**
   * Paused while etcd is restored: a publication that is found afterwards is that of the snapshot.
   */
  async whileRestoring(restore: () => Promise<void>): Promise<void> {
    const until = Promise.withResolvers<void>();
    this.#restoration = until.promise;
    this.#watching.abort();
    await restore().finally(until.resolve);
  }

  /**
   * One watch after the other, each from where the last ended: it misses no state as long as the
   * server remembers it.
   */
  async #run(api: KubeApi, namespace: string, name: string): Promise<void> {
    const { signal } = this.#stopping;
    const fieldSelector = `metadata.name=${name}`;
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      try {
        const restoration = this.#restoration;
        await restoration;
        if (restoration !== undefined) resourceVersion = undefined;
        if (resourceVersion === undefined) {
          const listing = await api.list(kinds.ConfigMap, namespace, { fieldSelector }, { signal });
          for (const object of listing.items) this.#take(object, restoration !== undefined);
          if (restoration === this.#restoration) this.#restoration = undefined;
          resourceVersion = listing.resourceVersion;
        }
        const options = { resourceVersion, fieldSelector, timeoutSeconds: WATCH_SECONDS };
        this.#watching = new AbortController();
        const either = AbortSignal.any([signal, this.#watching.signal]);
        for await (const { type, object } of api.watch(kinds.ConfigMap, namespace, options, {
          signal: either,
        })) {
          if (type === 'ADDED' || type === 'MODIFIED') this.#take(object);
          resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        }
      } catch (error) {
        if (dig({ error }, 'error', 'code') === 'Gone') resourceVersion = undefined;
        await sleep(systemClock, AGAIN_MS, signal);
      }
    }
  }

  #take(object: KubeObject, isRestored = false): void {
    const text = asString(dig(object, 'data', 'config.yml')) ?? '';
    if (this.byHand.has(text)) return;
    const read = readAssignment(text);
    if (read.ok)
      this.all.push({
        version: read.assignment.version,
        slices: read.assignment.workloads,
        isRestored,
      });
    else this.unreadable.push(text);
  }
}
