// Who may ask? Programs and browsers that reach the loopback of this pod (`kubectl port-forward`),
// but no web page of another site.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { orUndefined } from '../../api/text.ts';
import { createBoundedServer, listen, type Served } from '../../http/bounded-server.ts';
import { NOT_BUILT, PAGE_POLICY, type Web } from '../web.ts';
import { answerTo, type Introspected } from './answers.ts';
import { EventStream, type StreamLimits } from './stream.ts';

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** With any port: that is up to `kubectl port-forward`. */
const ours = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

type Shown = Introspected & {
  /** The page, if it was built. */
  readonly web?: Web | undefined;
};

export async function serveIntrospection(
  port: number,
  shown: Shown,
  limits: Partial<StreamLimits> = {},
  address = '127.0.0.1',
): Promise<Served> {
  const stream = new EventStream(Object.values(shown.snapshots), limits);
  const server = createBoundedServer({ connections: 128 }, (request, response) => {
    const refused = refusalOf(request);
    if (refused !== undefined) return send(response, refused.status, { error: refused.error });
    const url = urlOf(request);
    if (url === undefined) return send(response, 400, { error: 'the address cannot be read' });
    if (url.pathname === '/api/v1/stream') return follow(stream, response);
    if (!url.pathname.startsWith('/api/')) return sendFile(response, url.pathname, shown.web);
    const { status, body } = answerTo(url, shown);
    send(response, status, body);
  });
  const served = await listen(server, port, address);
  return {
    port: served.port,
    close: () => {
      stream.close();
      return served.close();
    },
  };
}

type Refusal = { readonly status: number; readonly error: string };

/**
 * A page of another site can send a browser here under a name of its own (DNS rebinding), but not
 * with our name as the host.
 */
function refusalOf({ method, headers }: IncomingMessage): Refusal | undefined {
  if (!ours.test(headers.host ?? ''))
    return { status: 421, error: 'the host is not localhost, an address of the loopback or [::1]' };
  const { host, origin = `http://${host}` } = headers;
  if (origin !== `http://${host}` || headers['sec-fetch-site'] === 'cross-site')
    return { status: 403, error: 'only pages of this very server may ask' };
  return method === 'GET' ? undefined : { status: 405, error: 'only GET is answered' };
}

const urlOf = ({ url = '/' }: IncomingMessage): URL | undefined =>
  orUndefined(() => new URL(`http://localhost${url}`));

function send(response: ServerResponse, status: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...HEADERS,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(status === 405 && { allow: 'GET' }),
  });
  response.end(text);
}

function sendFile(response: ServerResponse, path: string, web: Web | undefined): void {
  const file = web?.get(path);
  if (file !== undefined) {
    const kept = file.isHashed ? { 'cache-control': 'public, max-age=31536000, immutable' } : {};
    const headers = {
      'content-security-policy': PAGE_POLICY,
      'content-type': file.type,
      'content-length': file.content.byteLength,
    };
    response.writeHead(200, { ...HEADERS, ...kept, ...headers }).end(file.content);
  } else if (path === '/') {
    response
      .writeHead(404, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' })
      .end(NOT_BUILT);
  } else send(response, 404, { error: 'there is nothing here; the page is at /' });
}

function follow(stream: EventStream, response: ServerResponse): void {
  if (stream.isFull) send(response, 503, { error: 'too many clients follow already' });
  else {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    stream.add(response);
  }
}
