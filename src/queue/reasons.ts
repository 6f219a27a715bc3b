// Why does a job wait, and why does a queue admit nothing?
// docs/how-to/troubleshoot-jobs.md explains each reason.

/** The job cannot start unless a user changes something. No room is kept for it. */
export const neverReasons = [
  'QueueNotFound',
  'QueueBlocked',
  'DeadlineTooLong',
  'InvalidDeadlineSignal',
  'InvalidPriority',
  'PriorityTooHigh',
  'RequestMissing',
  'ResourceNotOffered',
  'TooLargeEver',
] as const;
export type NeverReason = (typeof neverReasons)[number];

const isNever: ReadonlySet<string> = new Set(neverReasons);

/** The job waits until a user changes something, or creates the queue. */
export const cannotStart = (reason: string): boolean => isNever.has(reason);

/**
 * A user has to change something. QueueNotFound is not included: the queue may still be created.
 */
export const needsUser = (reason: string): boolean =>
  reason !== 'QueueNotFound' && isNever.has(reason);

/** The queue may still be created or repaired: until then the job keeps its place there. */
const ofItsQueue: ReadonlySet<string> = new Set(['QueueNotFound', 'QueueBlocked']);

/** The job cannot start, even if all other jobs end. */
export const isNeverStarted = (reason: string): boolean =>
  isNever.has(reason) && !ofItsQueue.has(reason);

/** The job starts after a pause, and until then no room is kept for it. */
export const pauseReasons = ['QueuePaused', 'BackingOff', 'NeverBegins'] as const;
export type PauseReason = (typeof pauseReasons)[number];

/** The job waits until other jobs have ended. */
export const roomReasons = [
  'MakingRoom',
  'MaxPerUser',
  'WaitingForQuota',
  'ResourceQuotaLacks',
  'LedgerFull',
  'BehindHead',
  'AnotherStarts',
] as const;
/** Some resource is missing. For the other reasons there is room, and another job goes first. */
export type RoomReason = Exclude<
  (typeof roomReasons)[number],
  'AnotherStarts' | 'BehindHead' | 'MakingRoom'
>;

/** Why a queue admits nothing. */
export const obstacleReasons = ['InvalidSpec', 'DecisionFailed'] as const;
export type QueueObstacleReason = (typeof obstacleReasons)[number];

/** Other reasons in the conditions of a queue. */
export const conditionReasons = [
  'Admitting',
  'PodsEnlarged',
  'StartedByHand',
  'Paused',
  'NotPaused',
  'AnnotationIgnored',
  'WriteRefused',
] as const;
export type QueueReason = (typeof conditionReasons)[number];

/** Reasons of events of a queue, besides the reasons of its conditions. */
export const pauseEventReasons = ['Paused', 'Resumed'] as const;
export type PauseEventReason = (typeof pauseEventReasons)[number];

/** Reasons of events of a labelled batch Job, besides its reasons to wait. */
export const labelledJobReasons = [
  'ScaledUp',
  'StartRefused',
  'StartTimedOut',
  'Preempted',
  'StartedByHand',
  'LeftAlone',
  'DeadlineShortened',
] as const;
export type LabelledJobReason = (typeof labelledJobReasons)[number];
