// Connects the parts of a worker: follows the file, passes events to the supervisor, starts and
// stops streams, and serves reports.
import { setTimeout as delay } from 'node:timers/promises';
import type { Slice } from '../api/assignment.ts';
import { buildMetric } from '../api/build.ts';
import { listen } from '../http/bounded-server.ts';
import type { Action, Policy } from './decide/stream.ts';
import {
  consumed,
  idle,
  nextDue,
  type SupervisorEvent,
  type SupervisorState,
  supervise,
  underWay,
} from './decide/supervise.ts';
import { allowedNow } from './file/fence.ts';
import { follow, followAnnotation } from './file/follow.ts';
import type { Launch, Launcher } from './launch/launcher.ts';
import { readBuild } from './report/build.ts';
import { quoted, type WorkerLog } from './report/log.ts';
import { StartCounts, writeMetrics } from './report/metrics.ts';
import { type Answers, createWorkerServer } from './report/server.ts';
import { createDates, reportedStreams } from './report/streams.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * The worker ends this long after the last SIGKILL, even if a process does not. Two waits, since a
 * stalled worker may find the first one over at once, and needs the second to notice ends.
 */
const afterKillMs = [1_000, 1_000];

export type Ending = 'Drained' | 'LeftBehind';

export type Runtime = {
  /** The port that reports are served on. */
  readonly port: number;
  /**
   * Stops all streams; resolves when they have ended. A second call kills all streams that still
   * run.
   */
  readonly stop: () => Promise<Ending>;
  /** Kills all streams that still run, when the worker itself ends. */
  readonly kill: () => void;
  /**
   * Resolves with the error after which the worker cannot go on. The worker has then killed its
   * streams and closed its server, so that probes fail. The process is to end.
   */
  readonly failed: Promise<unknown>;
};

type RuntimeOptions = {
  readonly settings: WorkerSettings;
  readonly launch: Launch;
  readonly log: WorkerLog;
};

