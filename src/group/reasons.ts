// Which reasons does a group have? docs/how-to/troubleshoot-groups.md explains each.
import type { EventText } from '../core/decision.ts';

/** The whole group is blocked. */
export const obstacleReasons = ['InvalidSpec', 'TooManyMembers', 'DecisionFailed'] as const;

/** An autoscaler, a pool, an older group or a user scales a member. */
export const conflictReasons = [
  'TargetConflict',
  'AutoscalerConflict',
  'ReplicasConflict',
] as const;

/** Why a group is not Ready, besides the reasons above; AllReady: why it is. */
export const progressReasons = [
  'AllReady',
  'Working',
  'MemberMissing',
  'MemberRefused',
  'MembersUnready',
  'NoMembers',
  'SizeUnknown',
  'MetricMissing',
  'TransitionTimedOut',
  'BackingOff',
  'WriteRefused',
  'Paused',
] as const;

/** Reasons of a single condition. */
export const stateReasons = [
  'NoMetrics',
  'NoConflict',
  'AnnotationIgnored',
  'WithinBounds',
] as const;

/** A bound limits the size. */
export const limitReasons = ['AtMinimum', 'AtMaximum'] as const;

/** Why the policy proposes a size. */
export const proposalReasons = [
  'Manual',
  'Drawn',
  'Scheduled',
  'MetricAboveTarget',
  'MetricBelowTarget',
  'WithinTolerance',
  'ScaleDownDelayed',
  'MetricMissing',
] as const;

/** Reasons of the condition MetricsAvailable, besides NoMetrics. */
export const metricReasons = [
  'MetricAvailable',
  'MetricPending',
  'MetricStale',
  'MetricSourceUnknown',
  'TooManyQueries',
  'MetricSourceUnreachable',
  'MetricSourceLate',
  'MetricSourceDenied',
  'MetricSourceRedirects',
  'MetricSourceFailed',
  'MetricAnswerTooLong',
  'MetricAnswerUnknown',
  'MetricQueryWrong',
  'MetricEmpty',
  'MetricAmbiguous',
  'MetricNotANumber',
  'MetricNegative',
] as const;

/** The cause of a transition. */
export const requestReasons = [
  'GroupCreated',
  'SizeChanged',
  'Drawn',
  'Scheduled',
  'MetricAboveTarget',
  'MetricBelowTarget',
  'GroupEdited',
  'MemberChanged',
  'Retried',
] as const;

export const eventReasons = [
  'Scaled',
  'Completed',
  'TransitionTimedOut',
  'WriteRefused',
  'MemberRefused',
  'SizeUnknown',
  'MetricMissing',
] as const;

export type GroupObstacleReason = (typeof obstacleReasons)[number];
export type ConflictReason = (typeof conflictReasons)[number];
export type LimitReason = (typeof limitReasons)[number];
export type ProposalReason = (typeof proposalReasons)[number];
export type MetricReason = (typeof metricReasons)[number];
export type RequestReason = (typeof requestReasons)[number];
export type GroupEventReason =
  | (typeof eventReasons)[number]
  | ConflictReason
  | Exclude<GroupObstacleReason, 'DecisionFailed'>;
export type GroupConditionReason =
  | GroupObstacleReason
  | ConflictReason
  | (typeof progressReasons)[number]
  | (typeof stateReasons)[number]
  | LimitReason
  | MetricReason;

export type GroupEvent = EventText & { readonly reason: GroupEventReason };
