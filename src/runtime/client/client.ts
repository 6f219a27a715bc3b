// How does one request reach the API server, and how does its answer come back as a plain object or
// a KubeError?
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { type Dispatcher, fetch, Headers, type Response } from 'undici';
import { apiVersionOf, type Kind, pathOf } from '../../api/kinds.ts';
import {
  asList,
  asNumber,
  asString,
  dig,
  type ExactRef,
  isKubeObject,
  isRecord,
  type KubeObject,
  type Ref,
} from '../../api/objects.ts';
import { watchEvents } from '../queue/lines.ts';
import type {
  CallOptions,
  KubeApi,
  Listing,
  Patch,
  Preconditions,
  Selectors,
  Slim,
  WatchEvent,
  WatchOptions,
} from './api.ts';
import { type Deadline, deadlineIn } from './deadline.ts';
import { codeOf, hasCode, KubeError, retryAfterMs, waitMs } from './errors.ts';

/** Of so many objects is a page of a list, and of fewer where they are large. */
const PAGE = 500;
const LEAST_PAGE = 2;
/** A page is held whole, as text and as objects. */
const MOST_PAGE_BYTES = 2 * 1024 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;
/**
 * A watch that the server has not ended a second after its time is dead: nothing else tells a
 * silent connection from a quiet one.
 */
const WATCH_GRACE_MS = 1_000;

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
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

/** Checked to the last, and not kept; what no schema knows is refused, too. */
export type Trial = { readonly isTrial?: boolean };

const trialOf = ({ isTrial = false }: Trial): Readonly<Record<string, string>> =>
  isTrial ? { dryRun: 'All', fieldValidation: 'Strict' } : {};

type Question = {
  readonly verb: Verb;
  readonly method: HttpMethod;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
};

/** A kubeconfig whose connections can be renewed; a plain one cannot, and then nothing happens. */
type Config = KubeConfig & { renewConnections?: () => void };

export class KubeClient implements KubeApi {
  readonly #config: Config;
  readonly #options: ClientOptions;
  readonly #server: string;
  /** By path: how many objects the last page had that was not too large, and came in time. */
  readonly #pageSizes = new Map<string, number>();

  constructor(config: Config, options: ClientOptions = {}) {
    const cluster = config.getCurrentCluster();
    if (cluster === null)
      throw new KubeError('Invalid', 'the kubeconfig names no cluster (no current-context)');
    this.#config = config;
    this.#options = options;
    this.#server = cluster.server.replace(/\/+$/, '');
  }

  async get(kind: Kind, ref: Ref, options?: CallOptions): Promise<KubeObject> {
    return this.#object({ verb: 'get', method: HttpMethod.GET, path: pathOf(kind, ref) }, options);
  }

  async list(
    kind: Kind,
    namespace: string | undefined,
    selectors: Selectors = {},
    options: CallOptions & Slim = {},
  ): Promise<Listing> {
    try {
      return await this.#pages(kind, namespace, selectors, options);
    } catch (error) {
      // The version of the first page was given up before the last was asked for.
      if (hasCode(error, 'Gone')) return this.#pages(kind, namespace, selectors, options);
      throw error;
    }
  }

