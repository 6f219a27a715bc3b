// Which streams are really being consumed? Each has a source on this machine that counts its
// readers.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

const frameMs = 100;

export type Scheme = 'tcp' | 'http';

/** A server for each stream, which sends a line every 100 ms while a reader is connected. */
export class Sources {
  readonly #scheme: Scheme;
  readonly #byStream = new Map<string, Source>();

  constructor(scheme: Scheme) {
    this.#scheme = scheme;
  }

  /** Where the worker is to read this stream from. */
  async urlOf(stream: string): Promise<string> {
    const present = this.#byStream.get(stream);
    if (present !== undefined) return present.url;
    const source = await openSource(this.#scheme);
    this.#byStream.set(stream, source);
    return source.url;
  }

  /** Undefined: no stream that was published. */
  knownUrlOf(stream: string): string | undefined {
    return this.#byStream.get(stream)?.url;
  }

  /** The streams that have a reader now. */
  get read(): ReadonlySet<string> {
    return new Set(
      [...this.#byStream].filter(([, source]) => source.readers.size > 0).map(([stream]) => stream),
    );
  }

  /** If the worker has never read from a source, sources show nothing. */
  get wasEverRead(): boolean {
    return [...this.#byStream.values()].some(({ connections }) => connections > 0);
  }

  /** How many connections this source has had. */
  connectionsOf(stream: string): number {
    return this.#byStream.get(stream)?.connections ?? 0;
  }

  readersOf(stream: string): number {
    return this.#byStream.get(stream)?.readers.size ?? 0;
  }

  /** How many connections of this source have ended. */
  endsOf(stream: string): number {
    return this.connectionsOf(stream) - this.readersOf(stream);
  }

  /** Ends all connections of a source; while it `refuses`, new ones are ended at once. */
  interrupt(stream: string, refuses: boolean): void {
    this.#byStream.get(stream)?.interrupt(refuses);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byStream.values()].map((source) => source.close()));
  }
}

type Source = {
  readonly url: string;
  readonly readers: ReadonlySet<Socket>;
  connections: number;
  interrupt(refuses: boolean): void;
  close(): Promise<void>;
};

async function openSource(scheme: Scheme): Promise<Source> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const readers = new Set<Socket>();
  let isRefusing = false;
  const interrupt = (refuses: boolean): void => {
    isRefusing = refuses;
    for (const socket of readers) socket.destroy();
  };
  const source: Source = {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    readers,
    connections: 0,
    interrupt,
    close: () => {
      interrupt(true);
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
  server.on('connection', (socket) => {
    source.connections += 1;
    socket.on('error', () => undefined);
    if (isRefusing) return void socket.destroy();
    readers.add(socket);
    if (scheme === 'http')
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n');
    const frames = setInterval(() => socket.write('frame\n'), frameMs);
    // A reader that has closed its side has stopped reading.
    socket.on('end', () => socket.end());
    socket.on('close', () => {
      clearInterval(frames);
      readers.delete(socket);
    });
    socket.resume();
  });
  return source;
}
