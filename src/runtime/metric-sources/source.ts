// What does a source answer to a query now? One request, within bounds.
import { readFileSync, statSync } from 'node:fs';
import { Pool } from 'undici';
import { errorText } from '../../api/text.ts';
import type { MetricAnswer } from '../../core/metric.ts';
import { boundedRequest } from '../client/bounded-request.ts';
import type { Clock } from '../clock.ts';
import { answerIn, metricFailure } from './answer.ts';
import { MetricSourcesError, type SourceSettings } from './configured.ts';

/** Requests to one source that are under way. */
export const MOST_REQUESTS = 4;
const ANSWER_MS = 10_000;
/** One number is about a hundred bytes, with labels a few thousand. */
const MOST_BYTES = 64 * 1024;
/** Kubernetes rotates certificates and tokens in place. */
const READ_EVERY_MS = 10_000;

type SourceOptions = {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** A file cannot be read any more: the last contents stay in force. */
  readonly onTrouble: (message: string) => void;
  readonly answerMs?: number;
};

type Connection = { readonly pool: Pool; readonly headers: Readonly<Record<string, string>> };

export class MetricSource {
  readonly name: string;
  readonly #settings: SourceSettings;
  readonly #options: SourceOptions;
  #connection: Connection;
  #stamps: string;
  #readAt: number;

  /** Throws a MetricSourcesError where a file cannot be used. */
  constructor(settings: SourceSettings, options: SourceOptions) {
    this.name = settings.name;
    this.#settings = settings;
    this.#options = options;
    this.#stamps = this.#stampsNow();
    this.#readAt = options.clock.monotonic();
    this.#connection = this.#connect();
  }

  allows(namespace: string): boolean {
    const { namespaces } = this.#settings;
    return namespaces.includes('*') || namespaces.includes(namespace);
  }

  /**
   * The age of a sample is that by the source's own clock, or by ours where it tells none: a clock
   * that is wrong makes no sample old.
   */
  async ask(query: string): Promise<MetricAnswer> {
    const { clock, answerMs = ANSWER_MS } = this.#options;
    const { pool: dispatcher, headers } = this.#connectionNow();
    const asked = new URLSearchParams({
      query,
      timeout: `${answerMs / 1000}s`,
      // A second series shows an ambiguous query. A Thanos must not sum up some of its stores.
      limit: '2',
      partial_response: 'false',
    });
    let serverMs = Number.NaN;
    const answer = await boundedRequest(`${this.#settings.address}/api/v1/query?${asked}`, {
      dispatcher,
      headers: { ...headers, accept: 'application/json' },
      answerMs,
      mostBytes: MOST_BYTES,
      onHeaders: ({ date }) => {
        serverMs = Date.parse(date ?? '');
      },
    });
    if (!answer.ok) return failureOf(answer, answerMs);
    const found = answerIn(answer.status, answer.body.toString());
    if (found.state === 'failed') return found;
    const nowMs = Number.isNaN(serverMs) ? clock.now() : serverMs;
    return { state: 'sampled', value: found.value, ageMs: Math.max(0, nowMs - found.timeMs) };
  }

  async close(): Promise<void> {
    await this.#connection.pool.destroy();
  }

  #connectionNow(): Connection {
    const { clock, onTrouble } = this.#options;
    if (clock.monotonic() - this.#readAt < READ_EVERY_MS) return this.#connection;
    this.#readAt = clock.monotonic();
    const stamps = this.#stampsNow();
    if (stamps === this.#stamps) return this.#connection;
    try {
      const { pool } = this.#connection;
      this.#connection = this.#connect();
      this.#stamps = stamps;
      // What is under way ends first.
      pool.close().catch(() => undefined);
    } catch (error) {
      onTrouble(errorText(error));
    }
    return this.#connection;
  }

  #connect(): Connection {
    const { name, address, caFile, tokenFile } = this.#settings;
    const read = (file: string): string => {
      try {
        return readFileSync(file, 'utf8');
      } catch (error) {
        throw new MetricSourcesError(`metric source ${name}: ${file}: ${errorText(error)}`);
      }
    };
    const token = tokenFile && read(tokenFile).trim();
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new MetricSourcesError(
        `metric source ${name}: ${tokenFile} contains no token; expected one line without spaces`,
      );
    const { answerMs: timeout = ANSWER_MS } = this.#options;
    const ca = caFile && read(caFile);
    return {
      pool: new Pool(new URL(address).origin, {
        connections: MOST_REQUESTS,
        connect: { timeout, ...(ca !== undefined && { ca }) },
      }),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    };
  }

  /** Changes whenever a file does; one that is gone counts as changed. */
  #stampsNow(): string {
    const { caFile, tokenFile } = this.#settings;
    return [caFile, tokenFile]
      .map((file) => {
        const stat = file && statSync(file, { throwIfNoEntry: false });
        return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : 'none';
      })
      .join(';');
  }
}

type Failed = Extract<Awaited<ReturnType<typeof boundedRequest>>, { ok: false }>;

/** Texts of errors name addresses: those are the administrator's. */
function failureOf({ why, code = '' }: Failed, answerMs: number): MetricAnswer {
  switch (why) {
    case 'late':
      return metricFailure('late', `${answerMs / 1000} s`);
    case 'too-long':
      return metricFailure('too-long', `${MOST_BYTES / 1024} KiB`);
    default:
      return metricFailure('unreachable', code);
  }
}
