// A process of a pod, from its start until it and all its descendants have ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { Duplex } from 'node:stream';
import { setTimeout as delay, setImmediate as immediate } from 'node:timers/promises';
import { errorText, orUndefined } from '../../../api/text.ts';
import type { Guard } from '../../processes/guard.ts';
import { familyOf, listProcesses, signalIfThere } from '../../processes/processes.ts';
import type { Strings } from '../pods/pod-spec.ts';

export type ProcessLaunch = {
  readonly argv: readonly string[];
  readonly env: Strings;
  readonly cwd: string;
  /** It reports its start on descriptor 3, and waits there to go on (mounts.ts). */
  readonly reportsStart: boolean;
};

type ProcessOutput = (stream: 'stdout' | 'stderr', chunk: Buffer) => void;

/** `failure`: why the container's own program never ran. */
export type End = {
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly failure: string | undefined;
};

/** For the rest of the output; an unrelated process may hold the pipe open for longer. */
const DRAIN_MS = 500;

/** A process that survives SIGKILL for longer sleeps uninterruptibly. */
const KILL_MS = 5_000;
const KILL_POLL_MS = 10;

export class PodProcess {
  readonly pid: number | undefined;
  /** Resolves with true once the container's own program runs, with false if it never will. */
  readonly started: Promise<boolean>;
  readonly ended: Promise<End>;
  readonly #guard: Guard | undefined;
  /** Held open, since the kernel reuses the ID of a closed namespace without processes. */
  #namespace: number | undefined;
  #isOver = false;

  constructor(launch: ProcessLaunch, output: ProcessOutput, guard?: Guard) {
    this.#guard = guard;
    const [file = '', ...args] = launch.argv;
    const child = spawn(file, args, {
      env: launch.env,
      cwd: launch.cwd,
      // A session of its own: Ctrl-C does not reach it, and one signal reaches the whole group.
      detached: true,
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

  /** To the process and its group. */
  signal(name: NodeJS.Signals): void {
    if (this.pid === undefined || this.#isOver) return;
    // A descendant in another session is found by its namespace after the end of this process, or
    // without one by its parents before that.
    const family =
      name === 'SIGKILL' && this.#namespace === undefined
        ? familyOf(new Set([this.pid]), listProcesses())
        : [];
    for (const pid of [-this.pid, ...family.map((each) => each.pid)]) signalIfThere(pid, name);
  }

  /** Opens the namespace before the program of the container runs. */
  #letGoOn({ pid, stdio: [, , , pipe] }: ChildProcess): void {
    if (pid !== undefined && !this.#isOver) this.#namespace = openNamespace(pid);
    if (pipe instanceof Duplex) pipe.on('error', () => undefined).write('\n');
  }

  async #untilEnd(child: ChildProcess, report: Promise<string | undefined>): Promise<End> {
    const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
      (resolve) => {
        child.once('error', () => resolve({ code: 128, signal: null }));
        child.once('exit', (code, signal) => resolve({ code, signal }));
      },
    );
    this.#isOver = true;
    if (this.pid !== undefined) {
      // Nothing outlives the first process of a container.
      signalIfThere(-this.pid, 'SIGKILL');
      this.#guard?.forgetProcess(this.pid);
    }
    if (this.#namespace !== undefined) {
      await endAllIn(namespaceAt(`self/fd/${this.#namespace}`));
      closeSync(this.#namespace);
    }
    // Output that came while this process was stalled is read before the immediate.
    const drained = delay(DRAIN_MS, undefined, { ref: false }).then(() => immediate());
    await Promise.race([closed, drained]);
    const failure = await report;
    const signal = end.signal === null ? undefined : constants.signals[end.signal];
    return {
      exitCode: failure === undefined ? (end.code ?? 128 + (signal ?? 0)) : 128,
      signal,
      failure,
    };
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

const openNamespace = (pid: number): number | undefined =>
  orUndefined(() => openSync(`/proc/${pid}/ns/mnt`, 'r'));

const namespaceAt = (file: string): string | undefined =>
  orUndefined(() => readlinkSync(`/proc/${file}`));

/** Repeated until none is left: a member may have started another meanwhile. */
async function endAllIn(namespace: string | undefined): Promise<void> {
  const givenUpAt = performance.now() + KILL_MS;
  for (let pids = membersOf(namespace); pids.length > 0; pids = membersOf(namespace)) {
    for (const pid of pids) signalIfThere(pid, 'SIGKILL');
    if (performance.now() > givenUpAt) return;
    await delay(KILL_POLL_MS);
  }
}

function membersOf(namespace: string | undefined): number[] {
  if (namespace === undefined || namespace === namespaceAt('self/ns/mnt')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => namespaceAt(`${pid}/ns/mnt`) === namespace).map(Number);
}
