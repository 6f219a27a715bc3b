// How long before the deadline of a job are its ranks told to end, so that they can save their
// work? Their pods then have this time, as their grace period, and have ended at the deadline.
import { asNumber, dig } from '../api/objects.ts';

type Signal = {
  /** Undefined: the job has no deadline. */
  readonly deadlineSeconds: number | undefined;
  /** As the job or its queue says. 0: none. */
  readonly signalSeconds: number;
  readonly podSpec: unknown;
};

/** What is in the way of the signal: it comes before the start, or pods may take longer to end. */
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

/** 0: the template leaves it out. */
export const graceSecondsIn = (podSpec: unknown): number =>
  asNumber(dig(podSpec, 'terminationGracePeriodSeconds')) ?? 0;
