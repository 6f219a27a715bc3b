// How do all requests and watches share a few kept-alive connections and the credentials of a
// kubeconfig?
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Cluster, HttpMethod, KubeConfig, RequestContext } from '@kubernetes/client-node';
import { Agent, type Dispatcher } from 'undici';
import { asString, dig } from '../../api/objects.ts';
import { ProbedConnections } from './probed-connections.ts';

type Wanted = ReturnType<KubeConfig['createDispatcherOptions']>;
type AgentConnect = Extract<Wanted, { type: 'agent' }>['connect'];
type TlsField = 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized';
type Tls = { readonly [Field in TlsField]?: NonNullable<AgentConnect[Field]> };

export type ConnectionOptions = {
  /** How long an answer's first byte may take; requests carry their own, shorter limits. */
  readonly headersTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
};

/**
 * client-node makes a dispatcher, and so a TLS handshake, for each request; this one hands out a
 * single Agent. A rotated CA or client certificate makes a new one; proxies are left to the parent.
 */
export class PooledKubeConfig extends KubeConfig {
  readonly #headersTimeoutMs: number;
  readonly #connectTimeoutMs: number;
  #agent: Agent | undefined;
  #probed: ProbedConnections | undefined;
  #identity: readonly unknown[] = [];
  /** What the identity means for a TLS socket. */
  #tls: Tls = {};
  #wanted: Wanted = { type: 'none' };

  constructor(options: ConnectionOptions = {}) {
    super();
    this.#headersTimeoutMs = options.headersTimeoutMs ?? 60_000;
    this.#connectTimeoutMs = options.connectTimeoutMs ?? Math.min(5_000, this.#headersTimeoutMs);
  }

  /** Paths begin with a slash, and an API server takes no two. */
  override getCurrentCluster(): Cluster | null {
    const cluster = super.getCurrentCluster();
    return cluster && { ...cluster, server: cluster.server.replace(/\/+$/, '') };
  }

  /** Called by the parent on each request: 'none' keeps it from making an Agent of its own. */
  override createDispatcherOptions(
    ...args: Parameters<KubeConfig['createDispatcherOptions']>
  ): Wanted {
    this.#wanted = super.createDispatcherOptions(...args);
    return this.#wanted.type === 'agent' ? { type: 'none' } : this.#wanted;
  }

  override async applySecurityAuthentication(
    context: Parameters<KubeConfig['applySecurityAuthentication']>[0],
  ): Promise<void> {
    await super.applySecurityAuthentication(context);
    // The parent reads a token file once a minute. A token that was rotated because the old one is
    // void is needed at once.
    const tokenFile = asString(dig(this.getCurrentUser(), 'authProvider', 'config', 'tokenFile'));
    if (tokenFile !== undefined)
      context.setHeaderParam(
        'Authorization',
        `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`,
      );
    if (this.#wanted.type === 'agent') context.setDispatcher(this.#shared(this.#wanted.connect));
    if (this.#wanted.type === 'none') context.setDispatcher(this.#shared({}));
  }

  /**
   * For watches, with the credentials of the last request; undefined where a proxy is between.
   * Makes them at the first call, and anew when the credentials have changed.
   */
  takeProbed(): ProbedConnections | undefined {
    if (this.#wanted.type !== 'agent' && this.#wanted.type !== 'none') return undefined;
    this.#shared(this.#wanted.type === 'agent' ? this.#wanted.connect : {});
    this.#probed ??= new ProbedConnections(serverOf(this), this.#tls);
    return this.#probed;
  }

  /**
   * The next request opens new connections. Called when one went silent: others of the same pool
   * may be just as dead, and a request put on one of them would wait for its time-out.
   */
  renewConnections(): void {
    const old = this.#agent;
    this.#agent = undefined;
    if (old !== undefined) void old.close().catch(() => undefined);
  }

  /**
   * Ends the connections; requests under way fail. Those that were replaced end with the requests
   * that are still on them.
   */
  async closeConnections(): Promise<void> {
    const old = this.#agent;
    this.#agent = undefined;
    this.#probed?.end();
    await old?.destroy();
  }

  #shared({ ca, cert, key, servername, rejectUnauthorized }: AgentConnect): Dispatcher {
    const identity = [ca, cert, key, servername, rejectUnauthorized];
    if (this.#agent === undefined || !isDeepStrictEqual(identity, this.#identity)) {
      this.renewConnections();
      this.#tls = {
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
        ...(servername !== undefined && { servername }),
        ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
      };
      if (!isDeepStrictEqual(identity, this.#identity)) {
        this.#probed?.retire();
        this.#probed = undefined;
      }
      this.#identity = identity;
      this.#agent = new Agent({
        // Over HTTP/1.1 a request after a silent break works at once; over HTTP/2 it waits for the
        // old session.
        allowH2: false,
        headersTimeout: this.#headersTimeoutMs,
        bodyTimeout: 0,
        keepAliveTimeout: 30_000,
        connect: { timeout: this.#connectTimeoutMs, ...this.#tls },
      });
    }
    return this.#agent;
  }
}

/** For a request that no client makes. */
export type Credentials = () => Promise<{
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher?: Dispatcher;
}>;

export const serverOf = (config: PooledKubeConfig): string =>
  config.getCurrentCluster()?.server ?? '';

export const credentialsOf =
  (config: PooledKubeConfig): Credentials =>
  async () => {
    const context = new RequestContext(serverOf(config), HttpMethod.GET);
    await config.applySecurityAuthentication(context);
    const dispatcher = context.getDispatcher();
    return { headers: context.getHeaders(), ...(dispatcher !== undefined && { dispatcher }) };
  };
