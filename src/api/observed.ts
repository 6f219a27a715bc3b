// Which fields does the operator read of objects of other kinds? Parsed once into the fields that
// decisions use.
import { ASSIGNED_ANNOTATION } from './assignment.ts';
import { groupIn, type Kind, kinds } from './kinds.ts';
import { memberAnnotationsOf } from './member-annotations.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
  own,
} from './objects.ts';
import { oneLine } from './text.ts';
import { troubleOf } from './trouble.ts';

export const DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';

export type Identity = {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
};

export function identityOf({ metadata }: KubeObject): Identity {
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
  };
}

export type Pod = Identity & {
  /** The UID of the controller that owns it; labels prove nothing. */
  readonly ownerUid: string | undefined;
  /** Checked together with the UID: a user can write any UID, for an owner of any kind. */
  readonly ownerKind?: string;
  readonly ip: string | undefined;
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  /** All its containers have ended for good. */
  readonly hasEnded: boolean;
  readonly assigned: string | undefined;
  /** When a Deployment shrinks, its pods with the lowest cost are deleted first. */
  readonly deletionCost: string | undefined;
  readonly ports: Readonly<Record<string, number>>;
  /** The ConfigMaps that it mounts. */
  readonly mountedConfigMaps: readonly string[];
  /** Why it is not Ready, as a word such as CrashLoopBackOff, if there is a reason. */
  readonly trouble?: string;
  /** A detail: the image, the missing ConfigMap, or what the scheduler lacks. */
  readonly troubleDetail?: string;
};

export function parsePod(object: KubeObject): Pod {
  const phase = asString(dig(object, 'status', 'phase'));
  const ip = asString(dig(object, 'status', 'podIP'));
  const trouble = troubleOf(object);
  return {
    ...identityOf(object),
    ...ownerOf(object, 'StatefulSet', 'ReplicaSet'),
    ip: ip === '' ? undefined : ip,
    isReady: conditionsOf(object, 'Ready').some((it) => dig(it, 'status') === 'True'),
    isTerminating: object.metadata.deletionTimestamp !== undefined,
    hasEnded: phase === 'Succeeded' || phase === 'Failed',
    assigned: object.metadata.annotations?.[ASSIGNED_ANNOTATION],
    deletionCost: object.metadata.annotations?.[DELETION_COST_ANNOTATION],
    ports: namedPorts(object),
    mountedConfigMaps: configMapsIn(dig(object, 'spec', 'volumes')),
    ...(trouble !== undefined && { trouble: trouble.word }),
    ...(trouble?.detail !== undefined && { troubleDetail: trouble.detail }),
  };
}

/**
 * The ports of containers that run together: an init container that always restarts is a sidecar.
 */
export function portsIn(spec: unknown): readonly unknown[] {
  const sidecars = asList(dig(spec, 'initContainers')).filter(
    (container) => dig(container, 'restartPolicy') === 'Always',
  );
  const containers = [...asList(dig(spec, 'containers')), ...sidecars];
  return containers.flatMap((container) => asList(dig(container, 'ports')));
}

function namedPorts(pod: KubeObject): Record<string, number> {
  return Object.fromEntries(
    portsIn(pod['spec']).flatMap((port) => {
      const name = asString(dig(port, 'name'));
      const number = asNumber(dig(port, 'containerPort'));
      return name === undefined || number === undefined ? [] : [[name, number]];
    }),
  );
}

/** A StatefulSet or a Deployment, as the target of a pool. */
export type Target = Identity & {
  readonly kind: TargetKind;
  readonly labels: Readonly<Record<string, string>>;
  /** The labels of its pod template. */
  readonly podLabels: Readonly<Record<string, string>>;
  readonly replicas: number;
  /** `spec.ordinals.start` of a StatefulSet. */
  readonly firstOrdinal: number;
  /** The selector of its pods as text. */
  readonly selector: string;
  readonly isDeleting: boolean;
  /** The ConfigMaps that its pods mount. */
  readonly mountedConfigMaps: readonly string[];
  /** Its pods mount their own annotation as a file, which permits their slice. */
  readonly mountsAssigned: boolean;
  /** For a Deployment: why it could not create pods. */
  readonly createFailure?: string;
  readonly size: ObservedSize;
  /** The annotations that set its rules in a group that selects it. */
  readonly memberAnnotations: Readonly<Record<string, string>>;
  /** Changes with its pods; empty if the controller has not written it yet. */
  readonly revision: string;
};

