// Which reasons are there, besides those for which a queue lets a job wait?

/** The job is blocked: a user has to change it. */
export type JobObstacleReason =
  | 'InvalidSpec'
  | 'NotSupportedYet'
  | 'TemplateConflict'
  | 'DecisionFailed';

/** It is admitted, and something holds up its start. */
export type HeldUpReason =
  | 'PodsEnding'
  | 'JobDeleted'
  | 'JobSuspended'
  | 'NameTaken'
  | 'WriteRefused';

/** What runs has to end. NotAdmitted: the ledger has no entry for it. */
export type StopReason =
  | 'SuspendRequested'
  | 'DeadlineExceeded'
  | 'StartTimedOut'
  | 'Disrupted'
  | 'NotAdmitted';

/** An attempt has failed. */
export type FailureReason = 'CommandFailed' | 'Disrupted' | 'StartTimedOut';

/** All, besides those of a queue. */
export const jobReasons = [
  'InvalidSpec',
  'NotSupportedYet',
  'TemplateConflict',
  'DecisionFailed',
  'PodsEnding',
  'JobDeleted',
  'JobSuspended',
  'NameTaken',
  'WriteRefused',
  'SuspendRequested',
  'DeadlineExceeded',
  'StartTimedOut',
  'NotAdmitted',
  'CommandFailed',
  'Disrupted',
  'Queued',
  'BackingOff',
  'RanksStarting',
  'AllRanksRunning',
  'RanksNotReady',
  'TemplateRefused',
  'Completed',
] as const;
