// Which metrics are there, and what does each mean? What is served is made from this list, as is
// docs/reference/metrics.md.
import { counter, type Family, gauge, histogram } from './family.ts';
import { queueFamilies } from './queue-families.ts';

type Labels = readonly string[];
const POOL: Labels = ['namespace', 'pool'];

const poolGauge = (name: string, help: string): Family => gauge(name, help, POOL);
const poolCounter = (name: string, help: string): Family => counter(name, help, POOL);

/** One series for each pool; never one for each stream or worker: a pool may have 100,000. */
export const poolGauges = {
  streams: poolGauge('swarm_pool_streams', 'Streams in the list; 0 while it cannot be read.'),
  unassigned: poolGauge(
    'swarm_pool_streams_unassigned',
    'Streams without a worker; status.unassigned has the reasons.',
  ),
  failing: poolGauge(
    'swarm_pool_streams_failing',
    'Streams that are failing, as their workers report; absent if no worker reports it.',
  ),
  completed: poolGauge(
    'swarm_pool_streams_completed',
    'Streams that have completed, as their workers report.',
  ),
  suspended: poolGauge(
    'swarm_pool_streams_suspended',
    'Streams with suspend: true: they keep their worker, but do not run.',
  ),
  unowned: poolGauge(
    'swarm_pool_streams_without_owner',
    'Assigned streams that no worker reports as running.',
  ),
  doubled: poolGauge(
    'swarm_pool_streams_doubled',
    'Streams that more than one worker reports as running.',
  ),
  desired: poolGauge('swarm_pool_workers_desired', 'Workers that the target should have.'),
  ready: poolGauge('swarm_pool_workers_ready', 'Workers whose pod is Ready.'),
  converged: poolGauge(
    'swarm_pool_workers_converged',
    'Workers that have confirmed their assigned streams.',
  ),
  required: poolGauge(
    'swarm_pool_workers_required',
    'Workers that would be enough for weights, pins and spread groups.',
  ),
  stuck: poolGauge(
    'swarm_pool_workers_stuck',
    'Workers that have not confirmed within spec.refresh.timeoutSeconds.',
  ),
  version: poolGauge('swarm_pool_version', 'Version of the assignment that is in force.'),
  isConverged: poolGauge(
    'swarm_pool_converged',
    '1: every desired worker has confirmed its streams.',
  ),
  isStalled: poolGauge(
    'swarm_pool_stalled',
    '1: the operator cannot continue until a user acts; the condition Stalled says what to change.',
  ),
  isPaused: poolGauge(
    'swarm_pool_paused',
    '1: the pool is paused: the operator shows changes, but does not make them.',
  ),
  isExclusive: poolGauge(
    'swarm_pool_handoff_exclusive',
    '1: handoff.type is Exclusive, so no stream may ever have two owners.',
  ),
} as const satisfies Record<string, Family>;

export const poolCounters = {
  changes: poolCounter('swarm_pool_changes_total', 'Published assignments.'),
  moves: poolCounter('swarm_pool_moves_total', 'Streams that moved to another worker.'),
  unownedSeconds: poolCounter(
    'swarm_pool_stream_without_owner_seconds_total',
    'Seconds that streams had no owner, summed over streams: two streams for three seconds are six.',
  ),
  doubledSeen: poolCounter(
    'swarm_pool_doubled_owners_total',
    'How often a stream was found with more than one owner.',
  ),
} as const satisfies Record<string, Family>;

export const convergence = histogram(
  'swarm_pool_convergence_seconds',
  'Time from publishing an assignment until every desired worker had confirmed it. Assignments that the next one superseded are not counted.',
  [0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600],
  POOL,
);

const GROUP: Labels = ['namespace', 'group'];

const groupGauge = (name: string, help: string): Family => gauge(name, help, GROUP);

export const groupGauges = {
  size: groupGauge('swarm_group_size', 'The current size of the members.'),
  members: groupGauge('swarm_group_members', 'Members that the group names or selects.'),
  ready: groupGauge(
    'swarm_group_members_ready',
    'Members that have their wanted size and are ready.',
  ),
  isReady: groupGauge('swarm_group_ready', '1: every member has its wanted size and is ready.'),
  isPaused: groupGauge(
    'swarm_group_paused',
    '1: the group is paused: the operator shows changes, but does not make them.',
  ),
  isStalled: groupGauge(
    'swarm_group_stalled',
    '1: the operator cannot continue until a user acts; the condition Stalled says what to change.',
  ),
  isConflicted: groupGauge(
    'swarm_group_conflicted',
    '1: an autoscaler, a pool, an older group or a user scales a member; the condition Conflicted says which.',
  ),
  isLimited: groupGauge('swarm_group_limited', '1: a bound limits the size.'),
  isMetricMissing: groupGauge(
    'swarm_group_metric_missing',
    '1: the metric of the policy is missing, so the group keeps its size; the condition MetricsAvailable has the reason.',
  ),
} as const satisfies Record<string, Family>;

/** Absent where there is no such figure. */
export const groupFigures = {
  wanted: groupGauge(
    'swarm_group_size_wanted',
    'The size that spec.replicas or the policy asks for, within its bounds; absent while the operator cannot decide.',
  ),
  metricValue: groupGauge(
    'swarm_group_metric_value',
    'The last value of policy.prometheus.query; absent while there is no fresh value.',
  ),
  metricTarget: groupGauge(
    'swarm_group_metric_target',
    'policy.prometheus.target: the value that one unit of size can handle.',
  ),
  metricTimestamp: groupGauge(
    'swarm_group_metric_timestamp_seconds',
    'When the source computed the last value of policy.prometheus.query, as Unix time; it stays while the source fails.',
  ),
} as const satisfies Record<string, Family>;

