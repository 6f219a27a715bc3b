// The library `swarm-worker`: a program of your own that consumes exactly the streams of its pod.
import { oldNodeProblem } from '../api/node-version.ts';
import { createHandlers, type StreamHandler } from './launch/handlers.ts';
import { createLog, quoted, type WorkerLog } from './report/log.ts';
import { type Ending, type Runtime, startRuntime } from './runtime.ts';
import { type Overrides, readLibrarySettings } from './settings.ts';

export type { StreamParameters } from '../api/assignment.ts';
export type { HandledStream as Stream, StreamHandler } from './launch/handlers.ts';
export type { WorkerLog as Log } from './report/log.ts';

/** Omitted options come from the environment, as in swarm-worker (docs/reference/settings.md). */
export type WorkerOptions = Overrides & {
  /**
   * Called once for each stream of this worker; its signal is aborted when the stream is removed.
   */
  readonly stream: StreamHandler;
  /** Ends the worker when aborted. Without this signal, SIGTERM and SIGINT end it. */
  readonly signal?: AbortSignal;
  readonly log?: WorkerLog;
};

/**
 * Follows the mounted assignment and answers on /internal/version until it gets a signal; returns
 * when all handlers have returned. It confirms a version when the handlers of all removed streams
 * have returned and the handlers of all others were called. It throws when settings are wrong, when
 * the port is in use, when handlers have not returned within the drain timeout, and when the worker
 * itself cannot go on, such as after an error of `log`: let that error end the process. By then it
 * has stopped answering and has aborted all handlers.
 */
export async function runWorker({
  stream,
  signal,
  log = createLog(),
  ...overrides
}: WorkerOptions): Promise<void> {
  const problem = oldNodeProblem('swarm-worker');
  if (problem !== undefined) throw new Error(problem);
  const read = readLibrarySettings(overrides, process.env);
  if (read.wants !== 'run')
    throw new Error('problems' in read ? read.problems.join('\n') : read.wants);
  const overdue = new Set<string>();
  const onOverdue = (name: string): void => {
    overdue.add(name);
    log.warn(
      `stream ${quoted(name)} was told to stop, but its handler has not returned in time; it still counts as running`,
    );
  };
  const runtime = await startRuntime({
    settings: read.settings,
    log,
    launch: (onEvent) => createHandlers({ handler: stream, onEvent, onOverdue }),
  });
  const end = await endOf(runtime, signal);
  if (end === 'LeftBehind')
    throw new Error(`handlers have not returned: ${[...overdue].map(quoted).join(', ')}`);
}

/** A second signal kills all streams that still run; at the end the signal handlers are removed. */
async function endOf({ stop, failed }: Runtime, signal: AbortSignal | undefined): Promise<Ending> {
  const names = signal === undefined ? (['SIGTERM', 'SIGINT'] as const) : [];
  const { promise: stopped, resolve: onStopped } = Promise.withResolvers<Ending>();
  const stopNow = (): void => void stop().then(onStopped);
  for (const name of names) process.on(name, stopNow);
  if (signal?.aborted === true) stopNow();
  else signal?.addEventListener('abort', stopNow, { once: true });
  try {
    return await Promise.race([stopped, failed.then((error) => Promise.reject(error))]);
  } finally {
    signal?.removeEventListener('abort', stopNow);
    for (const name of names) process.off(name, stopNow);
  }
}
