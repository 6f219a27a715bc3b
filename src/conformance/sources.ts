// Which streams are really being consumed? Each has a source of its own on this machine, which
// counts its readers.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

const frameMs = 100;

export type Scheme = 'tcp' | 'http';

/** A server for each stream, which sends a line every 100 ms for as long as a reader is connected. */
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
    const source = await Source.open(this.#scheme);
    this.#byStream.set(stream, source);
    return source.url;
  }

  /** Streams that have a reader now. */
  get read(): ReadonlySet<string> {
    return new Set(
      [...this.#byStream].filter(([, source]) => source.readers > 0).map(([stream]) => stream),
    );
  }

  /** Has the worker ever read from a source? If not, sources show nothing. */
  get wasEverRead(): boolean {
    return [...this.#byStream.values()].some(({ connections }) => connections > 0);
  }

  /** How many connections this source has had. */
  connectionsOf(stream: string): number {
    return this.#byStream.get(stream)?.connections ?? 0;
  }

  readersOf(stream: string): number {
    return this.#byStream.get(stream)?.readers ?? 0;
  }

  /** Ends its connections; while it `refuses`, new ones are ended at once. */
  interrupt(stream: string, refuses: boolean): void {
    this.#byStream.get(stream)?.interrupt(refuses);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byStream.values()].map((source) => source.close()));
  }
}

class Source {
  readonly #server: Server;
  readonly #readers = new Set<Socket>();
  readonly #scheme: Scheme;
  #refuses = false;
  connections = 0;

  private constructor(server: Server, scheme: Scheme) {
    this.#server = server;
    this.#scheme = scheme;
    server.on('connection', (socket) => this.#serve(socket));
  }

  static open(scheme: Scheme): Promise<Source> {
    const server = createServer();
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => resolve(new Source(server, scheme)));
    });
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get readers(): number {
    return this.#readers.size;
  }

  interrupt(refuses: boolean): void {
    this.#refuses = refuses;
    for (const socket of this.#readers) socket.destroy();
  }

  close(): Promise<void> {
    this.interrupt(true);
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    socket.on('error', () => undefined);
    if (this.#refuses) {
      socket.destroy();
      return;
    }
    this.#readers.add(socket);
    if (this.#scheme === 'http')
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n');
    const frames = setInterval(() => socket.write('frame\n'), frameMs);
    const gone = (): void => {
      clearInterval(frames);
      this.#readers.delete(socket);
    };
    // A reader that has closed its side reads no more.
    socket.on('end', () => socket.end()).on('close', gone);
    socket.resume();
  }
}
