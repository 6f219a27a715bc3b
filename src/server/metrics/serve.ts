// How does Prometheus get the metrics? By GET /metrics: rendered once for all clients that wait, at
// most once a second, one metric after another.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import { createBoundedServer, listen, type Served } from '../../http/bounded-server.ts';

/** A slow client keeps its answer in memory: the metrics of a thousand pools take 3 MB. */
const BOUNDS = { connections: 64, answerMs: 10_000 };

/** Without a host: on all addresses. */
export async function serveMetrics(
  port: number,
  registry: Registry,
  time: Time,
  host?: string,
): Promise<Served> {
  const rendering = new Rendering(() => renderInTurns(registry), time);
  const server = createBoundedServer(BOUNDS, (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    if (request.url?.split('?', 1)[0] !== '/metrics')
      return void response.writeHead(404, { 'content-type': 'text/plain' }).end('ask /metrics\n');
    void answer(rendering, registry.contentType, request, response);
  });
  return listen(server, port, host);
}

async function answer(
  rendering: Rendering,
  type: string,
  { socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const text = await rendering.for(socket.remoteAddress ?? '', () => response.destroyed);
    if (text !== undefined)
      response.writeHead(200, { 'content-type': type, 'content-length': text.length }).end(text);
  } catch (error) {
    response.writeHead(500, { 'content-type': 'text/plain' }).end(`${String(error)}\n`);
  }
}

const KEPT_MS = 1_000;
/**
 * How often one address gets the same rendering; after that it waits for the next. Prometheus
 * scrapes once.
 */
const TIMES_EACH = 8;

/** Of the operator's clock. */
type Time = { monotonic(): number; after(ms: number, run: () => void): unknown };

type Kept = { readonly text: Buffer; readonly at: number; readonly taken: Map<string, number> };

export class Rendering {
  readonly #render: () => Promise<string>;
  readonly #time: Time;
  #kept: Kept | undefined;
  #next: Promise<void> | undefined;

  constructor(render: () => Promise<string>, time: Time) {
    this.#render = render;
    this.#time = time;
  }

  /** Undefined: the client has disconnected. */
  async for(address: string, isGone: () => boolean): Promise<Buffer | undefined> {
    while (!isGone()) {
      const text = this.#take(address);
      if (text !== undefined) return text;
      this.#next ??= this.#make().finally(() => {
        this.#next = undefined;
      });
      await this.#next;
    }
    return undefined;
  }

  #take(address: string): Buffer | undefined {
    const kept = this.#kept;
    const times = kept?.taken.get(address) ?? 0;
    if (kept === undefined || this.#leftMs() <= 0 || times >= TIMES_EACH) return undefined;
    kept.taken.set(address, times + 1);
    return kept.text;
  }

  async #make(): Promise<void> {
    const leftMs = this.#leftMs();
    if (leftMs > 0) await new Promise<void>((resolve) => void this.#time.after(leftMs, resolve));
    const text = Buffer.from(await this.#render());
    this.#kept = { text, at: this.#time.monotonic(), taken: new Map() };
  }

  #leftMs(): number {
    return this.#kept === undefined ? 0 : this.#kept.at + KEPT_MS - this.#time.monotonic();
  }
}

/**
 * The same text as the registry's, one metric after another, so that other work can run in between.
 */
export async function renderInTurns(registry: Registry): Promise<string> {
  const parts: string[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    parts.push(await registry.getSingleMetricAsString(name));
    await turn();
  }
  return `${parts.join('\n\n')}\n`;
}
