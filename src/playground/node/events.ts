// Events on pods; repetitions of an event are counted in the first one.
import { kinds } from '../../api/kinds.ts';
import type { ExactRef, Ref } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';

export type EventRecorder = (type: 'Normal' | 'Warning', reason: string, note: string) => void;

type WrittenEvent = { readonly ref: Ref; count: number };

/** Older ones are forgotten, so that a node that runs for weeks does not grow. */
const REMEMBERED = 1_000;

export class Events {
  readonly #api: KubeApi;
  readonly #nodeName: string;
  readonly #written = new Map<string, WrittenEvent>();
  #pending: Promise<unknown> = Promise.resolve();

  constructor(api: KubeApi, nodeName: string) {
    this.#api = api;
    this.#nodeName = nodeName;
  }

  for(pod: ExactRef): EventRecorder {
    return (type, reason, note) => {
      const key = `${pod.uid} ${reason} ${note}`;
      const written = this.#written.get(key);
      const sent =
        written === undefined
          ? this.#create(key, pod, { type, reason, note: note.slice(0, 1024) })
          : this.#count(written);
      this.#pending = Promise.allSettled([this.#pending, sent]);
    };
  }

  /** Resolves when each event was sent or has failed; none is sent twice. */
  async flush(): Promise<void> {
    await this.#pending;
  }

  async #create(
    key: string,
    { namespace, name, uid }: ExactRef,
    event: { readonly type: string; readonly reason: string; readonly note: string },
  ): Promise<void> {
    const ref = {
      name: `${name}.${Date.now().toString(16)}${Math.floor(Math.random() * 0xffffff).toString(16)}`,
      ...(namespace !== undefined && { namespace }),
    };
    this.#written.set(key, { ref, count: 1 });
    const [oldest = key] = this.#written.keys();
    if (this.#written.size > REMEMBERED) this.#written.delete(oldest);
    await this.#api.create(kinds.Event, {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: ref,
      eventTime: microTime(Date.now()),
      reportingController: 'kubelet',
      reportingInstance: this.#nodeName,
      action: event.reason,
      regarding: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      ...event,
    });
  }

  async #count(written: WrittenEvent): Promise<void> {
    written.count += 1;
    const body = { series: { count: written.count, lastObservedTime: microTime(Date.now()) } };
    await this.#api.patch(kinds.Event, written.ref, { type: 'merge', body });
  }
}

/** With six decimals, as events and leases need it. */
export const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
