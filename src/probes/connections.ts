// How is a worker probed over HTTP? On a connection of its own, which is kept while its probes
// follow one another quickly.
import { Client } from 'undici';
import { boundedRequest } from '../runtime/client/bounded-request.ts';
import { noTrust, type ProbeTrust } from './trust.ts';

const ANSWER_MS = 2_000;
const KEPT_MS = 4_000;

type ProbeRequest = {
  /** The next probe of this worker is some time away: its connection is closed. */
  readonly isLast: boolean;
  readonly mostBytes: number;
  /** Called with the bytes that were read, also when the answer is refused. */
  readonly onRead: (bytes: number) => void;
};

type Received = {
  readonly body: Buffer;
  /** What time it was by the worker's clock, if its answer says so. */
  readonly date: string | undefined;
};

/**
 * Forgets an address when its connection has ended. Not undici's Agent: that looks through all
 * addresses each time that a connection ends, and there may be ten thousand.
 */
export class Connections {
  readonly #answerMs: number;
  readonly #trust: () => ProbeTrust;
  readonly #clients = new Map<string, Client>();

  /** `trust`: of workers that are probed over HTTPS. */
  constructor(answerMs = ANSWER_MS, trust = (): ProbeTrust => noTrust) {
    this.#answerMs = answerMs;
    this.#trust = trust;
  }

  async get(url: string, { isLast, mostBytes, onRead }: ProbeRequest): Promise<Received> {
    let date: string | undefined;
    const answer = await boundedRequest(url, {
      answerMs: this.#answerMs,
      mostBytes,
      mostFor: 'its assignment',
      wants200: true,
      onRead,
      onHeaders: (headers) => {
        ({ date } = headers);
      },
      reset: isLast,
      dispatcher: this.#to(new URL(url).origin),
      // Over HTTP anyone on the way could read what they hold.
      ...(url.startsWith('https:') && { headers: this.#trust().headers }),
    });
    if (answer.ok) return { body: answer.body, date };
    throw new Error(answer.reason);
  }

  /** How many addresses are remembered. */
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
      connect: { timeout: this.#answerMs, ...this.#trust().tls },
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
