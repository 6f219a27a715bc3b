// How are events written? Each at most once, as a new Event or as the count of a series. A lost
// event has no consequence.
import { randomBytes } from 'node:crypto';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { KubeObject, Ref } from '../../api/objects.ts';
import type { EventText, Regarding } from '../../core/decision.ts';
import type { KubeApi } from '../client/api.ts';
import { hasCode } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { EventSeries, type EventWrite, MOST_OBJECTS, type Series } from './event-series.ts';

/** Bytes of an event's note; the API server refuses a longer one. */
const LONGEST_NOTE = 1_024;
/** A name has at most 253 characters; our suffix takes 13. */
const LONGEST_NAME = 240;

type EventWriterOptions = {
  readonly api: KubeApi;
  readonly clock: Clock;
  readonly identity: string;
  readonly isLeading: () => boolean;
  readonly onLost: (error: unknown) => void;
};

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #series = new EventSeries();
  /** Counts to be written, by the name of their Event. */
  readonly #waiting = new Map<string, { readonly series: Series; readonly cancel: () => void }>();

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** Never throws. */
  async write(regarding: Regarding, event: EventText): Promise<void> {
    // Each deleted Event of the series costs one more try, and a series has no more than these.
    for (let tries = 0; tries <= MOST_OBJECTS; tries += 1)
      if (await this.#try(regarding, event)) return;
  }

  /**
   * Leadership ended: unwritten counts are lost, and the next repetition is a new Event.
   */
  forget(): void {
    for (const { series, cancel } of this.#waiting.values()) {
      cancel();
      this.#series.forget(series);
    }
    this.#waiting.clear();
  }

  /** Returns false when the Event is gone, so that a new one must be created. */
  async #try(regarding: Regarding, event: EventText): Promise<boolean> {
    const { clock } = this.#options;
    const at = { monotonic: clock.monotonic(), now: clock.now() };
    const step = this.#series.record(regarding, event, refOfNew(regarding), at);
    switch (step.do) {
      case 'create':
        await this.#create(step.series, regarding, event);
        return true;
      case 'patch':
        return this.#patch(step.series);
      case 'wait':
        this.#wait(step);
        return true;
      default:
        return step satisfies never;
    }
  }

  async #create(series: Series, regarding: Regarding, event: EventText): Promise<void> {
    const { api, onLost } = this.#options;
    try {
      await api.create(kinds.Event, this.#object(series.ref, regarding, event));
    } catch (error) {
      this.#series.forget(series);
      onLost(error);
    }
  }

  /** Only the series and the metadata of an Event can be changed. */
  async #patch(series: Series): Promise<boolean> {
    const { api, onLost } = this.#options;
    this.#endWait(series);
    try {
      const body = {
        series: { count: series.count, lastObservedTime: microTime(series.lastObserved) },
      };
      await api.patch(kinds.Event, series.ref, { type: 'merge', body });
      return true;
    } catch (error) {
      if (!hasCode(error, 'NotFound')) onLost(error);
      else this.#series.forget(series);
      return !hasCode(error, 'NotFound');
    }
  }

  #wait({ series, ms }: Extract<EventWrite, { do: 'wait' }>): void {
    const { name } = series.ref;
    if (this.#waiting.has(name)) return;
    const cancel = this.#options.clock.after(ms, () => void this.#writeDue(series));
    this.#waiting.set(name, { series, cancel });
  }

  async #writeDue(series: Series): Promise<void> {
    this.#endWait(series);
    const step = this.#options.isLeading()
      ? this.#series.due(series, this.#options.clock.monotonic())
      : undefined;
    if (step?.do === 'patch') await this.#patch(step.series);
  }

  #endWait({ ref: { name } }: Series): void {
    this.#waiting.get(name)?.cancel();
    this.#waiting.delete(name);
  }

  #object(ref: Ref, regarding: Regarding, event: EventText): KubeObject {
    const { clock, identity } = this.#options;
    return {
      apiVersion: apiVersionOf(kinds.Event),
      kind: 'Event',
      metadata: ref,
      eventTime: microTime(clock.now()),
      reportingController: 'k8slab.info/swarm-operator',
      reportingInstance: identity,
      action: event.action,
      reason: event.reason,
      regarding,
      note: shortened(event.message),
      type: event.type,
    };
  }
}

const refOfNew = ({ name, namespace }: Regarding): Ref => ({
  name: `${name.slice(0, LONGEST_NAME).replace(/[^a-z0-9]+$/, '')}.${randomBytes(6).toString('hex')}`,
  ...(namespace !== undefined && { namespace }),
});

/** Event times need six decimals. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');

/** Cuts between characters; counts bytes, as the API does. */
function shortened(text: string): string {
  if (Buffer.byteLength(text) <= LONGEST_NOTE) return text;
  const { read } = new TextEncoder().encodeInto(
    text,
    new Uint8Array(LONGEST_NOTE - Buffer.byteLength('…')),
  );
  return `${text.slice(0, read)}…`;
}
