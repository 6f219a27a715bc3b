// A pod as the node reads it: the object of the API server, which has validated it and filled in
// its defaults.
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { asNumber, dig, type ExactRef, isRecord, type KubeObject } from '../../../api/objects.ts';

export type Strings = Readonly<Record<string, string>>;

export type NodePod = {
  readonly ref: ExactRef & { readonly namespace: string };
  readonly object: KubeObject;
  readonly spec: V1PodSpec;
  readonly labels: Strings;
  readonly annotations: Strings;
  /** The grace period that the deletion asked for; undefined: the pod is not being deleted. */
  readonly deletionGraceSeconds: number | undefined;
  /** The grace period of the spec. */
  readonly graceSeconds: number;
  readonly hostname: string;
  readonly initContainers: readonly V1Container[];
  readonly containers: readonly V1Container[];
};

const isPodSpec = (value: unknown): value is V1PodSpec =>
  isRecord(value) && Array.isArray(value['containers']);

export function readPod(object: KubeObject): NodePod {
  const { metadata } = object;
  const spec = isPodSpec(object['spec']) ? object['spec'] : { containers: [] };
  const graceSeconds = spec.terminationGracePeriodSeconds ?? 30;
  return {
    ref: {
      namespace: metadata.namespace ?? 'default',
      name: metadata.name,
      uid: metadata.uid ?? '',
    },
    object,
    spec,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    deletionGraceSeconds:
      metadata.deletionTimestamp === undefined
        ? undefined
        : (asNumber(dig(metadata, 'deletionGracePeriodSeconds')) ?? graceSeconds),
    graceSeconds,
    // As in a kubelet, a name that is too long for a host is cut.
    hostname: (spec.hostname ?? metadata.name).slice(0, 63).replace(/[-.]+$/, ''),
    initContainers: spec.initContainers ?? [],
    containers: spec.containers,
  };
}

export const everyContainer = (pod: NodePod): readonly V1Container[] => [
  ...pod.initContainers,
  ...pod.containers,
];

/** An init container that keeps running beside the main containers. */
export const isSidecar = ({ restartPolicy }: V1Container): boolean => restartPolicy === 'Always';

/** The user and group of a container: its own, or else those of its pod. */
export function identityOf({ spec }: NodePod, { securityContext }: V1Container) {
  return {
    runAsUser: securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
    runAsGroup: securityContext?.runAsGroup ?? spec.securityContext?.runAsGroup,
  };
}

/** A kubelet syncs a pod when its spec, a label or an annotation changes, not for its status. */
export function isSyncedAnew(before: NodePod, after: NodePod): boolean {
  const synced = ({ spec, labels, annotations, deletionGraceSeconds }: NodePod): string =>
    JSON.stringify([spec, labels, annotations, deletionGraceSeconds]);
  return synced(before) !== synced(after);
}
