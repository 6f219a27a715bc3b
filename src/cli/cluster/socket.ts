// How do other programs of this user reach the running playground? By a socket in the cache folder.
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { cacheFolder } from '../files/cache.ts';
import { isOnPath } from './on-path.ts';

/** What a shell has to know of a playground. */
export function shellEnv(kubeconfig: string, kubectl: string): string {
  const own = isOnPath('kubectl') ? [] : [`alias kubectl=${kubectl}`];
  return [`export KUBECONFIG=${kubeconfig}`, ...own].join('\n');
}

type PlaygroundSocket = { readonly close: () => Promise<void> };

/** `name`: of a playground beside the one that has none. */
const file = (name = ''): string =>
  path.join(cacheFolder(), `playground${name === '' ? '' : `-${name}`}.sock`);

/** Answers `env` with that text at once, and `down` when the socket closes. */
export async function listenForEnd(
  env: string,
  onDown: () => void,
  name?: string,
): Promise<PlaygroundSocket> {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      if (data.toString().trim() === 'env') {
        socket.end(env);
        return;
      }
      waiting.add(socket);
      onDown();
    });
  });
  // A client of this socket can end the playground. The folder is closed first: the socket exists
  // before its mode can be set.
  mkdirSync(path.dirname(file(name)), { recursive: true });
  chmodSync(path.dirname(file(name)), 0o700);
  // No playground answers: a file that is there was left by one that was killed.
  rmSync(file(name), { force: true });
  server.listen(file(name));
  await once(server, 'listening');
  chmodSync(file(name), 0o600);
  return {
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of waiting) socket.end('down');
      await closed;
    },
  };
}

/** A playground that is stopped, as by Ctrl-Z, accepts connections and answers nothing. */
const ENV_TIMEOUT_MS = 2_000;

/** Undefined: none is up. Empty: none has answered before it ended, or before `signal`. */
export function askRunning(
  request: 'env' | 'down',
  name?: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(file(name));
    signal?.addEventListener('abort', () => socket.destroy(), { once: true });
    let answer = '';
    if (request === 'env') socket.setTimeout(ENV_TIMEOUT_MS, () => socket.destroy(new Error()));
    socket.on('connect', () => socket.write(`${request}\n`));
    socket.on('data', (data) => {
      answer += data.toString();
    });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(answer));
  });
}
