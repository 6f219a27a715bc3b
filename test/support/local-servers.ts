// Which servers and files does a test have? Each server at a port of its own, with TLS or without;
// the servers end with the test, the files with the last one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  createServer as createTlsServer,
  type ServerOptions,
  Server as TlsServer,
} from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach } from '@jest/globals';
import { PooledKubeConfig } from '../../src/runtime/client/config.ts';

type LocalServers = {
  readonly folder: string;
  /** Returns the path. */
  readonly written: (name: string, text: string) => string;
  /** Returns the address. */
  readonly serve: (listener: RequestListener, tls?: ServerOptions) => Promise<string>;
  /** Called when the test ends. */
  readonly closing: (() => Promise<unknown>)[];
};

/** To be called where hooks may be set. */
export function localServers(): LocalServers {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-servers-'));
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return {
    folder,
    closing,
    written: (name, text) => {
      const file = path.join(folder, name);
      writeFileSync(file, text);
      return file;
    },
    serve: async (listener, tls) => {
      const server = tls ? createTlsServer(tls, listener) : createServer(listener);
      const url = await listen(server);
      closing.push(async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      });
      return url;
    },
  };
}

/** At a port of its own. Returns the address. */
export async function listen(server: Server | TlsServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return `${server instanceof TlsServer ? 'https' : 'http'}://127.0.0.1:${port}`;
}

/** As of a kubeconfig with this server. */
export function configOf(
  url: string,
  user: object = {},
  cluster: object = { skipTLSVerify: true },
): PooledKubeConfig {
  const config = new PooledKubeConfig();
  config.loadFromClusterAndUser(
    { name: 'c', server: url, skipTLSVerify: false, ...cluster },
    { name: 'u', ...user },
  );
  return config;
}
