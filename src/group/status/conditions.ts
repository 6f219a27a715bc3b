// Which conditions does a group have if it is not blocked?
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import type { Wanted } from '../../core/conditions.ts';
import { ANNOTATION_PAUSED } from '../../core/labels.ts';
import { isPauseUnclear } from '../../core/pause.ts';
import type { Reason } from '../../core/reason.ts';
import { listed, plural, timeText } from '../../core/text.ts';
import { type DesiredGroup, isMoving } from '../desired-state.ts';
import { fittingRatios } from '../members/fitting.ts';
import { isFree } from '../members/members.ts';
import { rulesOf } from '../members/rules.ts';
import { type ConflictReason, type GroupConditionReason, metricReasons } from '../reasons.ts';
import { missingMembers } from '../size.ts';
import { type GroupWorld, memberName } from '../world.ts';

export const conditionTypes = [
  'Ready',
  'Reconciling',
  'Stalled',
  'MetricsAvailable',
  'Conflicted',
  'Limited',
] as const;

export type MemberStatus = NonNullable<SwarmGroupStatus['members']>[number];

type GroupCondition = Wanted & { readonly reason: GroupConditionReason };

/** `isStalled`: a user has to do something. */
type Progress = Reason<GroupConditionReason> & { readonly isStalled: boolean };

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
    because: Reason<GroupConditionReason>,
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
    isStalled ? state('Stalled', true, progress) : state('Stalled', false, notStalled(world)),
    metricsCondition(world, desired),
    conflict === undefined
      ? state('Conflicted', false, {
          reason: 'NoConflict',
          message: 'only the group scales its members',
        })
      : state('Conflicted', true, conflict),
    desired.size?.limit === undefined
      ? state('Limited', false, { reason: 'WithinBounds', message: 'no bound limits the size' })
      : state('Limited', true, desired.size.limit),
  ];
}

function metricsCondition({ group }: GroupWorld, { metric, spec }: DesiredGroup): GroupCondition {
  const type = 'MetricsAvailable';
  const source = `the source "${spec.policy.prometheus?.source}"`;
  switch (metric?.state) {
    case undefined: {
      const message = `policy.type ${spec.policy.type} uses no metric`;
      return { type, status: 'Unknown', reason: 'NoMetrics', message };
    }
    case 'fresh': {
      const message = `${source} returns a number`;
      return { type, status: 'True', reason: 'MetricAvailable', message };
    }
    case 'missing':
      return { type, status: 'False', reason: metric.reason, message: metric.message };
    case 'pending': {
      // A new leader keeps the condition of the last one until it has its own result.
      const before = group.status?.conditions?.find((it) => it.type === type);
      const reason = metricReasons.find((it) => it === before?.reason);
      if (before !== undefined && reason !== undefined)
        return { type, status: before.status, reason, message: before.message };
      const message = `${source} has not answered yet`;
      return { type, status: 'Unknown', reason: 'MetricPending', message };
    }
    default:
      return metric satisfies never;
  }
}

function notStalled({ group: { meta } }: GroupWorld): Reason<GroupConditionReason> {
  if (!isPauseUnclear(meta)) return { reason: 'Working', message: 'nothing blocks it' };
  const message = `the group's annotation ${ANNOTATION_PAUSED} is neither "true" nor "false", so it has no effect`;
  return { reason: 'AnnotationIgnored', message };
}

/** The first condition that applies: obstacles for a user come first. */
function progressOf(
  world: GroupWorld,
  desired: DesiredGroup,
  members: readonly MemberStatus[],
): Progress {
  const { size, goal, isPaused } = desired;
  if (isPaused) return waiting('Paused', pausedText(members));
  if (size === undefined) return withoutSize(world, desired);
  if (members.length === 0) return waiting('NoMembers', noMembersText(world));
  const others = members.filter(({ state }) => state !== 'Ready');
  // Rights, quotas, admission: in the server's own words.
  const refused = refusalIn(world, desired, others);
  if (refused !== undefined) return waiting('WriteRefused', refused);
  if (desired.backsOff) return waiting('BackingOff', backingOffText(world, desired, others));
  if (others.length === 0)
    return waiting('AllReady', `${plural(members.length, 'member')} ready at size ${goal.size}`);
  return troubleOf(desired, others);
}

