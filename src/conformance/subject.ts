// Runs the worker that is tried, as in a container: its files are mounted, its environment is set,
// signals go to its first process. A shell that waits for the command it started is not the worker.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { writeAtomically } from '../playground/node/volumes/atomic-writer.ts';
import { claimPorts, type PortClaim } from '../playground/processes/ports.ts';
import { commandLineOf, listProcesses, signalIfThere } from '../playground/processes/processes.ts';

export const workerName = 'check-0';
const keptOutput = 20_000;
const lastGraceMs = 10_000;

export type Fence = 'fenced' | 'open';

export class Subject {
  readonly podUid: string;
  readonly #claim: PortClaim;
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #shell: readonly string[];
  #output = '';

  private constructor(
    folder: string,
    claim: PortClaim,
    podUid: string,
    child: ChildProcess,
    shell: readonly string[],
  ) {
    this.#shell = shell;
    this.#folder = folder;
    this.#claim = claim;
    this.podUid = podUid;
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#output = `${this.#output}${chunk.toString()}`.slice(-keptOutput);
      });
    }
  }

  static async start(command: string, fence: Fence): Promise<Subject> {
    const folder = await mkdtemp(path.join(tmpdir(), 'swarm-check-'));
    for (const mount of ['config', 'podinfo']) await mkdir(path.join(folder, mount));
    const claim = await claimPorts(1);
    const podUid = crypto.randomUUID();
    const shell = ['sh', '-c', command] as const;
    const [program, ...args] = shell;
    const child = spawn(program, args, {
      // A process group of its own, so that its children are found at the end.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SWARM_CONFIG_FILE: path.join(folder, 'config', 'config.yml'),
        ...(fence === 'fenced' && {
          SWARM_ASSIGNED_FILE: path.join(folder, 'podinfo', 'assigned'),
        }),
        POD_NAME: workerName,
        POD_UID: podUid,
        POD_IP: '127.0.0.1',
        SWARM_PORT: String(claim.first),
      },
    });
    return new Subject(folder, claim, podUid, child, shell);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#claim.first}`;
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** The end of what it printed, on one line. */
  get lastWords(): string {
    return this.#output.trim().split('\n').slice(-3).join(' | ').slice(-300);
  }

  /** Writes the file as a kubelet does; undefined removes it. */
  async mount(volume: 'config' | 'podinfo', text: string | undefined): Promise<void> {
    const file = volume === 'config' ? 'config.yml' : 'assigned';
    const payload = new Map(
      text === undefined ? [] : [[file, { data: Buffer.from(text), mode: 0o644 }]],
    );
    await writeAtomically(path.join(this.#folder, volume), payload, new Date());
  }

  /** How the worker ended; undefined: it still runs after that time. */
  async terminate(withinMs: number): Promise<string | undefined> {
    if (!this.hasEnded) {
      const tooLate = AbortSignal.timeout(withinMs);
      const ended = once(this.#process, 'exit', { signal: tooLate }).catch(() => undefined);
      for (const pid of this.#workers()) signalIfThere(pid, 'SIGTERM');
      await ended;
    }
    const { exitCode, signalCode } = this.#process;
    const signal = signalCode ?? signalIn(exitCode);
    if (signal !== undefined) return `by ${signal}`;
    return exitCode === null ? undefined : `with code ${exitCode}`;
  }

  /** Of several in a pipeline each: none of them gets a signal that only the shell got. */
  #workers(): readonly number[] {
    const { pid = 0 } = this.#process;
    if (commandLineOf(pid) !== this.#shell.join(' ')) return [pid];
    const started = listProcesses().flatMap((it) => (it.parent === pid ? [it.pid] : []));
    return started.length === 0 ? [pid] : started;
  }

  /** Zombies do not count: perhaps no process collects them. */
  get hasLeftovers(): boolean {
    return listProcesses().some(({ group }) => group === this.#process.pid);
  }

  /** SIGTERM comes first: only the worker can end its children in other process groups. */
  async remove(): Promise<void> {
    await this.terminate(lastGraceMs);
    const { pid } = this.#process;
    if (pid !== undefined) signalIfThere(-pid, 'SIGKILL');
    if (!this.hasEnded && pid !== undefined) await once(this.#process, 'exit');
    await this.#claim.release();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A shell whose command was ended by a signal exits with 128 and the number of that signal. */
const signalIn = (code: number | null): string | undefined =>
  Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0];
