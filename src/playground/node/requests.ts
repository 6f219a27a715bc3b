// The node's connection to the API server.
import {
  HttpMethod,
  type RequestContext,
  type V1ServiceAccountTokenProjection,
} from '@kubernetes/client-node';
import { kinds, pathOf } from '../../api/kinds.ts';
import { asString, dig, type ExactRef, type KubeObject } from '../../api/objects.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { KubeClient } from '../../runtime/client/client.ts';
import { PooledKubeConfig, serverOf } from '../../runtime/client/config.ts';
import { KubeError } from '../../runtime/client/errors.ts';
import { Requests } from '../../runtime/client/requests.ts';

export type IssuedToken = { readonly token: string; readonly expiresAt: number };

/** The requests of a kubelet and a scheduler that the operator's client does not have. */
export class NodeApi {
  readonly api: KubeApi;
  /** Where pods find the API server. */
  readonly server: URL;
  readonly #config = new NodeConfig();
  readonly #requests: Requests;

  constructor(kubeconfig: string) {
    const options = { userAgent: 'swarm-playground-node' };
    this.#config.loadFromFile(kubeconfig);
    this.server = new URL(serverOf(this.#config));
    this.api = new KubeClient(this.#config, options);
    this.#requests = new Requests(this.#config, options);
  }

  /** While cut off, every request fails as if the API server could not be reached. */
  cutOff(isCutOff: boolean): void {
    this.#config.isCutOff = isCutOff;
  }

  async bind({ name, namespace, uid }: ExactRef, nodeName: string): Promise<void> {
    await this.#create(pathOf(kinds.Pod, { name, namespace }, 'binding'), {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
    });
  }

  /** Merged by the keys of its lists, so that fields of others stay; the UID is a precondition. */
  patchStatus(pod: ExactRef, status: object): Promise<KubeObject> {
    return this.#requests.object({
      verb: 'patch',
      method: HttpMethod.PATCH,
      path: pathOf(kinds.Pod, pod, 'status'),
      body: { metadata: { uid: pod.uid }, status },
      contentType: 'application/strategic-merge-patch+json',
    });
  }

  async token(
    { name, namespace, uid }: ExactRef,
    serviceAccount: string,
    { audience, expirationSeconds = 3600 }: V1ServiceAccountTokenProjection,
  ): Promise<IssuedToken> {
    const account = { namespace, name: serviceAccount };
    const answer = await this.#create(pathOf(kinds.ServiceAccount, account, 'token'), {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience === undefined ? [] : [audience],
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    });
    const token = asString(dig(answer, 'status', 'token'));
    const expiresAt = Date.parse(asString(dig(answer, 'status', 'expirationTimestamp')) ?? '');
    if (token === undefined || Number.isNaN(expiresAt))
      throw new KubeError('BadAnswer', 'the answer to a token request contains no token');
    return { token, expiresAt };
  }

  close(): Promise<void> {
    return this.#config.closeConnections();
  }

  #create(path: string, body: object): Promise<unknown> {
    return this.#requests.json({ verb: 'create', method: HttpMethod.POST, path, body });
  }
}

/** Every request is authenticated first. */
class NodeConfig extends PooledKubeConfig {
  isCutOff = false;

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    if (this.isCutOff)
      throw new KubeError('Unreachable', 'this node is cut off from the API server');
    await super.applySecurityAuthentication(context);
  }
}
