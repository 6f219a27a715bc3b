// Which reasons are there, besides those for which a queue lets a job wait?
// docs/how-to/troubleshoot-jobs.md explains each.

/** The job is blocked: a user has to change it. */
export const obstacleReasons = [
  'InvalidSpec',
  'NotSupportedYet',
  'TemplateConflict',
  'DecisionFailed',
] as const;

/** It is admitted, and something holds up its start. */
export const heldUpReasons = [
  'PodsEnding',
  'JobDeleted',
  'JobSuspended',
  'NameTaken',
  'WriteRefused',
] as const;

/** How far it is. */
export const progressReasons = [
  'RanksStarting',
  'PodsRefused',
  'AllRanksRunning',
  'RanksNotReady',
  'Completed',
] as const;

/** What runs has to end. NotAdmitted: the ledger has no entry for it. */
export const stopReasons = [
  'SuspendRequested',
  'DeadlineExceeded',
  'StartTimedOut',
  'Disrupted',
  'NotAdmitted',
] as const;

/** Why it has failed, besides the deadline. */
export const failureReasons = [
  'CommandFailed',
  'Disrupted',
  'StartTimedOut',
  'TemplateRefused',
] as const;

/** It waits, and its queue has not said why. */
export const waitReasons = ['Queued', 'BackingOff'] as const;

/** Of one condition each. */
export const stateReasons = ['NotPreempted'] as const;

export type JobObstacleReason = (typeof obstacleReasons)[number];
export type HeldUpReason = (typeof heldUpReasons)[number];
export type StopReason = (typeof stopReasons)[number];
export type FailureReason = Exclude<(typeof failureReasons)[number], 'TemplateRefused'>;
