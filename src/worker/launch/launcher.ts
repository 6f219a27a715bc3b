// What runs streams: processes, or functions of a program that uses the library.
import type { Job, ProcessEvent } from '../decide/stream.ts';
import type { Details } from '../report/log.ts';

/**
 * Each start has these events, in this order: `Started`, `Exited` and, when all its processes have
 * ended, `Gone`; or `SpawnFailed` alone; or `Gone` alone when it was stopped while it was queued.
 */
export type Launcher = {
  readonly start: (job: Job) => void;
  /** SIGTERM asks for an end, SIGKILL insists as far as it can. */
  readonly signal: (stream: string, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** For the log, of a stream that runs. */
  readonly detailsOf: (stream: string) => Details;
  /** For the moment when the worker itself ends. */
  readonly killAll: () => void;
};

export type Launch = (onEvent: (stream: string, event: ProcessEvent) => void) => Launcher;
