// How does a command run in a container, with the streams of this process? By the protocol of
// `kubectl exec` over a WebSocket, in which the first byte of a message is its channel.
import type { Readable, Writable } from 'node:stream';
import { Exec } from '@kubernetes/client-node';
import { request } from 'undici';
import { kinds, pathOf } from '../../api/kinds.ts';
import { asList, asString, dig, type Ref } from '../../api/objects.ts';
import { parseJson } from '../../api/text.ts';
import { credentialsOf, type PooledKubeConfig, serverOf } from '../../runtime/client/config.ts';
import { CommandError } from '../arguments/command.ts';
import { messageIn } from './logs.ts';

type Socket = Awaited<ReturnType<Exec['exec']>>;

type Executed = {
  readonly pod: Ref;
  readonly container: string;
  readonly words: readonly string[];
  /** With a terminal, standard error comes as standard output. */
  readonly isTerminal: boolean;
};

export type ExecStreams = {
  /** Undefined: the command reads nothing. */
  readonly stdin: (Readable & { setRawMode?: (isRaw: boolean) => unknown }) | undefined;
  readonly stdout: Writable & { readonly columns?: number; readonly rows?: number };
  readonly stderr: Writable;
};

/** The command did not start, or its exit code is not known. */
type Problem = { readonly problem: string };
type ExecEnd = { readonly exitCode: number } | Problem;

const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, size: 4, close: 255 } as const;
/** The only version in which a client can end the input of the command. */
const PROTOCOL = 'v5.channel.k8s.io';
/** Proxies may end a connection that is silent for a minute. */
const PING_MS = 20_000;

export async function execute(
  config: PooledKubeConfig,
  executed: Executed,
  streams: ExecStreams,
  pingMs = PING_MS,
): Promise<ExecEnd> {
  const { stdin, stdout, stderr } = streams;
  const path = pathTo(executed, stdin !== undefined);
  const end = Promise.withResolvers<ExecEnd>();
  let socket: Socket | undefined;
  const full = new Set<Writable>();
  const show = (to: Writable, bytes: Buffer): void => {
    if (bytes.length === 0 || to.write(bytes) || full.has(to)) return;
    full.add(to);
    socket?.pause();
    to.once('drain', () => {
      full.delete(to);
      if (full.size === 0) socket?.resume();
    });
  };
  const onMessage = (channel: number, bytes: Buffer): boolean => {
    if (channel === channels.stdout) show(stdout, bytes);
    if (channel === channels.stderr) show(stderr, bytes);
    if (channel === channels.status) end.resolve(endIn(bytes.toString()));
    return true;
  };
  try {
    socket = await new Exec(config).handler.connect(path, null, onMessage);
  } catch (error) {
    throw new CommandError(
      `cannot run a command in ${executed.pod.name}: ${await whyRefused(config, path, error)}`,
    );
  }
  const disconnect = connectStreams(socket, executed, streams, pingMs);
  socket.addEventListener('close', () =>
    end.resolve({ problem: 'the connection broke before the command had ended' }),
  );
  try {
    return await end.promise;
  } finally {
    disconnect();
    socket.terminate();
  }
}

function pathTo({ pod, container, words, isTerminal }: Executed, hasInput: boolean): string {
  const query = new URLSearchParams({
    container,
    stdin: String(hasInput),
    stdout: 'true',
    stderr: String(!isTerminal),
    tty: String(isTerminal),
  });
  for (const word of words) query.append('command', word);
  return `${pathOf(kinds.Pod, pod, 'exec')}?${query}`;
}

/** The returned function disconnects them. */
function connectStreams(
  socket: Socket,
  { isTerminal }: Executed,
  { stdin, stdout }: ExecStreams,
  pingMs: number,
): () => void {
  if (socket.protocol !== PROTOCOL) {
    socket.terminate();
    throw new CommandError(
      `the API server does not speak ${PROTOCOL}, as Kubernetes from 1.30 on does (feature gate TranslateStreamToWebsockets)`,
    );
  }
  let isOver = false;
  const send = (channel: number, bytes: Uint8Array, onSent = (): void => undefined): void =>
    socket.send(Buffer.concat([Buffer.of(channel), bytes]), onSent);
  const onData = (bytes: Buffer): void => {
    stdin?.pause();
    send(channels.stdin, bytes, () => void (isOver || stdin?.resume()));
  };
  const onEnd = (): void => send(channels.close, Buffer.of(channels.stdin));
  const onResize = (): void => {
    const size = { Width: stdout.columns, Height: stdout.rows };
    if (size.Width !== undefined) send(channels.size, Buffer.from(JSON.stringify(size)));
  };
  if (isTerminal) {
    onResize();
    stdout.on('resize', onResize);
    process.on('SIGHUP', exitHungUp);
    stdin?.setRawMode?.(true);
  }
  stdin?.on('data', onData).on('end', onEnd).on('error', onEnd);
  let isHeard = true;
  const onHeard = (): void => {
    isHeard = true;
  };
  // The answer to a ping comes behind all output that is on its way.
  socket.on('pong', onHeard).on('message', onHeard);
  const pings = setInterval(() => {
    if (!isHeard) socket.terminate();
    // While the socket is paused, nothing is read: neither output nor the answer to the ping.
    isHeard = socket.isPaused;
    socket.ping();
  }, pingMs);
  return () => {
    isOver = true;
    clearInterval(pings);
    stdout.off('resize', onResize);
    process.off('SIGHUP', exitHungUp);
    stdin?.off('data', onData).off('end', onEnd).pause();
    if (isTerminal) stdin?.setRawMode?.(false);
  };
}

/** Node restores a terminal when it exits, and on SIGINT and SIGTERM, but not on SIGHUP. */
const exitHungUp = (): never => process.exit(129);

function endIn(text: string): ExecEnd {
  const status = parseJson(text);
  if (dig(status, 'status') === 'Success') return { exitCode: 0 };
  const causes = asList(dig(status, 'details', 'causes'));
  const cause = causes.find((it) => dig(it, 'reason') === 'ExitCode');
  const code = asString(dig(cause, 'message'));
  if (code !== undefined && /^\d+$/.test(code)) return { exitCode: Number(code) };
  return { problem: asString(dig(status, 'message')) ?? text };
}

/**
 * A refused WebSocket has only the status code of the answer. A plain request to the same path is
 * refused with a message: the same reason, or that it asks for no upgrade. API servers from 1.35 on
 * want the permission to create, which they name in the answer to POST only.
 */
async function whyRefused(config: PooledKubeConfig, path: string, error: unknown): Promise<string> {
  const told = asString(dig(error, 'message')) ?? String(error);
  for (const method of ['POST', 'GET'] as const) {
    const answer = await answerTo(config, method, path).catch(() => undefined);
    if (answer === undefined) return told;
    if (answer.statusCode === 403)
      return `${answer.message}; it takes the permissions get and create of pods/exec`;
    if (!/upgrade/i.test(answer.message)) return answer.message;
  }
  return `the API server, or a proxy before it, opens no WebSocket: ${told}`;
}

async function answerTo(config: PooledKubeConfig, method: 'GET' | 'POST', path: string) {
  const { headers, dispatcher } = await credentialsOf(config)();
  const { statusCode, body } = await request(`${serverOf(config)}${path}`, {
    method,
    headers,
    ...(dispatcher !== undefined && { dispatcher }),
  });
  return { statusCode, message: messageIn(await body.text()) };
}
