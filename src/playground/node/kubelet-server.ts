// The node's server for the API server: container logs, for `kubectl logs`.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { errorText } from '../../api/text.ts';
import { selfSigned } from './certificate.ts';
import type { ContainerLog, LogQuery } from './containers/logs.ts';
import type { NodeContext } from './context.ts';
import type { PodRunner } from './pods/pod.ts';

export interface KubeletServer {
  readonly port: number;
  /** While it is silent, connections are closed without an answer. */
  silence(isSilent: boolean): void;
  close(): Promise<void>;
}

type Runners = ReadonlyMap<string, PodRunner>;
type Node = Pick<NodeContext, 'nodeName' | 'hostIP'>;

/** Clients must have the certificate `client` (PEM): other users of this machine read no logs. */
export async function serveKubelet(
  node: Node,
  client: string,
  runners: Runners,
): Promise<KubeletServer> {
  let isSilent = false;
  const tls = {
    ...selfSigned(node.nodeName),
    ca: client,
    requestCert: true,
    rejectUnauthorized: true,
  };
  const server = createServer(tls, (request, response) => {
    if (isSilent) return void request.socket.destroy();
    answer(request, response, node, runners).catch((error: unknown) =>
      fail(response, 500, errorText(error)),
    );
  });
  server.listen(0, node.hostIP);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    silence: (wish) => {
      isSilent = wish;
      if (wish) server.closeAllConnections();
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
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
  node: Node,
  runners: Runners,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'https://node');
  if (url.pathname === '/healthz') return void response.end('ok');
  if (unsupported.test(url.pathname)) return fail(response, 501, notImplemented);
  const [, kind, namespace, pod, container] = url.pathname.split('/').map(decodeURIComponent);
  if (kind !== 'containerLogs' || !namespace || !pod || !container)
    return fail(response, 404, `the playground does not serve ${url.pathname}`);
  const isPrevious = url.searchParams.get('previous') === 'true';
  const log = logOf(runners, node, namespace, pod, container, isPrevious);
  if (typeof log === 'string') return fail(response, 400, log);
  response.writeHead(200, { 'content-type': 'text/plain' });
  // A follower learns at once that it follows, not with the first line.
  response.flushHeaders();
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  await pipeline(log.read(readQuery(url.searchParams), closed.signal), response);
}

/** A string says why there is no log. */
function logOf(
  runners: Runners,
  node: Node,
  namespace: string,
  pod: string,
  container: string,
  isPrevious: boolean,
): ContainerLog | string {
  const named = [...runners.values()].filter(
    ({ pod: { ref } }) => ref.namespace === namespace && ref.name === pod,
  );
  const runner = named.find(({ isOver }) => !isOver) ?? named.at(-1);
  if (runner === undefined)
    return `pod "${pod}" in namespace "${namespace}" is not on node ${node.nodeName}`;
  const log = runner.log(container, isPrevious);
  if (log !== undefined) return log;
  return isPrevious
    ? `previous terminated container "${container}" in pod "${pod}" not found`
    : `container "${container}" in pod "${pod}" has not started yet`;
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

/** The connection is closed: the API server waits for its end after a refused exec. */
function fail(response: ServerResponse, code: number, message: string): void {
  if (!response.headersSent)
    response.writeHead(code, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${message}\n`);
}
