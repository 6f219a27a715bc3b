// What of a pod does the node look at? Read once from the API's JSON; behind this door the types
// are trusted.
import {
  asList,
  asNumber,
  asRecord,
  asString,
  dig,
  type ExactRef,
  type KubeObject,
} from '../../../api/objects.ts';
import { type Probe, type ProbeAction, readAction, readProbe } from '../probes/probe-spec.ts';
import { readVolumes, type Volume } from '../volumes/volume-spec.ts';

export type Strings = Readonly<Record<string, string>>;

export type EnvSource =
  | {
      readonly from: 'configMap' | 'secret';
      readonly name: string;
      readonly key: string;
      readonly optional: boolean;
    }
  | { readonly from: 'field'; readonly path: string }
  | {
      readonly from: 'resource';
      readonly container: string | undefined;
      readonly resource: string;
      readonly divisor: string;
    };

export type EnvVar =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly source: EnvSource };

export type EnvFrom = {
  readonly from: 'configMap' | 'secret';
  readonly name: string;
  readonly prefix: string;
  readonly optional: boolean;
};

export type VolumeMount = {
  readonly volume: string;
  readonly path: string;
  readonly readOnly: boolean;
  readonly subPath: string;
  /** Like subPath, with $(VAR) in it. */
  readonly subPathExpr: string;
};

export type Port = { readonly name: string | undefined; readonly port: number };

export type Container = {
  readonly name: string;
  readonly image: string;
  /** A sidecar: an init container that goes on running. */
  readonly isSidecar: boolean;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string | undefined;
  readonly env: readonly EnvVar[];
  readonly envFrom: readonly EnvFrom[];
  readonly mounts: readonly VolumeMount[];
  readonly ports: readonly Port[];
  readonly limits: Strings;
  readonly requests: Strings;
  readonly probes: {
    readonly liveness?: Probe;
    readonly readiness?: Probe;
    readonly startup?: Probe;
  };
  readonly preStop: ProbeAction | undefined;
  readonly runAsUser: number | undefined;
  readonly runAsGroup: number | undefined;
  readonly logIsMessage: boolean;
};

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export type Toleration = {
  readonly key: string | undefined;
  readonly operator: string;
  readonly value: string;
  readonly effect: string | undefined;
};

export type Requirement = {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
};

/** One of the terms has to match: all its expressions on labels, and all on fields. */
export type AffinityTerm = {
  readonly labels: readonly Requirement[];
  readonly fields: readonly Requirement[];
};

export type NodePod = {
  readonly ref: ExactRef & { readonly namespace: string };
  readonly object: KubeObject;
  readonly labels: Strings;
  readonly annotations: Strings;
  readonly createdAt: string;
  /** Set once somebody has asked for its end; the grace that was given with it. */
  readonly deletion: { readonly graceSeconds: number } | undefined;
  readonly nodeName: string | undefined;
  readonly schedulerName: string;
  readonly nodeSelector: Strings;
  readonly affinity: readonly AffinityTerm[] | undefined;
  readonly tolerations: readonly Toleration[];
  readonly hostname: string;
  readonly serviceAccount: string;
  readonly restartPolicy: RestartPolicy;
  readonly graceSeconds: number;
  readonly activeDeadlineSeconds: number | undefined;
  readonly readinessGates: readonly string[];
  readonly fsGroup: number | undefined;
  readonly supplementalGroups: readonly number[];
  readonly initContainers: readonly Container[];
  readonly containers: readonly Container[];
  readonly volumes: readonly Volume[];
  readonly isGated: boolean;
};

export function readPod(object: KubeObject): NodePod {
  const { metadata } = object;
  const spec = asRecord(object['spec']) ?? {};
  const security = asRecord(spec['securityContext']) ?? {};
  const graceSeconds = asNumber(spec['terminationGracePeriodSeconds']) ?? 30;
  return {
    ref: {
      namespace: metadata.namespace ?? 'default',
      name: metadata.name,
      uid: metadata.uid ?? '',
    },
    object,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    createdAt: metadata.creationTimestamp ?? '',
    deletion:
      metadata.deletionTimestamp === undefined
        ? undefined
        : {
            graceSeconds:
              asNumber(dig(object, 'metadata', 'deletionGracePeriodSeconds')) ?? graceSeconds,
          },
    nodeName: asString(spec['nodeName']),
    schedulerName: asString(spec['schedulerName']) ?? 'default-scheduler',
    nodeSelector: readStrings(spec['nodeSelector']),
    affinity: readAffinity(spec['affinity']),
    tolerations: asList(spec['tolerations']).map(readToleration),
    // The same rule as a kubelet's: a name longer than a host name may be is cut.
    hostname: (asString(spec['hostname']) ?? metadata.name).slice(0, 63).replace(/[-.]+$/, ''),
    serviceAccount: asString(spec['serviceAccountName']) ?? 'default',
    restartPolicy: readRestartPolicy(spec['restartPolicy']),
    graceSeconds,
    activeDeadlineSeconds: asNumber(spec['activeDeadlineSeconds']),
    readinessGates: asList(spec['readinessGates']).map(
      (gate) => asString(dig(gate, 'conditionType')) ?? '',
    ),
    fsGroup: asNumber(security['fsGroup']),
    supplementalGroups: asList(security['supplementalGroups']).filter(
      (group) => typeof group === 'number',
    ),
    initContainers: asList(spec['initContainers']).map((container) =>
      readContainer(container, security),
    ),
    containers: asList(spec['containers']).map((container) => readContainer(container, security)),
    volumes: readVolumes(spec['volumes']),
    isGated: asList(spec['schedulingGates']).length > 0,
  };
}

