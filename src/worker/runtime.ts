// Connects the parts of a worker: follows the file, has the loop decide, starts and stops streams,
// and serves what they do.
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Slice } from '../api/assignment.ts';
import { type Build, buildMetric } from '../api/build.ts';
import type { WorkerReport } from '../api/report.ts';
import { consumed, type ProcessEvent, type SupervisorState, underWay } from './decide/supervise.ts';
import { allowedNow } from './file/fence.ts';
import { follow } from './file/follow.ts';
import { followAnnotation } from './file/follow-annotation.ts';
import type { Launch, Launcher } from './launch/launcher.ts';
import { createLoop, type Loop } from './loop.ts';
import { readBuild } from './report/build.ts';
import { type Details, quoted, type WorkerLog } from './report/log.ts';
import { writeMetrics } from './report/metrics.ts';
import { type Answers, createWorkerServer, listen } from './report/server.ts';
import { StartCounts } from './report/start-counts.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * So long after the last SIGKILL the worker ends, even if a process does not. In two waits: a
 * worker that was itself stalled finds one of them over, and has the other to learn what has
 * ended.
 */
const afterKillMs = [1_000, 1_000];

export type Ending = 'Drained' | 'LeftBehind';

export type Runtime = {
  /** The port that reports are served on. */
  readonly port: number;
  /**
   * Stops all streams, and answers when nothing of them is left. A second call kills what still
   * runs.
   */
  readonly stop: () => Promise<Ending>;
  /** Kills what still runs, at once: for the moment when the worker itself ends. */
  readonly kill: () => void;
};

export type RuntimeOptions = {
  readonly settings: WorkerSettings;
  readonly launch: Launch;
  readonly log: WorkerLog;
};

/** Serves before it reads the file: a worker that cannot report must not consume. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { settings, log } = options;
  const counts = new StartCounts();
  const { loop, launcher, drained } = createParts(options, counts);
  let problems: readonly string[] = [];
  const server = createWorkerServer(answersOf(settings, loop, () => problems, counts));
  const port = await listen(server, settings.port, settings.bindAddress);
  log.info('serving', {
    worker: settings.worker,
    address: settings.bindAddress,
    port,
    file: settings.configFile,
  });

  let slice: Slice | undefined;
  let annotation: string | undefined;
  const applySlice = (): void => {
    if (slice === undefined) return;
    const fence =
      settings.assignedFile === undefined ? undefined : { annotation, podUid: settings.podUid };
    const { slice: allowed, isPartial } = allowedNow(
      slice,
      fence,
      new Set(loop.state().wanted.jobs.keys()),
    );
    log.info(isPartial ? 'assigned, but not vouched for: nothing new is started' : 'assigned', {
      version: slice.version,
      streams: slice.jobs.length,
    });
    loop.handle({ type: 'Slice', slice: allowed, isPartial });
  };
  const following = follow({
    path: settings.configFile,
    worker: settings.worker,
    pollMs: settings.pollMs,
    onSlice: (found) => {
      slice = found;
      applySlice();
    },
    onProblems: (found) => {
      logProblems(log, found, problems);
      problems = found;
    },
  });
  const followingAnnotation =
    settings.assignedFile === undefined
      ? undefined
      : followAnnotation({
          path: settings.assignedFile,
          pollMs: settings.pollMs,
          onChange: (text) => {
            annotation = text;
            applySlice();
          },
        });

  let ending: Promise<Ending> | undefined;
  const stop = (): Promise<Ending> => {
    if (ending !== undefined) {
      loop.handle({ type: 'Hurry' });
      return ending;
    }
    following.close();
    followingAnnotation?.close();
    ending = endingWithin(drained, [settings.policy.drainMs, ...afterKillMs]).then((end) => {
      loop.close();
      close(server);
      return end;
    });
    loop.handle({ type: 'Shutdown' });
    return ending;
  };
  return { port, stop, kill: launcher.killAll };
}

type Parts = { readonly loop: Loop; readonly launcher: Launcher; readonly drained: Promise<void> };

/** Actions of the loop start and signal streams; the events of those go back to the loop. */
function createParts({ settings, launch, log }: RuntimeOptions, counts: StartCounts): Parts {
  const { promise: drained, resolve: onDrained } = Promise.withResolvers<void>();
  const launcher = launch((stream, event) => {
    logEvent(log, stream, event, launcher.detailsOf(stream));
    loop.handle({ type: 'Process', stream, event });
  });
  const loop = createLoop({
    policy: settings.policy,
    chance: Math.random,
    perform: (action) => {
      switch (action.do) {
        case 'Start':
          counts.started(action.job.stream, isRestart(loop.state(), action.job.stream));
          launcher.start(action.job);
          break;
        case 'Signal':
          launcher.signal(action.stream, action.signal);
          break;
        case 'Warn':
          log.warn(`stream ${quoted(action.stream)} ${action.message}`);
      }
    },
    onChange: (now, before) => {
      for (const stream of before.streams.keys())
        if (!now.streams.has(stream)) counts.forget(stream);
      if (now.confirmed > before.confirmed)
        log.info('confirmed', { version: now.confirmed, streams: consumed(now).length });
      if (now.draining && now.streams.size === 0) onDrained();
    },
  });
  return { loop, launcher, drained };
}

function isRestart(supervisor: SupervisorState, stream: string): boolean {
  const state = supervisor.streams.get(stream);
  return state?.phase === 'Starting' && state.failures > 0;
}

function answersOf(
  settings: WorkerSettings,
  loop: Loop,
  problems: () => readonly string[],
  counts: StartCounts,
): Answers {
  const build = readBuild();
  return {
    version: () => reportOf(loop.state(), settings),
    health: () => ({
      isServing: !loop.state().draining,
      details: healthOf(build, settings, loop.state(), problems()),
    }),
    metrics: () =>
      `${buildMetric('swarm_worker_build_info', build).join('\n')}\n${writeMetrics(loop.state(), counts, performance.now())}`,
  };
}

function reportOf(supervisor: SupervisorState, { podUid }: WorkerSettings): WorkerReport {
  const read = underWay(supervisor);
  return {
    version: supervisor.confirmed,
    ...(read !== undefined && { read }),
    jobs: consumed(supervisor),
    podUid,
  };
}

const healthOf = (
  build: Build,
  settings: WorkerSettings,
  supervisor: SupervisorState,
  problems: readonly string[],
): object => ({
  status: supervisor.draining ? 'draining' : 'ok',
  worker: settings.worker,
  build,
  version: { wanted: supervisor.wanted.version, confirmed: supervisor.confirmed },
  file: { path: settings.configFile, problems },
  streams: Object.fromEntries(
    [...supervisor.streams].map(([stream, { phase }]) => [stream, phase]),
  ),
});

function logEvent(log: WorkerLog, stream: string, event: ProcessEvent, details: Details): void {
  if (event.type === 'Started') log.info('started', { stream, ...details });
  if (event.type === 'Gone') log.info('stopped', { stream });
}

function logProblems(log: WorkerLog, now: readonly string[], before: readonly string[]): void {
  for (const problem of now) if (!before.includes(problem)) log.warn(`file: ${problem}`);
  if (now.length === 0) log.info('file: all is well');
}

async function endingWithin(drained: Promise<void>, waits: readonly number[]): Promise<Ending> {
  const over = new AbortController();
  void drained.then(() => over.abort());
  try {
    for (const ms of waits) await delay(ms, undefined, { signal: over.signal });
    return 'LeftBehind';
  } catch {
    return 'Drained';
  }
}

function close(server: Server): void {
  server.close();
  server.closeAllConnections();
}
