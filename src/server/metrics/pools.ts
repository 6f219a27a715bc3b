// How do decisions about a pool become its metrics?
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { refOf } from '../../api/objects.ts';
import type { PoolFigures } from '../../pool/status/figures.ts';
import { convergence, poolCounters, poolGauges } from './families.ts';
import { makeCounter, makeGauge, makeHistogram, mapFamilies } from './make.ts';

type Labels = { readonly namespace: string; readonly pool: string };

/** What a pool's next figures are compared with. */
type Known = {
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

export class PoolMetrics {
  readonly #monotonic: () => number;
  readonly #gauges: Record<keyof typeof poolGauges, Gauge>;
  readonly #counters: Record<keyof typeof poolCounters, Counter>;
  readonly #convergence: Histogram;
  readonly #known = new Map<string, Known>();

  constructor(registry: Registry, monotonic: () => number) {
    this.#monotonic = monotonic;
    this.#gauges = mapFamilies(poolGauges, (family) => makeGauge(family, registry));
    const { unownedSeconds, ...others } = poolCounters;
    this.#counters = {
      ...mapFamilies(others, (family) => makeCounter(family, registry)),
      // Between two decisions it grows with time.
      unownedSeconds: makeCounter(unownedSeconds, registry, () => {
        for (const known of this.#known.values()) this.#countUnowned(known);
      }),
    };
    this.#convergence = makeHistogram(convergence, registry);
  }

  /** `publishedMs`: how long what is published has been as it is. */
  take(key: string, { counts, ownership, change }: PoolFigures, publishedMs: number): void {
    const known = this.#known.get(key) ?? this.#begin(key, change?.version ?? 0);
    const { labels } = known;
    for (const [name, value] of Object.entries({
      ...counts,
      unowned: ownership.unowned,
      doubled: ownership.doubled.size,
    }))
      this.#gauges[name as keyof typeof poolGauges].set(labels, Number(value));
    this.#countUnowned(known);
    known.unowned = ownership.unowned;
    this.#counters.doubledSeen.inc(
      labels,
      [...ownership.doubled].filter((stream) => !known.doubled.has(stream)).length,
    );
    known.doubled = ownership.doubled;
    if (change !== undefined && change.version > known.version) {
      this.#counters.changes.inc(labels);
      this.#counters.moves.inc(labels, change.moves);
      known.version = change.version;
      known.awaited = change.version;
    }
    if (known.awaited !== undefined && counts.isConverged && counts.version === known.awaited) {
      this.#convergence.observe(labels, publishedMs / 1000);
      known.awaited = undefined;
    }
  }

  forget(key: string): void {
    const labels = this.#known.get(key)?.labels;
    if (labels === undefined) return;
    this.#known.delete(key);
    for (const metric of [
      ...Object.values(this.#gauges),
      ...Object.values(this.#counters),
      this.#convergence,
    ])
      metric.remove(labels);
  }

  /** Counters begin at zero: of one that appears later, Prometheus misses the first increase. */
  #begin(key: string, version: number): Known {
    const { namespace = '', name } = refOf(key);
    const labels = { namespace, pool: name };
    for (const metric of Object.values(this.#counters)) metric.inc(labels, 0);
    this.#convergence.zero(labels);
    const known: Known = {
      labels,
      countedAt: this.#monotonic(),
      unowned: 0,
      doubled: new Set(),
      version,
      awaited: undefined,
    };
    this.#known.set(key, known);
    return known;
  }

  #countUnowned(known: Known): void {
    const now = this.#monotonic();
    this.#counters.unownedSeconds.inc(
      known.labels,
      (known.unowned * (now - known.countedAt)) / 1000,
    );
    known.countedAt = now;
  }
}
