// Which reasons are there? What conditions, events and history say in one word:
// docs/how-to/troubleshoot.md tells of each.

/** Nothing can be decided, or not all of it. Those that wait for somebody are events as well. */
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
] as const;

/** How far workers are. */
export const progressReasons = [
  'AllConfirmed',
  'WorkersOutstanding',
  'WorkersStuck',
  'WriteRefused',
] as const;

/** Of one condition alone. */
export const stateReasons = [
  'Paused',
  'Working',
  'AutoscalerIgnored',
  'AnnotationIgnored',
  'RoomForAll',
  'Allowed',
  'Mounted',
  'NotMounted',
  'Answering',
  'NoAnswer',
] as const;

/** What brought a change about, as `status.history` has it. */
export const changeReasons = [
  'FirstPublication',
  'StreamsChanged',
  'WorkersChanged',
  'WorkerMissing',
  'WorkerReplaced',
  'HandoffContinued',
  'AssignmentLost',
  'AssignmentRestored',
  'AssignmentMended',
  'AssignmentMoved',
] as const;

/** Events, besides those of obstacles. */
export const eventReasons = [
  'Published',
  'Converged',
  'Scaled',
  'Restarting',
  'WorkersStuck',
  'WriteRefused',
  'ProbeUnreachable',
  'AnnotationIgnored',
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

/** One word for programs, one sentence for people. */
export type Because<Reason extends string> = { readonly reason: Reason; readonly message: string };