export const everyContainer = (pod: NodePod): readonly Container[] => [
  ...pod.initContainers,
  ...pod.containers,
];

/** What makes a kubelet sync a pod: status alone does not, a label or an annotation does. */
export function isSyncedAnew(before: NodePod, after: NodePod): boolean {
  const seen = (pod: NodePod): string =>
    JSON.stringify([pod.object['spec'], pod.labels, pod.annotations, pod.deletion]);
  return seen(before) !== seen(after);
}

export function readStrings(value: unknown): Strings {
  const entries = Object.entries(asRecord(value) ?? {});
  return Object.fromEntries(
    entries.flatMap(([key, item]) =>
      item === null || item === undefined ? [] : [[key, String(item)]],
    ),
  );
}

function readRestartPolicy(value: unknown): RestartPolicy {
  return value === 'OnFailure' || value === 'Never' ? value : 'Always';
}

function readContainer(value: unknown, podSecurity: Readonly<Record<string, unknown>>): Container {
  const text = (field: string): string | undefined => asString(dig(value, field));
  const texts = (field: string): readonly string[] => asList(dig(value, field)).map(String);
  const user = (field: string): number | undefined =>
    asNumber(dig(value, 'securityContext', field)) ?? asNumber(podSecurity[field]);
  const liveness = readProbe(dig(value, 'livenessProbe'));
  const readiness = readProbe(dig(value, 'readinessProbe'));
  const startup = readProbe(dig(value, 'startupProbe'));
  return {
    name: text('name') ?? '',
    image: text('image') ?? '',
    isSidecar: text('restartPolicy') === 'Always',
    command: texts('command'),
    args: texts('args'),
    workingDir: text('workingDir'),
    env: asList(dig(value, 'env')).map(readEnvVar),
    envFrom: asList(dig(value, 'envFrom')).flatMap(readEnvFrom),
    mounts: asList(dig(value, 'volumeMounts')).map(readMount),
    ports: asList(dig(value, 'ports')).map((port) => ({
      name: asString(dig(port, 'name')),
      port: asNumber(dig(port, 'containerPort')) ?? 0,
    })),
    limits: readStrings(dig(value, 'resources', 'limits')),
    requests: readStrings(dig(value, 'resources', 'requests')),
    probes: {
      ...(liveness && { liveness }),
      ...(readiness && { readiness }),
      ...(startup && { startup }),
    },
    preStop: readAction(dig(value, 'lifecycle', 'preStop')),
    runAsUser: user('runAsUser'),
    runAsGroup: user('runAsGroup'),
    logIsMessage: text('terminationMessagePolicy') === 'FallbackToLogsOnError',
  };
}

function readEnvVar(value: unknown): EnvVar {
  const name = asString(dig(value, 'name')) ?? '';
  const source = readEnvSource(dig(value, 'valueFrom'));
  return source === undefined
    ? { name, value: asString(dig(value, 'value')) ?? '' }
    : { name, source };
}

function readEnvSource(value: unknown): EnvSource | undefined {
  const keyed = (from: 'configMap' | 'secret', ref: unknown): EnvSource => ({
    from,
    name: asString(dig(ref, 'name')) ?? '',
    key: asString(dig(ref, 'key')) ?? '',
    optional: dig(ref, 'optional') === true,
  });
  const configMap = asRecord(dig(value, 'configMapKeyRef'));
  if (configMap !== undefined) return keyed('configMap', configMap);
  const secret = asRecord(dig(value, 'secretKeyRef'));
  if (secret !== undefined) return keyed('secret', secret);
  const path = asString(dig(value, 'fieldRef', 'fieldPath'));
  if (path !== undefined) return { from: 'field', path };
  const resource = asString(dig(value, 'resourceFieldRef', 'resource'));
  if (resource === undefined) return undefined;
  const container = asString(dig(value, 'resourceFieldRef', 'containerName'));
  return {
    from: 'resource',
    container,
    resource,
    divisor: String(dig(value, 'resourceFieldRef', 'divisor') ?? '0'),
  };
}

function readEnvFrom(value: unknown): EnvFrom[] {
  const prefix = asString(dig(value, 'prefix')) ?? '';
  return (['configMap', 'secret'] as const).flatMap((from) => {
    const ref = asRecord(dig(value, `${from}Ref`));
    return ref === undefined
      ? []
      : [{ from, name: asString(ref['name']) ?? '', prefix, optional: ref['optional'] === true }];
  });
}

function readMount(value: unknown): VolumeMount {
  return {
    volume: asString(dig(value, 'name')) ?? '',
    path: asString(dig(value, 'mountPath')) ?? '',
    readOnly: dig(value, 'readOnly') === true,
    subPath: asString(dig(value, 'subPath')) ?? '',
    subPathExpr: asString(dig(value, 'subPathExpr')) ?? '',
  };
}

function readAffinity(value: unknown): readonly AffinityTerm[] | undefined {
  const required = dig(
    value,
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  );
  if (required === undefined) return undefined;
  const requirements = (list: unknown): readonly Requirement[] =>
    asList(list).map((item) => ({
      key: asString(dig(item, 'key')) ?? '',
      operator: asString(dig(item, 'operator')) ?? '',
      values: asList(dig(item, 'values')).map(String),
    }));
  return asList(required).map((term) => ({
    labels: requirements(dig(term, 'matchExpressions')),
    fields: requirements(dig(term, 'matchFields')),
  }));
}

function readToleration(value: unknown): Toleration {
  return {
    key: asString(dig(value, 'key')),
    operator: asString(dig(value, 'operator')) ?? 'Equal',
    value: asString(dig(value, 'value')) ?? '',
    effect: asString(dig(value, 'effect')),
  };
}
