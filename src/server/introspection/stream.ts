// How do clients follow changes? By server-sent events: a pool or group has changed, or has gone,
// and a sign of life in between.
import type { ServerResponse } from 'node:http';
import type { Snapshots } from './snapshots.ts';

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

type Known = Pick<Snapshots<unknown>, 'kind' | 'eventOf' | 'listen'>;

/** An object of a kind. */
type Subject = { readonly known: Known; readonly key: string };

export class EventStream {
  readonly #clients = new Set<ServerResponse>();
  /** By kind and key. */
  readonly #changed = new Map<string, Subject>();
  /** The last event of each: the same is not sent again. */
  readonly #sent = new Map<string, string>();
  readonly #limits: StreamLimits;
  readonly #unlisten: readonly (() => void)[];
  readonly #heartbeat: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;

  constructor(kinds: readonly Known[], limits: Partial<StreamLimits> = {}) {
    this.#limits = { ...usual, ...limits };
    this.#unlisten = kinds.map((known) => known.listen((key) => this.#note({ known, key })));
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
    for (const unlisten of this.#unlisten) unlisten();
    clearInterval(this.#heartbeat);
    clearTimeout(this.#timer);
    for (const client of this.#clients) client.destroy();
  }

  #note(subject: Subject): void {
    if (this.#clients.size === 0) {
      this.#sent.clear();
      return;
    }
    this.#changed.set(nameOf(subject), subject);
    this.#timer ??= setTimeout(() => this.#flush(), this.#limits.gatherMs).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    const events = [...this.#changed.values()].map((subject) => this.#eventOf(subject)).join('');
    this.#changed.clear();
    if (events !== '') this.#send(events);
  }

  #eventOf(subject: Subject): string {
    const { event, data: shown, isGone } = subject.known.eventOf(subject.key);
    const data = JSON.stringify(shown);
    const name = nameOf(subject);
    if (this.#sent.get(name) === data) return '';
    if (isGone) this.#sent.delete(name);
    else this.#sent.set(name, data);
    return `event: ${event}\ndata: ${data}\n\n`;
  }

  #send(text: string): void {
    for (const client of this.#clients) {
      if (client.writableLength > this.#limits.mostUnreadBytes) client.destroy();
      else client.write(text);
    }
  }
}

const nameOf = ({ known: { kind }, key }: Subject): string => `${kind} ${key}`;
