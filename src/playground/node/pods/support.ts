// What does a pod ask for that a process on this machine cannot be given?
import { asList, asRecord, asString, dig } from '../../../api/objects.ts';
import type { MountMode } from '../containers/mounts.ts';
import { type Container, everyContainer, type NodePod } from './pod-spec.ts';

export type Limits = {
  readonly isRoot: boolean;
  readonly mounts: MountMode;
  /** What on the way to its programs is closed to the user that a container asks for. */
  readonly closedTo: (container: Container) => string | undefined;
};

/**
 * `blocking`: the pod cannot run at all. `notable`: it runs, and something that it asked for does
 * not happen. `harmless`: nobody will miss it here.
 */
export type Unsupported = {
  readonly blocking: readonly string[];
  readonly notable: readonly string[];
  readonly harmless: readonly string[];
};

export function unsupportedIn(pod: NodePod, limits: Limits): Unsupported {
  const spec = pod.object['spec'];
  const containers = everyContainer(pod);
  const blocking = pod.volumes.flatMap((volume) =>
    volume.type === 'unsupported'
      ? [
          `spec.volumes[${volume.name}].${volume.field} (only configMap, secret, projected, downwardAPI and emptyDir)`,
        ]
      : [],
  );
  const notable = [
    ...['hostNetwork', 'hostPID', 'hostIPC']
      .filter((field) => dig(spec, field) === true)
      .map((field) => `spec.${field}`),
    ...containers.flatMap((container) => unsupportedProbes(container)),
    ...identityProblems(pod, containers, limits),
    ...rawContainers(spec).flatMap(({ at, container }) => unsupportedFields(at, container)),
    ...(asList(dig(spec, 'ephemeralContainers')).length > 0 ? ['spec.ephemeralContainers'] : []),
    ...(limits.mounts.type === 'rewrite' && containers.some(({ mounts }) => mounts.length > 0)
      ? [
          `volumeMounts at their paths (${limits.mounts.reason}; the paths are mapped in command, arguments and environment instead)`,
        ]
      : []),
  ];
  return { blocking, notable: [...new Set(notable)], harmless: harmlessFields(spec) };
}

function unsupportedProbes({ name, probes, preStop }: Container): string[] {
  const actions = [
    ...Object.entries(probes).map(([kind, probe]) => [`${kind}Probe`, probe.action] as const),
    ...(preStop === undefined ? [] : [['lifecycle.preStop', preStop] as const]),
  ];
  return actions.flatMap(([at, action]) =>
    action.type === 'unsupported' ? [`spec.containers[${name}].${at}.${action.field}`] : [],
  );
}

function identityProblems(
  pod: NodePod,
  containers: readonly Container[],
  { isRoot, mounts, closedTo }: Limits,
): string[] {
  if (isRoot && mounts.type === 'namespace') {
    return containers.flatMap((container) => {
      const closed = closedTo(container);
      const why = `user ${container.runAsUser} may not use ${closed}, so it runs as root`;
      return closed === undefined
        ? []
        : [`securityContext.runAsUser of ${container.name} (${why})`];
    });
  }
  const why = isRoot ? 'without mount namespaces' : 'the playground does not run as root';
  const fields = containers.flatMap(({ name, runAsUser, runAsGroup }) => [
    ...(runAsUser === undefined || runAsUser === process.getuid?.()
      ? []
      : [`securityContext.runAsUser of ${name} (${why})`]),
    ...(runAsGroup === undefined || runAsGroup === process.getgid?.()
      ? []
      : [`securityContext.runAsGroup of ${name} (${why})`]),
  ]);
  return pod.fsGroup === undefined || isRoot
    ? fields
    : [...fields, `spec.securityContext.fsGroup (${why})`];
}

function rawContainers(spec: unknown): { at: string; container: unknown }[] {
  return ['initContainers', 'containers'].flatMap((field) =>
    asList(dig(spec, field)).map((container) => ({
      at: `spec.${field}[${asString(dig(container, 'name')) ?? ''}]`,
      container,
    })),
  );
}

function unsupportedFields(at: string, container: unknown): string[] {
  const fields = [
    ['lifecycle', 'postStart'],
    ['lifecycle', 'stopSignal'],
    ['securityContext', 'privileged'],
    ['volumeDevices'],
    ['stdin'],
    ['tty'],
    ['restartPolicyRules'],
  ];
  const isAsked = (value: unknown): boolean =>
    value !== undefined && value !== false && value !== null;
  const path = asString(dig(container, 'terminationMessagePath'));
  return [
    ...fields
      .filter((field) => isAsked(dig(container, ...field)))
      .map((field) => `${at}.${field.join('.')}`),
    ...(path === undefined || path === '/dev/termination-log'
      ? []
      : [`${at}.terminationMessagePath`]),
  ];
}

/**
 * These only ever take something away from a container: here it has more than it would have
 * elsewhere.
 */
function harmlessFields(spec: unknown): string[] {
  const restrictions = [
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'capabilities',
    'seccompProfile',
    'appArmorProfile',
    'runAsNonRoot',
  ];
  const contexts = [
    dig(spec, 'securityContext'),
    ...rawContainers(spec).map(({ container }) => dig(container, 'securityContext')),
  ];
  const asked = restrictions.filter((field) =>
    contexts.some((context) => dig(context, field) !== undefined),
  );
  const hasResources = rawContainers(spec).some(
    ({ container }) => Object.keys(asRecord(dig(container, 'resources')) ?? {}).length > 0,
  );
  return [
    ...(hasResources ? ['resources'] : []),
    ...asked.map((field) => `securityContext.${field}`),
  ];
}
