// How does the operator of this very checkout run as a process of its own?
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { boundedRequest } from '../runtime/client/bounded-request.ts';
import type { Guard } from './processes/guard.ts';

const extension = path.extname(import.meta.filename);
const program = path.resolve(import.meta.dirname, `../main${extension}`);
const READY_SECONDS = 120;

export type OperatorProcess = {
  readonly pid: number;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly logFile: string;
  readonly hasEnded: boolean;
  /** SIGTERM lets it finish what it has in hand and give its lease back; SIGKILL does not. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  signal(signal: NodeJS.Signals): void;
};

export type OperatorProcessOptions = {
  readonly kubeconfig: string;
  readonly logFile: string;
  readonly guard?: Guard;
  readonly args?: readonly string[];
  /** How long its caches may take to be synced. */
  readonly readySeconds?: number;
  /** Besides what this process has itself. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** Returns when its caches are synced (it may still have to wait for the lease). */
export async function startOperatorProcess(
  options: OperatorProcessOptions,
): Promise<OperatorProcess> {
  const {
    kubeconfig,
    logFile,
    guard,
    args = [],
    readySeconds = READY_SECONDS,
    environment = {},
  } = options;
  const ports = [
    '--bind-address',
    '127.0.0.1',
    '--health-port',
    '0',
    '--metrics-port',
    '0',
    '--introspection-port',
    '0',
  ];
  const flags = ['--kubeconfig', kubeconfig, ...ports, '--log-format', 'json', ...args];
  const child = spawn(process.execPath, [program, ...flags], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`the operator could not be started: ${program}`);
  guard?.watchProcess(pid);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => guard?.forgetProcess(pid));
  const taken = await portsIn(
    child,
    createWriteStream(logFile, { flags: 'a', mode: 0o600 }),
    logFile,
  );
  const operator: OperatorProcess = {
    pid,
    healthPort: taken.health,
    metricsPort: taken.metrics,
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
    // Nobody else knows of it: it would live on after its guard.
    if (!operator.hasEnded) await operator.end('SIGKILL');
    throw error;
  }
  return operator;
}

type Ports = { readonly health: number; readonly metrics: number };

/** It takes free ports and tells which; that of health last. */
function portsIn(child: ChildProcess, log: WriteStream, logFile: string): Promise<Ports> {
  return new Promise((resolve, reject) => {
    let text = '';
    let isFound = false;
    const portOf = (name: keyof Ports): number | undefined => {
      const port = new RegExp(`"message":"${name}","port":(\\d+)`).exec(text)?.[1];
      return port === undefined ? undefined : Number(port);
    };
    child.stderr?.on('data', (chunk: Buffer) => {
      log.write(chunk);
      if (isFound) return;
      text += chunk.toString('utf8');
      const [health, metrics] = [portOf('health'), portOf('metrics')];
      if (health === undefined || metrics === undefined) return;
      isFound = true;
      resolve({ health, metrics });
    });
    // Not its exit: what it said last may still be on its way.
    child.once('close', (code) =>
      reject(
        new Error(
          `the operator ended with code ${code}; its log is ${logFile}: ${text.slice(-500)}`,
        ),
      ),
    );
  });
}

async function untilReady(operator: OperatorProcess, seconds: number): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  for (
    let problem = await problemOf(operator);
    problem !== undefined;
    problem = await problemOf(operator)
  ) {
    if (performance.now() > deadline)
      throw new Error(`${problem} after ${seconds} s; its log is ${operator.logFile}`);
    await delay(50);
  }
}

async function problemOf({
  healthPort,
  hasEnded,
  logFile,
}: OperatorProcess): Promise<string | undefined> {
  if (hasEnded) throw new Error(`the operator ended; its log is ${logFile}`);
  const url = `http://127.0.0.1:${healthPort}/readyz`;
  const answer = await boundedRequest(url, { answerMs: 2_000, mostBytes: 64 * 1024 });
  if (!answer.ok) return `the operator does not answer: ${answer.reason}`;
  return answer.status === 200 ? undefined : 'the caches of the operator are not synced';
}
