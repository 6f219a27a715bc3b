// What time is it? The only source of time and timers in the operator.

export interface Clock {
  /** Wall time in ms, for timestamps. It may jump. */
  now(): number;
  /** Monotonic time in ms, for durations. */
  monotonic(): number;
  /** Calls back once after `ms`, at most 24 days; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Node's timers take a longer delay for none. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(ms, LONGEST_MS));
    return () => clearTimeout(timer);
  },
};

export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
