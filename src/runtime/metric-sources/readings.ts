// What did the sources answer last? Each query is sent once in a period for all groups that share
// it, a few requests at a time, and each group that waits for an answer is woken.
import type { MetricAnswer, MetricFailure, MetricReading } from '../../core/metric.ts';
import type { Clock } from '../clock.ts';
import { FairSemaphore } from '../queue/fair-semaphore.ts';
import { metricFailure } from './answer.ts';
import { type MetricSource, MOST_REQUESTS } from './source.ts';

/** Of one namespace, at all sources together. */
const MOST_QUERIES = 100;

export type MetricQuestion = {
  readonly source: string;
  readonly query: string;
  /** Asked again after this time. */
  readonly periodMs: number;
};

/** How a request ended. */
export type MetricRequestReport = {
  readonly source: string;
  readonly result: string;
  readonly ms: number;
};

type Source = Pick<MetricSource, 'name' | 'allows' | 'ask' | 'close'>;

type ReadingsOptions = {
  readonly clock: Clock;
  readonly sources: readonly Source[];
  /** A new answer for this asker. */
  readonly onAnswer: (asker: string) => void;
  readonly observe?: ((report: MetricRequestReport) => void) | undefined;
};

type LimitedSource = { readonly source: Source; readonly requests: FairSemaphore };

type Asker = { readonly namespace: string; readonly periodMs: number };

type Query = {
  readonly key: string;
  readonly limited: LimitedSource;
  readonly text: string;
  /** By name. */
  readonly askers: Map<string, Asker>;
  /** When it was asked last. */
  askedMs: number;
  isUnderWay: boolean;
  answer: { readonly is: MetricAnswer; readonly atMs: number } | undefined;
  /** Of the timer until it is asked again. */
  cancel: () => void;
};

/**
 * Guarantees: a query has one request under way at a time, and none once no group asks it; a source
 * has a few under way, and one for each namespace, which take turns; a namespace asks a bounded
 * number of different queries.
 */
export class MetricReadings {
  readonly #options: ReadingsOptions;
  readonly #sources: ReadonlyMap<string, LimitedSource>;
  /** By source and text. */
  readonly #queries = new Map<string, Query>();
  /** By asker. */
  readonly #asked = new Map<string, Query>();
  /** By asker: why it is not asked for this one. */
  readonly #refused = new Map<string, MetricFailure>();
  /** By namespace: how many of it ask each query. */
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(options: ReadingsOptions) {
    this.#options = options;
    this.#sources = new Map(
      options.sources.map((source) => [
        source.name,
        { source, requests: new FairSemaphore(MOST_REQUESTS) },
      ]),
    );
  }

  /** What is known of what this one follows. */
  reading(asker: string): MetricReading {
    const query = this.#asked.get(asker);
    return this.#refused.get(asker) ?? (query ? this.#readingOf(query) : { state: 'pending' });
  }

  /** From now on this is asked, until it is released or follows something else. */
  follow(
    asker: string,
    namespace: string,
    { source, query: text, periodMs }: MetricQuestion,
  ): void {
    const limited = this.#sources.get(source);
    const key = `${source} ${text}`;
    if (this.#asked.get(asker)?.key !== key) this.release(asker);
    // A namespace does not learn which sources exist for others.
    if (limited?.source.allows(namespace) !== true) {
      this.#refuse(asker, metricFailure('unknown-source', source));
      return;
    }
    const counts = this.#counts.get(namespace) ?? new Map<string, number>();
    if (!counts.has(key) && counts.size >= MOST_QUERIES) {
      this.#refuse(asker, metricFailure('too-many-queries', String(MOST_QUERIES)));
      return;
    }
    const query = this.#queries.get(key) ?? this.#begin(key, limited, text);
    const known = query.askers.get(asker);
    query.askers.set(asker, { namespace, periodMs });
    this.#asked.set(asker, query);
    if (known === undefined)
      this.#counts.set(namespace, counts.set(key, (counts.get(key) ?? 0) + 1));
    if (known?.periodMs !== periodMs) this.#plan(query);
  }

  #refuse(asker: string, why: MetricFailure): void {
    this.release(asker);
    this.#refused.set(asker, why);
  }

  release(asker: string): void {
    this.#refused.delete(asker);
    const query = this.#asked.get(asker);
    const known = query?.askers.get(asker);
    if (query === undefined || known === undefined) return;
    this.#asked.delete(asker);
    query.askers.delete(asker);
    this.#uncount(known.namespace, query.key);
    if (query.askers.size > 0) return;
    query.cancel();
    this.#queries.delete(query.key);
    query.limited.requests.abandon(query, new Error('no group needs it any more'));
  }

  /** Another replica leads now, or the process ends. */
  releaseAll(): void {
    for (const asker of [...this.#asked.keys(), ...this.#refused.keys()]) this.release(asker);
  }

  async stop(): Promise<void> {
    this.releaseAll();
    await Promise.all(this.#options.sources.map((source) => source.close()));
  }

  #uncount(namespace: string, key: string): void {
    const counts = this.#counts.get(namespace);
    const left = (counts?.get(key) ?? 0) - 1;
    if (left > 0) counts?.set(key, left);
    else counts?.delete(key);
    if (counts?.size === 0) this.#counts.delete(namespace);
  }

  #begin(key: string, limited: LimitedSource, text: string): Query {
    const query: Query = {
      ...{ key, limited, text, askers: new Map<string, Asker>() },
      askedMs: Number.NEGATIVE_INFINITY,
      isUnderWay: false,
      answer: undefined,
      cancel: () => undefined,
    };
    this.#queries.set(key, query);
    return query;
  }

  #readingOf({ answer }: Query): MetricReading {
    if (answer === undefined) return { state: 'pending' };
    const { is, atMs } = answer;
    const sinceMs = this.#options.clock.monotonic() - atMs;
    return is.state === 'sampled' ? { ...is, ageMs: is.ageMs + sinceMs } : is;
  }

  #plan(query: Query): void {
    const { clock } = this.#options;
    query.cancel();
    const periodMs = Math.min(...[...query.askers.values()].map((it) => it.periodMs));
    const leftMs = query.askedMs + periodMs - clock.monotonic();
    query.cancel = clock.after(Math.max(0, leftMs), () => void this.#ask(query));
  }

  async #ask(query: Query): Promise<void> {
    if (query.isUnderWay) return;
    query.isUnderWay = true;
    const { requests, source } = query.limited;
    const namespace = quietestOf(query);
    try {
      await requests.acquire(namespace, query);
    } catch {
      return;
    }
    const { clock, observe, onAnswer } = this.#options;
    const startedMs = clock.monotonic();
    query.askedMs = startedMs;
    const answer = await source.ask(query.text).catch(() => metricFailure('not-understood'));
    requests.release(namespace);
    query.isUnderWay = false;
    const atMs = clock.monotonic();
    const result = answer.state === 'sampled' ? 'sample' : answer.trouble;
    observe?.({ source: source.name, result, ms: atMs - startedMs });
    if (query.askers.size === 0) return;
    query.answer = { is: answer, atMs };
    for (const asker of query.askers.keys()) onAnswer(asker);
    this.#plan(query);
  }
}

/** A namespace with slow queries of its own delays no query that it shares with others. */
function quietestOf({ askers, limited: { requests } }: Query): string {
  const namespaces = [...new Set([...askers.values()].map(({ namespace }) => namespace))];
  const [first = ''] = namespaces.sort((a, b) => requests.waitingOf(a) - requests.waitingOf(b));
  return first;
}
