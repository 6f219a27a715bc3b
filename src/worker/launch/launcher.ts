// What does the runtime need of whatever runs streams? Processes are one such thing, functions of a
// program that uses the library another.

import type { Job } from '../decide/stream.ts';
import type { ProcessEvent } from '../decide/supervise.ts';
import type { Details } from '../report/log.ts';

/**
 * Of each start it tells, in this order: `Started` and `Exited` once each, then `Gone` when nothing
 * of it is left; or `SpawnFailed`, and nothing else. Taken back before its turn came, a start is
 * only `Gone`.
 */
export type Launcher = {
  readonly start: (job: Job) => void;
  /** SIGTERM asks for an end, SIGKILL insists as far as it can. */
  readonly signal: (stream: string, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** What a log may say about a stream that runs. */
  readonly detailsOf: (stream: string) => Details;
  /** The last resort when the worker itself is about to end. */
  readonly killAll: () => void;
};

export type Launch = (onEvent: (stream: string, event: ProcessEvent) => void) => Launcher;