const noMembersText = ({ nearLabel }: GroupWorld): string => {
  const hint = nearLabel === undefined ? '' : `; did you mean ${nearLabel}?`;
  return `spec.selector selects no workload, so there is nothing to scale${hint}`;
};

const waiting = (reason: GroupConditionReason, message: string): Progress => ({
  reason,
  message,
  isStalled: false,
});

const stalled = (reason: GroupConditionReason, message: string): Progress => ({
  reason,
  message,
  isStalled: true,
});

function withoutSize(world: GroupWorld, { spec, bounds }: DesiredGroup): Progress {
  if (spec.policy.type !== 'Manual')
    return waiting(
      'MetricMissing',
      'no metric yet (condition MetricsAvailable): nothing is scaled until there is one',
    );
  const missing = missingMembers(world);
  const what = 'spec.replicas is not set';
  if (missing.length > 0 || world.members.length === 0) {
    const names = missing.length > 0 ? listed(missing) : 'a member';
    return waiting(
      'MemberMissing',
      `${what}; it is taken over from the members once ${names} exists`,
    );
  }
  return stalled(
    'SizeUnknown',
    `${what}, and no size matches the replicas of all members (${sizesText(world)}): set spec.replicas${fittingText(world, spec, bounds)}`,
  );
}

/** The other ratios with which one size would fit all members. */
function fittingText(
  { members }: GroupWorld,
  spec: SwarmGroupSpec,
  { least, most }: DesiredGroup['bounds'],
): string {
  const present = members.filter(isFree).map((member) => ({
    name: memberName(member),
    replicas: member.found.replicas,
    rules: rulesOf(spec, member, member.found.rules),
  }));
  const fitting = fittingRatios(present, { least: least.value, most: most.value });
  if (fitting === undefined || fitting.ratios.length === 0) return '';
  const ratios = fitting.ratios.map(({ name, ratio }) => `${JSON.stringify(ratio)} for ${name}`);
  return `; or set the ratio ${listed(ratios)}, with which size ${fitting.size} matches`;
}

/** "Deployment/db 1, Deployment/web 3" */
const sizesText = ({ members }: GroupWorld): string =>
  listed(
    members.flatMap((member) =>
      member.found === undefined ? [] : [`${memberName(member)} ${member.found.replicas}`],
    ),
  );

function refusalIn(
  { refused }: GroupWorld,
  { members }: DesiredGroup,
  others: readonly MemberStatus[],
): string | undefined {
  const isOfScale = members.some((it) => isFree(it) && it.scaleRefused !== undefined);
  if (isOfScale) return membersText(others);
  return refused && `${refused.reason}: ${refused.message}`;
}

function backingOffText(
  { group: { meta } }: GroupWorld,
  { size, goal, spec, transition, retry }: DesiredGroup,
  others: readonly MemberStatus[],
): string {
  const why = transition?.message === undefined ? '' : ` (${transition.message})`;
  const when = retry === undefined ? 'soon' : `at ${timeText(retry.atMs)}`;
  const now = others.length === 0 ? '' : `; ${membersText(others)}`;
  return `size ${size?.wanted} was not reached within ${spec.transition.timeoutSeconds} s${why}; the operator tries it again ${when}, or at once after "swarmctl group retry ${meta.name}", and keeps size ${goal.size} until then${now}`;
}

function pausedText(members: readonly MemberStatus[]): string {
  const changes = members.filter(
    ({ desired, replicas }) => replicas !== undefined && desired !== replicas,
  );
  return `paused: ${plural(changes.length, 'member')} would be scaled`;
}

function troubleOf(desired: DesiredGroup, others: readonly MemberStatus[]): Progress {
  const { transition, spec, goal } = desired;
  const text = membersText(others);
  if (isMoving(desired)) return waiting('Working', text);
  if (transition?.state === 'TimedOut' && transition.to === goal.size)
    return stalled(
      'TransitionTimedOut',
      `size ${transition.to} was not reached within ${spec.transition.timeoutSeconds} s: ${text}`,
    );
  const conflict = conflictIn(desired);
  if (conflict !== undefined) return stalled(conflict.reason, conflict.message);
  if (others.some(({ state }) => state === 'Refused')) return stalled('MemberRefused', text);
  const isMissing = others.some(({ state }) => state === 'Missing');
  return waiting(isMissing ? 'MemberMissing' : 'MembersUnready', text);
}

function conflictIn({ members }: DesiredGroup): Reason<ConflictReason> | undefined {
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
