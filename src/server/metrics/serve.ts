// How does Prometheus get the metrics? By GET /metrics.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { createBoundedServer } from '../../http/bounded-server.ts';
import { listen, type Served } from '../listen.ts';
import { Rendering, renderInPieces, type Time } from './rendering.ts';

/** A slow client keeps its answer in memory: the metrics of a thousand pools take 3 MB. */
const BOUNDS = { connections: 64, answerMs: 10_000 };

/** Without a host: on all addresses. */
export async function serveMetrics(
  port: number,
  registry: Registry,
  time: Time,
  host?: string,
): Promise<Served> {
  const rendering = new Rendering(() => renderInPieces(registry), time);
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
