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
    'Streams without a worker; status.unassigned says why.',
  ),
  failing: poolGauge(
    'swarm_pool_streams_failing',
    'Streams that fail, as their workers tell; not there where no worker tells.',
  ),
  completed: poolGauge(
    'swarm_pool_streams_completed',
    'Streams whose work is done, as their workers tell.',
  ),
  suspended: poolGauge(
    'swarm_pool_streams_suspended',
    'Streams that keep their place and do not run (suspend: true).',
  ),
  unowned: poolGauge(
    'swarm_pool_streams_without_owner',
    'Streams that are published, and of which no worker says that it runs them.',
  ),
  doubled: poolGauge(
    'swarm_pool_streams_doubled',
    'Streams of which more than one worker says that it runs them.',
  ),
  desired: poolGauge('swarm_pool_workers_desired', 'Workers that the target desires.'),
  ready: poolGauge('swarm_pool_workers_ready', 'Workers whose pod is Ready.'),
  converged: poolGauge(
    'swarm_pool_workers_converged',
    'Workers that confirmed that they run what they were assigned.',
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
    '1: every desired worker confirmed what it was assigned.',
  ),
  isStalled: poolGauge(
    'swarm_pool_stalled',
    '1: nothing will happen until a user changes something; the condition Stalled says what.',
  ),
  isPaused: poolGauge(
    'swarm_pool_paused',
    '1: changes are computed and shown, and nothing is touched.',
  ),
  isExclusive: poolGauge(
    'swarm_pool_handoff_exclusive',
    '1: handoff.type is Exclusive, so that no stream may ever have two owners.',
  ),
} as const satisfies Record<string, Family>;

export const poolCounters = {
  changes: poolCounter('swarm_pool_changes_total', 'Assignments that were published.'),
  moves: poolCounter('swarm_pool_moves_total', 'Streams that changed their worker.'),
  unownedSeconds: poolCounter(
    'swarm_pool_stream_without_owner_seconds_total',
    'For how long streams had no owner, all of them together: two streams for three seconds are six.',
  ),
  doubledSeen: poolCounter(
    'swarm_pool_doubled_owners_total',
    'How often a stream was found with more than one owner.',
  ),
} as const satisfies Record<string, Family>;

export const convergence = histogram(
  'swarm_pool_convergence_seconds',
  'From a publication until every desired worker had confirmed it; those that the next one overtook are not in it.',
  [0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600],
  POOL,
);

const GROUP: Labels = ['namespace', 'group'];

const groupGauge = (name: string, help: string): Family => gauge(name, help, GROUP);

export const groupGauges = {
  size: groupGauge('swarm_group_size', 'The size that the members have.'),
  members: groupGauge('swarm_group_members', 'Members that the group names or selects.'),
  ready: groupGauge('swarm_group_members_ready', 'Members that have their size and are ready.'),
  isReady: groupGauge('swarm_group_ready', '1: every member has its size and is ready.'),
  isPaused: groupGauge(
    'swarm_group_paused',
    '1: what would be done is shown, and nothing is touched.',
  ),
  isStalled: groupGauge(
    'swarm_group_stalled',
    '1: nothing will happen until a user changes something; the condition Stalled says what.',
  ),
  isConflicted: groupGauge(
    'swarm_group_conflicted',
    '1: an autoscaler, a pool, an older group or a user scales a member; the condition Conflicted says which.',
  ),
  isLimited: groupGauge('swarm_group_limited', '1: a bound holds the size.'),
  isMetricMissing: groupGauge(
    'swarm_group_metric_missing',
    '1: the policy asks for a metric, and there is none, so that the size stays; the condition MetricsAvailable says why.',
  ),
} as const satisfies Record<string, Family>;

