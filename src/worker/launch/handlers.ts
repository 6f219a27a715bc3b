// Calls a function for each stream; an abort signal tells it to end, and it has ended when it
// returns.
import type { StreamParameters } from '../../api/assignment.ts';
import { errorText } from '../../api/text.ts';
import type { Job, ProcessEvent } from '../decide/stream.ts';
import type { Launcher } from './launcher.ts';

export type HandledStream = {
  readonly name: string;
  readonly weight: number;
  readonly parameters: StreamParameters;
  /** Aborted when the stream goes to another worker: stop consuming it, then return. */
  readonly signal: AbortSignal;
};

/** Runs while it consumes. What it throws is a crash: it is called again after a while. */
export type StreamHandler = (stream: HandledStream) => Promise<void>;

type HandlersOptions = {
  readonly handler: StreamHandler;
  readonly onEvent: (stream: string, event: ProcessEvent) => void;
  /** Called when a handler has not returned within the grace period. */
  readonly onOverdue: (stream: string) => void;
};

/**
 * Nothing can end a function from outside. An overdue one is waited for: while it may consume, the
 * worker does not confirm its end.
 */
export function createHandlers({ handler, onEvent, onOverdue }: HandlersOptions): Launcher {
  const running = new Map<string, AbortController>();

  async function run(job: Job, controller: AbortController): Promise<void> {
    const { stream: name, weight, parameters } = job;
    let hasStarted = false;
    const begin = (): void => {
      hasStarted = true;
      onEvent(name, { type: 'Started' });
    };
    // A function that fails before it has awaited anything was not started.
    const beginning = setImmediate(begin);
    let problem: string | undefined;
    try {
      await handler({ name, weight, parameters, signal: controller.signal });
    } catch (error) {
      problem = errorText(error);
    }
    clearImmediate(beginning);
    running.delete(name);
    if (problem !== undefined && !hasStarted) {
      onEvent(name, { type: 'SpawnFailed', problem });
      return;
    }
    if (!hasStarted) begin();
    const end =
      problem === undefined
        ? { code: 0, how: 'by returning' }
        : { code: 1, how: `by an error: ${problem}` };
    onEvent(name, { type: 'Exited', ...end });
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
