// One process of the control plane, with its log.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Guard } from '../processes/guard.ts';

interface ComponentSpec {
  readonly name: string;
  readonly file: string;
  readonly arguments: readonly string[];
  /** Working directory, and where its log goes. */
  readonly folder: string;
  readonly guard: Guard;
}

/**
 * After SIGTERM the API server waits up to a minute for clients to close their watches. SIGKILL
 * loses nothing: etcd writes before it confirms.
 */
const graceMilliseconds = 1_000;
const lastLogLines = 12;

export class Component {
  readonly name: string;
  readonly logFile: string;
  readonly #spec: ComponentSpec;
  #child: ChildProcess | undefined;

  constructor(spec: ComponentSpec) {
    this.#spec = spec;
    this.name = spec.name;
    this.logFile = path.join(spec.folder, `${spec.name}.log`);
  }

  get pid(): number | undefined {
    return this.running ? this.#child?.pid : undefined;
  }

  get running(): boolean {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    return pid !== undefined && exitCode === null && signalCode === null;
  }

  /** In a process group of its own: Ctrl-C reaches only this process, which ends it in order. */
  async start(): Promise<void> {
    const log = openSync(this.logFile, 'a', 0o600);
    const { file, folder, guard } = this.#spec;
    const child = spawn(file, this.#spec.arguments, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.#child = child;
    const { pid } = child;
    if (pid !== undefined) {
      guard.watchProcess(pid);
      child.once('exit', () => guard.forgetProcess(pid));
    }
    await once(child, 'spawn');
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.running) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMilliseconds);
    await ended;
    clearTimeout(timer);
  }

  /** An error with the last lines of its log. */
  failure(what: string): Error {
    const ended = this.#child?.signalCode ?? this.#child?.exitCode;
    const how = this.running ? '' : ` (it ended: ${ended ?? 'never started'})`;
    const lines = readFileSync(this.logFile, 'utf8').trimEnd().split('\n').slice(-lastLogLines);
    return new Error(
      [
        `${this.name} ${what}${how}`,
        `its log ${this.logFile} ends with:`,
        ...lines.map((line) => `  ${line.slice(0, 500)}`),
      ].join('\n'),
    );
  }
}
