// What does the source of metrics of a benchmark answer, and when was it asked?
import {
  type MetricsServer,
  serveMetrics,
  valueIs,
} from '../../test/integration/support/metrics-server.ts';
import { TARGET } from './many-groups.ts';

export type Doubled = {
  readonly query: string;
  readonly value: number;
  /** From when on the source could say it. */
  readonly from: number;
  /** When it first said it. */
  toldAt: number | undefined;
};

export class MetricValues {
  readonly #server: MetricsServer;
  /** By query; left out: what one unit of size carries. */
  readonly #values = new Map<string, Doubled>();
  /** By query: how often its value still doubles. */
  readonly #left = new Map<string, number>();
  readonly #askedAt: number[] = [];
  readonly doubled: Doubled[] = [];

  private constructor(server: MetricsServer) {
    this.#server = server;
    server.answer = (query) => this.#answer(query);
  }

  static async start(): Promise<MetricValues> {
    return new MetricValues(await serveMetrics(['*']));
  }

  /** For `--metric-sources-file`. */
  get file(): string {
    return this.#server.file;
  }

  get requests(): number {
    return this.#askedAt.length;
  }

  /** When the request of this number came, from 0. */
  askedAt(request: number): number | undefined {
    return this.#askedAt[request];
  }

  requestsFor(query: string): number {
    return this.#server.queries.filter((it) => it === query).length;
  }

  /**
   * Right after each of its next answers: the operator learns of the new value a whole period
   * later, which is the longest that it can take.
   */
  doubles(query: string, times: number): void {
    this.#left.set(query, times);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #answer(query: string): { readonly body: string } {
    const now = performance.now();
    this.#askedAt.push(now);
    const present = this.#values.get(query);
    if (present !== undefined) present.toldAt ??= now;
    const value = present?.value ?? TARGET;
    const left = this.#left.get(query) ?? 0;
    if (left > 0) {
      this.#left.set(query, left - 1);
      const doubled = { query, value: 2 * value, from: now, toldAt: undefined };
      this.#values.set(query, doubled);
      this.doubled.push(doubled);
    }
    return valueIs(value);
  }
}
