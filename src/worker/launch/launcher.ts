// What runs streams: processes, or functions of a program that uses the library.

import type { Job } from '../decide/stream.ts';
import type { ProcessEvent } from '../decide/supervise.ts';
import type { Details } from '../report/log.ts';

/**
 * Each start has these events, in this order: `Started` and `Exited` once each, then `Gone` when
 * nothing of it is left; or `SpawnFailed` alone; or `Gone` alone when it was stopped before its
 * turn to be started came.
 */
export type Launcher = {
  readonly start: (job: Job) => void;
  /** SIGTERM asks for an end, SIGKILL insists as far as it can. */
  readonly signal: (stream: string, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** For the log, of a stream that runs. */
  readonly detailsOf: (stream: string) => Details;
  /** The last resort when the worker itself is about to end. */
  readonly killAll: () => void;
};

export type Launch = (onEvent: (stream: string, event: ProcessEvent) => void) => Launcher;
