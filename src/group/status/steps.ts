// When is the status written, and which events follow? A decision or a condition is written at
// once, progress every two seconds.
import { kinds } from '../../api/kinds.ts';
import type { SwarmGroup, SwarmGroupStatus } from '../../api/validate.ts';
import { type Condition, ConditionNews, conditionIn } from '../../core/conditions.ts';
import type { Decision, EventText } from '../../core/decision.ts';
import {
  type AroundStatus,
  type DueStatus,
  ownStatusSteps,
  paceInMs,
  withStatus,
} from '../../core/own-status.ts';
import type { GroupEvent } from '../reasons.ts';
import type { GroupWorld } from '../world.ts';

type GroupStatus = DueStatus<SwarmGroupStatus>;

/** The only place where the status is written. */
export const statusAmong = (
  group: SwarmGroup,
  { says, dueInMs }: GroupStatus,
  around: AroundStatus,
): Decision => withStatus(ownStatusSteps(kinds.SwarmGroup, group, says, eventsOf), dueInMs, around);

export const atPace = ({ group, ages }: GroupWorld, status: SwarmGroupStatus): GroupStatus => ({
  says: status,
  dueInMs: () => paceInMs(group.status, status, newsIn, ages.statusMs),
});

/** All other fields are progress. */
const newsIn = (status: SwarmGroupStatus | undefined): readonly unknown[] => [
  status?.observedGeneration,
  status?.replicas,
  status?.proposal?.replicas,
  status?.selector,
  status?.desiredMembers,
  status?.transition && { ...status.transition, stage: undefined, times: undefined },
  status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
];

/** An event for each condition that has become true. */
function eventsOf(
  before: SwarmGroupStatus | undefined,
  after: SwarmGroupStatus,
): readonly EventText[] {
  const news = new ConditionNews(before?.conditions, after.conditions);
  const metrics = 'MetricsAvailable';
  const ended =
    after.transition?.state !== before?.transition?.state ? after.transition : undefined;
  const rows = [
    news.becameAnew('Stalled') && news.event('Warning', 'Decide', 'Stalled'),
    lostMetric(conditionIn(before?.conditions, metrics), conditionIn(after.conditions, metrics)),
    news.changedTo('Reconciling', 'WriteRefused') && news.event('Warning', 'Write', 'Reconciling'),
    ended?.state === 'Completed' && completed(ended),
    ended?.state === 'RollingBack' && wentBack(ended),
  ];
  return rows.filter((row) => row !== false && row !== undefined);
}

function lostMetric(
  before: Condition | undefined,
  after: Condition | undefined,
): GroupEvent | undefined {
  if (after?.status !== 'False' || before?.reason === after.reason) return undefined;
  const message = `${after.reason}: ${after.message}; keeping the size`;
  return { type: 'Warning', reason: 'MetricMissing', action: 'Decide', message };
}

type Transition = NonNullable<SwarmGroupStatus['transition']>;

function completed({ from, to, times }: Transition): GroupEvent {
  const took =
    times?.totalMilliseconds === undefined
      ? 'not measured'
      : `${(times.totalMilliseconds / 1000).toFixed(1)} s`;
  const message = `size ${from} -> ${to}: all members are ready (${took})`;
  return { type: 'Normal', reason: 'Completed', action: 'Scale', message };
}

function wentBack({ from, to, message: why }: Transition): GroupEvent {
  const message = `size ${to} was not reached in time (${why}): rolling back to size ${from}`;
  return { type: 'Warning', reason: 'TransitionTimedOut', action: 'Scale', message };
}
