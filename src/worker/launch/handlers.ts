// Calls a function for each stream; an abort signal asks it to end, and it has ended when it
// returns.
import type { StreamParameters } from '../../api/assignment.ts';
import { errorText } from '../../api/text.ts';
import type { Job, ProcessEvent } from '../decide/stream.ts';
import type { Launcher } from './launcher.ts';

export type HandledStream = {
  readonly name: string;
  readonly weight: number;
  readonly parameters: StreamParameters;
  /** Aborted when the stream moves to another worker: stop consuming it, then return. */
  readonly signal: AbortSignal;
  /**
   * Call it if the handler cannot go on: it aborts `signal`. `why` is reported as the handler's
   * error after it has returned.
   */
  readonly failed: (why: string) => void;
  /**
   * Call it when the work is done: it aborts `signal`. The handler is not called again after it has
   * returned.
   */
  readonly completed: () => void;
};

/**
 * Consumes the stream until it returns. A thrown error is a crash: the handler is called again
 * after a while.
 */
export type StreamHandler = (stream: HandledStream) => Promise<void>;

/** How a run of a handler has ended, by its own report or by its return or error. */
type Outcome =
  | { readonly is: 'Failed'; readonly problem: string }
  | { readonly is: 'Completed' | 'Returned' };

type HandlersOptions = {
  readonly handler: StreamHandler;
  readonly onEvent: (stream: string, event: ProcessEvent) => void;
  /** Called when a handler has not returned within the grace period. */
  readonly onOverdue: (stream: string) => void;
};

/**
 * A function cannot be ended from outside. The worker waits for an overdue handler, and does not
 * confirm its end while it may consume.
 */
export function createHandlers({ handler, onEvent, onOverdue }: HandlersOptions): Launcher {
  const running = new Map<string, AbortController>();

  async function run(job: Job, controller: AbortController): Promise<void> {
    const { stream: name, weight, parameters } = job;
    let hasStarted: boolean | undefined;
    const begin = (): void => {
      if (hasStarted !== undefined) return;
      hasStarted = true;
      onEvent(name, { type: 'Started' });
    };
    // A function that throws before its first await was not started. This check runs after all
    // promises that are already settled, and before any timer, however busy the machine is.
    queueMicrotask(() => process.nextTick(begin));
    const outcome = await outcomeOf({ name, weight, parameters }, controller);
    running.delete(name);
    if (outcome.is === 'Failed' && hasStarted === undefined) {
      hasStarted = false;
      onEvent(name, { type: 'SpawnFailed', problem: outcome.problem });
      return;
    }
    begin();
    onEvent(name, { type: 'Exited', ...exitOf(outcome) });
    onEvent(name, { type: 'Gone' });
  }

  /** The handler's own report counts first: an abort may make it throw. */
  async function outcomeOf(
    stream: Pick<HandledStream, 'name' | 'weight' | 'parameters'>,
    controller: AbortController,
  ): Promise<Outcome> {
    const { signal } = controller;
    let said: Outcome | undefined;
    const say = (outcome: Outcome): void => {
      said ??= outcome;
      controller.abort();
    };
    const failed = (why: string): void => say({ is: 'Failed', problem: errorText(why) });
    const completed = (): void => say({ is: 'Completed' });
    try {
      await handler({ ...stream, signal, failed, completed });
      return said ?? { is: 'Returned' };
    } catch (error) {
      return said ?? { is: 'Failed', problem: errorText(error) };
    }
  }

  return {
    start: (job) => {
      if (running.has(job.stream))
        throw new Error(`stream ${JSON.stringify(job.stream)} is still running`);
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

function exitOf(
  outcome: Outcome,
): Omit<Extract<ProcessEvent, { readonly type: 'Exited' }>, 'type'> {
  switch (outcome.is) {
    case 'Failed':
      return { code: 1, how: `by an error: ${outcome.problem}`, message: outcome.problem };
    case 'Completed':
      return { code: 0, isCompleted: true };
    case 'Returned':
      return { code: 0, how: 'by returning', message: 'the handler returned' };
  }
}
