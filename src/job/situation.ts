// What can a job's status say, and what can be done about its batch Job?
import type { SwarmJobStatus } from '../api/validate.ts';
import { isOver } from '../core/batch-ends.ts';
import type { AttemptFailure } from './attempt/failure.ts';
import type { JobWorld } from './world.ts';

export type State = NonNullable<SwarmJobStatus['state']>;

/**
 * Make: create the batch Job, in place of an earlier one. Start: let its pods start. Run: keep what
 * it needs. TakeBack: suspend it under a number that no start knows. Discard: delete it, since it
 * has no number.
 */
export type JobAction = 'none' | 'make' | 'start' | 'run' | 'takeBack' | 'discard';

/** What status says. */
export type Situation = {
  readonly state: State;
  readonly reason: string;
  readonly message: string;
  /** It never starts as things are. */
  readonly isStalled?: boolean;
  /** An attempt that has just failed, and is counted. */
  readonly failure?: AttemptFailure;
  readonly exitCode?: number;
  /** By what Kubernetes noted; left out: now. */
  readonly finishTime?: string;
};

export type DesiredJob = {
  /** Undefined: status stays as it is. */
  readonly situation: Situation | undefined;
  readonly action: JobAction;
  /** When time alone changes this. */
  readonly nextInMs?: number | undefined;
};

/** Whatever has not been taken back or ended. */
export function actionToStop({ batchJob }: Pick<JobWorld, 'batchJob'>): JobAction {
  if (batchJob === undefined || batchJob.isDeleting || isOver(batchJob)) return 'none';
  return batchJob.grant === undefined ? 'discard' : 'takeBack';
}
