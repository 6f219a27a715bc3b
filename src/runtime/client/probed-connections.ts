// How do hundreds of watches share a few connections, and how is a dead one noticed? Over HTTP/2,
// by a PING on each.
import { type ClientHttp2Session, type ClientHttp2Stream, connect as overTls } from 'node:http2';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { Response } from 'undici';
import { deadlineIn } from './deadline.ts';

/** A dead connection is noticed within the sum of both. */
const PROBE_MS = 2_000;
const ANSWER_MS = 3_000;
/** What many requests wait for together: the connection, and how many streams it may have. */
const SETTINGS_MS = 5_000;
/** As many as an API server allows by default, whatever another one offers. */
const MOST_STREAMS = 100;
/** A watch that is read slowly must not hold up the others of its connection. */
const STREAM_WINDOW = 256 * 1024;
const CONNECTION_WINDOW = MOST_STREAMS * STREAM_WINDOW;

/** Of an error: the connection is there, and answers nothing. */
export const PROBE_UNANSWERED = 'ERR_PROBE_UNANSWERED';

type GetOptions = {
  readonly headers: Iterable<readonly [string, string]>;
  readonly signal: AbortSignal;
};

type Connection = { readonly session: ClientHttp2Session; streams: number };

/**
 * Guarantees: a connection that answers neither a PING nor anything else for five seconds ends,
 * and with it every stream on it; no other connection does.
 */
export class ProbedConnections {
  readonly #server: URL;
  readonly #tls: ConnectionOptions;
  readonly #connections = new Set<Connection>();
  #connecting: Promise<void> | undefined;
  /** The server chose HTTP/1.1. */
  #isRefused = false;
  #isEnded = false;

  constructor(server: string, tls: ConnectionOptions) {
    this.#server = new URL(server);
    this.#tls = tls;
  }

  /** False: the server, or what is before it, does not speak HTTP/2. */
  async isSpoken(): Promise<boolean> {
    return this.#server.protocol === 'https:' && (await this.#free()) !== undefined;
  }

  async get(url: URL, { headers, signal }: GetOptions): Promise<Response> {
    const connection = await this.#free((found) => {
      found.streams += 1;
    });
    if (connection === undefined) throw new Error('the server does not speak HTTP/2 any more');
    const giveBack = (): void => {
      connection.streams -= 1;
    };
    const path = `${url.pathname}${url.search}`;
    const request = { ...Object.fromEntries(headers), ':path': path };
    let stream: ClientHttp2Stream;
    try {
      stream = connection.session.request(request, { signal, endStream: true });
    } catch (error) {
      giveBack();
      throw error;
    }
    return responseOf(stream.once('close', giveBack));
  }

  /** Streams go on until they end; no new one is opened. */
  retire(): void {
    this.#isEnded = true;
    for (const { session } of this.#connections) session.close();
  }

  /** Every stream fails. */
  end(): void {
    this.#isEnded = true;
    for (const { session } of this.#connections) session.destroy();
  }

  /**
   * One that may have another stream; a new one, if there is none. `onFound` is called before any
   * other caller finds it.
   */
  async #free(onFound?: (connection: Connection) => void): Promise<Connection | undefined> {
    for (;;) {
      const free = [...this.#connections].find(hasRoom);
      if (free !== undefined) {
        onFound?.(free);
        return free;
      }
      if (this.#isEnded) throw new Error('the connections were replaced');
      if (this.#isRefused) return undefined;
      this.#connecting ??= this.#open().finally(() => {
        this.#connecting = undefined;
      });
      await this.#connecting;
    }
  }

  async #open(): Promise<void> {
    const socket = await this.#socket();
    if (socket.alpnProtocol !== 'h2') {
      this.#isRefused = true;
      socket.destroy();
      return;
    }
    const session = overTls(this.#server, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
    });
    const connection: Connection = { session, streams: 0 };
    // Its streams report it.
    session.on('error', () => undefined);
    await within(SETTINGS_MS, session, 'remoteSettings');
    session.setLocalWindowSize(CONNECTION_WINDOW);
    this.#connections.add(connection);
    const stopProbes = probe(session, socket);
    session.once('close', () => {
      stopProbes();
      this.#connections.delete(connection);
    });
  }

  async #socket(): Promise<TLSSocket> {
    const { hostname, port } = this.#server;
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const socket = connect({
      ...this.#tls,
      ...{ host, port: Number(port || 443), ALPNProtocols: ['h2', 'http/1.1'] },
    });
    await within(SETTINGS_MS, socket, 'secureConnect');
    return socket;
  }
}

const hasRoom = ({ session, streams }: Connection): boolean =>
  !session.closed &&
  !session.destroyed &&
  streams < Math.min(session.remoteSettings.maxConcurrentStreams ?? MOST_STREAMS, MOST_STREAMS);

/** Whatever arrives is an answer: a PING waits behind large events. Returns what ends them. */
function probe(session: ClientHttp2Session, socket: TLSSocket): () => void {
  let isAsked = false;
  const timer = setInterval(() => {
    if (isAsked || session.destroyed) return;
    isAsked = true;
    const { bytesRead } = socket;
    const deadline = deadlineIn(ANSWER_MS);
    const answered = (): void => {
      isAsked = false;
      deadline.end();
    };
    deadline.signal.addEventListener('abort', () => {
      if (socket.bytesRead > bytesRead) answered();
      else session.destroy(unanswered());
    });
    session.ping(answered);
  }, PROBE_MS);
  timer.unref();
  return () => clearInterval(timer);
}

const unanswered = (): Error =>
  Object.assign(new Error('the connection went silent'), { code: PROBE_UNANSWERED });

/** Rejects, and ends it, when this does not happen in time. */
async function within(
  ms: number,
  subject: ClientHttp2Session | TLSSocket,
  event: string,
): Promise<void> {
  const deadline = deadlineIn(ms);
  try {
    await new Promise<void>((resolve, reject) => {
      subject.once(event, () => resolve());
      subject.once('error', reject);
      subject.once('close', () => reject(new Error('the connection was closed')));
      deadline.signal.addEventListener('abort', () => reject(unanswered()));
    });
  } catch (error) {
    subject.destroy();
    throw error;
  } finally {
    deadline.end();
  }
}

function responseOf(stream: ClientHttp2Stream): Promise<Response> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('close', () => reject(new Error('the stream was closed')));
    stream.once('response', (answered) => {
      const headers = Object.entries(answered).flatMap(([name, value]): [string, string][] =>
        name.startsWith(':') || value === undefined ? [] : [[name, String(value)]],
      );
      resolve(new Response(stream, { status: Number(answered[':status']), headers }));
    });
  });
}
