// The Node object and the node lease.
import { kinds } from '../../api/kinds.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { microTime } from './events.ts';
import { labelsOf, type NodeIdentity, nodeStatusOf } from './node-object.ts';
import type { NodeApi } from './requests.ts';

const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
/** A busy control plane may not answer at once; one that takes longer has another problem. */
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
    const labels = labelsOf(this.#identity);
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
    try {
      await this.#nodeApi.api.create(kinds.Node, node);
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      await this.#patchNode({ metadata: { labels }, spec: { unschedulable: null } });
    }
    await this.writeStatus();
    await this.renew();
  }

  async writeStatus(): Promise<void> {
    const status = nodeStatusOf(this.#identity, this.#readySince, this.#clock.now());
    await this.#patchNode({ status }, 'status');
  }

  /** While the lease is renewed, the node lifecycle controller trusts the status. */
  async renew(): Promise<void> {
    const { api } = this.#nodeApi;
    const { name } = this.#identity;
    const renewTime = microTime(this.#clock.now());
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime };
    try {
      await api.patch(kinds.Lease, { namespace: LEASES, name }, { type: 'merge', body: { spec } });
    } catch (error) {
      if (!hasCode(error, 'NotFound')) throw error;
      await api.create(kinds.Lease, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace: LEASES, name },
        spec,
      });
    }
  }

  async cordon(): Promise<void> {
    await this.#patchNode({ spec: { unschedulable: true } });
  }

  async remove(): Promise<void> {
    const { name } = this.#identity;
    for (const [kind, ref] of [
      [kinds.Node, { name }] as const,
      [kinds.Lease, { namespace: LEASES, name }] as const,
    ]) {
      await this.#nodeApi.api.delete(kind, ref).catch((error: unknown) => {
        if (!hasCode(error, 'NotFound')) throw error;
      });
    }
  }

  async #patchNode(body: object, subresource?: string): Promise<void> {
    const { name } = this.#identity;
    await this.#nodeApi.api.patch(kinds.Node, { name }, { type: 'merge', body }, subresource);
  }
}