/** How far the controller of an object has applied the size in its spec. */
export type ObservedSize = {
  readonly generation: number;
  /** The generation that the status describes. */
  readonly observedGeneration: number;
  /** Existing replicas, including surplus ones. */
  readonly present: number;
  readonly ready: number;
  /** The number of replicas beyond the spec that may exist during a rollout. */
  readonly surge?: number;
};

export const sizeOf = ({ metadata, status }: KubeObject): ObservedSize => ({
  generation: metadata.generation ?? 0,
  observedGeneration: asNumber(dig(status, 'observedGeneration')) ?? 0,
  present: asNumber(dig(status, 'replicas')) ?? 0,
  ready: asNumber(dig(status, 'readyReplicas')) ?? 0,
});

export type TargetKind = 'StatefulSet' | 'Deployment';

export const parseTarget =
  (kind: TargetKind) =>
  (object: KubeObject): Target => ({
    ...identityOf(object),
    kind,
    labels: object.metadata.labels ?? {},
    podLabels: podLabelsIn(object['spec']),
    replicas: asNumber(dig(object, 'spec', 'replicas')) ?? 1,
    firstOrdinal: asNumber(dig(object, 'spec', 'ordinals', 'start')) ?? 0,
    selector: selectorText(dig(object, 'spec', 'selector')),
    isDeleting: object.metadata.deletionTimestamp !== undefined,
    mountedConfigMaps: configMapsIn(dig(object, 'spec', 'template', 'spec', 'volumes')),
    mountsAssigned: mountsAssigned(object),
    ...createFailureOf(object),
    size: { ...sizeOf(object), ...(kind === 'Deployment' && surgeOf(object)) },
    memberAnnotations: memberAnnotationsOf(object.metadata),
    revision: revisionOf(object),
  });

/** The labels of the template in the spec of a workload. */
export const podLabelsIn = (spec: unknown): Readonly<Record<string, string>> =>
  textsIn(dig(spec, 'template', 'metadata', 'labels'));

export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';

const revisionOf = ({ metadata, status }: KubeObject): string =>
  metadata.annotations?.[REVISION_ANNOTATION] ?? asString(dig(status, 'updateRevision')) ?? '';

/** As the controller of Deployments computes it; 0 unless pods of two revisions exist. */
function surgeOf({ spec, status }: KubeObject): Pick<ObservedSize, 'surge'> {
  const isUnderWay =
    (asNumber(dig(status, 'updatedReplicas')) ?? 0) < (asNumber(dig(status, 'replicas')) ?? 0);
  if (!isUnderWay || dig(spec, 'strategy', 'type') === 'Recreate') return {};
  const most = dig(spec, 'strategy', 'rollingUpdate', 'maxSurge') ?? '25%';
  const replicas = asNumber(dig(spec, 'replicas')) ?? 1;
  const part = /^(\d+)%$/.exec(String(most))?.[1];
  const surge = part === undefined ? asNumber(most) : Math.ceil((replicas * Number(part)) / 100);
  return { surge: surge ?? 0 };
}

function createFailureOf(object: KubeObject): Pick<Target, 'createFailure'> {
  const [failure] = conditionsOf(object, 'ReplicaFailure');
  const message = dig(failure, 'status') === 'True' ? asString(dig(failure, 'message')) : undefined;
  return message === undefined ? {} : { createFailure: oneLine(message, LONGEST_TEXT) };
}

/** The longest part of a message that the status quotes. */
const LONGEST_TEXT = 256;

/** Connects a Deployment with its pods. */
export type ReplicaSet = Identity & { readonly ownerUid: string | undefined };

export const parseReplicaSet = (object: KubeObject): ReplicaSet => ({
  ...identityOf(object),
  ownerUid: ownerOf(object, 'Deployment').ownerUid,
});

/**
 * The controlling owner, if it has one of these kinds in the group apps: users can write owner
 * references.
 */
function ownerOf(
  { metadata }: KubeObject,
  ...kinds: readonly string[]
): Pick<Pod, 'ownerUid' | 'ownerKind'> {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || !owner.apiVersion.startsWith('apps/') || !kinds.includes(owner.kind))
    return { ownerUid: undefined };
  return { ownerUid: owner.uid, ownerKind: owner.kind };
}

