// The Node object and the node lease.
import { type Kind, kinds } from '../../api/kinds.ts';
import type { Ref } from '../../api/objects.ts';
import { microTimeText } from '../../core/text.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { labelsOf, type NodeIdentity, nodeStatusOf } from './node-object.ts';
import type { NodeApi } from './requests.ts';

const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
/** A busy control plane may not answer at once; after this time registration fails. */
const REGISTERED_WITHIN_MS = 60_000;
const RETRY_MS = 500;

/** Every method may be called again at any time. */
export class Registration {
  readonly #nodeApi: Pick<NodeApi, 'api'>;
  readonly #identity: NodeIdentity;
  readonly #clock: Clock;
  readonly #readySince: number;

  constructor(nodeApi: Pick<NodeApi, 'api'>, identity: NodeIdentity, clock: Clock) {
    this.#nodeApi = nodeApi;
    this.#identity = identity;
    this.#clock = clock;
    this.#readySince = clock.now();
  }

  async register(): Promise<void> {
    const deadline = this.#clock.monotonic() + REGISTERED_WITHIN_MS;
    for (;;) {
      try {
        return await this.#tryToRegister();
      } catch (error) {
        const isRetriable = error instanceof KubeError && error.verdict === 'retry';
        if (!isRetriable || this.#clock.monotonic() > deadline) throw error;
        await sleep(this.#clock, RETRY_MS);
      }
    }
  }

  /** As a kubelet does after its restart, it takes over a Node object of its name. */
  async #tryToRegister(): Promise<void> {
    const { name } = this.#identity;
    const metadata = { name, labels: labelsOf(this.#identity) };
    await this.#apply(kinds.Node, { metadata, spec: { unschedulable: false } });
    await this.writeStatus();
    await this.renew();
  }

  async writeStatus(): Promise<void> {
    const status = nodeStatusOf(this.#identity, this.#readySince, this.#clock.now());
    await this.#patchNode({ status }, 'status');
  }

  /** While the lease is renewed, the node lifecycle controller trusts the status. */
  async renew(): Promise<void> {
    const renewTime = microTimeText(this.#clock.now());
    const holderIdentity = this.#identity.name;
    await this.#apply(kinds.Lease, {
      metadata: this.#lease,
      spec: { holderIdentity, leaseDurationSeconds: LEASE_SECONDS, renewTime },
    });
  }

  async cordon(): Promise<void> {
    await this.#patchNode({ spec: { unschedulable: true } });
  }

  async remove(): Promise<void> {
    await this.#delete(kinds.Node, { name: this.#identity.name });
    await this.#delete(kinds.Lease, this.#lease);
  }

  get #lease(): Ref {
    return { namespace: LEASES, name: this.#identity.name };
  }

  async #apply(kind: Kind, body: { readonly metadata: Ref; readonly spec: object }): Promise<void> {
    const patch = { type: 'apply', body, fieldManager: 'kubelet', force: true } as const;
    await this.#nodeApi.api.patch(kind, body.metadata, patch);
  }

  async #patchNode(body: object, subresource?: string): Promise<void> {
    const { name } = this.#identity;
    await this.#nodeApi.api.patch(kinds.Node, { name }, { type: 'merge', body }, subresource);
  }

  async #delete(kind: Kind, ref: Ref): Promise<void> {
    await this.#nodeApi.api.delete(kind, ref).catch((error: unknown) => {
      if (!hasCode(error, 'NotFound')) throw error;
    });
  }
}
