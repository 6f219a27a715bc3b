// Which reasons are there, besides those for which a queue lets a job wait?
// docs/how-to/troubleshoot-jobs.md explains each.

/** The job is blocked: a user has to change it. */
export const obstacleReasons = [
  'InvalidSpec',
  'NotSupportedYet',
  'TemplateConflict',
  'DecisionFailed',
] as const;

/** The job is admitted, and something holds up its start. */
export const heldUpReasons = [
  'PodsEnding',
  'JobDeleted',
  'JobSuspended',
  'NameTaken',
  'WriteRefused',
] as const;

/** How far the job is. */
export const progressReasons = [
  'RanksStarting',
  'PodsRefused',
  'AllRanksRunning',
  'RanksNotReady',
  'Completed',
] as const;

/** Why what runs has to end. NotAdmitted: the ledger has no entry for the job. */
export const stopReasons = [
  'SuspendRequested',
  'DeadlineExceeded',
  'Preempted',
  'StartTimedOut',
  'Disrupted',
  'NotAdmitted',
] as const;

/** Why the job has failed, besides its deadline. */
export const failureReasons = [
  'CommandFailed',
  'Disrupted',
  'StartTimedOut',
  'TemplateRefused',
] as const;

/** The job waits, and its queue has not said why. */
export const waitReasons = ['Queued', 'BackingOff'] as const;

/** Reasons of a single condition. */
export const stateReasons = ['NotPreempted'] as const;

export type JobObstacleReason = (typeof obstacleReasons)[number];
export type HeldUpReason = (typeof heldUpReasons)[number];
export type StopReason = (typeof stopReasons)[number];
export type FailureReason = Exclude<(typeof failureReasons)[number], 'TemplateRefused'>;
