// What can a job's status say, and what can be done about its batch Job?
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

/** What status says. */
export type Situation = {
  readonly state: State;
  readonly reason: string;
  readonly message: string;
  /** The job can never start as things are. */
  readonly isStalled?: boolean;
  /** An attempt that has just failed: this decision counts it. */
  readonly failure?: AttemptFailure;
  /** Which job takes its place, in a sentence. */
  readonly preempted?: string;
  readonly exitCode?: number;
  /** The time that Kubernetes noted; left out: the time of the decision. */
  readonly finishTime?: string;
};

export type DesiredJob = {
  /** Undefined: status stays as it is. */
  readonly situation: Situation | undefined;
  readonly action: JobAction;
  /** After how long time alone changes the decision. */
  readonly nextInMs?: number | undefined;
};

/** What stops a batch Job that has neither been taken back nor ended. */
export function actionToStop({ batchJob }: Pick<JobWorld, 'batchJob'>): JobAction {
  if (batchJob === undefined || batchJob.isDeleting || isOver(batchJob)) return 'none';
  return batchJob.grant === undefined ? 'discard' : 'takeBack';
}
