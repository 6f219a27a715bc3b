// The node's server for the API server: container logs, for `kubectl logs`.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { errorText } from '../../api/error-text.ts';
import { selfSigned } from './certificate.ts';
import type { ContainerLog, LogQuery } from './containers/logs.ts';

export type LogLookup = (
  namespace: string,
  pod: string,
  container: string,
  isPrevious: boolean,
) => ContainerLog | string;

export interface KubeletServer {
  readonly port: number;
  /** While it is silent, connections are closed without an answer. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

export interface KubeletServerOptions {
  readonly host: string;
  readonly name: string;
  /** The certificate (PEM) that clients must have: other users of this machine read no logs. */
  readonly client: string;
}

export async function serveKubelet(
  { host, name, client }: KubeletServerOptions,
  lookup: LogLookup,
): Promise<KubeletServer> {
  let isSilent = false;
  const tls = { ...selfSigned(name), ca: client, requestCert: true, rejectUnauthorized: true };
  const server = createServer(tls, (request, response) => {
    if (isSilent) return void request.socket.destroy();
    answer(request, response, lookup).catch((error: unknown) =>
      fail(response, 500, errorText(error)),
    );
  });
  // exec, attach and port-forward ask for another protocol.
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.end(
      `HTTP/1.1 501 Not Implemented\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${notImplemented}\n`,
    );
  });
  // The server does not know upgraded connections any more, and so could not close them.
  const sockets = new Set<Socket>();
  const closeConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    silence: (wish) => {
      isSilent = wish;
      if (wish) closeConnections();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      closeConnections();
      await closed;
    },
  };
}

const unsupported = /^\/(exec|attach|portForward|run|cri)\//;
const notImplemented =
  'not supported by the playground: its pods are local processes. Their addresses are reached directly, and their files are in the folder of the node';

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  lookup: LogLookup,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://node');
  if (url.pathname === '/healthz') return void response.end('ok');
  if (unsupported.test(url.pathname)) return fail(response, 501, notImplemented);
  const [, kind, namespace, pod, container] = url.pathname.split('/').map(decodeURIComponent);
  if (kind !== 'containerLogs' || !namespace || !pod || !container)
    return fail(response, 404, `the playground does not serve ${url.pathname}`);
  const log = lookup(namespace, pod, container, url.searchParams.get('previous') === 'true');
  if (typeof log === 'string') return fail(response, 400, log);
  response.writeHead(200, { 'content-type': 'text/plain' });
  // A follower learns at once that it follows, not with the first line.
  response.flushHeaders();
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  await pipeline(log.read(readQuery(url.searchParams), closed.signal), response);
}

function readQuery(parameters: URLSearchParams): LogQuery {
  const number = (name: string): number | undefined =>
    parameters.has(name) ? Number(parameters.get(name)) : undefined;
  const seconds = number('sinceSeconds');
  const time = seconds === undefined ? parameters.get('sinceTime') : Date.now() - seconds * 1000;
  return {
    follow: parameters.get('follow') === 'true',
    timestamps: parameters.get('timestamps') === 'true',
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    since: time === null ? undefined : new Date(time),
  };
}

function fail(response: ServerResponse, code: number, message: string): void {
  if (!response.headersSent) response.writeHead(code, { 'content-type': 'text/plain' });
  response.end(`${message}\n`);
}
