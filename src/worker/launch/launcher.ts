// What runs streams? Processes, or functions of a program that uses the library.
import type { Job, ProcessEvent } from '../decide/stream.ts';
import type { Details } from '../report/log.ts';

/**
 * Each start has these events, in this order: `Started`, `Exited` and, when all its processes have
 * ended, `Gone`; or only `SpawnFailed`; or only `Gone` if it was stopped while it was queued.
 */
export type Launcher = {
  readonly start: (job: Job) => void;
  /** SIGTERM asks the stream to end; SIGKILL forces it, if possible. */
  readonly signal: (stream: string, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** Details of a running stream, for the log. */
  readonly detailsOf: (stream: string) => Details;
  /** Kills all streams at once, when the worker itself ends. */
  readonly killAll: () => void;
};

export type Launch = (onEvent: (stream: string, event: ProcessEvent) => void) => Launcher;
