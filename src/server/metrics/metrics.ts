// What does a Prometheus learn about this operator? What the parts tell of themselves, counted.
import { type Counter, collectDefaultMetrics, type Histogram, Registry } from 'prom-client';
import type { Build } from '../../api/build.ts';
import type { PoolReport } from '../../pool/decision.ts';
import { figuresOf } from '../../pool/status/figures.ts';
import type { KindState } from '../health.ts';
import { operatorFamilies } from './families.ts';
import { makeCounter, makeGauge, makeHistogram } from './make.ts';
import { PoolMetrics } from './pools.ts';
import { resourceOf } from './resource.ts';

/** What is looked up when a Prometheus asks. */
type OperatorView = {
  readonly isLeading: () => boolean;
  readonly isSynced: () => boolean;
  readonly kinds: () => readonly KindState[];
  readonly queue: () => {
    readonly waiting: number;
    readonly processing: number;
    readonly delayed: number;
  };
};

type Asked = {
  readonly verb: string;
  readonly path: string;
  readonly code: number | string;
  readonly ms: number;
};

export class Metrics {
  readonly registry = new Registry();
  readonly #pools: PoolMetrics;
  readonly #decisions: Counter;
  readonly #decisionSeconds: Histogram;
  readonly #failures: Counter;
  readonly #queueWait: Histogram;
  readonly #queueRetries: Counter;
  readonly #requests: Counter;
  readonly #requestSeconds: Histogram;
  readonly #watchRestarts: Counter;

  constructor(build: Build, monotonic: () => number) {
    const { registry } = this;
    collectDefaultMetrics({ register: registry });
    makeGauge(operatorFamilies.build, registry).set(build, 1);
    this.#pools = new PoolMetrics(registry, monotonic);
    this.#decisions = makeCounter(operatorFamilies.decisions, registry);
    for (const result of ['rest', 'steps']) this.#decisions.inc({ result }, 0);
    this.#decisionSeconds = makeHistogram(operatorFamilies.decisionSeconds, registry);
    this.#failures = makeCounter(operatorFamilies.failures, registry);
    this.#queueWait = makeHistogram(operatorFamilies.queueWait, registry);
    this.#queueRetries = makeCounter(operatorFamilies.queueRetries, registry);
    this.#requests = makeCounter(operatorFamilies.requests, registry);
    this.#requestSeconds = makeHistogram(operatorFamilies.requestSeconds, registry);
    this.#watchRestarts = makeCounter(operatorFamilies.watchRestarts, registry);
  }

  view({ isLeading, isSynced, kinds, queue }: OperatorView): void {
    const { registry } = this;
    makeGauge(operatorFamilies.leader, registry, () => Number(isLeading()));
    makeGauge(operatorFamilies.synced, registry, () => Number(isSynced()));
    const on = makeGauge(operatorFamilies.kinds, registry, () => {
      on.reset();
      for (const { kind, state, reason = '' } of kinds())
        on.set({ kind, reason }, Number(state === 'On'));
      return undefined;
    });
    makeGauge(operatorFamilies.queueDepth, registry, () => queue().waiting);
    makeGauge(operatorFamilies.queueProcessing, registry, () => queue().processing);
    makeGauge(operatorFamilies.queueDelayed, registry, () => queue().delayed);
  }

  readonly asked = ({ verb, path, code, ms }: Asked): void => {
    this.#requests.inc({ verb, resource: resourceOf(path), result: String(code) });
    this.#requestSeconds.observe({ verb }, ms / 1000);
  };

  watchBroke(resource: string, reason: string): void {
    this.#watchRestarts.inc({ resource, reason });
  }

  waited(ms: number): void {
    this.#queueWait.observe(ms / 1000);
  }

  retried(): void {
    this.#queueRetries.inc();
  }

  decided(key: string, { world, decision, tookMs }: PoolReport): void {
    this.#decisions.inc({ result: decision.steps.length === 0 ? 'rest' : 'steps' });
    this.#decisionSeconds.observe(tookMs / 1000);
    if (world.kind === 'SwarmPool')
      this.#pools.take(key, figuresOf(world, decision), world.ages.publishedMs);
    else this.#pools.forget(key);
  }

  failed(): void {
    this.#failures.inc();
  }

  forgotten(key: string): void {
    this.#pools.forget(key);
  }
}
