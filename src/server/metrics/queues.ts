// How do decisions about queues and jobs become metrics?
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { hasEnded } from '../../api/swarm-job.ts';
import type { SwarmQueue } from '../../api/validate.ts';
import type { Amounts } from '../../core/amounts.ts';
import { isTrue } from '../../core/conditions.ts';
import type { DecisionReport } from '../../core/decision.ts';
import { toNumber } from '../../core/quantity.ts';
import type { JobDecision } from '../../job/decide.ts';
import type { JobWorld } from '../../job/world.ts';
import type { QueueDecision } from '../../queue/decide.ts';
import type { DesiredQueues } from '../../queue/desired-state.ts';
import { amountsIn } from '../../queue/quota/text.ts';
import type { QueueWorld } from '../../queue/world.ts';
import { makeCounter, makeGauge, makeHistogram, mapFamilies } from './make.ts';
import {
  jobEnds,
  queueAdmissions,
  queueAmounts,
  queueGauges,
  queueWait,
} from './queue-families.ts';

type Labels = { readonly namespace: string; readonly queue: string };

/** Of one queue: the resources that have series. */
type Known = { readonly labels: Labels; readonly resources: ReadonlySet<string> };

const outcomes = ['Succeeded', 'Failed'] as const;

export class QueueMetrics {
  readonly #gauges: Record<keyof typeof queueGauges, Gauge>;
  readonly #amounts: Record<keyof typeof queueAmounts, Gauge>;
  readonly #admissions: Counter;
  readonly #wait: Histogram;
  readonly #ends: Counter;
  /** By key of the namespace, and by name. */
  readonly #known = new Map<string, ReadonlyMap<string, Known>>();

  constructor(registry: Registry) {
    this.#gauges = mapFamilies(queueGauges, (family) => makeGauge(family, registry));
    this.#amounts = mapFamilies(queueAmounts, (family) => makeGauge(family, registry));
    this.#admissions = makeCounter(queueAdmissions, registry);
    this.#wait = makeHistogram(queueWait, registry);
    this.#ends = makeCounter(jobEnds, registry);
  }

  take(key: string, { world, decision, now }: DecisionReport<QueueWorld, QueueDecision>): void {
    const { desired, isLedgerWritten } = decision;
    if (desired === undefined) return;
    const before = this.#known.get(key);
    const known = new Map(
      world.queues.map((queue) => {
        const { name, namespace } = queue.meta;
        const labels = { namespace, queue: name };
        const last = before?.get(name) ?? this.#begin(labels);
        return [name, { labels, resources: this.#show(last, queue, desired) }];
      }),
    );
    this.#known.set(key, known);
    for (const [name, it] of before ?? []) if (!known.has(name)) this.#remove(it);
    if (isLedgerWritten) this.#countAdmissions(known, desired, now);
  }

  forget(key: string): void {
    for (const it of this.#known.get(key)?.values() ?? []) this.#remove(it);
    this.#known.delete(key);
  }

  /** Of a queue that is gone, nothing is counted. */
  ended(key: string, queue: string, outcome: (typeof outcomes)[number]): void {
    const labels = this.#known.get(key)?.get(queue)?.labels;
    if (labels !== undefined) this.#ends.inc({ ...labels, outcome });
  }

  #show({ labels, resources: last }: Known, queue: SwarmQueue, desired: DesiredQueues) {
    const { name } = queue.meta;
    const of = <T extends { readonly queue: string }>(all: readonly T[]): readonly T[] =>
      all.filter((it) => it.queue === name);
    this.#gauges.waiting.set(labels, of(desired.waiting).length);
    this.#gauges.admitted.set(labels, of(desired.ledger.entries).length);
    const held = of(desired.held).reduce((total, { pods }) => total + pods.length, 0);
    this.#gauges.held.set(labels, held);
    this.#gauges.isReady.set(labels, Number(isTrue(queue.status?.conditions, 'Ready')));
    const quota = queue.spec.ok ? amountsIn(queue.spec.value.quota) : new Map<string, bigint>();
    const used = desired.usage.get(name) ?? new Map<string, bigint>();
    const resources = new Set([...quota.keys(), ...used.keys()]);
    for (const resource of last)
      if (!resources.has(resource))
        for (const metric of Object.values(this.#amounts)) metric.remove({ ...labels, resource });
    this.#setAmounts(this.#amounts.quota, labels, quota);
    this.#setAmounts(this.#amounts.used, labels, used);
    return resources;
  }

  #setAmounts(metric: Gauge, labels: Labels, amounts: Amounts): void {
    for (const [resource, amount] of amounts) metric.set({ ...labels, resource }, toNumber(amount));
  }

  #countAdmissions(known: ReadonlyMap<string, Known>, { pass }: DesiredQueues, now: number): void {
    for (const job of pass.admitted) {
      const labels = known.get(job.queue)?.labels;
      if (labels === undefined) continue;
      this.#admissions.inc(labels);
      this.#wait.observe(labels, Math.max(0, now - job.createdMs) / 1000);
    }
  }

  /** Counters begin at zero: of one that appears later, Prometheus misses the first increase. */
  #begin(labels: Labels): Known {
    this.#admissions.inc(labels, 0);
    this.#wait.zero(labels);
    for (const outcome of outcomes) this.#ends.inc({ ...labels, outcome }, 0);
    return { labels, resources: new Set() };
  }

  #remove({ labels, resources }: Known): void {
    for (const gauge of Object.values(this.#gauges)) gauge.remove(labels);
    for (const gauge of Object.values(this.#amounts))
      for (const resource of resources) gauge.remove({ ...labels, resource });
    this.#admissions.remove(labels);
    this.#wait.remove(labels);
    for (const outcome of outcomes) this.#ends.remove({ ...labels, outcome });
  }
}

/** How this decision ends a job that had not ended before, and of which queue. */
export function endOf({ world, decision }: DecisionReport<JobWorld, JobDecision>) {
  const { job } = world;
  if (hasEnded(job) || !job.spec.ok) return undefined;
  const written = decision.steps.find((step) => step.do === 'status')?.status;
  const state = Object(written).state;
  const outcome = outcomes.find((it) => it === state);
  return outcome && { queue: job.spec.value.queueName, outcome };
}