/** In the form of `kubectl -l`. */
function selectorText(selector: unknown): string {
  const labels = Object.entries(asRecord(dig(selector, 'matchLabels')) ?? {}).flatMap(
    ([key, value]) => {
      const text = asString(value);
      return text === undefined ? [] : [`${key}=${text}`];
    },
  );
  const expressions = asList(dig(selector, 'matchExpressions')).map((expression) => {
    const key = asString(dig(expression, 'key')) ?? '';
    const values = asList(dig(expression, 'values'))
      .flatMap((value) => asString(value) ?? [])
      .join(',');
    switch (dig(expression, 'operator')) {
      case 'In':
        return `${key} in (${values})`;
      case 'NotIn':
        return `${key} notin (${values})`;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return key;
    }
  });
  return [...labels.sort(), ...expressions].join(',');
}

/** The annotation's path in a volume of the downward API. */
export const ASSIGNED_PATH = `metadata.annotations['${ASSIGNED_ANNOTATION}']`;

export function mountsAssigned(workload: KubeObject): boolean {
  const volumes = asList(dig(workload, 'spec', 'template', 'spec', 'volumes'));
  const items = volumes.flatMap((volume) => [
    ...asList(dig(volume, 'downwardAPI', 'items')),
    ...asList(dig(volume, 'projected', 'sources')).flatMap((source) =>
      asList(dig(source, 'downwardAPI', 'items')),
    ),
  ]);
  return items.some((item) => dig(item, 'fieldRef', 'fieldPath') === ASSIGNED_PATH);
}

export function configMapsIn(volumes: unknown): readonly string[] {
  const names = asList(volumes).flatMap((volume) => [
    asString(dig(volume, 'configMap', 'name')),
    ...asList(dig(volume, 'projected', 'sources')).map((source) =>
      asString(dig(source, 'configMap', 'name')),
    ),
  ]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

export type ConfigMap = Identity & {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
};

export function parseConfigMap(object: KubeObject): ConfigMap {
  return {
    ...identityOf(object),
    labels: object.metadata.labels ?? {},
    annotations: object.metadata.annotations ?? {},
    data: textsIn(object['data']),
  };
}

const textsIn = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asRecord(value) ?? {}).flatMap(([key, text]) =>
      typeof text === 'string' ? [[key, text]] : [],
    ),
  );

/** A HorizontalPodAutoscaler, and the object that it scales, whatever the version of its kind. */
export type Autoscaler = Identity & {
  readonly targetGroup: string;
  readonly targetKind: string;
  readonly targetName: string;
};

export function parseAutoscaler(object: KubeObject): Autoscaler {
  const target = dig(object, 'spec', 'scaleTargetRef');
  const targetKind = asString(dig(target, 'kind')) ?? '';
  const apiVersion = asString(dig(target, 'apiVersion'));
  // Without an apiVersion, the known kind of this name is meant.
  const known: Kind | undefined = own(kinds, targetKind);
  return {
    ...identityOf(object),
    targetGroup: apiVersion === undefined ? (known?.group ?? '') : groupIn(apiVersion),
    targetKind,
    targetName: asString(dig(target, 'name')) ?? '',
  };
}

/** The scale subresource of an object, which is all that the operator reads of it. */
export type ObservedScale = Identity & {
  /** The replicas in its spec. */
  readonly replicas: number;
  /** The existing replicas. */
  readonly present: number;
  /** The selector of its pods as text; empty: it has none. */
  readonly selector: string;
};

/** Undefined: it is no Scale. A Scale of 0 has no spec.replicas. */
export function parseScale(object: KubeObject): ObservedScale | undefined {
  const { kind, spec, status } = object;
  const [replicas, present] = [dig(spec, 'replicas') ?? 0, dig(status, 'replicas') ?? 0];
  if (kind !== 'Scale' || typeof replicas !== 'number' || typeof present !== 'number')
    return undefined;
  const selector = asString(dig(status, 'selector')) ?? '';
  return { ...identityOf(object), replicas, present, selector };
}

export const targetName = (target: Target): string => `${target.kind}/${target.name}`;

/** The largest number that a scale subresource can hold. */
const MOST_REPLICAS = 2_147_483_647;

export const replicasOf = (targets: readonly Target[]): number =>
  Math.min(
    MOST_REPLICAS,
    targets.reduce((sum, { replicas }) => sum + replicas, 0),
  );
