// How do decisions about a group become its metrics?
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { refOf } from '../../api/objects.ts';
import type { SwarmGroupStatus } from '../../api/validate.ts';
import { isTrue } from '../../core/conditions.ts';
import type { DecisionReport } from '../../core/decision.ts';
import { type GroupDecision, statusAfter } from '../../group/decide.ts';
import { bounded, boundsNow } from '../../group/policy/bounds.ts';
import { failureReason, failureReasons } from '../../group/transition/failure.ts';
import type { GroupWorld } from '../../group/world.ts';
import {
  groupFailures,
  groupFigures,
  groupGauges,
  groupReason,
  groupSeconds,
  groupTransitions,
} from './families.ts';
import { makeCounter, makeGauge, makeHistogram, mapFamilies } from './make.ts';

type Labels = { readonly namespace: string; readonly group: string };

type Known = {
  readonly labels: Labels;
  /** The last line of history that was counted. */
  counted: string;
  /** The last transition whose failure was counted. */
  failed: string | undefined;
  /** Of the condition Ready, as it is shown. */
  reason: string | undefined;
};

type Status = SwarmGroupStatus | undefined;

type Report = DecisionReport<GroupWorld, GroupDecision>;

const outcomes = ['Completed', 'TimedOut', 'RolledBack', 'Superseded'] as const;

export class GroupMetrics {
  readonly #gauges: Record<keyof typeof groupGauges, Gauge>;
  readonly #figures: Record<keyof typeof groupFigures, Gauge>;
  readonly #reason: Gauge;
  readonly #seconds: Record<keyof typeof groupSeconds, Histogram>;
  readonly #transitions: Counter;
  readonly #failures: Counter;
  readonly #known = new Map<string, Known>();

  constructor(registry: Registry) {
    this.#gauges = mapFamilies(groupGauges, (family) => makeGauge(family, registry));
    this.#figures = mapFamilies(groupFigures, (family) => makeGauge(family, registry));
    this.#reason = makeGauge(groupReason, registry);
    this.#seconds = mapFamilies(groupSeconds, (family) => makeHistogram(family, registry));
    this.#transitions = makeCounter(groupTransitions, registry);
    this.#failures = makeCounter(groupFailures, registry);
  }

  take(key: string, report: Report): void {
    const { world, decision } = report;
    const status = statusAfter(world, decision);
    const known = this.#known.get(key) ?? this.#begin(key, world.group.status);
    const { labels } = known;
    for (const [name, value] of Object.entries(figuresOf(status)))
      this.#gauges[name as keyof typeof groupGauges].set(labels, value);
    this.#setFigures(labels, report, status);
    this.#setReason(known, status);
    this.#countFailure(known, world, status);
    this.#countEnd(known, status);
  }

  #setFigures(labels: Labels, { world, decision, now }: Report, status: Status): void {
    const { metric, group } = world;
    const policy = group.spec.ok ? group.spec.value.policy : undefined;
    const set = (name: keyof typeof groupFigures, value: number | undefined): void =>
      value === undefined
        ? this.#figures[name].remove(labels)
        : this.#figures[name].set(labels, value);
    set('wanted', wantedSize(world, decision, status));
    set('metricTarget', policy?.prometheus && Number(policy.prometheus.target));
    const isFresh = isTrue(status?.conditions, 'MetricsAvailable');
    const isSampled = metric.state === 'sampled';
    set('metricValue', isSampled && isFresh ? metric.value : undefined);
    if (isSampled) set('metricTimestamp', (now - metric.ageMs) / 1000);
    else if (policy?.prometheus === undefined) set('metricTimestamp', undefined);
  }

  #setReason(known: Known, status: Status): void {
    const { labels, reason: before } = known;
    const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
    if (reason === before) return;
    if (before !== undefined) this.#reason.remove({ ...labels, reason: before });
    if (reason !== undefined) this.#reason.set({ ...labels, reason }, 1);
    known.reason = reason;
  }

  #countFailure(known: Known, world: GroupWorld, status: Status): void {
    const failed = failedIn(status);
    if (failed === undefined || failed === known.failed) return;
    known.failed = failed;
    this.#failures.inc({ ...known.labels, reason: failureReason(world, status) });
  }

  #countEnd(known: Known, status: Status): void {
    const { labels } = known;
    const [ended] = status?.history ?? [];
    const line = lineOf(status);
    // The same decision comes again when the write of status failed.
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
    const known = this.#known.get(key);
    if (known === undefined) return;
    const { labels } = known;
    this.#known.delete(key);
    for (const metrics of [this.#gauges, this.#figures, this.#seconds])
      for (const metric of Object.values(metrics)) metric.remove(labels);
    this.#setReason(known, undefined);
    for (const outcome of outcomes) this.#transitions.remove({ ...labels, outcome });
    for (const reason of failureReasons) this.#failures.remove({ ...labels, reason });
  }

  /** Counters begin at zero: of one that appears later, Prometheus misses the first increase. */
  #begin(key: string, status: Status): Known {
    const { namespace = '', name } = refOf(key);
    const labels = { namespace, group: name };
    for (const outcome of outcomes) this.#transitions.inc({ ...labels, outcome }, 0);
    for (const reason of failureReasons) this.#failures.inc({ ...labels, reason }, 0);
    for (const histogram of Object.values(this.#seconds)) histogram.zero(labels);
    const known = {
      ...{ labels, counted: lineOf(status), failed: failedIn(status) },
      reason: undefined,
    };
    this.#known.set(key, known);
    return known;
  }
}

/** Tells transitions apart. */
function lineOf(status: Status): string {
  const { requestTime, to, outcome } = status?.history?.[0] ?? {};
  return [requestTime, to, outcome].join(' ');
}

/** The transition that has failed, or is being rolled back; undefined: it has not. */
function failedIn(status: Status): string | undefined {
  const { state, requestTime, to } = status?.transition ?? {};
  const isFailed = state === 'TimedOut' || state === 'RollingBack' || state === 'RolledBack';
  return isFailed ? `${requestTime} ${to}` : undefined;
}

function wantedSize(
  { group: { spec } }: GroupWorld,
  { remembered }: GroupDecision,
  status: Status,
): number | undefined {
  if (!spec.ok || status?.proposal === undefined) return undefined;
  const bounds = boundsNow(spec.value, remembered.timetable);
  return bounded(bounds, status.proposal.replicas).wanted;
}

const figuresOf = (status: Status): Readonly<Record<keyof typeof groupGauges, number>> => ({
  size: status?.replicas ?? 0,
  members: status?.desiredMembers ?? 0,
  ready: status?.readyMembers ?? 0,
  isReady: Number(isTrue(status?.conditions, 'Ready')),
  isPaused: Number(status?.conditions?.some(({ reason }) => reason === 'Paused') === true),
  isStalled: Number(isTrue(status?.conditions, 'Stalled')),
  isConflicted: Number(isTrue(status?.conditions, 'Conflicted')),
  isLimited: Number(isTrue(status?.conditions, 'Limited')),
  isMetricMissing: Number(
    status?.conditions?.some((it) => it.type === 'MetricsAvailable' && it.status === 'False'),
  ),
});
