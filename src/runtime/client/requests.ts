// How does one request reach the API server, and how does its answer come back: as a plain object
// or as a KubeError?
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { type Dispatcher, fetch, Headers, type Response } from 'undici';
import {
  asList,
  asNumber,
  asString,
  dig,
  isKubeObject,
  type KubeObject,
} from '../../api/objects.ts';
import { parseJson } from '../../api/text.ts';
import type { CallOptions } from './api.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import { codeOf, KubeError, retryAfterMs, waitMs } from './errors.ts';
import { PROBE_UNANSWERED, type ProbedConnections } from './probed-connections.ts';

const REQUEST_TIMEOUT_MS = 10_000;

type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
export type RequestReport = {
  readonly verb: Verb;
  readonly path: string;
  readonly code: number | string;
  readonly ms: number;
};

export type ClientOptions = {
  readonly userAgent?: string;
  readonly requestTimeoutMs?: number;
  readonly observe?: (asked: RequestReport) => void;
};

export type ApiRequest = {
  readonly verb: Verb;
  readonly method: HttpMethod;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** On a connection that is probed, so that it may be silent for long. */
  readonly isProbed?: boolean;
};

/** A plain kubeconfig can neither renew its connections nor probe them. */
export type Config = KubeConfig & {
  renewConnections?: () => void;
  takeProbed?: () => ProbedConnections | undefined;
};

export class Requests {
  readonly #config: Config;
  readonly #options: ClientOptions;
  readonly #server: string;

  constructor(config: Config, options: ClientOptions) {
    const cluster = config.getCurrentCluster();
    if (cluster === null)
      throw new KubeError('Invalid', 'the kubeconfig names no cluster (no current-context)');
    this.#config = config;
    this.#options = options;
    this.#server = cluster.server.replace(/\/+$/, '');
  }

  async object(request: ApiRequest, options?: CallOptions): Promise<KubeObject> {
    const answer = await this.json(request, options);
    if (!isKubeObject(answer))
      throw new KubeError('BadAnswer', `the answer to ${describe(request)} is not an object`);
    return answer;
  }

  async json(request: ApiRequest, options?: CallOptions): Promise<unknown> {
    return answerOf((await this.text(request, options)) ?? '', request);
  }

  /** Undefined: it is longer. */
  async text(
    request: ApiRequest,
    options: CallOptions = {},
    mostBytes = Number.POSITIVE_INFINITY,
  ): Promise<string | undefined> {
    const deadline = deadlineIn(
      options.timeoutMs ?? this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      options.signal,
    );
    try {
      const { body } = await this.send(request, deadline);
      return body === null ? '' : await textOf(body, mostBytes);
    } catch (error) {
      throw asKubeError(error, deadline, describe(request));
    } finally {
      deadline.end();
    }
  }

  /** Answers with a success, throws everything else. */
  async send(request: ApiRequest, deadline: Deadline): Promise<Response> {
    const started = performance.now();
    const seen = (code: number | string): void =>
      this.#options.observe?.({
        verb: request.verb,
        path: request.path,
        code,
        ms: performance.now() - started,
      });
    let response: Response;
    try {
      response = await this.#fetch(request, deadline.signal);
    } catch (error) {
      const failure = asKubeError(error, deadline, describe(request));
      seen(failure.code);
      throw failure;
    }
    seen(response.status);
    if (!response.ok) throw await refusal(response, request);
    return response;
  }

  /** False: also where nothing answers. */
  async canProbe(): Promise<boolean> {
    try {
      await this.#contextOf({ path: '', method: HttpMethod.GET });
      return (await this.#config.takeProbed?.()?.isSpoken()) === true;
    } catch {
      return false;
    }
  }

  async #contextOf({ path, method }: Pick<ApiRequest, 'path' | 'method'>): Promise<RequestContext> {
    const context = new RequestContext(this.#server + path, method);
    await this.#config.applySecurityAuthentication(context);
    return context;
  }

  async #fetch(request: ApiRequest, signal: AbortSignal): Promise<Response> {
    const context = await this.#contextOf(request);
    const url = new URL(this.#server + request.path);
    for (const [name, value] of Object.entries(request.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    const headers = headersOf(context, {
      accept: request.accept ?? 'application/json',
      'user-agent': this.#options.userAgent ?? 'swarm-operator',
      ...(request.body !== undefined && {
        'content-type': request.contentType ?? 'application/json',
      }),
    });
    const probed = request.isProbed === true ? this.#config.takeProbed?.() : undefined;
    if (probed !== undefined) return probed.get(url, { headers, signal });
    const dispatcher: Dispatcher | undefined = context.getDispatcher();
    return fetch(url, {
      method: request.method,
      // Followed, a redirect would carry the token to the server that it names.
      redirect: 'error',
      headers,
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
      ...(dispatcher !== undefined && { dispatcher }),
      signal,
    });
  }
}

/**
 * The error of a header that cannot be sent quotes it, and this one may be the token: only its name
 * is told.
 */
function headersOf(context: RequestContext, ours: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries({ ...context.getHeaders(), ...ours })) {
    try {
      headers.set(name, value);
    } catch {
      throw new KubeError(
        'Unauthorized',
        `the credentials have characters that the header ${name} must not have`,
      );
    }
  }
  return headers;
}

async function textOf(
  body: AsyncIterable<Uint8Array>,
  mostBytes: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function answerOf(text: string, request: ApiRequest): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KubeError('BadAnswer', `the answer to ${describe(request)} is not JSON`, {
      cause: error,
    });
  }
}

const describe = (request: ApiRequest): string => `${request.method} ${request.path}`;

async function refusal(response: Response, request: ApiRequest): Promise<KubeError> {
  const text = await response.text().catch(() => '');
  const status = parseJson(text);
  const message = asString(dig(status, 'message')) ?? (text.slice(0, 200) || response.statusText);
  const seconds = asNumber(dig(status, 'details', 'retryAfterSeconds'));
  const causes = asList(dig(status, 'details', 'causes')).flatMap(
    (cause) => asString(dig(cause, 'reason')) ?? [],
  );
  const code = codeOf(response.status, asString(dig(status, 'reason')) ?? '', message, causes);
  return new KubeError(code, `${describe(request)}: ${message}`, {
    status: response.status,
    retryAfterMs:
      retryAfterMs(response.headers.get('retry-after'), serverTime(response)) ??
      (seconds === undefined ? undefined : waitMs(seconds * 1000)),
  });
}

/** A date in an answer is a date of the server's clock: ours may be off by an hour. */
function serverTime(response: Response): number {
  const told = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(told) ? Date.now() : told;
}

/** The connection was there, and nothing came. */
const silences: ReadonlySet<unknown> = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  PROBE_UNANSWERED,
]);

export function asKubeError(error: unknown, deadline: Deadline, what: string): KubeError {
  if (error instanceof KubeError) return error;
  // fetch says only that it failed; why is in its cause, and of several addresses tried only the
  // code is told.
  const reason = dig({ error }, 'error', 'cause') ?? error;
  const code = asString(dig(reason, 'code'));
  if (deadline.isPassed() || silences.has(code))
    return new KubeError('Timeout', `${what}: no answer in time`, { cause: error });
  const text = asString(dig(reason, 'message')) || (code ?? String(error));
  return new KubeError('Unreachable', `${what}: ${text}`, { cause: error });
}
