// What does Prometheus learn about this operator? What its parts report, counted.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Build } from '../../api/build.ts';
import { refOf } from '../../api/objects.ts';
import type { DecisionReport } from '../../core/decision.ts';
import type { GroupDecision } from '../../group/decide.ts';
import type { GroupWorld } from '../../group/world.ts';
import type { JobDecision } from '../../job/decide.ts';
import type { JobWorld } from '../../job/world.ts';
import type { PoolReport } from '../../pool/decide.ts';
import { figuresOf } from '../../pool/status/figures.ts';
import type { QueueDecision } from '../../queue/decide.ts';
import { keyOfQueues, type QueueWorld } from '../../queue/world.ts';
import type { OperatorView } from '../health.ts';
import { operatorFamilies } from './families.ts';
import { GroupMetrics } from './groups.ts';
import { makeCounter, makeGauge, makeHistogram } from './make.ts';
import { PoolMetrics } from './pools.ts';
import { endOf, QueueMetrics } from './queues.ts';

type QueueFigures = Readonly<Record<'waiting' | 'processing' | 'delayed', number>>;

/** A query to a source of metrics, and how it ended. */
type MetricRequestReport = {
  readonly source: string;
  readonly result: string;
  readonly ms: number;
};

/** A request to the API server, and how it ended. */
type RequestReport = {
  readonly verb: string;
  readonly path: string;
  readonly code: number | string;
  readonly ms: number;
};

export class Metrics {
  readonly registry = new Registry();
  readonly #pools: PoolMetrics;
  readonly #groups: GroupMetrics;
  readonly #queues: QueueMetrics;
  readonly #decisions = makeCounter(operatorFamilies.decisions, this.registry);
  readonly #decisionSeconds = makeHistogram(operatorFamilies.decisionSeconds, this.registry);
  readonly #failures = makeCounter(operatorFamilies.failures, this.registry);
  readonly #queueWait = makeHistogram(operatorFamilies.queueWait, this.registry);
  readonly #queueRetries = makeCounter(operatorFamilies.queueRetries, this.registry);
  readonly #requests = makeCounter(operatorFamilies.requests, this.registry);
  readonly #requestSeconds = makeHistogram(operatorFamilies.requestSeconds, this.registry);
  readonly #metricRequests = makeCounter(operatorFamilies.metricRequests, this.registry);
  readonly #metricRequestSeconds = makeHistogram(
    operatorFamilies.metricRequestSeconds,
    this.registry,
  );
  readonly #eventsLost = makeCounter(operatorFamilies.eventsLost, this.registry);
  readonly #watchRestarts = makeCounter(operatorFamilies.watchRestarts, this.registry);

  constructor(build: Build, monotonic: () => number) {
    const { registry } = this;
    collectDefaultMetrics({ register: registry });
    makeGauge(operatorFamilies.build, registry).set(build, 1);
    this.#pools = new PoolMetrics(registry, monotonic);
    this.#groups = new GroupMetrics(registry);
    this.#queues = new QueueMetrics(registry);
    for (const result of ['rest', 'steps']) this.#decisions.inc({ result }, 0);
    for (const reason of ['dropped', 'refused']) this.#eventsLost.inc({ reason }, 0);
  }

  /** Looked up each time Prometheus asks. */
  view({
    isLeading,
    isSynced,
    kinds,
    queue,
  }: OperatorView & { readonly queue: () => QueueFigures }): void {
    const { registry } = this;
    makeGauge(operatorFamilies.leader, registry, () => Number(isLeading()));
    makeGauge(operatorFamilies.synced, registry, () => Number(isSynced()));
    const on = makeGauge(operatorFamilies.kinds, registry, () => {
      on.reset();
      for (const report of kinds()) {
        const { kind, state } = report;
        on.set({ kind, reason: state === 'Off' ? report.reason : '' }, Number(state === 'On'));
      }
      return undefined;
    });
    const unreadable = makeGauge(operatorFamilies.unreadable, registry, () => {
      unreadable.reset();
      for (const report of kinds())
        for (const { namespace, reason } of report.state === 'On' ? (report.unreadable ?? []) : [])
          unreadable.set({ kind: report.kind, namespace, reason }, 1);
      return undefined;
    });
    makeGauge(operatorFamilies.queueDepth, registry, () => queue().waiting);
    makeGauge(operatorFamilies.queueProcessing, registry, () => queue().processing);
    makeGauge(operatorFamilies.queueDelayed, registry, () => queue().delayed);
  }

  readonly asked = ({ verb, path, code, ms }: RequestReport): void => {
    this.#requests.inc({ verb, resource: resourceOf(path), result: String(code) });
    this.#requestSeconds.observe({ verb }, ms / 1000);
  };

  readonly metricAsked = ({ source, result, ms }: MetricRequestReport): void => {
    this.#metricRequests.inc({ source, result });
    this.#metricRequestSeconds.observe({ source }, ms / 1000);
  };

  watchBroke(resource: string, reason: string): void {
    this.#watchRestarts.inc({ resource, reason });
  }

  eventLost(reason: string): void {
    this.#eventsLost.inc({ reason });
  }

  waited(ms: number): void {
    this.#queueWait.observe(ms / 1000);
  }

  retried(): void {
    this.#queueRetries.inc();
  }

  readonly pools = {
    decided: (key: string, report: PoolReport): void => {
      this.#count(report);
      const { world, decision } = report;
      if (world.kind === 'SwarmPool')
        this.#pools.take(key, figuresOf(world, decision), world.ages.publishedMs);
      else this.#pools.forget(key);
    },
    failed: (): void => this.#failures.inc(),
    forgotten: (key: string): void => this.#pools.forget(key),
  };

  readonly groups = {
    decided: (key: string, report: DecisionReport<GroupWorld, GroupDecision>): void => {
      this.#count(report);
      this.#groups.take(key, report);
    },
    failed: (): void => this.#failures.inc(),
    forgotten: (key: string): void => this.#groups.forget(key),
  };

  readonly queues = {
    decided: (key: string, report: DecisionReport<QueueWorld, QueueDecision>): void => {
      this.#count(report);
      this.#queues.take(key, report);
    },
    failed: (): void => this.#failures.inc(),
    forgotten: (key: string): void => this.#queues.forget(key),
  };

  readonly jobs = {
    decided: (key: string, report: DecisionReport<JobWorld, JobDecision>): void => {
      this.#count(report);
      const end = endOf(report);
      const { namespace = '' } = refOf(key);
      if (end !== undefined) this.#queues.ended(keyOfQueues(namespace), end.queue, end.outcome);
    },
    failed: (): void => this.#failures.inc(),
    forgotten: (): void => undefined,
  };

  #count({ decision, tookMs }: DecisionReport<unknown>): void {
    this.#decisions.inc({ result: decision.steps.length === 0 ? 'rest' : 'steps' });
    this.#decisionSeconds.observe(tookMs / 1000);
  }
}

/** Never an object: a metric must not have a series for each. */
const collection =
  /^\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/[^/]+)?\/([^/]+)(?:\/[^/]+(?:\/([^/]+))?)?$/;

export function resourceOf(path: string): string {
  const [, resource, subresource] = collection.exec(path) ?? [];
  if (resource === undefined) return 'discovery';
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
