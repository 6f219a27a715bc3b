// What happens to one container of a pod, from its first start through its restarts to its end?

import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { V1Container, V1LifecycleHandler, V1Probe } from '@kubernetes/client-node';
import { messageOf } from '../../failure.ts';
import type { NodeContext } from '../context.ts';
import type { Tell } from '../events.ts';
import { type ContainerFacts, type Ended, untouched } from '../pods/plan.ts';
import type { NodePod } from '../pods/pod-spec.ts';
import { afterExit, backoffMs } from '../pods/restart.ts';
import { type CheckResult, check } from '../probes/probe-check.ts';
import { type ProbeKind, runProbe } from '../probes/probes.ts';
import type { References } from '../volumes/references.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { joining, type LaunchWish, type Prepared, prepare, type RefusedLaunch } from './launch.ts';
import { ContainerLog } from './logs.ts';
import { removeRoot } from './mounts.ts';
import { type End, PodProcess } from './process.ts';

/** The pod's side: asked again at each start, for the pod may have changed. */
export type Surroundings = {
  readonly dir: string;
  readonly volumes: Volumes;
  readonly references: References;
  readonly pod: () => NodePod;
  readonly podIP: () => string;
  readonly tell: Tell;
  /** Something changed: the pod should look again. */
  readonly wake: () => void;
};

