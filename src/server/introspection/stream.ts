// How do clients follow changes? By server-sent events: a pool has changed, a pool has gone, and a
// sign of life in between.
import type { ServerResponse } from 'node:http';
import { refOf } from '../../api/objects.ts';
import { type Snapshots, summaryOf } from './pools.ts';

export type StreamLimits = {
  readonly heartbeatMs: number;
  /** A pool changes many times while it converges: changes within this time are one event. */
  readonly gatherMs: number;
  readonly mostClients: number;
  /** A client that does not read is disconnected, and may connect again. */
  readonly mostUnreadBytes: number;
};

const usual: StreamLimits = {
  heartbeatMs: 15_000,
  gatherMs: 100,
  mostClients: 32,
  mostUnreadBytes: 1024 * 1024,
};

export class EventStream {
  readonly #snapshots: Snapshots;
  readonly #clients = new Set<ServerResponse>();
  readonly #changed = new Set<string>();
  /** The last event of each key: the same is not sent again. */
  readonly #sent = new Map<string, string>();
  readonly #limits: StreamLimits;
  readonly #unlisten: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;

  constructor(snapshots: Snapshots, limits: Partial<StreamLimits> = {}) {
    this.#snapshots = snapshots;
    this.#limits = { ...usual, ...limits };
    this.#unlisten = snapshots.listen((key) => this.#note(key));
    this.#heartbeat = setInterval(
      () => this.#send(': alive\n\n'),
      this.#limits.heartbeatMs,
    ).unref();
  }

  get isFull(): boolean {
    return this.#clients.size >= this.#limits.mostClients;
  }

  add(response: ServerResponse): void {
    response.on('error', () => undefined);
    response.on('close', () => this.#clients.delete(response));
    response.write(': changes follow\n\n');
    this.#clients.add(response);
  }

  close(): void {
    this.#unlisten();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#timer);
    for (const client of this.#clients) client.destroy();
  }

  #note(key: string): void {
    if (this.#clients.size === 0) {
      this.#sent.clear();
      return;
    }
    this.#changed.add(key);
    this.#timer ??= setTimeout(() => this.#flush(), this.#limits.gatherMs).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    const events = [...this.#changed].map((key) => this.#eventOf(key)).join('');
    this.#changed.clear();
    if (events !== '') this.#send(events);
  }

  #eventOf(key: string): string {
    const { namespace = '', name } = refOf(key);
    const snapshot = this.#snapshots.get(namespace, name);
    const data = JSON.stringify(snapshot === undefined ? { namespace, name } : summaryOf(snapshot));
    if (this.#sent.get(key) === data) return '';
    if (snapshot === undefined) this.#sent.delete(key);
    else this.#sent.set(key, data);
    return `event: ${snapshot === undefined ? 'gone' : 'pool'}\ndata: ${data}\n\n`;
  }

  #send(text: string): void {
    for (const client of this.#clients) {
      if (client.writableLength > this.#limits.mostUnreadBytes) client.destroy();
      else client.write(text);
    }
  }
}
