// How is a worker run so that it can be tried? As a container would run it: its files mounted, its
// environment set, signals to its first process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeAtomically } from '../playground/node/volumes/atomic-writer.ts';
import { claimPorts, type PortClaim } from '../playground/processes/ports.ts';
import { listProcesses, signalIfThere } from '../playground/processes/processes.ts';

export const workerName = 'check-0';
const keptOutput = 20_000;
const lastGraceMs = 10_000;

export type Fence = 'fenced' | 'open';

export class Subject {
  readonly podUid: string;
  readonly #claim: PortClaim;
  readonly #folder: string;
  readonly #process: ChildProcess;
  #output = '';

  private constructor(folder: string, claim: PortClaim, podUid: string, child: ChildProcess) {
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
    const files = { SWARM_CONFIG_FILE: path.join(folder, 'config', 'config.yml') };
    const assigned =
      fence === 'fenced' ? { SWARM_ASSIGNED_FILE: path.join(folder, 'podinfo', 'assigned') } : {};
    const child = spawn('sh', ['-c', command], {
      // A group of its own: whatever is left of it at the end can be found, and ended.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...files,
        ...assigned,
        POD_NAME: workerName,
        POD_UID: podUid,
        POD_IP: '127.0.0.1',
        SWARM_PORT: String(claim.first),
      },
    });
    return new Subject(folder, claim, podUid, child);
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

  /** As a kubelet does it. Undefined: there is no such key any more. */
  async mount(volume: 'config' | 'podinfo', text: string | undefined): Promise<void> {
    const file = volume === 'config' ? 'config.yml' : 'assigned';
    const payload = new Map(
      text === undefined ? [] : [[file, { data: Buffer.from(text), mode: 0o644 }]],
    );
    await writeAtomically(path.join(this.#folder, volume), payload, new Date());
  }

  /** How it ended; undefined when it had not after that time. */
  async terminate(withinMs: number): Promise<string | undefined> {
    if (this.hasEnded) return this.#ending();
    const tooLate = AbortSignal.timeout(withinMs);
    const ended = once(this.#process, 'exit', { signal: tooLate }).catch(() => undefined);
    this.#process.kill('SIGTERM');
    await ended;
    return this.hasEnded ? this.#ending() : undefined;
  }

  #ending(): string {
    const { exitCode, signalCode } = this.#process;
    return exitCode === null ? `by ${signalCode}` : `with code ${exitCode}`;
  }

  /** A zombie has ended: nobody may be there to reap it. */
  get hasLeftovers(): boolean {
    return listProcesses().some(({ group }) => group === this.#process.pid);
  }

  /** Nothing of it is left when this returns, whatever it was doing. */
  killNow(): void {
    if (this.#process.pid !== undefined) signalIfThere(-this.#process.pid, 'SIGKILL');
  }

  /**
   * A worker that has children in groups of their own ends them, if it is asked; only then it is
   * killed.
   */
  async remove(): Promise<void> {
    await this.terminate(lastGraceMs);
    this.killNow();
    if (!this.hasEnded && this.#process.pid !== undefined) await once(this.#process, 'exit');
    await this.#claim.release();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
