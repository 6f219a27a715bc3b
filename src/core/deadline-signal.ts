// How long before the deadline of a job do its ranks get SIGTERM, so that they can save their work?
// This time is the grace period of their pods, which therefore have ended at the deadline.
import { asNumber, dig } from '../api/objects.ts';

type Signal = {
  /** Undefined: the job has no deadline. */
  readonly deadlineSeconds: number | undefined;
  /** As set by the job or its queue. 0: there is no signal. */
  readonly signalSeconds: number;
  readonly podSpec: unknown;
};

/** Why the signal is impossible: it would come before the start, or pods may take longer to end. */
type SignalObstacle = 'deadline' | 'grace';

export function signalObstacle(signal: Signal): SignalObstacle | undefined {
  const { deadlineSeconds, signalSeconds } = signal;
  if (deadlineSeconds === undefined || signalSeconds === 0) return undefined;
  if (signalSeconds >= deadlineSeconds) return 'deadline';
  return graceSecondsIn(signal.podSpec) > signalSeconds ? 'grace' : undefined;
}

/** 0: SIGTERM comes at the deadline. */
export const signalInForce = (signal: Signal): number =>
  signal.deadlineSeconds === undefined || signalObstacle(signal) !== undefined
    ? 0
    : signal.signalSeconds;

/** 0: the template omits it. */
export const graceSecondsIn = (podSpec: unknown): number =>
  asNumber(dig(podSpec, 'terminationGracePeriodSeconds')) ?? 0;
