// How does the cluster know that this node is there, and alive?
import { kinds } from '../../api/kinds.ts';
import { hasCode, KubeError } from '../../runtime/client/errors.ts';
import { type Clock, sleep } from '../../runtime/clock.ts';
import { labelsOf, type NodeIdentity, nodeStatusOf } from './node-object.ts';
import type { NodeApi } from './requests.ts';

const LEASES = 'kube-node-lease';
const LEASE_SECONDS = 40;
/**
 * A control plane that is busy may not answer at once; if that takes longer, something else is
 * wrong.
 */
const REGISTERED_WITHIN_MS = 60_000;
const AGAIN_MS = 500;

/** All of it may be called again at any time: what is there already is brought up to date. */
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
        if (
          !(error instanceof KubeError) ||
          error.verdict !== 'retry' ||
          this.#clock.monotonic() > deadline
        )
          throw error;
        await sleep(this.#clock, AGAIN_MS);
      }
    }
  }

  /**
   * A Node that is there already under this name is taken over, as a kubelet does after its
   * restart.
   */
  async #tryToRegister(): Promise<void> {
    const { api } = this.#nodeApi;
    const { name } = this.#identity;
    try {
      await api.create(kinds.Node, {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: labelsOf(this.#identity) },
      });
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      const body = {
        metadata: { labels: labelsOf(this.#identity) },
        spec: { unschedulable: null },
      };
      await api.patch(kinds.Node, { name }, { type: 'merge', body });
    }
    await this.writeStatus();
    await this.renew();
  }

  async writeStatus(): Promise<void> {
    const status = nodeStatusOf(this.#identity, this.#readySince, this.#clock.now());
    await this.#nodeApi.api.patch(
      kinds.Node,
      { name: this.#identity.name },
      { type: 'merge', body: { status } },
      'status',
    );
  }

  /** The heartbeat: as long as it comes, the node lifecycle controller believes the status. */
  async renew(): Promise<void> {
    const { api } = this.#nodeApi;
    const { name } = this.#identity;
    const renewTime = new Date(this.#clock.now()).toISOString().replace('Z', '000Z');
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

  /** From now on nobody gives it pods. */
  async cordon(): Promise<void> {
    const body = { spec: { unschedulable: true } };
    await this.#nodeApi.api.patch(
      kinds.Node,
      { name: this.#identity.name },
      { type: 'merge', body },
    );
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
}
