// A real worker, started as a container starts it, and seen from outside.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { request } from 'undici';
import { readReport, type WorkerReport } from '../../../src/api/report.ts';

const main = fileURLToPath(new URL('../../../src/worker/main.ts', import.meta.url));

export class Worker {
  readonly startedAt = performance.now();
  readonly process: ChildProcess;
  output = '';
  /** Not before its last line was read. */
  private readonly closed: Promise<unknown>;
  private port: string | undefined;

  /** Another program than swarm-worker logs its port in the same way. */
  constructor(
    args: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    program?: string,
  ) {
    const command = program === undefined ? [main, '--port', '0', ...args] : [program, ...args];
    this.process = spawn(process.execPath, command, {
      env: {
        PATH: process.env['PATH'],
        POD_NAME: 'w-0',
        POD_UID: 'uid-0',
        POD_IP: '127.0.0.1',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.closed = once(this.process, 'close');
    const keep = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    this.process.stdout?.on('data', keep);
    this.process.stderr?.on('data', keep);
  }

  async get(path: string): Promise<{ readonly status: number; readonly text: string }> {
    this.port ??= await until(
      'the worker serves',
      () => /serving .* port=(\d+)/.exec(this.output)?.[1],
    );
    // A connection of its own: the server may close a kept one just when it is used.
    const { statusCode, body } = await request(`http://127.0.0.1:${this.port}${path}`, {
      reset: true,
    });
    return { status: statusCode, text: await body.text() };
  }

  async report(): Promise<WorkerReport> {
    const report = readReport((await this.get('/internal/version')).text);
    if (report === undefined) throw new Error('not a report');
    return report;
  }

  async confirms(version: number): Promise<WorkerReport> {
    return until(`version ${version} is confirmed`, async () => {
      const report = await this.report();
      return report.version === version ? report : undefined;
    });
  }

  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return until(`${pattern} is printed`, () => pattern.exec(this.output) ?? undefined);
  }

  times(pattern: RegExp): number {
    return [...this.output.matchAll(pattern)].length;
  }

  /** The exit code. */
  async ended(): Promise<number | null> {
    await this.closed;
    return this.process.exitCode;
  }

  async end(): Promise<number | null> {
    this.process.kill('SIGTERM');
    return this.ended();
  }
}

/** Waits for a condition; the time only ends a test that fails. */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined> | Found | undefined,
): Promise<Found> {
  const latest = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > latest) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A zombie counts as ended, however long process 1 takes to collect it. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
