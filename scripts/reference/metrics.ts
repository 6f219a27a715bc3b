// What does the reference page of all metrics contain?
import { buildMetric } from '../../src/api/build.ts';
import { families } from '../../src/server/metrics/families.ts';
import type { Family } from '../../src/server/metrics/family.ts';
import { queueFamilies } from '../../src/server/metrics/queue-families.ts';
import { idle } from '../../src/worker/decide/supervise.ts';
import { StartCounts, writeMetrics } from '../../src/worker/report/metrics.ts';
import { code, page, table } from './markdown.ts';

type Row = Pick<Family, 'name' | 'type' | 'help' | 'labels'>;

const row = (
  name: string,
  type: Family['type'],
  help: string,
  labels: readonly string[] = [],
): Row => ({ name, type, help, labels });

/** The metrics of any process on Linux, from the library that we use. */
const ofAnyProcess: readonly Row[] = [
  row('process_cpu_seconds_total', 'counter', 'Processor time, of user and system.'),
  row('process_cpu_user_seconds_total', 'counter', 'Processor time of the program itself.'),
  row('process_cpu_system_seconds_total', 'counter', 'Processor time that the system used for it.'),
  row('process_start_time_seconds', 'gauge', 'Its start time.'),
  row('process_resident_memory_bytes', 'gauge', 'Resident memory.'),
  row('process_virtual_memory_bytes', 'gauge', 'Virtual memory.'),
  row('process_heap_bytes', 'gauge', 'Data segment.'),
  row('process_open_fds', 'gauge', 'Open files and connections.'),
  row('process_max_fds', 'gauge', 'The limit of open files.'),
  row('nodejs_eventloop_lag_seconds', 'gauge', 'The present delay of the event loop.'),
  row('nodejs_eventloop_lag_min_seconds', 'gauge', 'The shortest delay since the last scrape.'),
  row('nodejs_eventloop_lag_max_seconds', 'gauge', 'The longest delay since the last scrape.'),
  row('nodejs_eventloop_lag_mean_seconds', 'gauge', 'The mean delay since the last scrape.'),
  row(
    'nodejs_eventloop_lag_stddev_seconds',
    'gauge',
    'The standard deviation of the delay since the last scrape.',
  ),
  row('nodejs_eventloop_lag_p50_seconds', 'gauge', 'The median of the delay.'),
  row('nodejs_eventloop_lag_p90_seconds', 'gauge', '90 % of the delays were shorter.'),
  row('nodejs_eventloop_lag_p99_seconds', 'gauge', '99 % of the delays were shorter.'),
  row('nodejs_active_resources', 'gauge', 'Resources that keep the event loop alive, by kind.', [
    'type',
  ]),
  row('nodejs_active_resources_total', 'gauge', 'The sum of these.'),
  row('nodejs_active_handles', 'gauge', 'Open handles, by kind.', ['type']),
  row('nodejs_active_handles_total', 'gauge', 'The sum of these.'),
  row('nodejs_active_requests', 'gauge', 'Requests of the system library under way, by kind.', [
    'type',
  ]),
  row('nodejs_active_requests_total', 'gauge', 'The sum of these.'),
  row('nodejs_heap_size_total_bytes', 'gauge', 'Reserved heap.'),
  row('nodejs_heap_size_used_bytes', 'gauge', 'Used heap.'),
  row('nodejs_external_memory_bytes', 'gauge', 'Memory outside of the heap.'),
  row('nodejs_heap_space_size_total_bytes', 'gauge', 'Reserved heap, by part.', ['space']),
  row('nodejs_heap_space_size_used_bytes', 'gauge', 'Used heap, by part.', ['space']),
  row('nodejs_heap_space_size_available_bytes', 'gauge', 'Free heap, by part.', ['space']),
  row('nodejs_version_info', 'gauge', 'Always 1; the labels are the version of Node.', [
    'version',
    'major',
    'minor',
    'patch',
  ]),
  row('nodejs_gc_duration_seconds', 'histogram', 'Pauses for garbage collection.', ['kind']),
];

/** From a worker without streams; labels appear only with streams. */
function ofWorkers(): readonly Row[] {
  const text = `${buildMetric('swarm_worker_build_info', { version: '', commit: '', date: '' }).join('\n')}\n${writeMetrics(idle, new StartCounts(), 0)}`;
  const labelsOf = (name: string): readonly string[] => {
    if (name === 'swarm_worker_build_info') return ['version', 'commit', 'date'];
    if (name === 'swarm_worker_stream_state') return ['stream', 'state'];
    return name.startsWith('swarm_worker_stream_') ? ['stream'] : [];
  };
  return [...text.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (gauge|counter)$/gm)].map(
    ([, name = '', help = '', type]) =>
      row(name, type === 'counter' ? 'counter' : 'gauge', help, labelsOf(name)),
  );
}

const ofPools = families.filter(({ name }) => name.startsWith('swarm_pool_'));
const ofGroups = families.filter(({ name }) => name.startsWith('swarm_group_'));
const ofOperator = families.filter((it) =>
  [ofPools, ofGroups, queueFamilies].every((others) => !others.includes(it)),
);

const list = (rows: readonly Row[]): string =>
  table(
    ['Metric', 'Type', 'Labels', 'Meaning'],
    rows.map(({ name, type, help, labels }) => [
      code(name),
      type,
      labels.map(code).join(', ') || '–',
      help,
    ]),
  );

export function metricsReference(): string {
  return page([
    '<!-- GENERATED from src/server/metrics/families.ts, src/worker/report/metrics.ts and scripts/reference/metrics.ts by scripts/generate.ts. -->',
    '# Metrics',
    'The operator serves them at `/metrics` on port 8080 (`--metrics-port`), a worker on its own port. ' +
      '[deploy/components/monitoring](../../deploy/components/monitoring) has monitors, rules, alerts and a dashboard for them.',
    '## Of each pool',
    'Only the leader has them. These are all the series that a pool adds, whatever its size, and they end with the pool. ' +
      'The labels name the pool and its namespace: scrape with `honor_labels: true` (as our ServiceMonitor does), or the namespace of the operator takes the place of that of the pool. ' +
      'Counters are those of one replica: a change that is published just when another replica becomes leader may be missing.',
    list(ofPools),
    'Owners are counted from the answers of workers. Answers are of different moments: a stream that moves may have two owners here until the earlier one is probed again, mostly within a second. ' +
      'A worker without probes (`probe.type: None`), or without `jobs` in its answers, counts as running its streams.',
    '## Of each group',
    'Only the leader has them, and they end with the group. Counters and histograms are those of one replica: a transition that ended just when another one became leader may be missing.',
    list(ofGroups),
    '## Of each queue',
    'Only the leader has them, and they end with the queue. No metric names a job.',
    list(queueFamilies),
    '## Of the operator',
    list(ofOperator),
    '## Of its process',
    list(ofAnyProcess),
    '## Of a worker',
    'By `swarm-worker`, on the port of `/internal/version`.',
    list(ofWorkers()),
  ]);
}
