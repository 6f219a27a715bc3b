// How is a worker asked over HTTP? On a connection of its own, which is kept while questions follow one another quickly.
import { Client } from 'undici';
import { limit } from '../kube/limit.ts';

const ANSWER_MS = 2_000;
/** Some thousand stream names of full length; what is longer is not a report. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
const KEPT_MS = 4_000;

/**
 * Follows no redirect, reads no more than a report can have, waits no longer than for one. Nothing is left of an address when its
 * connection has ended (undici's own Agent looks through all addresses each time that one ends, and there may be ten thousand).
 */
export class Connections {
  readonly #answerMs: number;
  readonly #clients = new Map<string, Client>();

  constructor(answerMs = ANSWER_MS) {
    this.#answerMs = answerMs;
  }

  /** `isLast`: nothing more is asked there for a while. */
  async get(url: string, isLast: boolean): Promise<string> {
    const { origin, pathname, search } = new URL(url);
    const deadline = limit(this.#answerMs);
    try {
      const question = { method: 'GET', path: pathname + search, reset: isLast, signal: deadline.signal } as const;
      const { statusCode, body } = await this.#to(origin).request(question);
      if (statusCode !== 200) {
        // What is destroyed unread says so by an event, and one that nobody listens to ends the process.
        body.on('error', () => undefined).destroy();
        throw new Error(`answers ${statusCode}`);
      }
      return await textOf(body);
    } catch (error) {
      throw deadline.isPassed() ? new Error(`no answer within ${this.#answerMs / 1000} s`) : error;
    } finally {
      deadline.end();
    }
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
    const client = new Client(origin, { connect: { timeout: this.#answerMs, rejectUnauthorized: false }, keepAliveTimeout: KEPT_MS });
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

async function textOf(body: AsyncIterable<unknown>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    if (!(part instanceof Uint8Array)) continue;
    length += part.length;
    if (length > LONGEST_ANSWER) throw new Error(`answers more than ${LONGEST_ANSWER} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