type Run = {
  readonly process: PodProcess;
  readonly prepared: Prepared;
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
  readonly #around: Surroundings;
  readonly #context: NodeContext;
  #facts: ContainerFacts;
  #run: Run | undefined;
  #runs = 0;
  #refusals = 0;
  #isClosed = false;
  #log: ContainerLog | undefined;
  #previousLog: ContainerLog | undefined;

  constructor(container: V1Container, around: Surroundings, context: NodeContext, restarts = 0) {
    this.#container = container;
    this.#around = around;
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

  /** Resolves once it runs, or cannot: the facts tell. */
  async start(): Promise<void> {
    const { dir, pod, podIP } = this.#around;
    const root = path.join(dir, 'roots', `${this.#container.name}-${this.#runs}`);
    const wish: LaunchWish = {
      ...this.#around,
      pod: pod(),
      container: this.#container,
      podIP: podIP(),
      root,
    };
    const prepared = await prepare(wish, this.#context);
    if ('refused' in prepared) {
      removeRoot(root);
      return this.#refuse(prepared);
    }
    if (this.#isClosed) return;
    try {
      await this.#begin(prepared, root);
      this.#refusals = 0;
    } catch (error) {
      // Node refuses some command lines and environments by itself, such as a text with a zero
      // byte.
      removeRoot(root);
      this.#refuse({ refused: 'CreateContainerError', message: messageOf(error) });
    }
  }

  /**
   * Asks it to end, and ends it after the grace period; asked again with less time, the time is
   * cut.
   */
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

  /** At once, and never again. */
  kill(): void {
    this.#isClosed = true;
    this.#run?.probes.abort();
    this.#run?.process.signal('SIGKILL');
  }

  /** Resolves when no process of it is left. */
  async gone(): Promise<void> {
    await this.#run?.process.ended;
  }

  stopProbes(): void {
    this.#run?.probes.abort();
  }

  async #begin(prepared: Prepared, root: string): Promise<void> {
    const { clock, guard } = this.#context;
    const { state, restarts, last } = this.#facts;
    const isRestart = state.type === 'ended' || last !== undefined;
    const number = isRestart ? restarts + 1 : restarts;
    const log = this.#newLog();
    const process = new PodProcess(
      prepared.launch,
      (stream, chunk) => log.write(stream, chunk),
      guard,
    );
    const run: Run = {
      process,
      prepared,
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
    const ended = process.ended.then((end) => this.#onEnd(run, end, log));
    if (!(await process.started)) return ended;
    // What ended at once has reported its end already.
    if (this.#run !== run) return;
    const { startupProbe, readinessProbe } = this.#container;
    const isStarted = startupProbe === undefined;
    this.#facts = {
      state: {
        type: 'running',
        id: run.id,
        startedAt: run.startedAt,
        isStarted,
        isReady: isStarted && readinessProbe === undefined,
      },
      last: state.type === 'ended' ? state.end : last,
      restarts: number,
      backoff: this.#facts.backoff,
    };
    this.#around.tell(
      'Normal',
      'Started',
      `Started container ${this.#container.name} as process ${process.pid}: ${prepared.launch.argv.slice(-3).join(' ')}`,
    );
    this.#watch(run);
  }

  #onEnd(run: Run, end: End, log: ContainerLog): void {
    const { clock, restartBackoffMs } = this.#context;
    const { state, last, restarts, backoff } = this.#facts;
    run.probes.abort();
    run.cancelKill();
    log.close();
    removeRoot(run.root);
    this.#run = undefined;
    const endedAt = clock.now();
    const logIsMessage = this.#container.terminationMessagePolicy === 'FallbackToLogsOnError';
    const ended: Ended = {
      exitCode: end.exitCode,
      signal: end.signal,
      reason: end.failure !== undefined ? 'StartError' : end.exitCode === 0 ? 'Completed' : 'Error',
      message: end.failure ?? (logIsMessage && end.exitCode !== 0 ? log.tail : ''),
      startedAt: run.startedAt,
      endedAt,
      id: run.id,
    };
    // The end may come before the start was noted; then what was an end before is the last one now.
    const isUnnoted = state.type !== 'running';
    this.#facts = {
      state: { type: 'ended', end: ended },
      last: state.type === 'ended' ? state.end : last,
      restarts:
        isUnnoted && (state.type === 'ended' || last !== undefined) ? restarts + 1 : restarts,
      backoff: afterExit(backoff, run.startedAt, endedAt, restartBackoffMs),
    };
    if (end.failure !== undefined) this.#around.tell('Warning', 'Failed', `Error: ${end.failure}`);
    else if (
      backoffMs(this.#facts.backoff ?? { crashes: 0, endedAt }, restartBackoffMs) > 0 &&
      !run.isStopping
    ) {
      this.#around.tell(
        'Warning',
        'BackOff',
        `Back-off restarting failed container ${this.#container.name}`,
      );
    }
    this.#around.wake();
  }

  #refuse({ refused, message }: RefusedLaunch): void {
    const { clock, restartBackoffMs } = this.#context;
    this.#refusals += 1;
    const isBackOff = refused === 'ErrImagePull' && this.#refusals > 1;
    const reason = isBackOff ? 'ImagePullBackOff' : refused;
    const retryAt =
      clock.now() +
      Math.min(restartBackoffMs * 2 ** Math.max(0, this.#refusals - 2), 30 * restartBackoffMs);
    const { state } = this.#facts;
    this.#facts = {
      ...this.#facts,
      state: {
        type: 'waiting',
        reason,
        message: isBackOff ? `Back-off pulling image: ${message}` : message,
        retryAt,
      },
      ...(state.type === 'ended' && { last: state.end }),
    };
    this.#around.tell('Warning', isBackOff ? 'BackOff' : 'Failed', `Error: ${reason}: ${message}`);
  }

  #newLog(): ContainerLog {
    this.#previousLog?.remove();
    this.#previousLog = this.#log;
    this.#log = new ContainerLog(
      path.join(this.#around.dir, 'logs', this.#container.name, `${this.#runs}.log`),
    );
    return this.#log;
  }

  /** Startup first; the others begin when it has succeeded. */
  #watch(run: Run): void {
    const { startupProbe } = this.#container;
    if (startupProbe === undefined) this.#watchStarted(run);
    else this.#probe(run, 'startup', startupProbe);
  }

  #watchStarted(run: Run): void {
    const { livenessProbe, readinessProbe } = this.#container;
    if (livenessProbe !== undefined) this.#probe(run, 'liveness', livenessProbe);
    if (readinessProbe !== undefined) this.#probe(run, 'readiness', readinessProbe);
  }

  #probe(run: Run, kind: ProbeKind, probe: V1Probe): void {
    const { tell } = this.#around;
    const { name } = this.#container;
    const title = `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`;
    const settings = {
      probe,
      kind,
      clock: this.#context.clock,
      check: (timeoutMs: number, signal: AbortSignal) => this.#check(run, probe, timeoutMs, signal),
      onFailure: (message: string) =>
        tell('Warning', 'Unhealthy', `${title} probe failed for container ${name}: ${message}`),
      onVerdict: (isSuccess: boolean) => this.#judge(run, kind, probe, isSuccess),
    };
    void runProbe(settings, run.probes.signal);
  }

  #judge(run: Run, kind: ProbeKind, probe: V1Probe, isSuccess: boolean): void {
    const { state } = this.#facts;
    if (this.#run !== run || state.type !== 'running') return;
    if (kind === 'readiness')
      this.#facts = { ...this.#facts, state: { ...state, isReady: isSuccess } };
    else if (!isSuccess) {
      const { name } = this.#container;
      this.#around.tell(
        'Normal',
        'Killing',
        `Container ${name} failed ${kind} probe, will be restarted`,
      );
      const { graceSeconds } = this.#around.pod();
      this.stop((probe.terminationGracePeriodSeconds ?? graceSeconds) * 1000);
    } else if (kind === 'startup') {
      const isReady = this.#container.readinessProbe === undefined;
      this.#facts = { ...this.#facts, state: { ...state, isStarted: true, isReady } };
      this.#watchStarted(run);
    }
    this.#around.wake();
  }

  /** The hook's time is part of the grace period. */
  async #terminate(run: Run, graceMs: number): Promise<void> {
    const preStop = this.#container.lifecycle?.preStop;
    if (preStop !== undefined) {
      const hook = this.#check(run, preStop, graceMs);
      const answer = await Promise.race([
        hook,
        run.process.ended.then(() => ({ isSuccess: true, message: '' })),
      ]);
      if (!answer.isSuccess)
        this.#around.tell(
          'Warning',
          'FailedPreStopHook',
          `PreStopHook of ${this.#container.name} failed: ${answer.message}`,
        );
    }
    run.process.signal('SIGTERM');
  }

  /** A check that throws has failed. */
  async #check(
    run: Run,
    action: V1LifecycleHandler,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<CheckResult> {
    const target = {
      podIP: this.#around.podIP(),
      ports: this.#container.ports ?? [],
      exec: (command: readonly string[], limitMs: number) => this.#exec(run, command, limitMs),
    };
    try {
      return await check(action, target, timeoutMs, signal);
    } catch (error) {
      return { isSuccess: false, message: messageOf(error) };
    }
  }

  async #exec(
    run: Run,
    command: readonly string[],
    timeoutMs: number,
  ): Promise<{ exitCode: number; output: string }> {
    if (run.process.pid === undefined) return { exitCode: 1, output: 'the container does not run' };
    let output = '';
    const collect = (_: string, chunk: Buffer): void => {
      if (output.length < 10_240) output += chunk.toString();
    };
    const { clock, guard } = this.#context;
    const joined = new PodProcess(
      joining(run.prepared, run.process.pid, command, this.#context),
      collect,
      guard,
    );
    let isLate = false;
    const cancel = clock.after(timeoutMs, () => {
      isLate = true;
      joined.signal('SIGKILL');
    });
    const { exitCode, failure } = await joined.ended;
    cancel();
    return {
      exitCode,
      output: isLate ? `command timed out after ${timeoutMs} ms` : (failure ?? output),
    };
  }
}
