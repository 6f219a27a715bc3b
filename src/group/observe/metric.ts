// What is known of the metric that a group's policy asks for?
import type { SwarmGroup } from '../../api/validate.ts';
import type { MetricReading } from '../../core/metric.ts';
import type { MetricQuestion, MetricReadings } from '../../runtime/metric-sources/readings.ts';

/** The sources are asked as long as the group has such a policy. */
export function followMetric(
  metrics: Pick<MetricReadings, 'follow' | 'release'>,
  key: string,
  group: SwarmGroup,
): void {
  const question = questionOf(group);
  if (question === undefined) metrics.release(key);
  else metrics.follow(key, group.meta.namespace, question);
}

export const metricOf = (
  metrics: Pick<MetricReadings, 'reading'>,
  key: string,
  group: SwarmGroup,
): MetricReading => (questionOf(group) === undefined ? { state: 'pending' } : metrics.reading(key));

function questionOf({ meta, spec }: SwarmGroup): MetricQuestion | undefined {
  const { policy } = spec.ok ? spec.value : {};
  if (policy?.prometheus === undefined || meta.isDeleting) return undefined;
  const { source, query } = policy.prometheus;
  return { source, query, periodMs: policy.periodSeconds * 1000 };
}
