// How are the commands of a page typed? Into one shell, line after line, like a reader.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export type Result = { readonly code: number; readonly text: string };

/** Marks the end of a command's output, with its exit code. */
const MARK = '--- command ended:';

export class Shell {
  readonly #shell: ChildProcess;
  #told = '';
  #onText: () => void = () => undefined;

  constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.#shell = spawn('bash', ['--norc', '--noprofile'], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (data) => {
        this.#told += String(data);
        this.#onText();
      });
  }

  /** Rejects after this many seconds, and kills the shell. */
  async type(command: string, seconds: number): Promise<Result> {
    this.#told = '';
    // Evaluated in this shell, so that its settings stay; it cannot read the next command from
    // stdin.
    this.#shell.stdin?.write(
      `eval ${quoted(command)} < /dev/null\nprintf '\\n${MARK} %s\\n' "$?"\n`,
    );
    const ended = Promise.withResolvers<Result>();
    const timer = setTimeout(
      () => ended.reject(new Error(`not ended after ${seconds} s: ${command}\n${this.#told}`)),
      seconds * 1000,
    );
    this.#onText = () => {
      const found = new RegExp(`\\n${MARK} (\\d+)\\n`).exec(this.#told);
      if (found !== null)
        ended.resolve({ code: Number(found[1]), text: this.#told.slice(0, found.index) });
    };
    return ended.promise.finally(() => clearTimeout(timer));
  }

  async end(): Promise<void> {
    if (this.#shell.exitCode !== null) return;
    const ended = once(this.#shell, 'exit');
    this.#shell.stdin?.end();
    await ended;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
