// Why does a job wait?

/** As things are it never starts. Nothing is kept for it. */
export type NeverReason =
  | 'QueueNotFound'
  | 'QueueBlocked'
  | 'DeadlineTooLong'
  | 'PriorityTooHigh'
  | 'RequestMissing'
  | 'ResourceNotOffered'
  | 'TooLargeEver';

/** It starts later, and until then nothing is kept for it. */
export type PauseReason = 'QueuePaused' | 'BackingOff';

/** It waits until others end. Besides these: BehindHead, for room that is kept for another job. */
export type RoomReason = 'WaitingForQuota' | 'ResourceQuotaLacks' | 'LedgerFull';

/** Why a queue admits nothing. */
export type QueueObstacleReason = 'InvalidSpec' | 'NotSupportedYet' | 'DecisionFailed';

/** What the conditions of a queue say otherwise. */
export type QueueReason = 'Admitting' | 'Paused' | 'WriteRefused';