/** Serves before it reads the file: a worker that cannot report must not consume. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { settings, log } = options;
  const { configFile, assignedFile, worker, podUid, pollMs, bindAddress: address } = settings;
  const counts = new StartCounts();
  const { promise: failed, resolve: onFailed } = Promise.withResolvers<unknown>();
  const { loop, launcher, drained } = createParts(options, counts, onFailed);
  let problems: readonly string[] = [];
  const server = createWorkerServer(answersOf(settings, loop, () => problems, counts));
  const { port } = await listen(server, settings.port, address);
  log.info('serving', { worker, address, port, file: configFile });

  let slice: Slice | undefined;
  let annotation: string | undefined;
  const applySlice = (): void => {
    if (slice === undefined) return;
    const fence = assignedFile === undefined ? undefined : { annotation, podUid };
    const present = new Set(loop.state().wanted.jobs.keys());
    const { slice: allowed, isPartial } = allowedNow(slice, fence, present);
    log.info(
      isPartial
        ? 'assigned, but not permitted by the annotation yet: no new stream is started'
        : 'assigned',
      {
        version: slice.version,
        streams: slice.jobs.length,
      },
    );
    loop.handle({ type: 'Slice', slice: allowed, isPartial });
  };
  const following = follow({
    path: configFile,
    worker,
    pollMs,
    onSlice: (found) => {
      slice = found;
      applySlice();
    },
    onProblems: (found) => {
      for (const problem of found) if (!problems.includes(problem)) log.warn(`file: ${problem}`);
      if (found.length === 0) log.info('file: valid again');
      problems = found;
    },
    onFailed: loop.fail,
  });
  const onChange = (text: string | undefined): void => {
    annotation = text;
    applySlice();
  };
  const followingAnnotation =
    assignedFile === undefined
      ? undefined
      : followAnnotation({ path: assignedFile, pollMs, onChange, onFailed: loop.fail });

  const unfollow = (): void => {
    following.close();
    followingAnnotation?.close();
  };
  const close = (): void => {
    loop.close();
    server.close();
    server.closeAllConnections();
  };
  void failed.then(() => {
    unfollow();
    launcher.killAll();
    close();
  });

  let ending: Promise<Ending> | undefined;
  const stop = (): Promise<Ending> => {
    if (ending !== undefined) {
      loop.handle({ type: 'Hurry' });
      return ending;
    }
    unfollow();
    ending = endingWithin(drained, [settings.policy.drainMs, ...afterKillMs]).then((end) => {
      close();
      return end;
    });
    loop.handle({ type: 'Shutdown' });
    return ending;
  };
  return { port, stop, kill: launcher.killAll, failed };
}

type Parts = { readonly loop: Loop; readonly launcher: Launcher; readonly drained: Promise<void> };

/** Actions of the loop start and signal streams; events of the streams go back to the loop. */
function createParts(
  { settings, launch, log }: RuntimeOptions,
  counts: StartCounts,
  onFailed: (error: unknown) => void,
): Parts {
  const { promise: drained, resolve: onDrained } = Promise.withResolvers<void>();
  const launcher = launch((stream, event) => loop.handle({ type: 'Process', stream, event }));
  const loop = createLoop({
    policy: settings.policy,
    onFailed,
    onEvent: (event) => {
      if (event.type !== 'Process') return;
      const { stream } = event;
      if (event.event.type === 'Started')
        log.info('started', { stream, ...launcher.detailsOf(stream) });
      if (event.event.type === 'Gone') log.info('stopped', { stream });
    },
    perform: (action) => {
      switch (action.do) {
        case 'Start': {
          const { stream } = action.job;
          const state = loop.state().streams.get(stream);
          counts.started(stream, state?.phase === 'Starting' && state.failures > 0);
          launcher.start(action.job);
          break;
        }
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

function answersOf(
  { worker, podUid, configFile }: WorkerSettings,
  loop: Loop,
  problems: () => readonly string[],
  counts: StartCounts,
): Answers {
  const build = readBuild();
  const dateOf = createDates();
  const details = ({ draining, wanted, confirmed, streams }: SupervisorState): object => ({
    status: draining ? 'draining' : 'ok',
    worker,
    build,
    version: { wanted: wanted.version, confirmed },
    file: { path: configFile, problems: problems() },
    streams: Object.fromEntries([...streams].map(([stream, { phase }]) => [stream, phase])),
  });
  return {
    version: () => {
      const state = loop.state();
      const read = underWay(state);
      const version = { version: state.confirmed, ...(read !== undefined && { read }) };
      const streams = reportedStreams(state, performance.now(), dateOf);
      return { ...version, jobs: consumed(state), podUid, ...streams };
    },
    health: () => ({ isServing: !loop.state().draining, details: details(loop.state()) }),
    metrics: () =>
      `${buildMetric('swarm_worker_build_info', build).join('\n')}\n${writeMetrics(loop.state(), counts, performance.now())}`,
  };
}

function endingWithin(drained: Promise<void>, waits: readonly number[]): Promise<Ending> {
  const timeUp = async (): Promise<Ending> => {
    // Unreferenced: the server keeps the process alive until it is closed.
    for (const ms of waits) await delay(ms, undefined, { ref: false });
    return 'LeftBehind';
  };
  return Promise.race([drained.then((): Ending => 'Drained'), timeUp()]);
}

type Loop = {
  readonly state: () => SupervisorState;
  readonly handle: (event: SupervisorEvent) => void;
  /** From now on the loop does nothing. */
  readonly fail: (error: unknown) => void;
  readonly close: () => void;
};

type LoopOptions = {
  readonly policy: Policy;
  readonly onEvent: (event: SupervisorEvent) => void;
  readonly perform: (action: Action) => void;
  readonly onChange: (now: SupervisorState, before: SupervisorState) => void;
  readonly onFailed: (error: unknown) => void;
};

/**
 * Passes one event at a time to the supervisor, and wakes it when it needs a `Due`. After any error
 * the state may be wrong: the loop fails, and does not go on.
 */
function createLoop({ policy, onEvent, perform, onChange, onFailed }: LoopOptions): Loop {
  let state: SupervisorState = idle;
  let timer: NodeJS.Timeout | undefined;
  let is: 'Waiting' | 'Handling' | 'Failed' = 'Waiting';
  const queue: SupervisorEvent[] = [];

  /**
   * An action may cause an event at once: the event waits until all actions of the current one are
   * done.
   */
  function handle(event: SupervisorEvent): void {
    queue.push(event);
    if (is !== 'Waiting') return;
    is = 'Handling';
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) handleOne(next);
      is = 'Waiting';
      wakeWhenDue();
    } catch (error) {
      fail(error);
    }
  }

  function handleOne(event: SupervisorEvent): void {
    onEvent(event);
    const before = state;
    const at = { now: performance.now(), chance: Math.random() };
    const [after, actions] = supervise(policy, before, event, at);
    state = after;
    for (const action of actions) perform(action);
    onChange(after, before);
  }

  function fail(error: unknown): void {
    is = 'Failed';
    onFailed(error);
  }

  function wakeWhenDue(): void {
    clearTimeout(timer);
    const at = nextDue(state);
    // A timer may fire a little early, so one millisecond is added.
    if (at !== undefined)
      timer = setTimeout(() => handle({ type: 'Due' }), Math.max(0, at - performance.now()) + 1);
  }

  return { state: () => state, handle, fail, close: () => clearTimeout(timer) };
}
