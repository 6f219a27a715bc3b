// Who ends the processes when their parent is killed? A small process of its own, at the other end
// of a pipe.
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import path from 'node:path';
import type { GuardMessage } from './guard-process.ts';

/**
 * Ends what it watches as soon as this process is gone, however it went: TERM, after 2 s KILL, then
 * the folders are removed. A watched process should lead a group of its own (`spawn` with
 * `detached: true`); its descendants are ended with it.
 */
export interface Guard {
  readonly pid: number;
  watchProcess(pid: number): void;
  /** To be called once the end of the process was seen: its pid may soon be another's. */
  forgetProcess(pid: number): void;
  watchFolder(path: string): void;
  forgetFolder(path: string): void;
  /** Ends the guard, and nothing else. */
  close(): Promise<void>;
}

export async function startGuard(): Promise<Guard> {
  const script = path.join(
    import.meta.dirname,
    `guard-process${path.extname(import.meta.filename)}`,
  );
  const child = spawn(process.execPath, [script], {
    cwd: '/',
    // Its own session: neither Ctrl-C nor a KILL to the parent's group reaches it.
    detached: true,
    // What the parent was asked to load or to trace is not meant for it.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { pid, stdin, stdout } = child;
  const { done } = await stdout[Symbol.asyncIterator]().next();
  if (done || pid === undefined) throw new Error(`${script} did not start`);
  stdout.destroy();
  // A guard that was killed must not take its parent along (EPIPE); nor do the two keep the parent
  // from exiting.
  stdin.on('error', () => undefined);
  if (stdin instanceof Socket) stdin.unref();
  child.unref();

  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const tell = (message: GuardMessage): void => {
    stdin.write(`${JSON.stringify(message)}\n`);
  };
  return {
    pid,
    watchProcess: (pid) => tell({ type: 'watchProcess', pid }),
    forgetProcess: (pid) => tell({ type: 'forgetProcess', pid }),
    watchFolder: (path) => tell({ type: 'watchFolder', path }),
    forgetFolder: (path) => tell({ type: 'forgetFolder', path }),
    close: async () => {
      child.ref();
      tell({ type: 'goodbye' });
      await ended;
    },
  };
}
