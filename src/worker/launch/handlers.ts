// Calls a function for each stream: once; an abort signal tells it to end, and it has ended when it
// returns.
import type { StreamParameters } from '../../api/assignment.ts';
import { errorText } from '../../api/error-text.ts';
import type { Job } from '../decide/stream.ts';
import type { ProcessEvent } from '../decide/supervise.ts';
import type { Launcher } from './launcher.ts';

export type HandledStream = {
  readonly name: string;
  readonly weight: number;
  readonly parameters: StreamParameters;
  /**
   * Aborted when the stream is no longer this worker's: return as soon as nothing of it is being
   * consumed any more.
   */
  readonly signal: AbortSignal;
};

/** Runs while it consumes. What it throws is a crash: it is called again after a while. */
export type StreamHandler = (stream: HandledStream) => Promise<void>;

export type HandlersOptions = {
  readonly handler: StreamHandler;
  readonly onEvent: (stream: string, event: ProcessEvent) => void;
  /** Called when a handler has not returned in the time that it had to end. */
  readonly onOverdue: (stream: string) => void;
};

/**
 * Nothing can end a function from outside. An overdue one is waited for: as long as it may consume,
 * its end is not confirmed.
 */
export function createHandlers({ handler, onEvent, onOverdue }: HandlersOptions): Launcher {
  const running = new Map<string, AbortController>();

  async function run(job: Job, controller: AbortController): Promise<void> {
    const { stream: name, weight, parameters } = job;
    let hasStarted = false;
    // A function that fails before it has awaited anything was not started.
    const started = setImmediate(() => {
      hasStarted = true;
      onEvent(name, { type: 'Started' });
    });
    const failure = await failureOf(() =>
      handler({ name, weight, parameters, signal: controller.signal }),
    );
    clearImmediate(started);
    running.delete(name);
    if (failure !== undefined && !hasStarted) {
      onEvent(name, { type: 'SpawnFailed', problem: failure });
      return;
    }
    if (!hasStarted) onEvent(name, { type: 'Started' });
    onEvent(
      name,
      failure === undefined
        ? { type: 'Exited', code: 0, how: 'by returning' }
        : { type: 'Exited', code: 1, how: `by an error: ${failure}` },
    );
    onEvent(name, { type: 'Gone' });
  }

  return {
    start: (job) => {
      if (running.has(job.stream))
        throw new Error(`stream ${JSON.stringify(job.stream)} still runs`);
      const controller = new AbortController();
      running.set(job.stream, controller);
      void run(job, controller);
    },
    signal: (stream, signal) => {
      running.get(stream)?.abort();
      if (signal === 'SIGKILL' && running.has(stream)) onOverdue(stream);
    },
    detailsOf: () => ({}),
    killAll: () => {
      for (const controller of running.values()) controller.abort();
    },
  };
}

async function failureOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
