// What can be asked of an API server? Each method is one request, or a list in pages.
import { HttpMethod } from '@kubernetes/client-node';
import { apiVersionOf, type Kind, pathOf, rootOf } from '../../api/kinds.ts';
import {
  asList,
  asString,
  dig,
  type ExactRef,
  type KubeObject,
  type Ref,
} from '../../api/objects.ts';
import type {
  CallOptions,
  CreateOptions,
  JsonPatch,
  KubeApi,
  Listing,
  Patch,
  Preconditions,
  Selectors,
  ServedResource,
  Slim,
  WatchEvent,
  WatchOptions,
} from './api.ts';
import { deadlineIn } from './deadline.ts';
import { hasCode, KubeError } from './errors.ts';
import { accepted, Pages, versionIn } from './pages.ts';
import {
  type ApiRequest,
  asKubeError,
  type ClientOptions,
  type Config,
  Requests,
} from './requests.ts';
import { watchEvents } from './watch-events.ts';

/**
 * Such a watch is short, so that a dead connection is noticed within 9 s: bookmarks are no
 * heartbeat (none come in quiet times), and TCP takes minutes.
 */
const WATCH_SECONDS = 8;
/** A watch that the server has not ended a second after its time is dead. */
const WATCH_GRACE_MS = 1_000;
/**
 * On a probed connection: fifty namespaces are seven hundred watches, so that six begin in a
 * second. Each lasts up to a quarter less, so that they do not end together.
 */
const PROBED_WATCH_SECONDS = 150;

/** A dry run: checked completely and not stored; fields that no schema has are refused, too. */
export type Trial = { readonly isTrial?: boolean };

const strict = { fieldValidation: 'Strict' };

const trialOf = ({ isTrial = false }: Trial): Readonly<Record<string, string>> =>
  isTrial ? { dryRun: 'All', ...strict } : {};

export class KubeClient implements KubeApi {
  readonly #config: Config;
  readonly #requests: Requests;
  readonly #pages: Pages;
  readonly #probesWatches: boolean;

  constructor(config: Config, options: ClientOptions & { readonly probesWatches?: boolean } = {}) {
    this.#config = config;
    this.#probesWatches = options.probesWatches === true;
    this.#requests = new Requests(config, options);
    this.#pages = new Pages(this.#requests);
  }

  async get(kind: Kind, ref: Ref, options?: CallOptions): Promise<KubeObject> {
    return this.#requests.object(
      { verb: 'get', method: HttpMethod.GET, path: pathOf(kind, ref) },
      options,
    );
  }

  async getScale(kind: Kind, ref: Ref, options?: CallOptions): Promise<KubeObject> {
    return this.#requests.object(
      { verb: 'get', method: HttpMethod.GET, path: pathOf(kind, ref, 'scale') },
      options,
    );
  }

  async list(
    kind: Kind,
    namespace: string | undefined,
    selectors: Selectors = {},
    options: CallOptions & Slim = {},
  ): Promise<Listing> {
    try {
      return await this.#pages.list(kind, namespace, selectors, options);
    } catch (error) {
      // The version of the first page was given up before the last was asked for.
      if (hasCode(error, 'Gone')) return this.#pages.list(kind, namespace, selectors, options);
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
    const answer = await this.#requests.json(
      { verb: 'list', method: HttpMethod.GET, path, query, accept: accepted(kind, 'List') },
      options,
    );
    return versionIn(kind, answer);
  }

  async watchSeconds(): Promise<number> {
    return (await this.#isProbing())
      ? Math.ceil(PROBED_WATCH_SECONDS * (1 - Math.random() / 4))
      : WATCH_SECONDS;
  }

  async #isProbing(): Promise<boolean> {
    return this.#probesWatches && (await this.#requests.canProbe());
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
    const request: ApiRequest = {
      verb: 'watch',
      isProbed: await this.#isProbing(),
      method: HttpMethod.GET,
      path: pathOf(kind, { namespace }),
      query,
      accept: accepted(kind),
    };
    try {
      const response = await this.#requests.send(request, deadline);
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
    options: CreateOptions & Trial = {},
  ): Promise<KubeObject> {
    const path = pathOf(kind, { namespace: object.metadata.namespace });
    const query = { ...trialOf(options), ...(options.isStrict === true && strict) };
    return this.#requests.object(
      { verb: 'create', method: HttpMethod.POST, path, query, body: object },
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
    return this.#requests.object(
      { verb: 'update', method: HttpMethod.PUT, path, query: trialOf(options), body: object },
      options,
    );
  }

  async patch(
    kind: Kind,
    ref: Ref,
    patch: Patch | JsonPatch,
    subresource?: string,
    options?: CallOptions,
  ): Promise<KubeObject> {
    const request: ApiRequest = {
      verb: 'patch',
      method: HttpMethod.PATCH,
      path: pathOf(kind, ref, subresource),
      body: patch.body,
    };
    if (patch.type === 'json')
      return this.#requests.object(
        { ...request, contentType: 'application/json-patch+json' },
        options,
      );
    if (patch.type === 'merge')
      return this.#requests.object(
        { ...request, contentType: 'application/merge-patch+json' },
        options,
      );
    const query = { fieldManager: patch.fieldManager, force: String(patch.force) };
    const body = { apiVersion: apiVersionOf(kind), kind: kind.kind, ...patch.body };
    return this.#requests.object(
      { ...request, body, query, contentType: 'application/apply-patch+yaml' },
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
    await this.#requests.json(
      { verb: 'delete', method: HttpMethod.DELETE, path: pathOf(kind, ref), body },
      call,
    );
  }

  async resources(
    { group, version }: Pick<Kind, 'group' | 'version'>,
    options?: CallOptions,
  ): Promise<readonly ServedResource[]> {
    const path = rootOf({ group, version });
    const request: ApiRequest = { verb: 'get', method: HttpMethod.GET, path };
    const answer = await this.#requests.json(request, options);
    return asList(dig(answer, 'resources')).map((it) => ({
      name: asString(dig(it, 'name')) ?? '',
      kind: asString(dig(it, 'kind')) ?? '',
      namespaced: dig(it, 'namespaced') === true,
      verbs: asList(dig(it, 'verbs')).flatMap((verb) => asString(verb) ?? []),
    }));
  }

  /**
   * Of a definition that is being deleted, the server lists no verb that would bring new objects.
   */
  async serves(kind: Kind, options?: CallOptions): Promise<boolean> {
    try {
      const served = await this.resources(kind, options);
      return served.find(({ name }) => name === kind.plural)?.verbs.includes('create') === true;
    } catch (error) {
      if (hasCode(error, 'NotFound')) return false;
      throw error;
    }
  }

  /** Who sends the requests of this client, as the API server authenticates them. */
  async userName(options?: CallOptions): Promise<string> {
    const group = { group: 'authentication.k8s.io', version: 'v1' };
    const body = { apiVersion: apiVersionOf(group), kind: 'SelfSubjectReview' };
    const path = `${rootOf(group)}/selfsubjectreviews`;
    const answer = await this.#requests.json(
      { verb: 'create', method: HttpMethod.POST, path, body },
      options,
    );
    const name = asString(dig(answer, 'status', 'userInfo', 'username'));
    if (name === undefined)
      throw new KubeError('BadAnswer', 'the answer to a SelfSubjectReview names no user');
    return name;
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
      await this.#requests.json({ verb: 'create', method: HttpMethod.POST, path, body }, options);
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
}
