// Which reasons does a job have, besides a queue's reasons to let it wait?
// docs/how-to/troubleshoot-jobs.md explains each.

/** The job is blocked: a user has to change it. */
export const obstacleReasons = ['InvalidSpec', 'TemplateConflict', 'DecisionFailed'] as const;

/** The job is admitted, and its start is delayed. */
export const heldUpReasons = [
  'PodsEnding',
  'JobDeleted',
  'JobSuspended',
  'NameTaken',
  'WriteRefused',
] as const;

/** The progress of the job. */
export const progressReasons = [
  'RanksStarting',
  'PodsRefused',
  'AllRanksRunning',
  'RanksNotReady',
  'AddressesRefused',
  'LeaderEnded',
  'Completed',
] as const;

/** Why a running job has to end. NotAdmitted: the ledger has no entry for the job. */
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

/** The job waits, and its queue has not reported a reason. */
export const waitReasons = ['Queued', 'BackingOff'] as const;

/** Reasons of a single condition. */
export const stateReasons = ['NotPreempted'] as const;

export type JobObstacleReason = (typeof obstacleReasons)[number];
export type HeldUpReason = (typeof heldUpReasons)[number];
export type StopReason = (typeof stopReasons)[number];
export type FailureReason = Exclude<(typeof failureReasons)[number], 'TemplateRefused'>;
