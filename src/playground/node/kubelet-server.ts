// What does the node answer when the API server asks it for a pod's log, on behalf of `kubectl
// logs`?
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
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

const unsupported = /^\/(exec|attach|portForward|run|cri)\//;

export interface KubeletServerOptions {
  readonly host: string;
  readonly name: string;
  /**
   * The certificate that a client has to show (PEM): other users of this machine must not read
   * logs.
   */
  readonly client: string;
}

export async function serveKubelet(
  { host, name, client }: KubeletServerOptions,
  lookup: LogLookup,
): Promise<KubeletServer> {
  let isSilent = false;
  const tls = { ...selfSigned(name), ca: client, requestCert: true, rejectUnauthorized: true };
  const server: Server = createServer(tls, (request, response) => {
    if (isSilent) return void request.socket.destroy();
    answer(request, response, lookup).catch((error: unknown) =>
      fail(response, 500, errorText(error)),
    );
  });
  // exec, attach and port-forward ask for another protocol; without this the connection would just
  // close.
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.end(
      `HTTP/1.1 501 Not Implemented\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${notImplemented}\n`,
    );
  });
  // An upgraded connection is not the server's own any more: so that none keeps it from closing,
  // all are known here.
  const sockets = new Set<Socket>();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => resolve());
  });
  return {
    port: portOf(server.address()),
    silence: (wish) => {
      isSilent = wish;
      if (wish) cut();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

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
  await send(log, readQuery(url.searchParams), response);
}

async function send(log: ContainerLog, query: LogQuery, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  response.writeHead(200, { 'content-type': 'text/plain' });
  // A follower should not wait for the first line to know that it follows.
  response.flushHeaders();
  for await (const text of log.read(query, gone.signal)) {
    if (gone.signal.aborted) return;
    if (!response.write(text))
      await new Promise<void>(
        (resolve) => void response.once('drain', resolve).once('close', resolve),
      );
  }
  response.end();
}

function readQuery(parameters: URLSearchParams): LogQuery {
  const number = (name: string): number | undefined =>
    parameters.has(name) ? Number(parameters.get(name)) : undefined;
  const seconds = number('sinceSeconds');
  const time = parameters.get('sinceTime');
  return {
    follow: parameters.get('follow') === 'true',
    timestamps: parameters.get('timestamps') === 'true',
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    since:
      seconds !== undefined
        ? new Date(Date.now() - seconds * 1000)
        : time === null
          ? undefined
          : new Date(time),
  };
}

function fail(response: ServerResponse, code: number, message: string): void {
  if (!response.headersSent) response.writeHead(code, { 'content-type': 'text/plain' });
  response.end(`${message}\n`);
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string')
    throw new Error('the node server has no port');
  return address.port;
}
