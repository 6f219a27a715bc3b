// How is a worker asked over HTTP? On a connection of its own, which is kept while questions follow
// one another quickly.
import { Client } from 'undici';
import { boundedRequest } from '../runtime/client/bounded-request.ts';

const ANSWER_MS = 2_000;
const KEPT_MS = 4_000;

export type ProbeRequest = {
  /** The next request to this worker is some time away. */
  readonly isLast: boolean;
  readonly mostBytes: number;
  /** Called with the bytes that were read, also when the answer is refused. */
  readonly onRead: (bytes: number) => void;
};

/**
 * Nothing is left of an address when its connection has ended (undici's own Agent looks through all
 * addresses each time that one ends, and there may be ten thousand).
 */
export class Connections {
  readonly #answerMs: number;
  readonly #clients = new Map<string, Client>();

  constructor(answerMs = ANSWER_MS) {
    this.#answerMs = answerMs;
  }

  async get(url: string, { isLast, mostBytes, onRead }: ProbeRequest): Promise<Buffer> {
    const answer = await boundedRequest(url, {
      answerMs: this.#answerMs,
      mostBytes,
      mostFor: 'what it was assigned',
      wants200: true,
      onRead,
      reset: isLast,
      dispatcher: this.#to(new URL(url).origin),
    });
    if (answer.ok) return answer.body;
    throw new Error(answer.reason);
  }

  /** Of how many addresses something is remembered. */
  get size(): number {
    return this.#clients.size;
  }

  async stop(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.destroy()));
  }

  #to(origin: string): Client {
    const present = this.#clients.get(origin);
    if (present !== undefined) return present;
    const client = new Client(origin, {
      connect: { timeout: this.#answerMs, rejectUnauthorized: false },
      keepAliveTimeout: KEPT_MS,
    });
    const forget = (): void => {
      if (client.stats.size > 0 || this.#clients.get(origin) !== client) return;
      this.#clients.delete(origin);
      void client.close();
    };
    client.on('disconnect', forget).on('connectionError', forget);
    this.#clients.set(origin, client);
    return client;
  }
}
