// What is known of the metric that a group's policy asks for?
import type { SwarmGroup } from '../../api/validate.ts';
import type { MetricReading } from '../../core/metric.ts';
import type { MetricReadings } from '../../runtime/metric-sources/readings.ts';

/** The sources are asked as long as the group is observed with such a policy. */
export function metricOf(
  metrics: Pick<MetricReadings, 'read' | 'release'>,
  key: string,
  { meta, spec }: SwarmGroup,
): MetricReading {
  const { policy } = spec.ok ? spec.value : {};
  if (policy?.prometheus === undefined || meta.isDeleting) {
    metrics.release(key);
    return { state: 'pending' };
  }
  const { source, query } = policy.prometheus;
  return metrics.read(key, meta.namespace, {
    ...{ source, query },
    periodMs: policy.periodSeconds * 1000,
  });
}
