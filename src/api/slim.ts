// What of each object is kept in memory? All that its parser reads (observed.ts), and no more than
// an honest object has of it.
import { ASSIGNED_ANNOTATION } from './assignment.ts';
import { asList, dig, type KubeObject, type ObjectMeta } from './objects.ts';
import {
  ASSIGNED_PATH,
  configMapsIn,
  DELETION_COST_ANNOTATION,
  mountsAssigned,
  runningContainers,
} from './observed.ts';
import { statusTelling, troubleOf } from './trouble.ts';

/**
 * Of the texts of one kind in an object together: of its labels, of the names of the ConfigMaps
 * that it mounts, of its selector.
 */
export const MOST_CHARACTERS = 16_384;
const LONGEST_ANNOTATION = 8_192;
const MOST_PORTS = 256;

export function slimPod(pod: KubeObject): KubeObject {
  const { metadata, status, spec } = pod;
  return slimmed(pod, {
    metadata: annotated(metadata, ASSIGNED_ANNOTATION, DELETION_COST_ANNOTATION),
    spec: {
      containers: [{ ports: portsOf(spec) }],
      volumes: volumesOf(spec),
    },
    status: {
      phase: dig(status, 'phase'),
      podIP: dig(status, 'podIP'),
      conditions: asList(dig(status, 'conditions')).filter((it) => dig(it, 'type') === 'Ready'),
      ...statusTelling(troubleOf(pod)),
    },
  });
}

/** A StatefulSet or a Deployment. */
export function slimWorkload(workload: KubeObject): KubeObject {
  const { metadata, spec, status } = workload;
  const template = dig(spec, 'template', 'spec');
  const selector = dig(spec, 'selector');
  return slimmed(workload, {
    metadata: { labels: labelsOf(metadata) },
    spec: {
      replicas: dig(spec, 'replicas'),
      ordinals: { start: dig(spec, 'ordinals', 'start') },
      ...(JSON.stringify(selector ?? '').length <= MOST_CHARACTERS && { selector }),
      template: {
        spec: {
          volumes: [...volumesOf(template), ...(mountsAssigned(workload) ? [assignedVolume] : [])],
        },
      },
    },
    status: {
      conditions: asList(dig(status, 'conditions')).filter(
        (it) => dig(it, 'type') === 'ReplicaFailure',
      ),
    },
  });
}

export const slimReplicaSet = (set: KubeObject): KubeObject => slimmed(set, {});

export const slimAutoscaler = (autoscaler: KubeObject): KubeObject =>
  slimmed(autoscaler, { spec: { scaleTargetRef: dig(autoscaler, 'spec', 'scaleTargetRef') } });

/** Of a ConfigMap whose contents did not come along: who it is for, and what it notes. */
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

/** Identity stays, and the owner that controls it. */
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

/** Only as long as they can be when they are ours. */
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
  runningContainers(spec)
    .flatMap((container) => asList(dig(container, 'ports')))
    .slice(0, MOST_PORTS)
    .map((port) => ({ name: dig(port, 'name'), containerPort: dig(port, 'containerPort') }));

const volumesOf = (spec: unknown): readonly object[] =>
  firstOf(configMapsIn(dig(spec, 'volumes')), (name) => name.length).map((name) => ({
    configMap: { name },
  }));

const labelsOf = ({ labels = {} }: ObjectMeta): Readonly<Record<string, string>> =>
  Object.fromEntries(firstOf(Object.entries(labels), ([key, value]) => key.length + value.length));

/** As many as have room together. */
function firstOf<T>(all: readonly T[], length: (item: T) => number): readonly T[] {
  let used = 0;
  return all.filter((item) => {
    used += length(item);
    return used <= MOST_CHARACTERS;
  });
}
