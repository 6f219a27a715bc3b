// Why does a job wait?

/** As things are it never starts. Nothing is kept for it. */
export type NeverReason =
  | 'QueueNotFound'
  | 'PriorityTooHigh'
  | 'RequestMissing'
  | 'ResourceNotOffered'
  | 'TooLargeEver';

/** It starts later, and until then nothing is kept for it. */
export type PauseReason = 'QueuePaused' | 'BackingOff';

/** It waits until others end. Besides these: BehindHead, for room that is kept for another job. */
export type RoomReason = 'WaitingForQuota' | 'ResourceQuotaLacks' | 'LedgerFull';
