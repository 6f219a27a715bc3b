// How is a worker asked over HTTP? On a connection of its own, which is kept while questions follow
// one another quickly.
import { Client } from 'undici';
import { deadlineIn } from '../runtime/client/deadline.ts';

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
 * Follows no redirect, reads no more than a report can have, waits no longer than for one. Nothing
 * is left of an address when its connection has ended (undici's own Agent looks through all
 * addresses each time that one ends, and there may be ten thousand).
 */
export class Connections {
  readonly #answerMs: number;
  readonly #clients = new Map<string, Client>();

  constructor(answerMs = ANSWER_MS) {
    this.#answerMs = answerMs;
  }

  async get(url: string, { isLast, mostBytes, onRead }: ProbeRequest): Promise<Buffer> {
    const { origin, pathname, search } = new URL(url);
    const deadline = deadlineIn(this.#answerMs);
    try {
      const question = {
        method: 'GET',
        path: pathname + search,
        reset: isLast,
        signal: deadline.signal,
      } as const;
      const { statusCode, headers, body } = await this.#to(origin).request(question);
      const refused = statusCode !== 200 ? new Error(`answers ${statusCode}`) : undefined;
      const isTooLong = Number(headers['content-length'] ?? 0) > mostBytes;
      if (refused !== undefined || isTooLong) {
        // What is destroyed unread says so by an event, and one that nobody listens to ends the
        // process.
        body.on('error', () => undefined).destroy();
        throw refused ?? tooLong(mostBytes);
      }
      return await bytesOf(body, mostBytes, onRead);
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

async function bytesOf(
  body: AsyncIterable<unknown>,
  most: number,
  onRead: ProbeRequest['onRead'],
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    if (!(part instanceof Uint8Array)) continue;
    length += part.length;
    onRead(part.length);
    if (length > most) throw tooLong(most);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const tooLong = (most: number): Error =>
  new Error(`answers more than ${most} bytes, the most for what it was assigned`);
