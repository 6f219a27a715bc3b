// How do decisions about a pool become its metrics?
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { refOf } from '../../api/objects.ts';
import type { PoolFigures } from '../../pool/status/figures.ts';
import { convergence, poolCounters, poolGauges } from './families.ts';
import { makeCounter, makeGauge, makeHistogram, mapFamilies } from './make.ts';

type Labels = { readonly namespace: string; readonly pool: string };

/** What a pool's next figures are compared with. */
type Previous = {
  readonly labels: Labels;
  /** Until when seconds without owner are counted. */
  countedAt: number;
  unowned: number;
  doubled: ReadonlySet<string>;
  /** Later changes are still to be counted. */
  version: number;
  /** The version that this replica saw published, until all workers have confirmed it. */
  awaited: number | undefined;
};

/** There is no number where no worker reports one. */
const OPTIONAL: ReadonlySet<string> = new Set(['failing', 'completed']);

export class PoolMetrics {
  readonly #monotonic: () => number;
  readonly #gauges: Record<keyof typeof poolGauges, Gauge>;
  readonly #counters: Record<keyof typeof poolCounters, Counter>;
  readonly #convergence: Histogram;
  readonly #previous = new Map<string, Previous>();

  constructor(registry: Registry, monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#gauges = mapFamilies(poolGauges, (family) => makeGauge(family, registry));
    const { unownedSeconds, ...others } = poolCounters;
    this.#counters = {
      ...mapFamilies(others, (family) => makeCounter(family, registry)),
      // Between two decisions it grows with time.
      unownedSeconds: makeCounter(unownedSeconds, registry, () => {
        for (const previous of this.#previous.values()) this.#countUnowned(previous);
      }),
    };
    this.#convergence = makeHistogram(convergence, registry);
  }

  /** `publishedMs`: how long what is published has been as it is. */
  take(key: string, { counts, ownership, change }: PoolFigures, publishedMs: number): void {
    const previous = this.#previous.get(key) ?? this.#begin(key, change?.version ?? 0);
    const { labels } = previous;
    for (const [name, value] of Object.entries({
      ...counts,
      unowned: ownership.unowned,
      doubled: ownership.doubled.size,
    })) {
      const gauge = this.#gauges[name as keyof typeof poolGauges];
      if (value === undefined && OPTIONAL.has(name)) gauge.remove(labels);
      else gauge.set(labels, Number(value ?? 0));
    }
    this.#countUnowned(previous);
    previous.unowned = ownership.unowned;
    this.#counters.doubledSeen.inc(
      labels,
      [...ownership.doubled].filter((stream) => !previous.doubled.has(stream)).length,
    );
    previous.doubled = ownership.doubled;
    if (change !== undefined && change.version > previous.version) {
      this.#counters.changes.inc(labels);
      this.#counters.moves.inc(labels, change.moves);
      previous.version = change.version;
      previous.awaited = change.version;
    }
    if (
      previous.awaited !== undefined &&
      counts.isConverged &&
      counts.version === previous.awaited
    ) {
      this.#convergence.observe(labels, publishedMs / 1000);
      previous.awaited = undefined;
    }
  }

  forget(key: string): void {
    const labels = this.#previous.get(key)?.labels;
    if (labels === undefined) return;
    this.#previous.delete(key);
    for (const metric of [
      ...Object.values(this.#gauges),
      ...Object.values(this.#counters),
      this.#convergence,
    ])
      metric.remove(labels);
  }

  /** Counters begin at zero: of one that appears later, Prometheus misses the first increase. */
  #begin(key: string, version: number): Previous {
    const { namespace = '', name } = refOf(key);
    const labels = { namespace, pool: name };
    for (const metric of Object.values(this.#counters)) metric.inc(labels, 0);
    this.#convergence.zero(labels);
    const previous: Previous = {
      labels,
      countedAt: this.#monotonic(),
      unowned: 0,
      doubled: new Set(),
      version,
      awaited: undefined,
    };
    this.#previous.set(key, previous);
    return previous;
  }

  #countUnowned(previous: Previous): void {
    const now = this.#monotonic();
    this.#counters.unownedSeconds.inc(
      previous.labels,
      (previous.unowned * (now - previous.countedAt)) / 1000,
    );
    previous.countedAt = now;
  }
}
