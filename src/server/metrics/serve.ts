// Where does a Prometheus ask?
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { listen, type Served } from '../listen.ts';

const LIMITS = { maxHeaderSize: 8 * 1024, headersTimeout: 5_000, requestTimeout: 5_000, connectionsCheckingInterval: 1_000 };

/** Without a host: on all addresses. */
export async function serveMetrics(port: number, registry: Registry, host?: string): Promise<Served> {
  const server = createServer(LIMITS, (request, response) => {
    const isAsked = request.url?.split('?', 1)[0] === '/metrics';
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    if (!isAsked) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('ask /metrics\n');
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(`${String(error)}\n`),
    );
  });
  server.maxConnections = 64;
  return listen(server, port, host);
}
