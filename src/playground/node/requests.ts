// The node's connection to the API server.
import {
  HttpMethod,
  RequestContext,
  type V1ServiceAccountTokenProjection,
} from '@kubernetes/client-node';
import { fetch } from 'undici';
import { kinds, pathOf } from '../../api/kinds.ts';
import { asString, dig, type ExactRef, isKubeObject, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeClient } from '../../runtime/client/client.ts';
import { loadKubeConfig, type PooledKubeConfig } from '../../runtime/client/config.ts';
import { codeOf, KubeError } from '../../runtime/client/errors.ts';

const TIMEOUT_MS = 10_000;

export type IssuedToken = { readonly token: string; readonly expiresAt: number };

export function connect(kubeconfig: string): NodeApi {
  const config = loadKubeConfig({ file: kubeconfig });
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error(`the kubeconfig ${kubeconfig} names no cluster`);
  return new NodeApi(config, new URL(server));
}

/** The requests of a kubelet and a scheduler that the operator's client does not have. */
export class NodeApi {
  readonly api: KubeApi;
  /** Where pods find the API server. */
  readonly server: URL;
  readonly #config: PooledKubeConfig;
  #isCutOff = false;

  constructor(config: PooledKubeConfig, server: URL) {
    this.#config = config;
    this.server = server;
    this.#refuseWhileCutOff();
    this.api = new KubeClient(config, { userAgent: 'swarm-playground-node' });
  }

  /** While cut off, every request fails as if the API server could not be reached. */
  cutOff(isCutOff: boolean): void {
    this.#isCutOff = isCutOff;
  }

  async bind(pod: ExactRef, nodeName: string): Promise<void> {
    const body = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    };
    await this.#send(HttpMethod.POST, pathOf(kinds.Pod, pod, 'binding'), body);
  }

  /** Merged by the keys of its lists, so that fields of others stay; the UID is a precondition. */
  async patchStatus(pod: ExactRef, status: object): Promise<KubeObject> {
    const body = { metadata: { uid: pod.uid }, status };
    const answer = await this.#send(
      HttpMethod.PATCH,
      pathOf(kinds.Pod, pod, 'status'),
      body,
      'application/strategic-merge-patch+json',
    );
    if (!isKubeObject(answer))
      throw new KubeError('BadAnswer', `the answer to a status of ${pod.name} is not an object`);
    return answer;
  }

  async token(
    pod: ExactRef,
    serviceAccount: string,
    wanted: V1ServiceAccountTokenProjection,
  ): Promise<IssuedToken> {
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: wanted.audience === undefined ? [] : [wanted.audience],
        expirationSeconds: wanted.expirationSeconds ?? 3600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
      },
    };
    const path = pathOf(
      kinds.ServiceAccount,
      { namespace: pod.namespace, name: serviceAccount },
      'token',
    );
    const answer = await this.#send(HttpMethod.POST, path, body);
    const token = asString(dig(answer, 'status', 'token'));
    const expiresAt = Date.parse(asString(dig(answer, 'status', 'expirationTimestamp')) ?? '');
    if (token === undefined || Number.isNaN(expiresAt))
      throw new KubeError('BadAnswer', 'the answer to a token request holds no token');
    return { token, expiresAt };
  }

  async close(): Promise<void> {
    await this.#config.closeConnections();
  }

  /** Every request, the client's too, is authenticated first. */
  #refuseWhileCutOff(): void {
    const authenticate = this.#config.applySecurityAuthentication.bind(this.#config);
    this.#config.applySecurityAuthentication = async (context) => {
      if (this.#isCutOff)
        throw new KubeError('Unreachable', 'this node is cut off from the API server');
      await authenticate(context);
    };
  }

  async #send(
    method: HttpMethod,
    path: string,
    body: object,
    contentType = 'application/json',
  ): Promise<unknown> {
    const url = new URL(path, this.server);
    const context = new RequestContext(url.href, method);
    await this.#config.applySecurityAuthentication(context);
    const dispatcher = context.getDispatcher();
    const response = await fetch(url, {
      method,
      headers: { ...context.getHeaders(), accept: 'application/json', 'content-type': contentType },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(dispatcher !== undefined && { dispatcher }),
    }).catch((error: unknown) => {
      throw new KubeError('Unreachable', `${method} ${path}: ${String(error)}`, { cause: error });
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer;
    const message = asString(dig(answer, 'message')) ?? response.statusText;
    const code = codeOf(response.status, asString(dig(answer, 'reason')) ?? '', message);
    throw new KubeError(code, `${method} ${path}: ${message}`, { status: response.status });
  }
}
