// The operator of this checkout as a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { boundedRequest } from '../runtime/client/bounded-request.ts';
import type { Guard } from './processes/guard.ts';

const extension = path.extname(import.meta.filename);
const program = path.resolve(import.meta.dirname, `../main${extension}`);

export type OperatorProcess = {
  readonly pid: number;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly logFile: string;
  readonly hasEnded: boolean;
  /** SIGTERM lets it finish its work and release its lease; SIGKILL does not. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  signal(signal: NodeJS.Signals): void;
};

export type OperatorProcessOptions = {
  readonly kubeconfig: string;
  readonly logFile: string;
  readonly guard?: Guard;
  readonly args?: readonly string[];
  /** For the sync of its caches. */
  readonly readySeconds?: number;
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** Resolves when its caches are synced; it may still wait for the lease. */
export async function startOperatorProcess(
  options: OperatorProcessOptions,
): Promise<OperatorProcess> {
  const { kubeconfig, logFile, guard, args = [], readySeconds = 120, environment } = options;
  const ports = ['health', 'metrics', 'introspection'].flatMap((name) => [`--${name}-port`, '0']);
  const flags = ['--kubeconfig', kubeconfig, '--bind-address', '127.0.0.1', ...ports];
  const child = spawn(process.execPath, [program, ...flags, '--log-format', 'json', ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`the operator could not be started: ${program}`);
  guard?.watchProcess(pid);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => guard?.forgetProcess(pid));
  const { health, metrics } = await portsIn(child, logFile);
  const operator: OperatorProcess = {
    pid,
    healthPort: health,
    metricsPort: metrics,
    logFile,
    get hasEnded() {
      return child.exitCode !== null || child.signalCode !== null;
    },
    signal: (signal) => void child.kill(signal),
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await ended;
    },
  };
  try {
    await untilReady(operator, readySeconds);
  } catch (error) {
    // The caller gets no handle to end it with.
    if (!operator.hasEnded) await operator.end('SIGKILL');
    throw error;
  }
  return operator;
}

type Ports = { readonly health: number; readonly metrics: number };

/** It takes free ports, and logs which. */
function portsIn(child: ChildProcess, logFile: string): Promise<Ports> {
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  return new Promise((resolve, reject) => {
    let text = '';
    const portOf = (name: keyof Ports): number =>
      Number(new RegExp(`"message":"${name}","port":(\\d+)`).exec(text)?.[1]);
    const read = (chunk: Buffer): void => {
      text += chunk.toString('utf8');
      const ports = { health: portOf('health'), metrics: portOf('metrics') };
      if (Number.isNaN(ports.health + ports.metrics)) return;
      child.stderr?.off('data', read);
      resolve(ports);
    };
    child.stderr?.on('data', (chunk: Buffer) => log.write(chunk)).on('data', read);
    // At its exit the last lines of its log may not have been read yet.
    child.once('close', (code) => {
      const end = text.slice(-500);
      reject(new Error(`the operator ended with code ${code}; its log is ${logFile}: ${end}`));
    });
  });
}

async function untilReady(operator: OperatorProcess, seconds: number): Promise<void> {
  const { healthPort, logFile } = operator;
  const url = `http://127.0.0.1:${healthPort}/readyz`;
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    if (operator.hasEnded) throw new Error(`the operator ended; its log is ${logFile}`);
    const answer = await boundedRequest(url, { answerMs: 2_000, mostBytes: 64 * 1024 });
    if (answer.ok && answer.status === 200) return;
    const problem = answer.ok
      ? 'the caches of the operator are not synced'
      : `the operator does not answer: ${answer.reason}`;
    if (performance.now() > deadline)
      throw new Error(`${problem} after ${seconds} s; its log is ${logFile}`);
    await delay(50);
  }
}
