// Which conditions does a group have that is not blocked?

import type { Because } from '../../core/because.ts';
import type { Wanted } from '../../core/conditions.ts';
import { listed, plural } from '../../core/text.ts';
import { type DesiredGroup, isMoving } from '../desired-state.ts';
import type { ConflictReason, GroupConditionReason } from '../reasons.ts';
import { firstMember } from '../size.ts';
import type { GroupWorld } from '../world.ts';
import type { MemberStatus } from './member-state.ts';

export const conditionTypes = [
  'Ready',
  'Reconciling',
  'Stalled',
  'MetricsAvailable',
  'Conflicted',
  'Limited',
] as const;

type GroupCondition = Wanted & { readonly reason: GroupConditionReason };

/** `isStalled`: a user has to do something. */
type Progress = Because<GroupConditionReason> & { readonly isStalled: boolean };

export function groupConditions(
  world: GroupWorld,
  desired: DesiredGroup,
  members: readonly MemberStatus[],
): readonly GroupCondition[] {
  const { isStalled, ...progress } = progressOf(world, desired, members);
  const { isPaused } = desired;
  const isReady = progress.reason === 'AllReady';
  const conflict = conflictIn(desired);
  const state = (
    type: string,
    is: boolean,
    because: Because<GroupConditionReason>,
  ): GroupCondition => ({
    type,
    status: is ? 'True' : 'False',
    ...because,
  });
  return [
    isPaused
      ? { type: 'Ready', status: 'Unknown', ...progress }
      : state('Ready', isReady, progress),
    state('Reconciling', !isReady && !isStalled && !isPaused, progress),
    isStalled
      ? state('Stalled', true, progress)
      : state('Stalled', false, { reason: 'Working', message: 'nothing is in the way' }),
    {
      type: 'MetricsAvailable',
      status: 'Unknown',
      reason: 'NoMetrics',
      message: 'policy.type Manual asks for no metrics',
    },
    conflict === undefined
      ? state('Conflicted', false, { reason: 'NoConflict', message: 'nobody else scales a member' })
      : state('Conflicted', true, conflict),
    desired.size?.limit === undefined
      ? state('Limited', false, { reason: 'WithinBounds', message: 'no bound holds the size' })
      : state('Limited', true, desired.size.limit),
  ];
}

/** The first that applies: what a user has to do comes first. */
function progressOf(
  world: GroupWorld,
  desired: DesiredGroup,
  members: readonly MemberStatus[],
): Progress {
  const { refused } = world;
  const waiting = (reason: GroupConditionReason, message: string): Progress => ({
    reason,
    message,
    isStalled: false,
  });
  if (desired.isPaused) return waiting('Paused', pausedText(members));
  // Rights, quotas, admission: in the server's own words.
  if (refused !== undefined)
    return waiting('WriteRefused', `${refused.reason}: ${refused.message}`);
  if (desired.size === undefined)
    return waiting(
      'MemberMissing',
      `spec.replicas is left out, and ${firstMember(world)}, whose size is taken over, is not there`,
    );
  const others = members.filter(({ state }) => state !== 'Ready');
  if (others.length === 0)
    return waiting(
      'AllReady',
      `${plural(members.length, 'member')} ready at size ${desired.size.wanted}`,
    );
  return troubleOf(desired, others) ?? waiting('Working', membersText(others));
}

function pausedText(members: readonly MemberStatus[]): string {
  const changes = members.filter(
    ({ desired, replicas }) => replicas !== undefined && desired !== replicas,
  );
  return `paused: ${plural(changes.length, 'member')} would be scaled`;
}

function troubleOf(desired: DesiredGroup, others: readonly MemberStatus[]): Progress | undefined {
  const { transition, isOverdue, backsOff, spec } = desired;
  const seconds = spec.transition.timeoutSeconds;
  const text = membersText(others);
  const stalled = (reason: GroupConditionReason, message: string): Progress => ({
    reason,
    message,
    isStalled: true,
  });
  if (isOverdue)
    return stalled(
      'RollbackTimedOut',
      `the rollback to size ${transition?.from} has not ended after ${seconds} s: ${text}`,
    );
  if (isMoving(desired)) return undefined;
  if (backsOff && transition?.state === 'RolledBack')
    return {
      reason: 'BackingOff',
      message: `size ${transition.to} was not reached within ${seconds} s, and rolled back; it is tried again later`,
      isStalled: false,
    };
  if (transition?.state === 'TimedOut')
    return stalled(
      'TransitionTimedOut',
      `size ${transition.to} was not reached within ${seconds} s: ${text}`,
    );
  const conflict = conflictIn(desired);
  if (conflict !== undefined) return stalled(conflict.reason, conflict.message);
  const refused = others.find(({ state }) => state === 'Refused');
  if (refused !== undefined) return stalled('MemberRefused', text);
  const missing = others.find(({ state }) => state === 'Missing');
  const isWaiting = { isStalled: false, message: text };
  return missing === undefined
    ? { reason: 'MembersUnready', ...isWaiting }
    : { reason: 'MemberMissing', ...isWaiting };
}

function conflictIn({ members }: DesiredGroup): Because<ConflictReason> | undefined {
  const conflicts = members.flatMap(({ key, conflict }) =>
    conflict === undefined ? [] : [{ key, ...conflict }],
  );
  const [first] = conflicts;
  if (first === undefined) return undefined;
  const more = conflicts.length > 1 ? `; and ${plural(conflicts.length - 1, 'more member')}` : '';
  return { reason: first.reason, message: `${first.key}: ${first.message}${more}` };
}

const MOST_TOLD = 3;

/** "Deployment/web Scaling (2 of 3 are ready)" */
function membersText(members: readonly MemberStatus[]): string {
  const texts = members.map(
    ({ kind, name, state, message }) =>
      `${kind}/${name} ${state}${message === undefined ? '' : ` (${message})`}`,
  );
  return listed(texts, MOST_TOLD);
}
