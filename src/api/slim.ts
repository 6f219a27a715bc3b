// Which part of each object is kept in memory? All fields that its parser reads (observed.ts), up
// to the size in an honest object.
import { ASSIGNED_ANNOTATION } from './assignment.ts';
import { memberAnnotationsOf } from './member-annotations.ts';
import { conditionsOf, dig, type KubeObject, type ObjectMeta } from './objects.ts';
import {
  ASSIGNED_PATH,
  configMapsIn,
  DELETION_COST_ANNOTATION,
  mountsAssigned,
  podLabelsIn,
  portsIn,
  REVISION_ANNOTATION,
} from './observed.ts';
import { statusTelling, troubleOf } from './trouble.ts';

/**
 * The most characters of an object's labels together, of the ConfigMap names that it mounts, and of
 * its selector.
 */
const MOST_CHARACTERS = 16_384;
const LONGEST_ANNOTATION = 8_192;
const MOST_PORTS = 256;

export function slimPod(pod: KubeObject): KubeObject {
  const { metadata, status, spec } = pod;
  return slimmed(pod, {
    metadata: annotated(metadata, ASSIGNED_ANNOTATION, DELETION_COST_ANNOTATION),
    spec: { containers: [{ ports: portsOf(spec) }], volumes: volumesOf(spec) },
    status: {
      phase: dig(status, 'phase'),
      podIP: dig(status, 'podIP'),
      conditions: conditionsOf(pod, 'Ready'),
      ...statusTelling(troubleOf(pod)),
    },
  });
}

/** A StatefulSet or a Deployment. */
export function slimWorkload(workload: KubeObject): KubeObject {
  const { metadata, spec, status } = workload;
  const template = dig(spec, 'template', 'spec');
  const assigned = mountsAssigned(workload) ? [assignedVolume] : [];
  return slimmed(workload, {
    metadata: {
      labels: labelsOf(metadata),
      annotations: {
        ...annotated(metadata, REVISION_ANNOTATION).annotations,
        ...memberAnnotationsOf(metadata),
      },
      ...generationOf(metadata),
    },
    spec: {
      replicas: dig(spec, 'replicas'),
      strategy: strategyIn(spec),
      ordinals: { start: dig(spec, 'ordinals', 'start') },
      ...selectorIn(spec),
      template: {
        metadata: { labels: templateLabelsOf(spec) },
        spec: { volumes: [...volumesOf(template), ...assigned] },
      },
    },
    status: {
      ...sizeIn(status),
      updatedReplicas: dig(status, 'updatedReplicas'),
      updateRevision: dig(status, 'updateRevision'),
      conditions: conditionsOf(workload, 'ReplicaFailure'),
    },
  });
}

const strategyIn = (spec: unknown): object => ({
  type: dig(spec, 'strategy', 'type'),
  rollingUpdate: { maxSurge: dig(spec, 'strategy', 'rollingUpdate', 'maxSurge') },
});

export const generationOf = ({ generation }: ObjectMeta): Pick<ObjectMeta, 'generation'> =>
  generation === undefined ? {} : { generation };

/** The fields that `sizeOf` reads. */
export const sizeIn = (status: unknown): object => ({
  observedGeneration: dig(status, 'observedGeneration'),
  replicas: dig(status, 'replicas'),
  readyReplicas: dig(status, 'readyReplicas'),
});

export function selectorIn(holder: unknown): object {
  const selector = dig(holder, 'selector');
  return JSON.stringify(selector ?? '').length <= MOST_CHARACTERS ? { selector } : {};
}

export const slimReplicaSet = (set: KubeObject): KubeObject => slimmed(set, {});

export const slimAutoscaler = (autoscaler: KubeObject): KubeObject =>
  slimmed(autoscaler, { spec: { scaleTargetRef: dig(autoscaler, 'spec', 'scaleTargetRef') } });

/** For a ConfigMap that is watched by its metadata: one label and one annotation. */
export const slimConfigMap = (
  configMap: KubeObject,
  label: string,
  annotation: string,
): KubeObject => {
  const { metadata } = configMap;
  const value = metadata.labels?.[label];
  return slimmed(configMap, {
    metadata: {
      ...annotated(metadata, annotation),
      ...(value !== undefined && { labels: { [label]: value } }),
    },
  });
};

const assignedVolume = { downwardAPI: { items: [{ fieldRef: { fieldPath: ASSIGNED_PATH } }] } };

/** Keeps the identity and the controlling owner. */
export function slimmed(
  { apiVersion, kind, metadata }: KubeObject,
  kept: { readonly metadata?: object; readonly [field: string]: unknown },
): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences } = metadata;
  const owner = ownerReferences?.find(({ controller }) => controller === true);
  return {
    apiVersion,
    kind,
    ...kept,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(owner !== undefined && { ownerReferences: [owner] }),
      ...kept.metadata,
    },
  };
}

/** Omits annotations that are longer than any the operator writes. */
export function annotated(
  { annotations = {} }: ObjectMeta,
  ...names: readonly string[]
): Pick<ObjectMeta, 'annotations'> {
  const kept = names.flatMap((name) => {
    const text = annotations[name];
    return text === undefined || text.length > LONGEST_ANNOTATION ? [] : [[name, text]];
  });
  return { annotations: Object.fromEntries(kept) };
}

const portsOf = (spec: unknown): readonly object[] =>
  portsIn(spec)
    .slice(0, MOST_PORTS)
    .map((port) => ({ name: dig(port, 'name'), containerPort: dig(port, 'containerPort') }));

const volumesOf = (spec: unknown): readonly object[] =>
  firstOf(configMapsIn(dig(spec, 'volumes')), (name) => name.length).map((name) => ({
    configMap: { name },
  }));

const labelsOf = ({ labels = {} }: Pick<ObjectMeta, 'labels'>): Readonly<Record<string, string>> =>
  Object.fromEntries(firstOf(Object.entries(labels), ([key, value]) => key.length + value.length));

const templateLabelsOf = (spec: unknown): Readonly<Record<string, string>> =>
  labelsOf({ labels: podLabelsIn(spec) });

/** The first items whose lengths fit into MOST_CHARACTERS together. */
function firstOf<T>(all: readonly T[], length: (item: T) => number): readonly T[] {
  let used = 0;
  return all.filter((item) => {
    used += length(item);
    return used <= MOST_CHARACTERS;
  });
}
