// Which reasons are there? docs/how-to/troubleshoot.md explains each.
import type { EventText } from '../core/decision.ts';

/** The pool is blocked, all of it or a part. Those that stall it are events as well. */
export const obstacleReasons = [
  'InvalidSpec',
  'TargetNotFound',
  'AmbiguousTarget',
  'TargetConflict',
  'AutoscalerConflict',
  'NotFenced',
  'AssignmentsConflict',
  'StreamsNotFound',
  'InvalidStreams',
  'TooManyStreams',
  'LargeRemoval',
  'WorkersUnknown',
  'TooManyWorkers',
  'AssignmentTooLarge',
  'VersionTooHigh',
  'NamespaceTooLarge',
  'DecisionFailed',
] as const;

/** A stream has no worker. */
export const placementReasons = [
  'InsufficientCapacity',
  'TooHeavy',
  'NoWorkers',
  'NoSharedWorker',
  'PinnedWorkerMissing',
  'PinnedWorkerCordoned',
  'PinnedWorkerTaken',
  'PinnedWorkerFull',
  'Paused',
] as const;

export const progressReasons = [
  'AllConfirmed',
  'WorkersOutstanding',
  'PodsNotReady',
  'NotMounted',
  'WorkersStuck',
  'WriteRefused',
] as const;

/** Of one condition each. */
export const stateReasons = [
  'Paused',
  'Working',
  'AutoscalerIgnored',
  'AnnotationIgnored',
  'RoomForAll',
  'Allowed',
  'Mounted',
  'Answering',
  'NoAnswer',
  'NoneFailing',
  'StreamsFailing',
  'StreamsNotTold',
  'ReportIgnored',
  'AllCompleted',
  'SomeFailed',
  'StreamsOpen',
] as const;

/** Why a publication changed, in `status.history`. */
export const changeReasons = [
  'FirstPublication',
  'StreamsChanged',
  'StreamsCompleted',
  'WorkersChanged',
  'WorkerMissing',
  'WorkerReplaced',
  'WorkerCordoned',
  'WorkerUncordoned',
  'StreamPinned',
  'HandoffContinued',
  'StreamRestarted',
  'FailingStreamsMoved',
  'FailingStreamsSettled',
  'AssignmentLost',
  'AssignmentRestored',
  'AssignmentMended',
  'AssignmentMoved',
] as const;

/** Besides the blocking ones. */
export const eventReasons = [
  'Published',
  'Converged',
  'Scaled',
  'Restarting',
  'WorkersStuck',
  'WriteRefused',
  'ProbeUnreachable',
  'PodsNotReady',
  'NotMounted',
  'TargetNotFound',
  'StreamsNotFound',
  'LargeRemoval',
  'AnnotationIgnored',
  'StreamsFailing',
  'StreamsRecovered',
  'Completed',
  'CompletionsLost',
  'FailingStreamsMoved',
] as const;

export type ObstacleReason = (typeof obstacleReasons)[number];
export type PlacementReason = (typeof placementReasons)[number];
export type ProgressReason = (typeof progressReasons)[number];
export type ChangeReason = (typeof changeReasons)[number];
export type EventReason = (typeof eventReasons)[number];
export type ConditionReason =
  | ObstacleReason
  | PlacementReason
  | ProgressReason
  | (typeof stateReasons)[number];

export type PoolEvent = EventText & { readonly reason: EventReason };
