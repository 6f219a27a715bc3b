// Events on pods; repetitions of an event are counted in the first one.
import { randomBytes } from 'node:crypto';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { Ref } from '../../api/objects.ts';
import { timeText } from '../../core/text.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import type { NodePod } from './pods/pod-spec.ts';

export type EventRecorder = (type: 'Normal' | 'Warning', reason: string, message: string) => void;

type PodRef = NodePod['ref'];
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

  for(pod: PodRef): EventRecorder {
    return (type, reason, message) => {
      const key = `${pod.uid} ${reason} ${message}`;
      const written = this.#written.get(key);
      const sent =
        written === undefined
          ? this.#create(key, pod, { type, reason, message: message.slice(0, 1024) })
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
    { namespace, name, uid }: PodRef,
    event: { readonly type: string; readonly reason: string; readonly message: string },
  ): Promise<void> {
    const ref = { namespace, name: `${name}.${randomBytes(6).toString('hex')}` };
    this.#written.set(key, { ref, count: 1 });
    const [oldest = key] = this.#written.keys();
    if (this.#written.size > REMEMBERED) this.#written.delete(oldest);
    const now = Date.now();
    await this.#api.create(kinds.Event, {
      apiVersion: apiVersionOf(kinds.Event),
      kind: 'Event',
      metadata: ref,
      firstTimestamp: timeText(now),
      lastTimestamp: timeText(now),
      count: 1,
      source: { component: 'kubelet', host: this.#nodeName },
      reportingComponent: 'kubelet',
      reportingInstance: this.#nodeName,
      action: event.reason,
      involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
      ...event,
    });
  }

  async #count(written: WrittenEvent): Promise<void> {
    written.count += 1;
    const body = { count: written.count, lastTimestamp: timeText(Date.now()) };
    await this.#api.patch(kinds.Event, written.ref, { type: 'merge', body });
  }
}
