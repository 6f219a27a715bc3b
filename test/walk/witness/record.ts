// What has happened in these namespaces, in order? Watches of all pods, jobs and queues; each goes
// on where the last one ended, so that no change is missed.
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { hasCode } from '../../../src/runtime/client/errors.ts';
import { sleep, systemClock } from '../../../src/runtime/clock.ts';
import type { Seen } from './seen.ts';

const watched = [kinds.Pod, kinds.Job, kinds.SwarmJob, kinds.SwarmQueue, kinds.ResourceQuota];
const WATCH_SECONDS = 120;
const AGAIN_MS = 100;
/** Watches of different kinds show the same time within this; then changes are in order. */
const LATE_MS = 3_000;

export class Record {
  /** Why it is not complete. */
  readonly gaps: string[] = [];
  readonly #api: KubeClient;
  readonly #ending = new AbortController();
  #seen: Seen[] = [];

  constructor(api: KubeClient) {
    this.#api = api;
  }

  /** Resolves when all is watched. */
  async watch(namespaces: readonly string[]): Promise<void> {
    for (const namespace of namespaces)
      for (const kind of watched) {
        const { items, resourceVersion } = await this.#api.list(kind, namespace);
        for (const object of items) this.#note(kind, object, false);
        void this.#follow(kind, namespace, resourceVersion);
      }
  }

  /** What is new, in order, but for the last seconds. */
  take(): readonly Seen[] {
    const until = Date.now() - LATE_MS;
    const taken = this.#seen.filter(({ atMs }) => atMs <= until);
    this.#seen = this.#seen.filter(({ atMs }) => atMs > until);
    return taken.sort((a, b) => a.revision - b.revision);
  }

  stop(): void {
    this.#ending.abort();
  }

  async #follow(kind: Kind, namespace: string, from: string): Promise<void> {
    const { signal } = this.#ending;
    let resourceVersion = from;
    while (!signal.aborted) {
      try {
        const options = { resourceVersion, timeoutSeconds: WATCH_SECONDS };
        for await (const { type, object } of this.#api.watch(kind, namespace, options, {
          signal,
        })) {
          if (type !== 'BOOKMARK') this.#note(kind, object, type === 'DELETED');
          resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (hasCode(error, 'Gone')) {
          this.gaps.push(`changes of ${kind.plural} in ${namespace} were missed`);
          return;
        }
        await sleep(systemClock, AGAIN_MS, signal);
      }
    }
  }

  #note(kind: Kind, object: KubeObject, isDeleted: boolean): void {
    this.#seen.push({
      revision: Number(object.metadata.resourceVersion),
      atMs: Date.now(),
      isDeleted,
      object: { ...object, kind: kind.kind },
    });
  }
}
