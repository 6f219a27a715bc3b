// What can the status of a job say, and what can the operator do about its batch Job?
import type { SwarmJobStatus } from '../api/validate.ts';
import { isOver } from '../core/batch-ends.ts';
import type { AttemptFailure } from './attempt/failure.ts';
import type { JobWorld } from './world.ts';

export type State = NonNullable<SwarmJobStatus['state']>;

/**
 * Make: create the batch Job, in place of an earlier one. Start: let its pods start. Run: keep the
 * objects that it needs. TakeBack: suspend it under a number that no start tests. Discard: delete
 * it, since it has no grant.
 */
export type JobAction = 'none' | 'make' | 'start' | 'run' | 'takeBack' | 'discard';

/** The contents of the next status. */
export type Situation = {
  readonly state: State;
  readonly reason: string;
  readonly message: string;
  /** The job cannot start unless a user changes something. */
  readonly isStalled?: boolean;
  /** An attempt that has just failed: this decision counts it. */
  readonly failure?: AttemptFailure;
  /** The job that takes this job's place, as a sentence. */
  readonly preempted?: string;
  readonly exitCode?: number;
  /** The time that Kubernetes recorded; omitted: the time of the decision. */
  readonly finishTime?: string;
};

export type DesiredJob = {
  /** Undefined: the status stays as it is. */
  readonly situation: Situation | undefined;
  readonly action: JobAction;
  /** The time after which the decision changes by itself. */
  readonly nextInMs?: number | undefined;
};

/** The action that stops a batch Job, unless it was taken back or has ended. */
export function actionToStop({ batchJob }: Pick<JobWorld, 'batchJob'>): JobAction {
  if (batchJob === undefined || batchJob.isDeleting || isOver(batchJob)) return 'none';
  return batchJob.grant === undefined ? 'discard' : 'takeBack';
}
