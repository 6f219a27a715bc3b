// Why does a job wait?

/** As things are it never starts. Nothing is kept for it. */
const neverReasons = [
  'QueueNotFound',
  'QueueBlocked',
  'DeadlineTooLong',
  'PriorityTooHigh',
  'RequestMissing',
  'ResourceNotOffered',
  'TooLargeEver',
] as const;
export type NeverReason = (typeof neverReasons)[number];

const isNever: ReadonlySet<string> = new Set(neverReasons);

/** A user has to change something. A queue may still be created. */
export const needsUser = (reason: string): boolean =>
  reason !== 'QueueNotFound' && isNever.has(reason);

/** It starts later, and until then nothing is kept for it. */
export type PauseReason = 'QueuePaused' | 'BackingOff';

/** It waits until others end. Besides these: BehindHead, for room that is kept for another job. */
export type RoomReason = 'WaitingForQuota' | 'ResourceQuotaLacks' | 'LedgerFull';

/** Why a queue admits nothing. */
export type QueueObstacleReason = 'InvalidSpec' | 'NotSupportedYet' | 'DecisionFailed';

/** What the conditions of a queue say otherwise. */
export type QueueReason = 'Admitting' | 'Paused' | 'WriteRefused';