/** Absent where there is no such figure. */
export const groupFigures = {
  wanted: groupGauge(
    'swarm_group_size_wanted',
    'The size that spec.replicas or the policy asks for, within its bounds; absent while nothing can be decided.',
  ),
  metricValue: groupGauge(
    'swarm_group_metric_value',
    'What the query of policy.prometheus gave last; absent while there is no fresh value.',
  ),
  metricTarget: groupGauge(
    'swarm_group_metric_target',
    'policy.prometheus.target: what one unit of the size carries.',
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
  'Transitions that ended, by how: Completed, TimedOut, RolledBack, Superseded.',
  [...GROUP, 'outcome'],
);

export const groupFailures = counter(
  'swarm_group_transition_failures_total',
  'Transitions that made no progress for timeoutSeconds, by why: Refused (by the API server), a reason of the pods (Unschedulable, ImagePullBackOff, CreateContainerConfigError, CrashLoopBackOff), Other.',
  [...GROUP, 'reason'],
);

const TRANSITION_SECONDS = [0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/** Of one leader's clock: a transition during which another took over is in none of them. */
export const groupSeconds = {
  transition: histogram(
    'swarm_group_transition_seconds',
    'From when the operator saw another size until the last member was ready; only transitions that were completed.',
    TRANSITION_SECONDS,
    GROUP,
  ),
  patch: histogram(
    'swarm_group_patch_seconds',
    "From when the operator saw another size until the last member's new replicas were accepted; only transitions that were completed.",
    [0.025, 0.05, 0.1, 0.25, 0.5, ...TRANSITION_SECONDS.slice(2)],
    GROUP,
  ),
} as const satisfies Record<string, Family>;

const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const operatorFamilies = {
  build: gauge('swarm_operator_build_info', 'Always 1; the labels say which build this is.', [
    'version',
    'commit',
    'date',
  ]),
  leader: gauge(
    'swarm_operator_leader',
    '1: this replica acts. Only it has figures of pools and groups.',
  ),
  synced: gauge('swarm_operator_synced', '1: this replica has read all that it watches.'),
  kinds: gauge(
    'swarm_operator_kind_on',
    '1: this replica works for this kind; 0: it does not, and why (NotInstalled, Forbidden, LeftOut).',
    ['kind', 'reason'],
  ),
  decisions: counter('swarm_operator_decisions_total', 'Decisions, by whether they had any step.', [
    'result',
  ]),
  decisionSeconds: histogram(
    'swarm_operator_decision_duration_seconds',
    'What it took to gather what is known of a pool or a group and to decide.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ),
  failures: counter(
    'swarm_operator_decision_failures_total',
    'Decisions that could not be made or carried out, and are made again.',
  ),
  queueDepth: gauge(
    'swarm_operator_queue_depth',
    'Pools and groups that wait to be decided about; none where another replica leads.',
  ),
  queueProcessing: gauge(
    'swarm_operator_queue_processing',
    'Pools and groups that are being decided about.',
  ),
  queueDelayed: gauge(
    'swarm_operator_queue_delayed',
    'Pools and groups that will be looked at again later.',
  ),
  queueWait: histogram(
    'swarm_operator_queue_wait_seconds',
    'How long a pool or a group waited until it was taken up.',
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30],
  ),
  queueRetries: counter('swarm_operator_queue_retries_total', 'Further tries after failures.'),
  requests: counter(
    'swarm_operator_api_requests_total',
    'Requests to the API server; result is the status code, or why there was none. Writes have the verbs create, update, patch and delete.',
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
    'Queries to sources of metrics, for groups with policy Prometheus; result is sample, or why there was none.',
    ['source', 'result'],
  ),
  metricRequestSeconds: histogram(
    'swarm_operator_metric_request_duration_seconds',
    'How long a source of metrics took to answer.',
    REQUEST_SECONDS,
    ['source'],
  ),
  eventsLost: counter(
    'swarm_operator_events_lost_total',
    'Events that were not written: dropped, since too many waited, or refused.',
    ['reason'],
  ),
  watchRestarts: counter(
    'swarm_operator_watch_restarts_total',
    'Watches that broke and were started again. Gone and Timeout are normal now and then.',
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
