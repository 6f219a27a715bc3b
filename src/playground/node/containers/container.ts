// One container of a pod: its runs, its probes and its end.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { V1Container, V1LifecycleHandler, V1Probe } from '@kubernetes/client-node';
import { errorText } from '../../../api/text.ts';
import type { NodeContext } from '../context.ts';
import type { EventRecorder } from '../events.ts';
import {
  afterExit,
  backoffMs,
  type ContainerFacts,
  type Terminated,
  untouched,
} from '../pods/actions.ts';
import { type CheckResult, check } from '../probes/probe-check.ts';
import { type ProbeKind, runProbe } from '../probes/probes.ts';
import { exec } from './exec.ts';
import { type ContainerView, type LaunchingPod, prepare, type RefusedLaunch } from './launch.ts';
import { ContainerLog } from './logs.ts';
import { removeRoot } from './mounts.ts';
import { type End, PodProcess, type ProcessLaunch } from './process.ts';

/** What a container uses of its pod. */
type ContainingPod = LaunchingPod & {
  readonly dir: string;
  readonly record: EventRecorder;
  containerChanged(): void;
};

type Run = {
  readonly process: PodProcess;
  readonly view: ContainerView;
  readonly log: ContainerLog;
  readonly probes: AbortController;
  readonly id: string;
  readonly startedAt: number;
  readonly root: string;
  isStopping: boolean;
  killAt: number;
  cancelKill: () => void;
};

export class ContainerRunner {
  readonly #container: V1Container;
  readonly #pod: ContainingPod;
  readonly #context: NodeContext;
  #facts: ContainerFacts;
  #run: Run | undefined;
  #runs = 0;
  #refusals = 0;
  #isClosed = false;
  #log: ContainerLog | undefined;
  #previousLog: ContainerLog | undefined;

  constructor(container: V1Container, pod: ContainingPod, context: NodeContext, restarts: number) {
    this.#container = container;
    this.#pod = pod;
    this.#context = context;
    this.#facts = { ...untouched, restarts };
  }

  get facts(): ContainerFacts {
    return this.#facts;
  }

