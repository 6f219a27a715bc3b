// Which size follows from a metric? One unit for each target value; no change within the tolerance;
// a decrease only after the delay. Without a fresh metric the size stays.
import type { Reason } from '../../core/reason.ts';
import type { LimitReason } from '../reasons.ts';
import type { Proposals } from '../world.ts';
import { type Bounds, bounded } from './bounds.ts';
import type { PolicyFacts, Proposal } from './proposal.ts';

/** Undefined: there has been no size yet, and there is no metric. */
export function byMetric(facts: PolicyFacts): Proposal | undefined {
  const { metric, spec, present, bounds, world } = facts;
  const { prometheus, periodSeconds } = spec.policy;
  if (prometheus === undefined || metric?.state !== 'fresh') {
    if (present === undefined) return undefined;
    return {
      replicas: present,
      reason: 'MetricMissing',
      message: `no metric (condition MetricsAvailable): keeping size ${present}`,
      isCarried: metric?.state === 'pending',
      nextInMs: periodSeconds * 1000,
    };
  }
  const needed = unitsFor(metric.value, Number(prometheus.target));
  const before = present ?? facts.sizeThatFits;
  const carries =
    before !== undefined &&
    isWithin(metric.value, before * Number(prometheus.target), Number(prometheus.tolerance));
  const size = carries ? before : bounded(bounds, needed).wanted;
  const delayMs = prometheus.scaleDownAfterSeconds * 1000;
  const { monotonicMs: nowMs, remembered, group } = world;
  const { generation } = group.meta;
  const proposals = withProposal(remembered.proposals, { size, generation }, delayMs, nowMs);
  const common = { proposals, ...limitOf(bounds, carries ? size : needed) };
  const at = `at ${prometheus.target} per unit`;
  const { staleInMs: nextInMs } = metric;
  if (before === undefined || size > before)
    return {
      ...common,
      replicas: size,
      reason: 'MetricAboveTarget',
      message: `the metric calls for size ${size}, ${at}`,
      nextInMs,
    };
  if (size === before)
    return {
      ...common,
      replicas: size,
      reason: 'WithinTolerance',
      message: `size ${size} fits the metric, ${at}`,
      nextInMs,
    };
  const lowest = Math.min(before, mayFallTo(proposals, delayMs, nowMs) ?? before);
  if (lowest < before)
    return {
      ...common,
      replicas: lowest,
      reason: 'MetricBelowTarget',
      message: `the metric calls for size ${lowest} or less, ${at}`,
      nextInMs: Math.min(nextInMs, fallsInMs(proposals, delayMs, nowMs) ?? nextInMs),
    };
  return {
    ...common,
    replicas: before,
    reason: 'ScaleDownDelayed',
    message: `the metric calls for less than size ${before}; scaling down once it has done so for ${prometheus.scaleDownAfterSeconds} s`,
    nextInMs: Math.min(nextInMs, fallsInMs(proposals, delayMs, nowMs) ?? nextInMs),
  };
}

/**
 * A quotient this close to a whole number counts as that number: sums of fractions are not exact.
 */
const EXACT = 1e-9;
/** Larger than all bounds, and still a whole number for the API server. */
const MOST_UNITS = 1_000_000_000;

/** ceil(value / target) */
function unitsFor(value: number, target: number): number {
  const units = value / target;
  const whole = Math.ceil(units - EXACT * Math.max(1, units));
  return Math.min(Math.max(0, whole), MOST_UNITS);
}

const isWithin = (value: number, carried: number, tolerance: number): boolean =>
  carried > 0 && Math.abs(value / carried - 1) <= tolerance + EXACT;

/** Without the metric's value, which changes each time: a new message would cause a write. */
function limitOf(
  { least, most }: Bounds,
  needed: number,
): { readonly limit: Reason<LimitReason> | undefined } {
  const limit = (reason: LimitReason, what: string, { field, value }: Bounds['least']) => ({
    limit: { reason, message: `the metric calls for ${what}; spec.${field} is ${value}` },
  });
  if (needed > most.value) return limit('AtMaximum', 'more', most);
  if (needed < least.value) return limit('AtMinimum', 'less', least);
  return { limit: undefined };
}

type Proposed = { readonly size: number; readonly generation: number };

/**
 * The group may shrink to the largest size that was proposed during the whole delay. The delay
 * restarts with another leader, an edit, and a gap in the metric.
 */
function withProposal(
  before: Proposals | undefined,
  { size, generation }: Proposed,
  delayMs: number,
  nowMs: number,
): Proposals {
  const known = before?.generation === generation ? before : undefined;
  const newest = known?.list.at(-1);
  const earlier = (known?.list ?? [])
    .map((it) => (it === newest ? { ...it, untilMs: nowMs } : it))
    // A later proposal of the same size or more holds the size for longer.
    .filter((it) => it.size > size && it.untilMs > nowMs - delayMs);
  return {
    generation,
    sinceMs: known?.sinceMs ?? nowMs,
    list: [...earlier, { size, untilMs: nowMs }],
  };
}

/** Undefined: the proposals do not cover the whole delay yet. */
function mayFallTo(
  { sinceMs, list }: Proposals,
  delayMs: number,
  nowMs: number,
): number | undefined {
  return nowMs - sinceMs < delayMs ? undefined : Math.max(...list.map(({ size }) => size));
}

/** The time until `mayFallTo` may change. */
function fallsInMs(
  { sinceMs, list }: Proposals,
  delayMs: number,
  nowMs: number,
): number | undefined {
  if (nowMs - sinceMs < delayMs) return sinceMs + delayMs - nowMs;
  const [highest, ...others] = list;
  return others.length === 0 || highest === undefined
    ? undefined
    : highest.untilMs + delayMs - nowMs;
}
