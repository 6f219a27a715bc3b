// A small HTTP service with a metric of its requests, and how it is used: so many a second.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';

const paths = ['/', '/cart'] as const;

/** `requests_total` has a series for each path; `queue_length` is what the test says. */
export class ScrapedService {
  queueLength = 0;
  /** Otherwise it refuses scrapes, and serves its users all the same. */
  isScraped = true;
  readonly #requests = new Map<string, number>(paths.map((path) => [path, 0]));
  readonly #server: Server;
  #timer: NodeJS.Timeout | undefined;

  private constructor() {
    this.#server = createServer(({ url = '' }, response) => {
      if (url === '/metrics') {
        if (this.isScraped) response.end(this.#metrics());
        else response.writeHead(503).end();
        return;
      }
      this.#requests.set(url, (this.#requests.get(url) ?? 0) + 1);
      response.end('served');
    });
  }

  static async start(): Promise<ScrapedService> {
    const service = new ScrapedService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  /** Host and port. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on. A machine that is late sends fewer: never more at once. */
  use(perSecond: number): void {
    clearInterval(this.#timer);
    let sent = 0;
    this.#timer = setInterval(() => {
      sent += 1;
      void this.#visit(paths[sent % paths.length] ?? '/');
    }, 1_000 / perSecond);
  }

  async #visit(path: string): Promise<void> {
    const { body } = await request(`http://${this.address}${path}`);
    await body.dump();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #metrics(): string {
    return [
      '# TYPE requests_total counter',
      ...[...this.#requests].map(([path, count]) => `requests_total{path="${path}"} ${count}`),
      '# TYPE queue_length gauge',
      `queue_length ${this.queueLength}\n`,
    ].join('\n');
  }
}