  get pid(): number | undefined {
    return this.#run?.process.pid;
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  log(isPrevious: boolean): ContainerLog | undefined {
    return isPrevious ? this.#previousLog : this.#log;
  }

  /** Resolves when it runs or was refused; the facts say which. */
  async start(): Promise<void> {
    const container = this.#container;
    const { uid } = this.#pod.pod.ref;
    const root = path.join(this.#context.rootsDir, `${uid}-${container.name}-${this.#runs}`);
    const prepared = await prepare(container, this.#pod, root, this.#context);
    if ('refused' in prepared) {
      removeRoot(root);
      return this.#refuse(prepared);
    }
    if (this.#isClosed) return;
    try {
      await this.#begin(prepared.launch, prepared.view, root);
      this.#refusals = 0;
    } catch (error) {
      // Node refuses some command lines and environments, such as a text with a zero byte.
      removeRoot(root);
      this.#refuse({ refused: 'CreateContainerError', message: errorText(error) });
    }
  }

  /** SIGTERM, and SIGKILL after the grace period; a second call can only shorten that. */
  stop(graceMs: number): void {
    const run = this.#run;
    if (run === undefined) return;
    const { clock } = this.#context;
    const killAt = clock.monotonic() + graceMs;
    if (killAt < run.killAt) {
      run.killAt = killAt;
      run.cancelKill();
      run.cancelKill = clock.after(graceMs, () => run.process.signal('SIGKILL'));
    }
    if (!run.isStopping) void this.#terminate(run, graceMs);
    run.isStopping = true;
  }

  /** At once, and for good. */
  kill(): void {
    this.#isClosed = true;
    this.stopProbes();
    this.#run?.process.signal('SIGKILL');
  }

  /** Resolves when no process of it is left. */
  async gone(): Promise<void> {
    await this.#run?.process.ended;
  }

  stopProbes(): void {
    this.#run?.probes.abort();
  }

  async #begin(launch: ProcessLaunch, view: ContainerView, root: string): Promise<void> {
    const { clock, guard } = this.#context;
    const { state, restarts, last } = this.#facts;
    const log = this.#newLog();
    const write = (stream: 'stdout' | 'stderr', chunk: Buffer): void => log.write(stream, chunk);
    const run: Run = {
      process: new PodProcess(launch, write, guard),
      view,
      log,
      probes: new AbortController(),
      id: `playground://${randomUUID().replaceAll('-', '')}`,
      startedAt: clock.now(),
      root,
      isStopping: false,
      killAt: Number.POSITIVE_INFINITY,
      cancelKill: () => undefined,
    };
    this.#runs += 1;
    this.#run = run;
    const previous = state.type === 'terminated' ? state : last;
    this.#facts = {
      ...this.#facts,
      last: previous,
      restarts: previous === undefined ? restarts : restarts + 1,
    };
    const ended = run.process.ended.then((end) => this.#onEnd(run, end));
    if (!(await run.process.started)) return ended;
    // It may have ended already.
    if (this.#run !== run) return;
    const { name, startupProbe, readinessProbe } = this.#container;
    const isStarted = startupProbe === undefined;
    const isReady = isStarted && readinessProbe === undefined;
    const { id, startedAt } = run;
    this.#note({ type: 'running', id, startedAt, isStarted, isReady });
    const command = launch.argv.slice(-3).join(' ');
    const note = `Started container ${name} as process ${run.process.pid}: ${command}`;
    this.#pod.record('Normal', 'Started', note);
    if (startupProbe === undefined) this.#probeStarted(run);
    else this.#probe(run, 'startup', startupProbe);
  }

  #note(state: ContainerFacts['state']): void {
    this.#facts = { ...this.#facts, state };
  }

  #onEnd(run: Run, { exitCode, signal, failure }: End): void {
    const { clock, restartBackoffMs } = this.#context;
    const { name, terminationMessagePolicy } = this.#container;
    run.probes.abort();
    run.cancelKill();
    run.log.close();
    removeRoot(run.root);
    this.#run = undefined;
    const hasFailed = exitCode !== 0;
    const logIsMessage = hasFailed && terminationMessagePolicy === 'FallbackToLogsOnError';
    const state: Terminated = {
      type: 'terminated',
      exitCode,
      signal,
      reason: failure !== undefined ? 'StartError' : hasFailed ? 'Error' : 'Completed',
      message: failure ?? (logIsMessage ? run.log.tail : ''),
      startedAt: run.startedAt,
      finishedAt: clock.now(),
      id: run.id,
    };
    const ranMs = state.finishedAt - state.startedAt;
    const crashes = afterExit(this.#facts.crashes, ranMs, restartBackoffMs);
    this.#facts = { ...this.#facts, state, crashes };
    const { record } = this.#pod;
    if (failure !== undefined) record('Warning', 'Failed', `Error: ${failure}`);
    else if (backoffMs(crashes, restartBackoffMs) > 0 && !run.isStopping)
      record('Warning', 'BackOff', `Back-off restarting failed container ${name}`);
    this.#pod.containerChanged();
  }

  #refuse({ refused, message }: RefusedLaunch): void {
    const { clock, restartBackoffMs } = this.#context;
    this.#refusals += 1;
    const isBackOff = refused === 'ErrImagePull' && this.#refusals > 1;
    const reason = isBackOff ? 'ImagePullBackOff' : refused;
    const waitMs = backoffMs(Math.max(2, this.#refusals), restartBackoffMs);
    const { state } = this.#facts;
    this.#facts = {
      ...this.#facts,
      state: {
        type: 'waiting',
        reason,
        message: isBackOff ? `Back-off pulling image: ${message}` : message,
        retryAt: clock.now() + waitMs,
      },
      ...(state.type === 'terminated' && { last: state }),
    };
    this.#pod.record('Warning', isBackOff ? 'BackOff' : 'Failed', `Error: ${reason}: ${message}`);
  }

  #newLog(): ContainerLog {
    this.#previousLog?.remove();
    this.#previousLog = this.#log;
    const { name } = this.#container;
    const log = new ContainerLog(path.join(this.#pod.dir, 'logs', name, `${this.#runs}.log`));
    this.#log = log;
    return log;
  }

  /** The other probes begin when the startup probe has succeeded. */
  #probeStarted(run: Run): void {
    const { livenessProbe, readinessProbe } = this.#container;
    if (livenessProbe !== undefined) this.#probe(run, 'liveness', livenessProbe);
    if (readinessProbe !== undefined) this.#probe(run, 'readiness', readinessProbe);
  }

  #probe(run: Run, kind: ProbeKind, probe: V1Probe): void {
    const { name } = this.#container;
    const title = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
    const settings = {
      probe,
      kind,
      clock: this.#context.clock,
      check: (timeoutMs: number, signal: AbortSignal) => this.#check(run, probe, timeoutMs, signal),
      onFailure: (message: string) => {
        const note = `${title} probe failed for container ${name}: ${message}`;
        this.#pod.record('Warning', 'Unhealthy', note);
      },
      onVerdict: (isSuccess: boolean) => this.#onVerdict(run, kind, probe, isSuccess),
    };
    void runProbe(settings, run.probes.signal);
  }

  #onVerdict(run: Run, kind: ProbeKind, probe: V1Probe, isSuccess: boolean): void {
    const { state } = this.#facts;
    if (this.#run !== run || state.type !== 'running') return;
    const { name, readinessProbe } = this.#container;
    if (kind === 'readiness') this.#note({ ...state, isReady: isSuccess });
    else if (!isSuccess) {
      const note = `Container ${name} failed ${kind} probe, will be restarted`;
      this.#pod.record('Normal', 'Killing', note);
      const { graceSeconds } = this.#pod.pod;
      this.stop((probe.terminationGracePeriodSeconds ?? graceSeconds) * 1000);
    } else if (kind === 'startup') {
      this.#note({ ...state, isStarted: true, isReady: readinessProbe === undefined });
      this.#probeStarted(run);
    }
    this.#pod.containerChanged();
  }

  /** The hook's time is part of the grace period. */
  async #terminate(run: Run, graceMs: number): Promise<void> {
    const { name, lifecycle } = this.#container;
    if (lifecycle?.preStop !== undefined) {
      const ended = run.process.ended.then(() => ({ isSuccess: true, message: '' }));
      const hook = this.#check(run, lifecycle.preStop, graceMs);
      const { isSuccess, message } = await Promise.race([hook, ended]);
      if (!isSuccess)
        this.#pod.record(
          'Warning',
          'FailedPreStopHook',
          `PreStopHook of ${name} failed: ${message}`,
        );
    }
    run.process.signal('SIGTERM');
  }

  /** A check that throws has failed. */
  async #check(
    { view, process }: Run,
    handler: V1LifecycleHandler,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<CheckResult> {
    const target = {
      podIP: this.#pod.ip ?? '',
      ports: this.#container.ports ?? [],
      exec: (command: readonly string[], limitMs: number) =>
        exec(view, process.pid, command, limitMs, this.#context),
    };
    try {
      return await check(handler, target, timeoutMs, signal);
    } catch (error) {
      return { isSuccess: false, message: errorText(error) };
    }
  }
}
