// Runs one process for each stream, and stops it with all processes that it started.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { redacted } from '../../api/redact.ts';
import { errorText } from '../../api/text.ts';
import type { Job, ProcessEvent } from '../decide/stream.ts';
import { quoted } from '../report/log.ts';
import type { ReadCommand } from './command.ts';
import { type ProcessTree, RUN_VARIABLE, startTimeOf } from './find-processes.ts';
import { LastLine } from './last-line.ts';
import type { Launcher } from './launcher.ts';
import { prefixLines } from './prefix-lines.ts';
import { createProcessTrees } from './process-trees.ts';

/**
 * A child process that was not found may keep the pipe open: the last output is awaited for this
 * time at most.
 */
const lastOutputMs = 500;
const spawningMs = 20;

type ProcessesOptions = {
  readonly commandFor: (job: Job) => ReadCommand;
  readonly onEvent: (stream: string, event: ProcessEvent) => void;
  readonly write: (line: Buffer) => void;
};

/** `Ended`: only its last output is still read. */
type StreamProcess =
  | { readonly is: 'Queued'; readonly job: Job }
  | { readonly is: 'Alive'; readonly tree: ProcessTree }
  | { readonly is: 'Spawning' | 'Ended' };

export function createProcesses({ commandFor, onEvent, write }: ProcessesOptions): Launcher {
  const trees = createProcessTrees();
  const processes = new Map<string, StreamProcess>();
  const startQueue = createStartQueue();

  function start(job: Job): void {
    const { stream } = job;
    if (processes.has(stream))
      throw new Error(`a process of stream ${quoted(stream)} is still there`);
    const queued: StreamProcess = { is: 'Queued', job };
    processes.set(stream, queued);
    startQueue.add(() => {
      if (processes.get(stream) === queued) startNow(job);
    });
  }

  function startNow(job: Job): void {
    const { stream } = job;
    processes.set(stream, { is: 'Spawning' });
    const fail = (problem: string): void => release(stream, { type: 'SpawnFailed', problem });
    const run = randomUUID();
    const read = commandFor(job);
    const child = spawned(read, run);
    if (typeof child === 'string') {
      fail(child);
      return;
    }
    child.on('error', (error) => {
      if (child.pid === undefined) fail(error.message);
    });
    const secret = read.ok ? (read.command.secret ?? '') : '';
    if (child.pid !== undefined) {
      const tree = { group: child.pid, run, startedAt: startTimeOf(child.pid) };
      followLife(child, tree, stream, secret);
    }
  }

  function followLife(
    child: ChildProcess,
    tree: ProcessTree,
    stream: string,
    secret: string,
  ): void {
    processes.set(stream, { is: 'Alive', tree });
    const lastError = new LastLine();
    const outputEnded = followOutput(child, stream, write, lastError.see);
    child.once('spawn', () => onEvent(stream, { type: 'Started' }));
    child.once('exit', async (code, signal) => {
      onEvent(stream, { type: 'Exited', code, ...(signal !== null && { signal }) });
      await trees.ended(tree);
      // The kernel may now reuse the process group: it gets no more signals.
      processes.set(stream, { is: 'Ended' });
      await outputEnded();
      release(stream, { type: 'Gone', said: redacted(lastError.text, [secret]) });
    });
  }

  function release(stream: string, event: ProcessEvent): void {
    processes.delete(stream);
    onEvent(stream, event);
  }

  return {
    start,
    signal: (stream, signal) => {
      const current = processes.get(stream);
      if (current?.is === 'Alive') trees.signal(current.tree, signal);
      if (current?.is === 'Queued') release(stream, { type: 'Gone' });
    },
    detailsOf: (stream) => {
      const current = processes.get(stream);
      return current?.is === 'Alive' ? { pid: current.tree.group } : {};
    },
    killAll: () => {
      const alive: ProcessTree[] = [];
      for (const [stream, current] of processes) {
        if (current.is === 'Alive') alive.push(current.tree);
        if (current.is === 'Queued') processes.delete(stream);
      }
      trees.killNow(alive);
    },
  };
}

/** A thousand starts take seconds: the worker answers requests in between. */
function createStartQueue(): { readonly add: (start: () => void) => void } {
  const waiting: (() => void)[] = [];
  const runSome = (): void => {
    const until = performance.now() + spawningMs;
    do waiting.shift()?.();
    while (waiting.length > 0 && performance.now() < until);
    if (waiting.length > 0) setImmediate(runSome);
  };
  return {
    add: (start) => {
      if (waiting.push(start) === 1) setImmediate(runSome);
    },
  };
}

/** The process, or why there is none. */
function spawned(read: ReadCommand, run: string): ChildProcess | string {
  if (!read.ok) return read.problem;
  const { file, args, env } = read.command;
  try {
    return spawn(file, args, {
      env: { ...env, [RUN_VARIABLE]: run },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    // A NUL in an argument, or too many arguments.
    return errorText(error);
  }
}

/** Returns a function that waits for the end of the output. */
function followOutput(
  child: ChildProcess,
  stream: string,
  write: (line: Buffer) => void,
  onError: (line: Buffer) => void,
): () => Promise<void> {
  const sources = [child.stdout, child.stderr].filter((source) => source !== null);
  const prefixed = sources.map((source) =>
    prefixLines(
      source,
      `[${quoted(stream)}] `,
      write,
      source === child.stderr ? onError : undefined,
    ),
  );
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    const tooLong = setTimeout(() => {
      for (const source of sources) source.destroy();
    }, lastOutputMs);
    await closed;
    clearTimeout(tooLong);
    for (const output of prefixed) output.finish();
  };
}
