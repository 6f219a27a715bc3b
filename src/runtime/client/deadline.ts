// How long may a request take, and how is it called off? One signal for both, and nothing left
// behind at its end.

export type Deadline = {
  readonly signal: AbortSignal;
  /** The request took too long; the caller did not abort it. */
  readonly isPassed: () => boolean;
  readonly end: () => void;
};

/**
 * `AbortSignal.any` and `timeout` would leave their timers, and their ties to a signal that lives
 * for weeks, to the garbage collector.
 */
export function deadlineIn(ms: number, callOff?: AbortSignal): Deadline {
  const controller = new AbortController();
  let isPassed = false;
  const pass = (): void => {
    isPassed = true;
    controller.abort();
  };
  const stop = (): void => controller.abort();
  // In two halves: a process that was itself held up finds one of them over, and has the other to
  // hear what has come meanwhile.
  let timer = setTimeout(() => {
    timer = setTimeout(pass, ms / 2);
  }, ms / 2);
  if (callOff?.aborted === true) controller.abort();
  callOff?.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    isPassed: () => isPassed,
    end: () => {
      clearTimeout(timer);
      callOff?.removeEventListener('abort', stop);
    },
  };
}
