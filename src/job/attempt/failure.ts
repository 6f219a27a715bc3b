// Why did an attempt fail? Failures are counted by cause, since each cause has its own number of
// retries.
import type { JobPod } from '../../api/job-pod.ts';
import type { SwarmJobSpec, SwarmJobStatus } from '../../api/validate.ts';
import { isTakenBack } from '../../core/batch-ends.ts';
import type { Reason } from '../../core/reason.ts';
import type { FailureReason } from '../reasons.ts';
import type { JobWorld } from '../world.ts';
import { firstTrouble, podsOfBatchJob, ranksText, refusalOf } from './ranks.ts';

type Failures = NonNullable<SwarmJobStatus['failures']>;
type Cause = keyof Failures;

export type AttemptFailure = Reason<FailureReason> & {
  readonly cause: Cause;
  readonly exitCode?: number;
};

/** In these states the failure of the current attempt is not counted yet. */
const UNCOUNTED: ReadonlySet<string> = new Set(['Starting', 'Running']);

/**
 * Is this a failure that is not counted yet? An attempt that was taken back does not fail by
 * itself, unless Kubernetes never noted the suspension: then it had already failed, and the leader
 * that took it back did not know. In all other states, the number of the attempt shows whether its
 * failure was counted.
 */
export function isFailureNews({
  job: { status },
  batchJob,
}: Pick<JobWorld, 'batchJob' | 'job'>): boolean {
  if (batchJob?.end?.type !== 'Failed') return false;
  if (isTakenBack(batchJob) && batchJob.suspendedMs !== undefined) return false;
  if (status?.state === undefined || UNCOUNTED.has(status.state)) return true;
  return (batchJob.attempt ?? 0) > (status.attempt ?? 0);
}

/**
 * The status shows that a later attempt has begun. A user may have removed this attempt's number.
 */
export const isOfEarlierAttempt = ({
  job: { status },
  batchJob,
}: Pick<JobWorld, 'batchJob' | 'job'>): boolean =>
  batchJob?.attempt !== undefined && batchJob.attempt < (status?.attempt ?? 0);

/** The reason of the batch Job's condition when a rule of its podFailurePolicy has matched. */
const MATCHED = 'PodFailurePolicy';

/** The reason of that condition when a pod has failed. The message adds nothing. */
const POD_FAILED = 'BackoffLimitExceeded';

/** Why a batch Job has failed. Without any exit code of a pod, the cause is a disruption. */
export function failureOf(world: Pick<JobWorld, 'batchJob' | 'pods'>): AttemptFailure {
  const isMatched = world.batchJob?.end?.reason === MATCHED;
  const [first] = isMatched ? [] : podsOfBatchJob(world).filter(failedByItself).sort(byRank);
  if (first?.exitCode === undefined) return disruption(disruptionText(world));
  return {
    cause: 'application',
    reason: 'CommandFailed',
    message: `rank ${first.rank ?? '?'} ended with exit code ${first.exitCode}${first.exitWhy === undefined ? '' : ` (${first.exitWhy})`}`,
    exitCode: first.exitCode,
  };
}

function disruptionText(world: Pick<JobWorld, 'batchJob' | 'pods'>): string {
  const end = world.batchJob?.end;
  const disrupted = podsOfBatchJob(world).filter((pod) => pod.disruption !== undefined);
  const [first] = disrupted.sort(byRank);
  if (first !== undefined) return `rank ${first.rank ?? '?'} was disrupted: ${first.disruption}`;
  // Kubernetes deletes an evicted pod, so it may be gone already.
  if (end?.reason === MATCHED) return 'a rank was evicted, preempted, or lost with its node';
  const says = end?.reason === POD_FAILED ? undefined : end?.message;
  return says ?? 'its pods were deleted before they had ended';
}

/** When a rank fails, Kubernetes deletes the other pods: their exit codes mean nothing. */
const failedByItself = (pod: JobPod): boolean =>
  pod.hasEnded &&
  !pod.hasSucceeded &&
  !pod.isTerminating &&
  pod.disruption === undefined &&
  pod.exitCode !== undefined;

const byRank = (a: JobPod, b: JobPod): number => (a.rank ?? 0) - (b.rank ?? 0);

export const disruption = (message: string): AttemptFailure => ({
  cause: 'disruption',
  reason: 'Disrupted',
  message,
});

/** The failure of an attempt whose ranks did not all run in time. */
export function startFailure(
  world: Pick<JobWorld, 'batchJob' | 'podRefusal' | 'pods' | 'refused' | 'taken'>,
  size: number,
  withinSeconds: number,
): AttemptFailure {
  const { taken, refused } = world;
  const why =
    (taken.length > 0 ? foreignText(taken) : undefined) ??
    (refused && `${refused.reason}: ${refused.message}`) ??
    ranksText(world, size);
  const { word = '' } = (refusalOf(world) === undefined && firstTrouble(world)) || {};
  return {
    cause: IMAGE_TROUBLES.has(word) ? 'image' : 'start',
    reason: 'StartTimedOut',
    message: `not all ranks ran within ${withinSeconds} s: ${why}`,
  };
}

/** The foreign objects (`taken` in world.ts), as a sentence. */
export const foreignText = (taken: readonly string[]): string =>
  taken.length === 1
    ? `${taken[0]} exists, and is not its own: delete or rename it`
    : `${taken.join(' and ')} exist, and are not its own: delete or rename them`;

const IMAGE_TROUBLES: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'ImageInspectError',
  'InvalidImageName',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

export function counted(
  before: Failures | undefined,
  failure: AttemptFailure | undefined,
): Failures | undefined {
  if (failure === undefined) return before;
  const all = { application: 0, image: 0, start: 0, disruption: 0, ...before };
  return { ...all, [failure.cause]: all[failure.cause] + 1 };
}

/** May the job be tried again after these failures? */
export function mayRetry({ retries }: SwarmJobSpec, failures: Failures | undefined): boolean {
  const { application = 0, image = 0, start = 0, disruption: disrupted = 0 } = failures ?? {};
  return application <= retries.application && image + start + disrupted <= retries.other;
}
