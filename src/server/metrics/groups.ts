// How do decisions about a group become its metrics?
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { refOf } from '../../api/objects.ts';
import type { SwarmGroupStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import type { DecisionReport } from '../../core/decision.ts';
import { type GroupDecision, statusAfter } from '../../group/decide.ts';
import type { GroupWorld } from '../../group/world.ts';
import { groupGauges, groupMetric, groupSeconds, groupTransitions } from './families.ts';
import { makeCounter, makeGauge, makeHistogram, mapFamilies } from './make.ts';

type Labels = { readonly namespace: string; readonly group: string };

type Known = {
  readonly labels: Labels;
  /** The last line of history that was counted. */
  counted: string;
};

const outcomes = ['Completed', 'TimedOut', 'RolledBack', 'Superseded'] as const;

export class GroupMetrics {
  readonly #gauges: Record<keyof typeof groupGauges, Gauge>;
  readonly #metric: Gauge;
  readonly #seconds: Record<keyof typeof groupSeconds, Histogram>;
  readonly #transitions: Counter;
  readonly #known = new Map<string, Known>();

  constructor(registry: Registry) {
    this.#gauges = mapFamilies(groupGauges, (family) => makeGauge(family, registry));
    this.#metric = makeGauge(groupMetric, registry);
    this.#seconds = mapFamilies(groupSeconds, (family) => makeHistogram(family, registry));
    this.#transitions = makeCounter(groupTransitions, registry);
  }

  take(key: string, { world, decision }: DecisionReport<GroupWorld, GroupDecision>): void {
    const status = statusAfter(world, decision);
    const known = this.#known.get(key) ?? this.#begin(key, world.group.status);
    const { labels } = known;
    for (const [name, value] of Object.entries(figuresOf(status)))
      this.#gauges[name as keyof typeof groupGauges].set(labels, value);
    const { metric } = world;
    const isFresh = isTrue(status?.conditions, 'MetricsAvailable');
    if (metric.state === 'sampled' && isFresh) this.#metric.set(labels, metric.value);
    else this.#metric.remove(labels);
    const [ended] = status?.history ?? [];
    const line = lineOf(status);
    // Decided again when the write of status failed.
    if (ended === undefined || line === known.counted) return;
    known.counted = line;
    this.#transitions.inc({ ...labels, outcome: ended.outcome });
    if (ended.outcome !== 'Completed') return;
    if (ended.totalMilliseconds !== undefined)
      this.#seconds.transition.observe(labels, ended.totalMilliseconds / 1000);
    if (ended.patchMilliseconds !== undefined)
      this.#seconds.patch.observe(labels, ended.patchMilliseconds / 1000);
  }

  forget(key: string): void {
    const labels = this.#known.get(key)?.labels;
    if (labels === undefined) return;
    this.#known.delete(key);
    const all = [...Object.values(this.#gauges), this.#metric, ...Object.values(this.#seconds)];
    for (const metric of all) metric.remove(labels);
    for (const outcome of outcomes) this.#transitions.remove({ ...labels, outcome });
  }

  /** Counters begin at zero: of one that appears later, Prometheus misses the first increase. */
  #begin(key: string, status: SwarmGroupStatus | undefined): Known {
    const { namespace = '', name } = refOf(key);
    const labels = { namespace, group: name };
    for (const outcome of outcomes) this.#transitions.inc({ ...labels, outcome }, 0);
    for (const histogram of Object.values(this.#seconds)) histogram.zero(labels);
    const known = { labels, counted: lineOf(status) };
    this.#known.set(key, known);
    return known;
  }
}

/** Tells transitions apart. */
function lineOf(status: SwarmGroupStatus | undefined): string {
  const { requestTime, to, outcome } = status?.history?.[0] ?? {};
  return [requestTime, to, outcome].join(' ');
}

const figuresOf = (
  status: SwarmGroupStatus | undefined,
): Readonly<Record<keyof typeof groupGauges, number>> => ({
  size: status?.replicas ?? 0,
  members: status?.desiredMembers ?? 0,
  ready: status?.readyMembers ?? 0,
  isReady: Number(isTrue(status?.conditions, 'Ready')),
  isPaused: Number(status?.conditions?.some(({ reason }) => reason === 'Paused') === true),
  isStalled: Number(isTrue(status?.conditions, 'Stalled')),
  isConflicted: Number(isTrue(status?.conditions, 'Conflicted')),
  isLimited: Number(isTrue(status?.conditions, 'Limited')),
});
