// The guard: a small process at the other end of a pipe, which cleans up when this process is
// killed.
import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GuardMessage } from './guard-process.ts';

/**
 * When this process has ended, however it ended, the guard sends TERM to what it watches, KILL
 * after 2 s, and removes the folders. A watched process should lead a group of its own (`spawn`
 * with `detached: true`); its descendants are ended with it.
 */
export interface Guard {
  readonly pid: number;
  watchProcess(pid: number): void;
  /** To be called when the process has ended, since its pid may be reused. */
  forgetProcess(pid: number): void;
  watchFolder(path: string): void;
  forgetFolder(path: string): void;
  /** Ends the guard alone. */
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
    // Node options of the parent are not meant for it.
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const { pid, stdin, stdout } = child;
  const { done } = await stdout[Symbol.asyncIterator]().next();
  if (done || pid === undefined) throw new Error(`${script} did not start`);
  stdout.destroy();
  // A guard that was killed must not end its parent by EPIPE, and none keeps it from exiting.
  stdin.on('error', () => undefined);
  if (stdin instanceof Socket) stdin.unref();
  child.unref();

  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const tell = (message: GuardMessage): void => {
    stdin.write(`${JSON.stringify(message)}\n`);
  };
  return {
    pid,
    watchProcess: (it) => tell({ type: 'watch', it }),
    forgetProcess: (it) => tell({ type: 'forget', it }),
    watchFolder: (it) => tell({ type: 'watch', it }),
    forgetFolder: (it) => tell({ type: 'forget', it }),
    close: async () => {
      child.ref();
      tell({ type: 'goodbye' });
      await ended;
    },
  };
}

/** The folder that was given, or else a temporary one that the guard watches. */
export async function folderFor(
  given: string | undefined,
  prefix: string,
  guard: Guard,
  parent: string = tmpdir(),
): Promise<string> {
  if (given !== undefined) return path.resolve(given);
  const folder = await mkdtemp(path.join(parent, prefix));
  guard.watchFolder(folder);
  return folder;
}
