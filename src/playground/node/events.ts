// How does one tell a user what happened to a pod? By events, one for each thing however often it
// happens.
import { kinds } from '../../api/kinds.ts';
import type { ExactRef } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';

export type Tell = (type: 'Normal' | 'Warning', reason: string, note: string) => void;

type Known = { readonly name: string; count: number };

/** Forgotten beyond this many, so that a node that runs for weeks does not grow. */
const REMEMBERED = 1_000;

export class Events {
  readonly #api: KubeApi;
  readonly #component: string;
  readonly #instance: string;
  readonly #known = new Map<string, Known>();
  #pending: Promise<void> = Promise.resolve();

  constructor(api: KubeApi, component: string, instance: string) {
    this.#api = api;
    this.#component = component;
    this.#instance = instance;
  }

  for(pod: ExactRef): Tell {
    return (type, reason, note) => this.#tell(pod, type, reason, note.slice(0, 1024));
  }

  /**
   * Resolves when all that was told before has been sent, or has failed: an event is worth one
   * attempt.
   */
  flush(): Promise<void> {
    return this.#pending;
  }

  #tell(pod: ExactRef, type: 'Normal' | 'Warning', reason: string, note: string): void {
    const key = `${pod.uid} ${reason} ${note}`;
    const known = this.#known.get(key);
    const send =
      known === undefined ? this.#first(key, pod, type, reason, note) : this.#again(pod, known);
    this.#pending = Promise.allSettled([this.#pending, send]).then(() => undefined);
  }

  async #first(
    key: string,
    pod: ExactRef,
    type: string,
    reason: string,
    note: string,
  ): Promise<void> {
    const name = `${pod.name}.${Date.now().toString(16)}${Math.floor(Math.random() * 0xffffff).toString(16)}`;
    this.#known.set(key, { name, count: 1 });
    const oldest = this.#known.keys().next();
    if (this.#known.size > REMEMBERED && oldest.done !== true) this.#known.delete(oldest.value);
    const { namespace } = pod;
    await this.#api.create(kinds.Event, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, ...(namespace !== undefined && { namespace }) },
      eventTime: now(),
      reportingController: this.#component,
      reportingInstance: this.#instance,
      action: reason,
      regarding: { apiVersion: 'v1', kind: 'Pod', name: pod.name, namespace, uid: pod.uid },
      type,
      reason,
      note,
    });
  }

  async #again(pod: ExactRef, known: Known): Promise<void> {
    known.count += 1;
    const body = { series: { count: known.count, lastObservedTime: now() } };
    await this.#api.patch(
      kinds.Event,
      { ...(pod.namespace !== undefined && { namespace: pod.namespace }), name: known.name },
      { type: 'merge', body },
    );
  }
}

/** Event times need six decimals. */
const now = (): string => new Date().toISOString().replace('Z', '000Z');
