// Which processes run, and what has become of them? One per stream, the head of a family of its
// own, so that nothing it starts outlives it.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { errorText } from '../../api/error-text.ts';
import type { Job } from '../decide/stream.ts';
import type { ProcessEvent } from '../decide/supervise.ts';
import { quoted } from '../report/log.ts';
import type { ReadCommand } from './command.ts';
import { bornOf, type ProcessFamily, RUN_VARIABLE } from './find-processes.ts';
import type { Launcher } from './launcher.ts';
import { prefixLines } from './prefix-lines.ts';
import { createFamilies } from './process-trees.ts';

/**
 * After the end of a family, its last output is waited for this long: who hides from us can hold
 * the pipe for ever.
 */
const lastOutputMs = 500;
const spawningMs = 20;

export type ProcessesOptions = {
  readonly commandFor: (job: Job) => ReadCommand;
  readonly onEvent: (stream: string, event: ProcessEvent) => void;
  readonly write: (line: Buffer) => void;
};

/**
 * What there is of a stream: its turn has not come, its family lives, or only its last words are
 * still read.
 */
type Slot =
  | { readonly is: 'Queued'; readonly job: Job }
  | { readonly is: 'Alive'; readonly family: ProcessFamily }
  | { readonly is: 'Spawning' | 'Ended' };

export function createProcesses({ commandFor, onEvent, write }: ProcessesOptions): Launcher {
  const families = createFamilies();
  const slots = new Map<string, Slot>();
  const turns = createTurns(spawningMs);

  function start(job: Job): void {
    const { stream } = job;
    // Two processes of one stream are what all this is there to prevent.
    if (slots.has(stream)) throw new Error(`a process of stream ${quoted(stream)} is still there`);
    const slot: Slot = { is: 'Queued', job };
    slots.set(stream, slot);
    turns.take(() => {
      if (slots.get(stream) === slot) startNow(job);
    });
  }

  function startNow(job: Job): void {
    const { stream } = job;
    slots.set(stream, { is: 'Spawning' });
    const fail = (problem: string): void => release(stream, { type: 'SpawnFailed', problem });
    const run = randomUUID();
    const child = spawned(commandFor(job), run);
    if (typeof child === 'string') {
      fail(child);
      return;
    }
    child.on('error', (error) => {
      if (child.pid === undefined) fail(error.message);
    });
    if (child.pid !== undefined)
      followLife(child, { group: child.pid, run, born: bornOf(child.pid) }, stream);
  }

  function followLife(child: ChildProcess, family: ProcessFamily, stream: string): void {
    slots.set(stream, { is: 'Alive', family });
    const outputEnded = followOutput(child, stream, write);
    child.once('spawn', () => onEvent(stream, { type: 'Started' }));
    child.once('exit', async (code) => {
      onEvent(stream, { type: 'Exited', code });
      await families.ended(family);
      // From here on the number may belong to somebody else.
      slots.set(stream, { is: 'Ended' });
      await outputEnded();
      release(stream, { type: 'Gone' });
    });
  }

  function release(stream: string, event: ProcessEvent): void {
    slots.delete(stream);
    onEvent(stream, event);
  }

  return {
    start,
    signal: (stream, signal) => {
      const slot = slots.get(stream);
      if (slot?.is === 'Alive') families.signal(slot.family, signal);
      if (slot?.is === 'Queued') release(stream, { type: 'Gone' });
    },
    detailsOf: (stream) => {
      const slot = slots.get(stream);
      return slot?.is === 'Alive' ? { pid: slot.family.group } : {};
    },
    killAll: () => {
      families.killNow(
        [...slots.values()].flatMap((slot) => (slot.is === 'Alive' ? [slot.family] : [])),
      );
      for (const [stream, slot] of slots) if (slot.is === 'Queued') slots.delete(stream);
    },
  };
}

/**
 * Runs what has to be done for so long at a time, so that questions are answered in between: a
 * thousand starts take seconds.
 */
function createTurns(longestMs: number): { readonly take: (run: () => void) => void } {
  const waiting: (() => void)[] = [];
  const runSome = (): void => {
    const until = performance.now() + longestMs;
    for (
      let run = waiting.shift();
      run !== undefined;
      run = performance.now() < until ? waiting.shift() : undefined
    )
      run();
    if (waiting.length > 0) setImmediate(runSome);
  };
  return {
    take: (run) => {
      if (waiting.push(run) === 1) setImmediate(runSome);
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
    // A NUL in a name or a list of arguments that is too long.
    return errorText(error);
  }
}

/** Answers a wait for the end of the output. */
function followOutput(
  child: ChildProcess,
  stream: string,
  write: (line: Buffer) => void,
): () => Promise<void> {
  const sources = [child.stdout, child.stderr].filter((source) => source !== null);
  const prefixed = sources.map((source) => prefixLines(source, `[${quoted(stream)}] `, write));
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