export const groupReason = gauge(
  'swarm_group_reason',
  'Always 1; the label is the reason of the condition Ready, such as AllReady, Working or BackingOff.',
  [...GROUP, 'reason'],
);

export const groupTransitions = counter(
  'swarm_group_transitions_total',
  'Transitions that ended, by outcome: Completed, TimedOut, RolledBack, Superseded.',
  [...GROUP, 'outcome'],
);

export const groupFailures = counter(
  'swarm_group_transition_failures_total',
  'Transitions that made no progress for timeoutSeconds, by reason: Refused (by the API server), a reason of the pods (Unschedulable, ImagePullBackOff, CreateContainerConfigError, CrashLoopBackOff), Other.',
  [...GROUP, 'reason'],
);

const TRANSITION_SECONDS = [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/** Of one leader's clock: a transition during which another took over is in none of them. */
export const groupSeconds = {
  transition: histogram(
    'swarm_group_transition_seconds',
    'Time from when the operator saw a new size until the last member was ready; only completed transitions.',
    TRANSITION_SECONDS,
    GROUP,
  ),
  patch: histogram(
    'swarm_group_patch_seconds',
    "Time from when the operator saw a new size until the API server had accepted the last member's new replicas; only completed transitions.",
    [0.025, 0.05, 0.1, 0.25, 0.5, ...TRANSITION_SECONDS.slice(2)],
    GROUP,
  ),
} as const satisfies Record<string, Family>;

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const operatorFamilies = {
  build: gauge('swarm_operator_build_info', 'Always 1; the labels identify the build.', [
    'version',
    'commit',
    'date',
  ]),
  leader: gauge(
    'swarm_operator_leader',
    '1: this replica is the leader. Only the leader has metrics of pools and groups.',
  ),
  synced: gauge('swarm_operator_synced', '1: this replica has read everything that it watches.'),
  kinds: gauge(
    'swarm_operator_kind_on',
    '1: this replica reconciles this kind; 0: it does not, with the reason (NotInstalled, Forbidden, LeftOut).',
    ['kind', 'reason'],
  ),
  unreadable: gauge(
    'swarm_operator_namespace_unreadable',
    '1: this replica cannot read all that it needs of this kind in this namespace (Forbidden, Syncing): its objects rest there.',
    ['kind', 'namespace', 'reason'],
  ),
  decisions: counter(
    'swarm_operator_decisions_total',
    'Decisions, by whether they had any steps.',
    ['result'],
  ),
  decisionSeconds: histogram(
    'swarm_operator_decision_duration_seconds',
    'Time to observe a pool or a group and to decide.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ),
  failures: counter(
    'swarm_operator_decision_failures_total',
    'Decisions that failed, or could not be carried out, and are retried.',
  ),
  queueDepth: gauge(
    'swarm_operator_queue_depth',
    'Pools and groups that are waiting to be reconciled; 0 if another replica leads.',
  ),
  queueProcessing: gauge(
    'swarm_operator_queue_processing',
    'Pools and groups that are being reconciled.',
  ),
  queueDelayed: gauge(
    'swarm_operator_queue_delayed',
    'Pools and groups that are scheduled to be reconciled later.',
  ),
  queueWait: histogram(
    'swarm_operator_queue_wait_seconds',
    'How long a pool or a group waited in the queue.',
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  ),
  queueRetries: counter('swarm_operator_queue_retries_total', 'Retries after failures.'),
  requests: counter(
    'swarm_operator_api_requests_total',
    'Requests to the API server; result is the status code, or the reason why there was none. Writes have the verbs create, update, patch and delete.',
    ['verb', 'resource', 'result'],
  ),
  requestSeconds: histogram(
    'swarm_operator_api_request_duration_seconds',
    'How long the API server took to answer.',
    REQUEST_SECONDS,
    ['verb'],
  ),
  metricRequests: counter(
    'swarm_operator_metric_requests_total',
    'Queries to metric sources, for groups with policy.type Prometheus; result is sample, or the reason why there was none.',
    ['source', 'result'],
  ),
  metricRequestSeconds: histogram(
    'swarm_operator_metric_request_duration_seconds',
    'How long a metric source took to answer.',
    REQUEST_SECONDS,
    ['source'],
  ),
  eventsLost: counter(
    'swarm_operator_events_lost_total',
    'Events that were not written: dropped because too many were waiting, or refused.',
    ['reason'],
  ),
  watchRestarts: counter(
    'swarm_operator_watch_restarts_total',
    'Watches that broke and were restarted. Gone and Timeout are normal from time to time.',
    ['resource', 'reason'],
  ),
} as const satisfies Record<string, Family>;

export const families: readonly Family[] = [
  ...Object.values(poolGauges),
  ...Object.values(poolCounters),
  convergence,
  ...Object.values(groupGauges),
  ...Object.values(groupFigures),
  groupReason,
  groupTransitions,
  groupFailures,
  ...Object.values(groupSeconds),
  ...queueFamilies,
  ...Object.values(operatorFamilies),
];