  async version(
    kind: Kind,
    namespace: string | undefined,
    selectors: Selectors = {},
    options: CallOptions = {},
  ): Promise<string> {
    const query = { ...selectors, limit: '1' };
    const path = pathOf(kind, { namespace });
    const answer = await this.#json(
      { verb: 'list', method: HttpMethod.GET, path, query, accept: accepted(kind, 'List') },
      options,
    );
    return versionIn(kind, answer);
  }

  async #pages(
    kind: Kind,
    namespace: string | undefined,
    selectors: Selectors,
    { slim = (object) => object, ...options }: CallOptions & Slim,
  ): Promise<Listing> {
    const items: KubeObject[] = [];
    const question: Question = {
      verb: 'list',
      method: HttpMethod.GET,
      path: pathOf(kind, { namespace }),
      accept: accepted(kind, 'List'),
    };
    const { path } = question;
    let from: string | undefined;
    for (;;) {
      const most = this.#pageSizes.get(path) ?? PAGE;
      const query = { ...selectors, limit: String(most), continue: from };
      const text = await this.#page({ ...question, query }, options, most);
      if (text === undefined) continue;
      if (text.length < MOST_PAGE_BYTES / 4) this.#pageSizes.set(path, Math.min(2 * most, PAGE));
      const answer = answerOf(text, question);
      const resourceVersion = versionIn(kind, answer);
      for (const item of asList(dig(answer, 'items'))) items.push(slim(typed(kind, item)));
      from = asString(dig(answer, 'metadata', 'continue'));
      if (from === undefined || from === '') return { items, resourceVersion };
    }
  }

  /**
   * Undefined: it is too large, and the next is to be smaller, as it is after one that came too
   * late.
   */
  async #page(
    question: Question,
    options: CallOptions,
    objects: number,
  ): Promise<string | undefined> {
    const smaller = (): Map<string, number> =>
      this.#pageSizes.set(question.path, Math.max(LEAST_PAGE, Math.ceil(objects / 4)));
    try {
      const text = await this.#text(
        question,
        options,
        objects === LEAST_PAGE ? Number.POSITIVE_INFINITY : MOST_PAGE_BYTES,
      );
      if (text === undefined) smaller();
      return text;
    } catch (error) {
      if (hasCode(error, 'Timeout')) smaller();
      throw error;
    }
  }

  async *watch(
    kind: Kind,
    namespace: string | undefined,
    watch: WatchOptions,
    options: CallOptions = {},
  ): AsyncGenerator<WatchEvent> {
    const { resourceVersion, timeoutSeconds, ...selectors } = watch;
    const query = {
      ...selectors,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(timeoutSeconds),
    };
    const deadline = deadlineIn(timeoutSeconds * 1000 + WATCH_GRACE_MS, options.signal);
    const question: Question = {
      verb: 'watch',
      method: HttpMethod.GET,
      path: pathOf(kind, { namespace }),
      query,
      accept: accepted(kind),
    };
    try {
      const response = await this.#ask(question, deadline);
      if (response.body !== null) yield* watchEvents(response.body);
    } catch (error) {
      throw asKubeError(error, deadline, `the watch of ${kind.plural} broke`);
    } finally {
      deadline.end();
    }
  }

  async create(
    kind: Kind,
    object: KubeObject,
    options: CallOptions & Trial = {},
  ): Promise<KubeObject> {
    const path = pathOf(kind, { namespace: object.metadata.namespace });
    return this.#object(
      { verb: 'create', method: HttpMethod.POST, path, query: trialOf(options), body: object },
      options,
    );
  }

  async replace(
    kind: Kind,
    object: KubeObject,
    subresource?: string,
    options: CallOptions & Trial = {},
  ): Promise<KubeObject> {
    const path = pathOf(kind, object.metadata, subresource);
    return this.#object(
      { verb: 'update', method: HttpMethod.PUT, path, query: trialOf(options), body: object },
      options,
    );
  }

  async patch(
    kind: Kind,
    ref: Ref,
    patch: Patch,
    subresource?: string,
    options?: CallOptions,
  ): Promise<KubeObject> {
    const question: Question = {
      verb: 'patch',
      method: HttpMethod.PATCH,
      path: pathOf(kind, ref, subresource),
      body: patch.body,
    };
    if (patch.type === 'merge')
      return this.#object({ ...question, contentType: 'application/merge-patch+json' }, options);
    const query = { fieldManager: patch.fieldManager, force: String(patch.force) };
    const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...patch.body };
    return this.#object(
      { ...question, body, query, contentType: 'application/apply-patch+yaml' },
      options,
    );
  }

  async delete(
    kind: Kind,
    ref: Ref,
    preconditions?: Preconditions,
    options: CallOptions & { gracePeriodSeconds?: number } = {},
  ): Promise<void> {
    const { gracePeriodSeconds, ...call } = options;
    const body = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: 'Background',
      preconditions,
      gracePeriodSeconds,
    };
    await this.#json(
      { verb: 'delete', method: HttpMethod.DELETE, path: pathOf(kind, ref), body },
      call,
    );
  }

  /**
   * Of a definition that is being deleted, the server lists no verb that would bring new objects.
   */
  async serves(kind: Kind, options?: CallOptions): Promise<boolean> {
    const path = pathOf({ ...kind, plural: '', namespaced: false }).replace(/\/$/, '');
    try {
      const answer = await this.#json({ verb: 'get', method: HttpMethod.GET, path }, options);
      const resource = asList(dig(answer, 'resources')).find(
        (it) => dig(it, 'name') === kind.plural,
      );
      return asList(dig(resource, 'verbs')).includes('create');
    } catch (error) {
      if (hasCode(error, 'NotFound')) return false;
      throw error;
    }
  }

  async evict(
    pod: ExactRef & { readonly resourceVersion?: string },
    options?: CallOptions,
  ): Promise<void> {
    const body = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod.name, namespace: pod.namespace },
      deleteOptions: { preconditions: { uid: pod.uid, resourceVersion: pod.resourceVersion } },
    };
    const path = pathOf(
      { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
      pod,
      'eviction',
    );
    try {
      await this.#json({ verb: 'create', method: HttpMethod.POST, path, body }, options);
    } catch (error) {
      if (!(error instanceof KubeError) || error.code !== 'TooManyRequests') throw error;
      throw new KubeError('EvictionRefused', error.message, {
        status: 429,
        retryAfterMs: error.retryAfterMs,
        cause: error,
      });
    }
  }

  renewConnections(): void {
    this.#config.renewConnections?.();
  }

  async #object(question: Question, options?: CallOptions): Promise<KubeObject> {
    const answer = await this.#json(question, options);
    if (!isKubeObject(answer))
      throw new KubeError('BadAnswer', `the answer to ${describe(question)} is not an object`);
    return answer;
  }

  async #json(question: Question, options?: CallOptions): Promise<unknown> {
    return answerOf((await this.#text(question, options)) ?? '', question);
  }

  /** Undefined: it is longer. */
  async #text(
    question: Question,
    options: CallOptions = {},
    mostBytes = Number.POSITIVE_INFINITY,
  ): Promise<string | undefined> {
    const deadline = deadlineIn(
      options.timeoutMs ?? this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      options.signal,
    );
    try {
      const { body } = await this.#ask(question, deadline);
      return body === null ? '' : await textOf(body, mostBytes);
    } catch (error) {
      throw asKubeError(error, deadline, describe(question));
    } finally {
      deadline.end();
    }
  }

  /** Answers with a success, throws everything else. */
  async #ask(question: Question, deadline: Deadline): Promise<Response> {
    const started = performance.now();
    const seen = (code: number | string): void =>
      this.#options.observe?.({
        verb: question.verb,
        path: question.path,
        code,
        ms: performance.now() - started,
      });
    let response: Response;
    try {
      response = await this.#send(question, deadline.signal);
    } catch (error) {
      const failure = asKubeError(error, deadline, describe(question));
      seen(failure.code);
      throw failure;
    }
    seen(response.status);
    if (!response.ok) throw await refusal(response, question);
    return response;
  }

  async #send(question: Question, signal: AbortSignal): Promise<Response> {
    const context = new RequestContext(this.#server + question.path, question.method);
    await this.#config.applySecurityAuthentication(context);
    const url = new URL(this.#server + question.path);
    for (const [name, value] of Object.entries(question.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, value);
    const dispatcher: Dispatcher | undefined = context.getDispatcher();
    return fetch(url, {
      method: question.method,
      // Followed, a redirect would carry the token to whoever it names.
      redirect: 'error',
      headers: headersOf(context, {
        accept: question.accept ?? 'application/json',
        'user-agent': this.#options.userAgent ?? 'swarm-operator',
        ...(question.body !== undefined && {
          'content-type': question.contentType ?? 'application/json',
        }),
      }),
      ...(question.body !== undefined && { body: JSON.stringify(question.body) }),
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
      throw new KubeError('Unauthorized', `the credentials hold what no ${name} header may have`);
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

function answerOf(text: string, question: Question): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KubeError('BadAnswer', `the answer to ${describe(question)} is not JSON`, {
      cause: error,
    });
  }
}

const accepted = (kind: Kind, suffix = ''): string =>
  kind.metadataOnly === true
    ? `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`
    : 'application/json';

/**
 * List items come without kind and apiVersion; everywhere else in the project an object says what
 * it is.
 */
function versionIn(kind: Kind, answer: unknown): string {
  const version = asString(dig(answer, 'metadata', 'resourceVersion'));
  if (version !== undefined && isRecord(answer) && 'items' in answer) return version;
  throw new KubeError('BadAnswer', `the answer to a list of ${kind.plural} is not a list`);
}

function typed(kind: Kind, item: unknown): KubeObject {
  if (!isKubeObject(item))
    throw new KubeError('BadAnswer', `an item in a list of ${kind.plural} is not an object`);
  return { ...item, apiVersion: apiVersionOf(kind), kind: kind.kind };
}

const describe = (question: Question): string => `${question.method} ${question.path}`;

async function refusal(response: Response, question: Question): Promise<KubeError> {
  const text = await response.text().catch(() => '');
  const status = parsed(text);
  const message = asString(dig(status, 'message')) ?? (text.slice(0, 200) || response.statusText);
  const seconds = asNumber(dig(status, 'details', 'retryAfterSeconds'));
  const causes = asList(dig(status, 'details', 'causes')).flatMap(
    (cause) => asString(dig(cause, 'reason')) ?? [],
  );
  const code = codeOf(response.status, asString(dig(status, 'reason')) ?? '', message, causes);
  return new KubeError(code, `${describe(question)}: ${message}`, {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The connection was there, and nothing came. */
const silences: ReadonlySet<unknown> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function asKubeError(error: unknown, deadline: Deadline, what: string): KubeError {
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
