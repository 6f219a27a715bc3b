// When is status written, and which events follow? A decision or a condition at once, progress
// every two seconds.
import { kinds } from '../../api/kinds.ts';
import type { SwarmGroup, SwarmGroupStatus } from '../../api/validate.ts';
import type { Condition } from '../../core/conditions.ts';
import type { Step } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import { ownStatusSteps } from '../../core/own-status.ts';
import type { GroupEvent, GroupEventReason } from '../reasons.ts';
import type { GroupWorld } from '../world.ts';

export const statusSteps = (group: SwarmGroup, status: SwarmGroupStatus): readonly Step[] =>
  ownStatusSteps(kinds.SwarmGroup, group, status, eventsOf);

const PACE_MS = 2_000;

export function statusNow(
  { group, ages }: GroupWorld,
  status: SwarmGroupStatus,
): { readonly steps: readonly Step[]; readonly nextInMs: number | undefined } {
  const steps = statusSteps(group, status);
  const waitMs = PACE_MS - ages.statusMs;
  if (steps.length === 0) return { steps, nextInMs: undefined };
  return waitMs > 0 && isOnlyProgress(group.status, status)
    ? { steps: [], nextInMs: waitMs }
    : { steps, nextInMs: undefined };
}

function isOnlyProgress(before: SwarmGroupStatus | undefined, after: SwarmGroupStatus): boolean {
  const shown = (status: SwarmGroupStatus | undefined): readonly unknown[] => [
    status?.observedGeneration,
    status?.replicas,
    status?.proposal?.replicas,
    status?.selector,
    status?.desiredMembers,
    status?.transition && { ...status.transition, stage: undefined, times: undefined },
    status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]),
  ];
  return isSameJson(shown(before), shown(after));
}

/** What has become true. */
function eventsOf(
  before: SwarmGroupStatus | undefined,
  after: SwarmGroupStatus,
): readonly GroupEvent[] {
  const of = (status: SwarmGroupStatus | undefined, type: string) =>
    status?.conditions?.find((condition) => condition.type === type);
  const became = (type: string, reason?: GroupEventReason): boolean => {
    const [old, now] = [of(before, type), of(after, type)];
    if (now === undefined) return false;
    return reason === undefined
      ? now.status === 'True' && (old?.status !== 'True' || old.reason !== now.reason)
      : now.reason === reason && old?.reason !== reason;
  };
  const told = (
    type: GroupEvent['type'],
    action: string,
    condition: string,
  ): GroupEvent | undefined => {
    const found = of(after, condition);
    return (
      found && { type, action, reason: found.reason as GroupEventReason, message: found.message }
    );
  };
  const ended =
    after.transition?.state !== before?.transition?.state ? after.transition : undefined;
  const rows = [
    became('Stalled') && told('Warning', 'Decide', 'Stalled'),
    lostMetric(of(before, 'MetricsAvailable'), of(after, 'MetricsAvailable')),
    became('Reconciling', 'WriteRefused') && told('Warning', 'Write', 'Reconciling'),
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
  const message = `${after.reason}: ${after.message}; the size stays`;
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
