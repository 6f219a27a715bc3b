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

const file = (): string => path.join(cacheFolder(), 'playground.sock');

/** Answers `env` with that text at once, and `down` when the socket closes. */
export async function listenForEnd(env: string, onDown: () => void): Promise<PlaygroundSocket> {
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
  mkdirSync(path.dirname(file()), { recursive: true });
  chmodSync(path.dirname(file()), 0o700);
  // No playground answers: a file that is there was left by one that was killed.
  rmSync(file(), { force: true });
  server.listen(file());
  await once(server, 'listening');
  chmodSync(file(), 0o600);
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

/** Undefined: none is up. */
export function askRunning(request: 'env' | 'down'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(file());
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
