// What time is it, and who calls back later? The one seam through which time enters the engine.

export interface Clock {
  /** Wall time in ms: for what people read. It may jump. */
  now(): number;
  /** Time that only passes, in ms: for every interval that is measured. */
  monotonic(): number;
  /** Calls back once after `ms`, at the latest after 24 days; the answer cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** What is longer, Node's timers take for no time at all. */
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
