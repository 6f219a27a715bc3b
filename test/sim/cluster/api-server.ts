// Which requests does an API server accept, and what does it store? The rules of the kinds that the
// operator uses, with their error codes.
import { type Kind, kinds, type OwnKindName, ownKindNames } from '../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  dig,
  type ExactRef,
  type KubeObject,
  type Ref,
} from '../../../src/api/objects.ts';
import type { Preconditions } from '../../../src/runtime/client/api.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import { Store } from '../../support/store.ts';
import { hasEnded, isReady } from './facts.ts';
import { admitOwn, checkOwnStatus } from './own-rules.ts';

/** Status is written through its own subresource only. */
const WITH_STATUS = new Set([
  ...ownKindNames,
  'StatefulSet',
  'Deployment',
  'ReplicaSet',
  'Pod',
  'Job',
]);

const ownNameOf = ({ kind }: Kind): OwnKindName | undefined =>
  ownKindNames.find((name) => name === kind);

export const budgets: Kind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
};

export class ApiServer extends Store {
  /** While true, the API server answers no request. */
  isDown = false;
  readonly #clock: { readonly now: () => number };

  constructor(clock: { readonly now: () => number }) {
    super(() => clock.now());
    this.#clock = clock;
  }

  override create(kind: Kind, object: KubeObject): KubeObject {
    if (object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion !== '') {
      throw new KubeError(
        'Unavailable',
        'resourceVersion should not be set on objects to be created',
        { status: 500 },
      );
    }
    return super.create(kind, this.#admitted(kind, withoutStatus(kind, object)));
  }

  override replace(kind: Kind, object: KubeObject, subresource?: string): KubeObject {
    if (subresource === 'scale') return this.#scale(kind, object);
    // PUT can create a Lease; one with a version must have existed.
    if (kind.kind === 'Lease' && this.find(kind, object.metadata) === undefined) {
      throw new KubeError(
        'Conflict',
        `StorageError: invalid object, the UID of ${object.metadata.name} is not what it was`,
        {
          status: 409,
        },
      );
    }
    const present = this.matching(kind, object.metadata, object.metadata);
    const own = ownNameOf(kind);
    if (own !== undefined && object.metadata.resourceVersion === undefined) {
      throw new KubeError(
        'Invalid',
        'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update',
        { status: 422 },
      );
    }
    if (subresource === 'status') {
      if (own !== undefined) checkOwnStatus(own, object['status']);
      return super.replace(kind, object, subresource);
    }
    const status = WITH_STATUS.has(kind.kind) ? { status: present['status'] } : {};
    return super.replace(kind, this.#admitted(kind, { ...object, ...status }));
  }

  override merge(kind: Kind, ref: Ref, body: object, subresource?: string): KubeObject {
    const { spec, status, ...rest } = asRecord(body) ?? {};
    if (subresource === 'status')
      return super.merge(kind, ref, { ...rest, ...(status !== undefined && { status }) });
    const given = {
      ...rest,
      ...(spec !== undefined && { spec }),
      ...(status !== undefined && !WITH_STATUS.has(kind.kind) && { status }),
    };
    return super.merge(kind, ref, given);
  }

  protected override write(kind: Kind, object: KubeObject): KubeObject {
    return super.write(kind, this.#admitted(kind, object));
  }

  /** Deletion marks a pod; the kubelet of its node removes it, unless that has ended it already. */
  override remove(
    kind: Kind,
    ref: Ref,
    preconditions: Preconditions = {},
    gracePeriodSeconds?: number,
  ): void {
    const present = this.matching(kind, ref, preconditions);
    const isBound = kind.kind === 'Pod' && dig(present, 'spec', 'nodeName') !== undefined;
    const isHeld = (present.metadata.finalizers ?? []).length > 0;
    const given =
      gracePeriodSeconds ?? asNumber(dig(present, 'spec', 'terminationGracePeriodSeconds')) ?? 30;
    const wanted = hasEnded(present) ? 0 : given;
    if (!isHeld && (!isBound || wanted === 0)) {
      super.remove(kind, ref, preconditions);
      return;
    }
    const before = asNumber(dig(present, 'metadata', 'deletionGracePeriodSeconds'));
    if (before !== undefined && before <= wanted) return;
    const deletionTimestamp = new Date(this.#clock.now() + wanted * 1000).toISOString();
    super.write(kind, {
      ...present,
      metadata: {
        ...present.metadata,
        deletionTimestamp,
        ...{ deletionGracePeriodSeconds: wanted },
      },
    });
  }

  override evict(kind: Kind, pod: ExactRef & { readonly resourceVersion?: string }): void {
    const { uid, resourceVersion } = pod;
    const present = this.matching(kind, pod, { uid, resourceVersion });
    // A budget does not count pods that are not running or already terminating.
    const isFree =
      present.metadata.deletionTimestamp !== undefined ||
      hasEnded(present) ||
      dig(present, 'status', 'phase') === 'Pending';
    if (!isFree && !this.#allowsDisruption(present)) {
      throw new KubeError(
        'EvictionRefused',
        "Cannot evict pod as it would violate the pod's disruption budget.",
        { status: 429 },
      );
    }
    this.remove(kind, pod, { uid });
  }

  #admitted(kind: Kind, object: KubeObject): KubeObject {
    const own = ownNameOf(kind);
    return own === undefined ? object : admitOwn(own, object, this.find(kind, object.metadata));
  }

  #scale(kind: Kind, scale: KubeObject): KubeObject {
    const present = this.matching(kind, scale.metadata, scale.metadata);
    const replicas = dig(scale, 'spec', 'replicas');
    const spec = asRecord(present['spec']) ?? {};
    const isPool = kind.kind === 'SwarmPool';
    const scaled = isPool
      ? { ...spec, workers: { ...asRecord(spec['workers']), replicas } }
      : { ...spec, replicas };
    const written = this.write(kind, { ...present, spec: scaled });
    return { ...scale, metadata: written.metadata };
  }

  #allowsDisruption(pod: KubeObject): boolean {
    const { namespace, labels = {} } = pod.metadata;
    return this.all({ kind: budgets, namespace }).every((budget) => {
      const wanted = Object.entries(asRecord(dig(budget, 'spec', 'selector', 'matchLabels')) ?? {});
      if (!wanted.every(([key, value]) => labels[key] === value)) return true;
      const peers = this.all({ kind: kinds.Pod, namespace }).filter((it) =>
        wanted.every(([key, value]) => it.metadata.labels?.[key] === value),
      );
      const healthy = peers.filter(
        (it) => isReady(it) && it.metadata.deletionTimestamp === undefined,
      ).length;
      const least =
        asNumber(dig(budget, 'spec', 'minAvailable')) ??
        this.#expected(pod) - (asNumber(dig(budget, 'spec', 'maxUnavailable')) ?? 1);
      return healthy - 1 >= least;
    });
  }

  #expected(pod: KubeObject): number {
    const [owner] = asList(pod.metadata.ownerReferences);
    const sets = [
      ...this.all({ kind: kinds.StatefulSet }),
      ...this.all({ kind: kinds.ReplicaSet }),
    ];
    const set = sets.find(({ metadata }) => metadata.uid === dig(owner, 'uid'));
    return asNumber(dig(set, 'spec', 'replicas')) ?? 1;
  }
}

function withoutStatus(kind: Kind, object: KubeObject): KubeObject {
  if (!WITH_STATUS.has(kind.kind)) return object;
  const { status: _, ...rest } = object;
  return kind.kind === 'Pod'
    ? { ...object, status: { phase: 'Pending' } }
    : { ...rest, metadata: rest.metadata, apiVersion: object.apiVersion, kind: object.kind };
}
