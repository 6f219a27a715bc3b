// How does one process of a pod start, and how does one know that it and all its descendants have
// ended?
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, errorText } from '../../../api/error-text.ts';
import type { Guard } from '../../processes/guard.ts';
import { familyOf, listProcesses } from '../../processes/processes.ts';
import type { Strings } from '../pods/pod-spec.ts';

export type ProcessLaunch = {
  readonly argv: readonly string[];
  readonly env: Strings;
  readonly cwd: string;
  /**
   * The command reports its start on descriptor 3 and waits there for a word (mounts.ts); otherwise
   * it has started once it was spawned.
   */
  readonly reportsStart: boolean;
};

export type ProcessOutput = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** `failure`: the pod's own program was never reached. */
export type End = {
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly failure: string | undefined;
};

/**
 * What was written before the end belongs to the log; a stranger who holds the pipe open must not
 * keep us.
 */
const DRAIN_MS = 500;

/** What a KILL has not ended by then sleeps uninterruptibly. */
const KILL_MS = 5_000;
const KILL_POLL_MS = 10;

export class PodProcess {
  readonly pid: number | undefined;
  /** Resolves with true once the pod's own program runs, with false if it never will. */
  readonly started: Promise<boolean>;
  readonly ended: Promise<End>;
  readonly #guard: Guard | undefined;
  /**
   * Held open: the kernel gives the number of one that nobody is in any more to the next, which may
   * be another container's.
   */
  #namespace: number | undefined;
  #isOver = false;

  constructor(launch: ProcessLaunch, output: ProcessOutput, guard?: Guard) {
    this.#guard = guard;
    const [file = '', ...args] = launch.argv;
    // A session of its own: Ctrl-C in the terminal of the playground is not meant for pods, and one
    // signal reaches the whole group.
    const options = { env: launch.env, cwd: launch.cwd, detached: true };
    const child = spawn(file, args, {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe', ...(launch.reportsStart ? (['pipe'] as const) : [])],
    });
    this.pid = child.pid;
    if (child.pid !== undefined) guard?.watchProcess(child.pid);
    child.stdout?.on('data', (chunk: Buffer) => output('stdout', chunk));
    child.stderr?.on('data', (chunk: Buffer) => output('stderr', chunk));
    const report = launch.reportsStart ? readReport(child) : spawned(child);
    this.started = report.then((failure) => {
      if (failure === undefined && launch.reportsStart) this.#letGoOn(child);
      return failure === undefined;
    });
    this.ended = this.#untilEnd(child, report);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** To the process and its group. */
  signal(name: NodeJS.Signals): void {
    if (this.pid === undefined || this.#isOver) return;
    // A descendant that made a session of its own is known by its mounts once this one has ended;
    // without them, by its parents until then.
    const isLastChance = name === 'SIGKILL' && this.#namespace === undefined;
    const family = isLastChance
      ? familyOf(new Set([this.pid]), listProcesses()).map(({ pid }) => pid)
      : [];
    for (const pid of [-this.pid, ...family]) send(pid, name);
  }

  /** Its namespace is known before its program can end. */
  #letGoOn({ pid, stdio: [, , , pipe] }: ChildProcess): void {
    if (pid !== undefined && !this.#isOver) this.#namespace = openNamespace(pid);
    if (pipe instanceof Duplex) pipe.on('error', () => undefined).write('\n');
  }

  async #untilEnd(child: ChildProcess, report: Promise<string | undefined>): Promise<End> {
    // Heard from the beginning: it may come in the same breath as the exit.
    const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
      (resolve) => {
        child.once('error', () => resolve({ code: 128, signal: null }));
        child.once('exit', (code, signal) => resolve({ code, signal }));
      },
    );
    this.#isOver = true;
    if (this.pid !== undefined) {
      // As with a container, nothing outlives its first process.
      send(-this.pid, 'SIGKILL');
      this.#guard?.forgetProcess(this.pid);
    }
    if (this.#namespace !== undefined) {
      await endAllIn(namespaceAt(`self/fd/${this.#namespace}`));
      closeSync(this.#namespace);
    }
    await within(closed, DRAIN_MS);
    const failure = await report;
    const signal = end.signal === null ? undefined : constants.signals[end.signal];
    return {
      exitCode: failure === undefined ? (end.code ?? 128 + (signal ?? 0)) : 128,
      signal,
      failure,
    };
  }
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH' && errorCode(error) !== 'EPERM') throw error;
  }
}

/** Undefined: it started. */
function spawned(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(undefined));
    child.once('error', (error) => resolve(errorText(error)));
  });
}

function readReport(child: ChildProcess): Promise<string | undefined> {
  const pipe = child.stdio[3];
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(errorText(error)));
    if (!(pipe instanceof Duplex))
      return resolve('the start cannot be followed: there is no descriptor 3');
    let text = '';
    const done = (): void =>
      resolve(
        text.endsWith('started\n')
          ? undefined
          : text.trim() || 'ended before its program was started',
      );
    pipe.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('started\n')) done();
    });
    pipe.once('close', done);
  });
}

function within(done: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    // What has come while this process slept is read before the immediate.
    const timer = setTimeout(() => setImmediate(resolve), ms);
    void done.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function openNamespace(pid: number): number | undefined {
  try {
    return openSync(`/proc/${pid}/ns/mnt`, 'r');
  } catch {
    return undefined;
  }
}

function namespaceAt(file: string): string | undefined {
  try {
    return readlinkSync(`/proc/${file}`);
  } catch {
    return undefined;
  }
}

/**
 * Again until none is left: a member may have made another meanwhile, and the kernel takes its time
 * with each.
 */
async function endAllIn(namespace: string | undefined): Promise<void> {
  const givenUpAt = performance.now() + KILL_MS;
  for (let pids = membersOf(namespace); pids.length > 0; pids = membersOf(namespace)) {
    for (const pid of pids) send(pid, 'SIGKILL');
    if (performance.now() > givenUpAt) return;
    await delay(KILL_POLL_MS);
  }
}

function membersOf(namespace: string | undefined): number[] {
  if (namespace === undefined || namespace === namespaceAt('self/ns/mnt')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => namespaceAt(`${pid}/ns/mnt`) === namespace).map(Number);
}
