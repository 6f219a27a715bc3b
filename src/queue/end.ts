// When does a job end at the latest? At its deadline, plus the time that its pods take to end,
// unless they get a signal before the deadline.

import type { SwarmQueueSpec } from '../api/validate.ts';
import { graceSecondsIn, signalInForce, signalObstacle } from '../core/deadline-signal.ts';
import { endsInMs } from './order/durations.ts';
import type { WaitingJob } from './world.ts';

type End = Pick<WaitingJob, 'badSignal' | 'deadlineSeconds' | 'endsInMs'>;
type JobDefaults = Pick<
  SwarmQueueSpec['jobDefaults'],
  'activeDeadlineSeconds' | 'deadlineSignalSeconds'
>;
/** The settings of the job itself. */
type Given = {
  readonly queue: string;
  readonly deadlineSeconds: number | undefined;
  readonly signalSeconds?: number | undefined;
  readonly podSpec: unknown;
  readonly makesObjects: boolean;
};

/**
 * A labelled batch Job has only its own deadline: Kubernetes does not apply defaults of a queue.
 */
export function endOf(claim: Given, jobDefaults: JobDefaults): End {
  const { makesObjects, podSpec } = claim;
  const defaults: JobDefaults = makesObjects ? jobDefaults : {};
  const deadlineSeconds = claim.deadlineSeconds ?? defaults.activeDeadlineSeconds;
  const signalSeconds = claim.signalSeconds ?? defaults.deadlineSignalSeconds ?? 0;
  const signal = { deadlineSeconds, signalSeconds, podSpec };
  const problem = problemWith(claim, signal);
  return {
    deadlineSeconds,
    endsInMs: endsInMs(Object(podSpec), signalInForce(signal)),
    ...(problem !== undefined && { badSignal: problem }),
  };
}

/** The values of both fields, and the object that sets each. */
function problemWith(
  claim: Given,
  signal: Parameters<typeof signalObstacle>[0],
): string | undefined {
  const inQueue = (field: string, own: number | undefined): string =>
    own === undefined ? `jobDefaults.${field} of SwarmQueue ${claim.queue}` : field;
  const { deadlineSeconds, signalSeconds, podSpec } = signal;
  const isSignal = `${inQueue('deadlineSignalSeconds', claim.signalSeconds)} is ${signalSeconds}`;
  const obstacle = signalObstacle(signal);
  switch (obstacle) {
    case undefined:
      return undefined;
    case 'deadline':
      return `${isSignal}, and ${inQueue('activeDeadlineSeconds', claim.deadlineSeconds)} is ${deadlineSeconds}: the signal has to come after the start`;
    case 'grace':
      return `${isSignal}, and template.spec.terminationGracePeriodSeconds is ${graceSecondsIn(podSpec)}: the pods would outlive the deadline`;
    default:
      return obstacle satisfies never;
  }
}
