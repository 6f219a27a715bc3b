// The library `swarm-worker`: a program of your own that consumes exactly the streams of its pod.
import { oldNodeProblem } from '../api/node-version.ts';
import { createHandlers, type StreamHandler } from './launch/handlers.ts';
import { createLog, quoted, type WorkerLog } from './report/log.ts';
import { startRuntime } from './runtime.ts';
import { type Overrides, readLibrarySettings } from './settings.ts';

export type { StreamParameters } from '../api/assignment.ts';
export type { HandledStream as Stream, StreamHandler } from './launch/handlers.ts';
export type { WorkerLog as Log } from './report/log.ts';

/** What is left out comes from the environment, as in swarm-worker (docs/reference/settings.md). */
export type WorkerOptions = Overrides & {
  /** Called once for each stream of this worker; its signal is aborted when the stream goes. */
  readonly stream: StreamHandler;
  /** Ends the worker. Without one, SIGTERM and SIGINT do. */
  readonly signal?: AbortSignal;
  readonly log?: WorkerLog;
};

/**
 * Follows the mounted assignment and answers on /internal/version until it is told to end; returns
 * when all handlers have returned. It confirms a version when the handlers of all streams that were
 * taken away have returned and those of all others were called. It throws when settings are wrong,
 * when the port is taken, and when handlers have not returned in the drain timeout: let that end
 * the process.
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
      `stream ${quoted(name)} was told to end, its time is up, and its handler has not returned; it still counts as consumed`,
    );
  };
  const runtime = await startRuntime({
    settings: read.settings,
    log,
    launch: (onEvent) => createHandlers({ handler: stream, onEvent, onOverdue }),
  });
  const end = await endOf(runtime.stop, signal);
  if (end === 'LeftBehind')
    throw new Error(`handlers have not returned: ${[...overdue].map(quoted).join(', ')}`);
}

/** A second signal kills what still runs; at the end the signal handlers are removed. */
function endOf<End>(stop: () => Promise<End>, signal: AbortSignal | undefined): Promise<End> {
  const names = signal === undefined ? (['SIGTERM', 'SIGINT'] as const) : [];
  return new Promise((resolve, reject) => {
    const stopNow = (): void => {
      stop()
        .finally(() => {
          for (const name of names) process.off(name, stopNow);
        })
        .then(resolve, reject);
    };
    for (const name of names) process.on(name, stopNow);
    if (signal?.aborted === true) stopNow();
    else signal?.addEventListener('abort', stopNow, { once: true });
  });
}
